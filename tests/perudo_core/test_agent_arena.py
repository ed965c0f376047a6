"""The arena: games with common random numbers, its tallies, programs in other languages, and its command line."""

import random
import runpy
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from perudo_core import Bid, Call, Dudo, Observation, Record, Rules, bid_probability, replay
from perudo_core.__main__ import main as read_a_record
from perudo_core._json_reading import parse_json
from perudo_core.agents import Level, LevelAgent, Memory, Temperament, create_agent
from perudo_core.agents.__main__ import main
from perudo_core.agents.arena import Player, play
from perudo_core.agents.arena import _games as games_module
from perudo_core.agents.arena._games import play_games
from perudo_core.agents.arena._intervals import calibration_error, percentile, wilson

TWO_DICE = Rules.preset("aces").with_options(starting_dice=2)
ALL_OUT_OF_TURN = TWO_DICE.with_options(calza=True, out_of_turn_dudo=True)


def wins(names: Sequence[Player], rules: Rules, count: int, seed: int = 1) -> list[int]:
    return [tally.wins for tally in play_games(names, rules, range(count), seed).tallies]


def test_a_seed_gives_the_same_games_in_several_processes_too_and_every_player_every_seat() -> None:
    alike = play_games(["regular"] * 3, TWO_DICE, range(9), 2).tallies
    assert [tally.wins for tally in alike] == [3, 3, 3]  # equal players win one of three games with the same dice
    assert [tally.games for tally in alike] == [9, 9, 9]
    lines: list[str] = []
    one = play(["novice", "regular"], TWO_DICE, games=8, seed=3, progress=lines.append)
    assert one == play(["novice", "regular"], TWO_DICE, games=8, seed=3, processes=2), "however long decisions take"
    assert lines[3].startswith("8 games, novice won")
    assert play(["regular", "novice"], TWO_DICE, games=0).players[0].wins == 0


class Silent:
    """An agent that makes no call out of turn."""

    def interrupt(self, _observation: Observation, _memory: Memory, _rng: random.Random) -> Call | None:
        return None


class Creeper(Silent):
    def choose(self, observation: Observation, _memory: Memory, _rng: random.Random) -> Call:
        last = observation.current_bid
        doubts = last is not None and bid_probability(observation, last) < 0.3
        return observation.legal_calls[-1 if doubts else 0]


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize(("level", "games", "least"), [("regular", 24, 6), ("strong", 8, 3)])
def test_a_beginner_who_adds_one_does_not_beat_the_levels(level: str, games: int, least: int) -> None:
    """Against three who raise by the least and doubt late; four equal players would win a quarter each."""
    assert wins([level, Creeper(), Creeper(), Creeper()], Rules(), games)[0] >= least


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize(
    ("house", "opponent", "least"),
    [
        ({}, "regular", 0.6),
        ({}, "strong", 0.45),
        ({"calza_costs_others": True}, "strong", 0.45),
        ({"first_out_wins": True}, "strong", 0.45),
    ],
)
def test_with_calza_the_expert_is_the_best_heads_up_too(house: dict[str, bool], opponent: str, least: float) -> None:
    """At the bot's usual table, and at its houses that change what a calza costs."""
    usual, games = Rules(calza=True, lost_dice="visible").with_options(**house), {1: 30, 2: 16, 3: 10, 4: 8}
    won = [wins(["expert", opponent], usual.with_options(starting_dice=dice), games[dice])[0] for dice in games]
    assert sum(won) / sum(games.values()) >= least, won


class Eager:
    def choose(self, observation: Observation, _memory: Memory, _rng: random.Random) -> Call:
        asked_late = observation.bids and sum(map(bool, observation.dice_counts)) > 2
        assert not asked_late, "another player doubts before this one answers"
        return observation.legal_calls[-1]

    def interrupt(self, observation: Observation, _memory: Memory, _rng: random.Random) -> Call | None:
        return Dudo(observation.own_seat)


def test_agents_speak_out_of_turn_and_a_game_that_never_ends_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    played = play_games([Eager] * 3, ALL_OUT_OF_TURN, range(12), 1)
    assert [tally.failures for tally in played.tallies] == [0, 0, 0]
    monkeypatch.setattr(games_module, "MOST_CALLS", 0)
    played = play_games(["regular", "regular"], TWO_DICE, range(1), 1)
    assert sum(tally.failures for tally in played.tallies) > 0


def test_intervals() -> None:
    assert wilson(0, 0) == (0, 1)
    low, high = wilson(500, 2000)
    assert 0.23 < low < 0.25 < high < 0.27
    assert [percentile(values, at) for values, at in (([], 0.5), ([3, 1, 2], 0.5), ([3, 1, 2], 1))] == [0, 2, 3]
    assert calibration_error([]) == 0
    assert calibration_error([(1.0, True), (0.05, False)]) == pytest.approx(0.025)


class Broken:
    def choose(self, observation: Observation, _memory: Memory, rng: random.Random) -> Call:
        fault = rng.choice(["raises", "nothing", "another's", "illegal", "none"])
        if fault == "raises":
            raise KeyError(fault)
        seat = observation.own_seat
        calls = {"another's": Dudo(seat + 1), "illegal": Bid(seat, 99, 2), "none": "dudo"}
        return calls.get(fault)  # type: ignore[return-value]

    def interrupt(self, observation: Observation, _memory: Memory, rng: random.Random) -> Call | None:
        if rng.random() < 0.5:
            raise RuntimeError
        return Bid(observation.own_seat, 1, 2)


