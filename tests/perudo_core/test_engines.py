"""Programs as players: the examples, engines in one function, and programs that misbehave."""

import json
import math
import random
import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from perudo_core import Bid, Call, Calza, Dudo, Observation, Rules, StateError, apply, observe, set_up
from perudo_core.agents import Level, create_agent, engines, new_memory, remember_all
from perudo_core.agents.__main__ import main
from perudo_core.agents.arena import play
from perudo_core.agents.arena._games import play_games
from tests.perudo_core.builds import PROJECT

RULES = Rules.preset("aces").with_options(starting_dice=2, calza=True, calza_by="bystanders")
HAND = ((2, 2), (1, 4), (3, 3))
LEAST = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    said = {"unsupported": True}
    if asked["method"] == "choose":
        legal = asked["params"]["observation"]["legal_calls"]
        said = {"result": "dudo" if legal["dudo"] else "{1}x{0}".format(*legal["bids"][0])}
    print(json.dumps({"id": asked["id"], **said}), flush=True)
"""
"""A program that knows one method."""
EXAMPLES = (
    f"{shlex.quote(sys.executable)} {shlex.quote(str(PROJECT / 'examples' / 'odds_engine.py'))}",
    f"node {shlex.quote(str(PROJECT / 'examples' / 'odds_engine.js'))}",
    f"{shlex.quote(sys.executable)} -m perudo_core.agents engine regular:bold",
    f"{shlex.quote(sys.executable)} -c {shlex.quote(LEAST)}",
)


def view(seat: int = 1, quantity: int = 2) -> Observation:
    return observe(set_up(RULES, HAND, [Bid(0, quantity, 2)]), seat)


def question(seat: int = 1) -> engines.Question:
    return engines.Question(view(seat), new_memory(RULES, 3), seconds=2.5, seed=7)


def said_by(engine: engines.Engine, *requests: tuple[str, Any], **told: Any) -> list[dict[str, Any]]:
    lines = [json.dumps({"id": at, "method": name, "params": params}) for at, (name, params) in enumerate(requests)]
    written: list[str] = []
    engines.serve(engine, name="Ours", lines=lines, write=written.append, **told)
    answers = [json.loads(line) for line in written]
    assert [answer.pop("id") for answer in answers] == list(range(len(requests)))
    return answers


@pytest.mark.parametrize("command", EXAMPLES, ids=["python", "node", "level", "least"])
def test_an_example_plays_whole_games_and_makes_no_mistake(command: str) -> None:
    played = play_games([f"engine:{command}", "regular", "novice"], RULES, range(6), 1)
    assert [tally.failures for tally in played.tallies] == [0, 0, 0]
    assert min(played.tallies[0].bids, played.tallies[0].doubts) > 0


@pytest.mark.parametrize("level", Level)
def test_a_level_behind_the_protocol_calls_as_the_level_itself(level: str) -> None:
    state, memory, rng = set_up(RULES, HAND, []), new_memory(RULES, 3), random.Random(5)
    for call in (Bid(0, 1, 2), Bid(1, 2, 2)):
        state, events = apply(state, call)
        memory = remember_all(memory, events)
    asked = engines.Question(observe(state, 2), memory, seed=rng.getrandbits(32))
    own = create_agent(level).choose(asked.observation, memory, asked.rng)
    through = engines.answered(engines.agent_engine(level), json.loads(json.dumps(engines.dump_question(asked))))
    assert engines.read_answer(through, asked.observation) == engines.Answer(own)
    assert engines.agent_engine(create_agent(level))(replace(asked)) == own


def test_a_question_has_all_that_the_seat_may_know_and_no_other_hand() -> None:
    asked = question()
    sent = json.loads(json.dumps(engines.dump_question(asked)))
    assert engines.load_question(sent) == asked
    others = set_up(RULES, ((5, 6), HAND[1], (6, 6)), [Bid(0, 2, 2)])
    assert sent == engines.dump_question(engines.Question(observe(others, 1), asked.memory, asked.seconds, asked.seed))
    assert engines.load_question({"observation": sent["observation"]}).memory == new_memory(RULES, 3)


def raises(_question: engines.Question) -> str:
    raise KeyError("the dice")


def test_a_server_answers_every_request_whatever_the_engine_does_and_asks_who_interrupts_out_of_turn() -> None:
    late = ("interrupt", engines.dump_question(question(2)))
    assert said_by(lambda _: Calza(2), late, interrupts=True) == [{"result": "calza"}]
    assert said_by(lambda _: None, late, interrupts=True) == [{"result": None}]
    assert said_by(lambda _: Calza(2), late) == [{"unsupported": True}]
    asked = ("choose", engines.dump_question(question()))
    said = {"call": "dudo", "reason": "so", "estimate": 0.5}
    assert said_by(lambda _: engines.Answer(Dudo(1), "so", 0.5), asked) == [{"result": said}]
    assert said_by(raises, asked) == [{"error": "KeyError"}], "an exception's words may quote dice"
    assert said_by(raises, ("choose", {"observation": {}}), ("x", {}))[1] == {"unsupported": True}
    greets = {"protocol": "perudo-player/1", "name": "Ours", "options": {"call": "dudo"}, "interrupts": False}
    unknown = ("set", {"options": {"speed": 1}})
    answers = [{"result": greets}, {"error": "unknown option 'speed'"}]
    assert said_by(raises, ("hello", {}), unknown, options={"call": "dudo"}) == answers
    set_twice = said_by(
        lambda asked: str(asked.options["call"]),
        ("set", {"options": {"call": "calza"}}), asked, ("set", {"options": {"call": 1}}), ("set", 3),
        options={"call": "dudo"},
    )  # fmt: skip
    assert set_twice[1] == {"result": "calza"}
    assert "must be of type str" in set_twice[2]["error"]
    assert "error" in set_twice[3]
    no_number = engines.Answer(Dudo(1), "so", math.nan)  # which JSON has not
    assert said_by(lambda _: no_number, asked) == [{"error": "ValueError"}]


@pytest.mark.parametrize(
    "result",
    [7, "five", {"call": "dudo", "x": 1}, {"call": {"type": "roll"}}, {"call": {"type": "dudo", "seat": 0}}, [],
     {"call": "dudo", "estimate": 2}, {"call": "dudo", "reason": 3}, {"reason": "none"}],
)  # fmt: skip
def test_an_answer_that_is_no_call_is_refused(result: object) -> None:
    with pytest.raises(StateError):
        engines.read_answer(result, view())


def script(folder: Path, answer: str, hello: str = "{}") -> str:
    """A program that greets, and then answers each question with this expression."""
    path = folder / "engine.py"
    path.write_text(
        "import json, sys, time\n"
        "for line in sys.stdin:\n"
        "    asked = json.loads(line)\n"
        f"    said = {hello} if asked['method'] == 'hello' else {answer}\n"
        "    print(json.dumps({'id': asked['id'], 'result': said}), flush=True)\n"
    )
    return f"{shlex.quote(sys.executable)} {shlex.quote(str(path))}"


def asked(program: engines.ProgramAgent) -> Call:
    return program.choose(view(), new_memory(RULES, 3), random.Random(1))


def test_an_engine_explains_its_call_and_takes_options_and_never_plays_without_one_that_it_refuses() -> None:
    with engines.ProgramAgent(EXAMPLES[0], options={"doubt_below": 0.99}) as odds:
        assert asked(odds) == Dudo(1)
        assert odds.answer is not None
        assert odds.answer.reason.startswith("a chance of ")
    with engines.ProgramAgent(EXAMPLES[0], options={"no_such": 1}) as odds:
        for _ in range(2):
            with pytest.raises(engines.CommandError, match="unknown option"):
                asked(odds)


@pytest.mark.parametrize(
    ("answer", "fault"),
    [("time.sleep(600)", "late"), ("'9x1'", "illegal"), ("'nonsense'", "illegal"), ("sys.exit()", "failures")],
)
def test_the_arena_counts_who_was_late_and_who_answered_nonsense(answer: str, fault: str, tmp_path: Path) -> None:
    with pytest.warns(RuntimeWarning, match="failed"):
        shown = play([f"engine:{script(tmp_path, answer)}", "novice"], RULES, games=1, seconds=0.3).players
    counts = {name: getattr(shown[0], name) for name in ("late", "illegal", "failures")}
    assert counts["failures"] > 0
    assert counts == {"late": 0, "illegal": 0} | counts | {fault: counts["failures"]}
    assert (shown[1].wins, shown[1].failures) == (1, 0)


def test_an_answer_has_a_longest_line(tmp_path: Path) -> None:
    long = "{'call': 'dudo', 'reason': 'x' * (2**20 - %d)}"
    with engines.ProgramAgent(script(tmp_path, long % 100)) as program:
        assert asked(program) == Dudo(1)
    with (
        engines.ProgramAgent(script(tmp_path, long % 0)) as program,
        pytest.raises(engines.CommandError, match="a line of more than 1048576 bytes"),
    ):
        asked(program)


def test_an_answer_that_takes_all_its_seconds_is_in_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("perudo_core.agents.engines.MARGIN_SECONDS", 60.0)  # on a busy machine
    takes_all = script(tmp_path, "time.sleep(asked['params']['seconds']) or 'dudo'")
    with engines.ProgramAgent(takes_all, seconds=0.05) as program:
        assert asked(program) == Dudo(1)
    with pytest.warns(RuntimeWarning, match="failed"):
        slow, regular = play([f"engine:{takes_all}", "regular"], RULES, games=1, seconds=0.05).players
    assert slow.median_ms >= 50 > regular.median_ms


def test_a_program_and_an_engine_of_another_protocol_each_say_which_one_works(tmp_path: Path) -> None:
    newer = script(tmp_path, "0", hello="{'protocol': 'perudo-player/2'}")
    other = r"than perudo-player/1: 'perudo-player/2'$"
    with engines.ProgramAgent(newer) as program, pytest.raises(engines.CommandError, match=other):
        program.start()
    told = said_by(engines.agent_engine("novice"), ("hello", {"protocol": "perudo-player/2"}))
    assert told == [{"error": "this engine speaks perudo-player/1, not 'perudo-player/2'"}]


def test_a_program_must_call_and_is_not_started_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("perudo_core.agents.engines.MOST_STARTS", 2)
    with engines.ProgramAgent(script(tmp_path, "sys.exit()")) as dying:
        messages = []
        for _ in range(3):
            with pytest.raises(engines.CommandError) as caught:
                asked(dying)
            messages.append(str(caught.value))
    assert messages[1:] == ["no answer: the command ended with status 0", "the program has been started 2 times"]
    with engines.ProgramAgent(script(tmp_path, "{'call': None}")) as program:
        with pytest.raises(StateError, match="must call"):
            asked(program)
        running = program._running
        assert running
    assert running._process.returncode is not None


def test_a_level_is_a_program(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    asked = {"id": 3, "method": "choose", "params": engines.dump_question(question())}
    monkeypatch.setattr(sys, "stdin", [json.dumps(asked)])
    assert main(["engine", "novice"]) == 0
    assert json.loads(capsys.readouterr().out)["id"] == 3