@pytest.mark.parametrize("made", [Broken, Broken()])
def test_ones_own_agent_plays_and_its_failures_end_no_game_and_the_first_one_is_shown(made: Player) -> None:
    with pytest.warns(RuntimeWarning, match=r"(?s)Broken failed \d+ times, first so: Traceback.*raise "):
        shown = play([made, "regular", "regular"], ALL_OUT_OF_TURN, games=9)
    broken, *regular = shown.players
    assert broken.failures > 0
    assert "Traceback" in broken.first_failure
    assert broken.bluffs == broken.doubts == 0
    assert [(each.player, each.games, each.failures) for each in regular] == [("regular 1", 9, 0), ("regular 2", 9, 0)]
    with pytest.raises((KeyError, RuntimeError)):
        play([made, "regular"], ALL_OUT_OF_TURN, games=9, strict=True)


@dataclass(frozen=True)
class Saying(Silent):
    said: object

    def choose(self, _observation: Observation, _memory: Memory, _rng: random.Random) -> Call:
        return self.said  # type: ignore[return-value]


def test_a_call_that_is_not_legal_is_shown_or_raised() -> None:
    for said, fault in (
        ("dudo", "'dudo' is no call"),
        (Dudo(7), "is a call of seat 7, not of seat"),
        (Bid(0, 99, 2), "is not legal: bid/above_maximum"),
    ):
        with pytest.warns(RuntimeWarning, match=fault):
            assert play([Saying(said), "novice"], TWO_DICE, games=1).players[0].failures > 0
        with pytest.raises(ValueError, match=fault):
            play([Saying(said), "novice"], TWO_DICE, games=1, strict=True)


@dataclass(frozen=True)
class Threshold(Silent):
    name: str = "threshold"

    def choose(self, observation: Observation, _memory: Memory, _rng: random.Random) -> Call:
        return observation.legal_calls[0 if observation.current_bid is None else -1]


def test_each_player_has_a_row_with_a_name_of_its_own_and_what_is_no_player_is_refused() -> None:
    bold = create_agent("novice", "bold")
    shown = play([Threshold(".1"), Threshold(".5"), Threshold(".5"), Creeper, bold, "novice"], TWO_DICE, games=6)
    assert [each.player for each in shown.players] == [".1", ".5 1", ".5 2", "Creeper", "novice:bold", "novice"]
    assert sum(each.wins for each in shown.players) == pytest.approx(1)
    assert create_agent("expert").name == "expert"
    assert LevelAgent(Level.NOVICE, Temperament(doubt=0.3)).name == "novice:own"
    with pytest.raises(TypeError, match="players must be a sequence of players, not str"):
        play("novice")
    with pytest.raises(TypeError, match="a player must be a name or have choose and interrupt, not int"):
        play([int, "regular"], TWO_DICE)  # type: ignore[list-item]
    for too_few in ([], ["regular"]):
        with pytest.raises(ValueError, match=f"players must be at least two, not {len(too_few)}"):
            play(too_few, TWO_DICE)


def test_the_command_line_plays_and_prints_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--games", "4", "--preset", "aces", "--option", "starting_dice=2", "--option", "palifico=false"]
    assert main(["arena", "regular:bold", "novice", *options]) == 0
    printed = capsys.readouterr()
    assert printed.out.count("\n") == 5
    assert "| regular:bold | 4 |" in printed.out
    assert "4 games, regular:bold won" in printed.err
    assert main(["arena", "regular", "novice", "--games", "2", "--option", "starting_dice=2", "--json"]) == 0
    regular, novice = parse_json(capsys.readouterr().out)["players"]
    assert novice["player"] == "novice"
    ratings = (regular["rating"], novice["rating"], novice["rating_interval"][0])
    assert ratings == (None, None, None), "JSON has null where a player won no game"
    assert main(["arena", "regular", "regular", "--games", "4", "--option", "starting_dice=1"]) == 0
    head, _, first, *_ = capsys.readouterr().out.splitlines()
    cells = dict(zip(head.split(" | "), first.split(" | "), strict=True))
    assert cells["rating"] == "+0", "of two equal players each wins one of two games with the same dice"
    assert " -301 to +301 " in first
    assert (cells["late"], cells["illegal"]) == ("0", "0")


def test_the_games_of_an_arena_can_be_looked_at(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    games: list[Record] = []
    won = Counter[str]()
    result = play(["novice", "regular"], TWO_DICE, games=4, on_game=games.append)
    for game in games:
        outcome = replay(game).final.outcome
        assert outcome is not None
        won[game.seats[outcome.winner]] += 1
    assert [won[each.player] / 4 for each in result.players] == [each.wins for each in result.players]
    file = str(tmp_path / "games.jsonl")
    options = ["--games", "4", "--preset", "aces", "--option", "starting_dice=2"]
    assert main(["arena", "novice", "regular", *options, "--games-to", file]) == 0
    assert [Record.from_json(line) for line in Path(file).read_text(encoding="utf-8").splitlines()] == games
    assert read_a_record(["replay", file]) == 0
    assert main(["arena", "novice", "regular", "--games-to", str(tmp_path)]) == 2
    assert f"Is a directory: '{tmp_path}'" in capsys.readouterr().err


def test_the_command_line_says_what_cannot_be_played_and_runs_as_a_module(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for arguments, fault in (
        (["genius", "novice"], "genius"),
        (["novice"], "at least two"),
        (["novice", "novice", "--option", "colour=red"], "colour"),
        (["engine:no_such", "novice"], "engine:no_such: cannot start"),
    ):
        assert main(["arena", *arguments]) == 2
        said = capsys.readouterr().err
        assert said.count("\n") == 1
        assert fault in said
    monkeypatch.setattr(sys, "argv", ["agents", "arena", "novice"])
    monkeypatch.delitem(sys.modules, "perudo_core.agents.__main__")
    with pytest.raises(SystemExit, match="2"):
        runpy.run_module("perudo_core.agents", run_name="__main__")
    assert capsys.readouterr().err
