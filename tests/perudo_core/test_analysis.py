"""A finished game explained: a seed repeats it, luck and skill add up, known positions have their known worth."""

import json
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import perudo_core as pc
from perudo_core.__main__ import main
from perudo_core.agents import bid_chances, create_agent, new_memory
from perudo_core.agents._playout import count_of
from perudo_core.analysis import GameAnalysis, Method, analyse, analysis_lines, highlights, weigh
from perudo_core.analysis._equities import _deals
from tests.perudo_core.test_agents import actions_of
from tests.perudo_core.test_fair_record import NAMES, dice_for
from tests.perudo_core.test_fair_record import game as fair_game
from tests.perudo_core.test_properties import SEED, mixes

WORLDS = 60
CLOSE = 1e-9


def played(rules: pc.Rules, levels: list[str], seed: int) -> pc.Record:
    return pc.record_of(rules, len(levels), actions_of(rules, [create_agent(level) for level in levels], seed))


def analysed(line: str) -> GameAnalysis:
    """The analysis of the game of a line without palifico, in which each round adds up; A opens."""
    options, _, rounds = line.partition("; ")
    names = " ".join(f'{seat}=""' for seat in ("ABC" if "C " in rounds else "AB"))
    text = f"box_2009 palifico=false {options}; {names}; A opens; {rounds}"
    game = analyse(pc.GameText.parse(text).record(), worlds=WORLDS)
    adds_up(game)
    return game


def adds_up(game: GameAnalysis) -> None:
    """Each round's result is its expectation, skill and luck, and all are shared out among the seats."""
    for each in game.rounds:
        for shares in (each.result, each.expected, each.skill, each.luck):
            assert abs(sum(shares)) < CLOSE
        for seat, result in enumerate(each.result):
            assert abs(each.expected[seat] + each.skill[seat] + each.luck[seat] - result) < CLOSE
            assert each.dice_counts[seat] or result == each.luck[seat] == each.deal[seat] == 0
    for decision in game.decisions:
        assert decision.lost >= 0
        chosen, best = decision.chosen, decision.weighing.best
        assert chosen is None or chosen.worth <= best.worth
        assert decision.milli_dice_lost == round(1000 * decision.lost)


HOUSES = mixes(
    starting_dice=st.sampled_from([1, 2, 3]),
    calza_by=st.sampled_from([pc.CalzaBy.ANYONE_BUT_BIDDER, pc.CalzaBy.ON_TURN]),
    lost_dice=st.sampled_from(pc.LostDice),
)


@pytest.mark.usefixtures("untraced")
@settings(max_examples=12, deadline=None, derandomize=True)
@given(HOUSES, st.sampled_from([2, 3, 4]), SEED)
def test_under_any_rules_luck_and_skill_add_up(rules: pc.Rules, players: int, seed: int) -> None:
    record = played(rules, ["regular", "novice", "strong", "novice"][:players], seed)
    game = analyse(record, worlds=5)  # they add up whatever is estimated
    adds_up(game)
    sums = [sum(each.result[seat] for each in game.rounds) for seat in range(players)]
    assert [player.result for player in game.players] == pytest.approx(sums)
    assert game.course[0] == rules.dice_at_start(players)
    assert game.course[-1] == pc.replay(record).final.dice_counts
    assert len(list(game.decisions)) == sum(len(each.actions) for each in record.rounds)


@pytest.mark.usefixtures("untraced")
def test_a_seed_repeats_an_analysis_and_fair_dice_do_not_matter() -> None:
    record = played(pc.Rules.preset("azteca").with_options(starting_dice=2), ["regular"] * 3, 3)
    first, again, other = (analyse(record, seed=seed, worlds=WORLDS) for seed in (1, 1, 2))
    assert first == again != other
    dice = dice_for(pc.Rules(starting_dice=1))
    fair = pc.FairRecord.of(dice, NAMES, fair_game(dice))
    assert analyse(fair, worlds=WORLDS) == analyse(fair.record, worlds=WORLDS)


def test_the_odds_are_those_of_the_other_modules() -> None:
    rules = pc.Rules.preset("aces").with_options(calza=True)
    state = pc.set_up(rules, ((2, 2, 2, 5, 6), (1, 2, 3, 4, 4), (1, 1, 1, 1, 1)), [pc.Bid(0, 4, 2)])
    view, memory = pc.observe(state, 1), new_memory(rules, 3)
    weighing = weigh(view, memory, Random(1), chosen=pc.Bid(1, 5, 2), worlds=WORLDS)
    bid = weighing.of(pc.Bid(1, 5, 2))
    assert bid.by_dice == pytest.approx(float(pc.bid_odds(view, pc.Bid(1, 5, 2)).holds))
    assert bid.after_calls == pytest.approx(bid_chances(view, memory, pc.Bid(1, 5, 2)).after_calls)
    assert bid.after_calls > bid.by_dice
    for call, odds in (
        (pc.Dudo(1), 1 - pc.bid_odds(view, pc.Bid(1, 4, 2)).holds),
        (pc.Calza(1), pc.bid_odds(view, pc.Bid(1, 4, 2)).exact),
    ):
        weighed = weigh(view, memory, Random(1), chosen=call, worlds=WORLDS).of(call)
        assert weighed.by_dice == pytest.approx(float(odds))
    assert list(weighing.calls) == sorted(weighing.calls, key=lambda each: -each.worth)
    with pytest.raises(ValueError, match="was not weighed"):
        weighing.of(pc.Bid(1, 15, 6))


def test_what_is_weighed_depends_on_what_the_player_knows_alone_and_a_bystander_may_not_be_told() -> None:
    memory = new_memory(pc.Rules(), 2)
    hands, own = ((1, 2, 3, 4, 4), (6, 6, 6, 6, 6)), (2, 2, 2, 5, 6)
    states = [pc.set_up(pc.Rules(), (other, own), [pc.Bid(0, 5, 2)]) for other in hands]
    one, two = (weigh(pc.observe(state, 1), memory, Random(1), worlds=WORLDS) for state in states)
    assert one == two
    for seat in (None, 0):
        with pytest.raises(ValueError, match="no legal call"):
            weigh(pc.observe(states[0], seat), memory, Random(1))


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize("raising", ["one_thing", "no_decrease"])
def test_one_die_each_is_worth_what_it_is_known_to_be(raising: str) -> None:
    """The value of the opening, over all hands, by the tables: the literature has -1/18 for one die each."""
    rules = pc.Rules().with_options(starting_dice=1, palifico=False, plain_raise=raising)
    worths = []
    for face in range(1, 7):
        state = pc.set_up(rules, ((face,), (2,)))
        weighing = weigh(pc.observe(state, 0), new_memory(rules, 2), Random(face), worlds=1500)
        assert weighing.method is Method.TABLES
        worths.append(weighing.best.worth)
    assert sum(worths) / 6 == pytest.approx(-1 / 18, abs=0.03)


def test_certain_positions_have_their_certain_worth_and_a_forced_call_costs_nothing() -> None:
    rules = pc.Rules().with_options(starting_dice=1, palifico=False, lost_dice="visible")
    state = pc.set_up(rules, ((2,), (3,)), [pc.Bid(0, 2, 2)])  # who holds a three knows that there are no two twos
    weighing = weigh(pc.observe(state, 1), new_memory(rules, 2), Random(1), chosen=pc.Bid(1, 2, 4), worlds=WORLDS)
    assert weighing.best.call == pc.Dudo(1)
    assert weighing.best.worth == weighing.best.by_dice == weighing.best.after_calls == 1
    assert weighing.lost(pc.Bid(1, 2, 4)) > 0.5
    # nothing is above the highest bid, so only dudo remains
    line = "starting_dice=1 lost_dice=visible wild_ones=false; [A 6 B 6] A 2x6 B dudo"
    bid, dudo = analysed(line).decisions
    assert [each.call for each in dudo.weighing.calls] == [pc.Dudo(1)]
    assert (dudo.lost, dudo.is_right) == (0, False)
    assert (bid.got_through, bid.is_right, bid.is_unlucky) == (True, True, False)


def test_calza_heads_up_is_weighed_by_roll_outs_as_no_table_knows_it() -> None:
    rules = pc.Rules().with_options(calza=True, palifico=False, lost_dice="visible", starting_dice=2)
    regains, at_the_start = (
        weigh(pc.observe(pc.set_up(rules, dice, [pc.Bid(0, 2, 2)]), 1), new_memory(rules, 2), Random(1), worlds=400)
        for dice in (((2,), (2,)), ((2, 3), (2, 4)))
    )
    assert regains.method is at_the_start.method is Method.ROLL_OUTS
    assert regains.best.call == pc.Calza(1)
    assert at_the_start.of(pc.Calza(1)).worth < 0


def test_a_bid_that_the_tables_lack_is_rolled_out_and_in_each_deal_each_seat_holds_its_dice() -> None:
    rules = pc.Rules().with_options(palifico=False, lost_dice="visible")
    state = pc.set_up(rules, ((2,) * 5, (3,) * 5), [pc.Bid(0, 1, 2)])
    jump = weigh(pc.observe(state, 1), new_memory(rules, 2), Random(1), chosen=pc.Bid(1, 9, 2), worlds=WORLDS)
    # more dice than are in play, which a bluffer may name where lost dice are hidden
    rules = pc.Rules(palifico=False, starting_dice=2)
    state = pc.set_up(rules, ((2,), (3,)), [pc.Bid(0, 1, 2), pc.Bid(1, 3, 2)])
    unknown = weigh(pc.observe(state, 0), new_memory(rules, 2), Random(1), worlds=WORLDS)
    assert jump.method is unknown.method is Method.ROLL_OUTS
    for deal in _deals((2, 0, 5), Random(1))[0]:
        assert [sum(count_of(hand, face, ones_are_wild=False) for face in pc.FACES) for hand in deal] == [2, 0, 5]


def test_out_of_turn_silence_is_a_choice() -> None:
    for doubts in (False, True):
        rules = pc.Rules(calza=True, out_of_turn_dudo=doubts, palifico=False, lose_by_difference=doubts)
        state = pc.set_up(rules, ((2, 2), (3, 3), (4, 4)), [pc.Bid(0, 6, 2)])
        weighing = weigh(pc.observe(state, 2), new_memory(rules, 3), Random(1), worlds=WORLDS)
        silence, calza = weighing.of(None), weighing.of(pc.Calza(2))
        assert calza.by_dice == 0
        assert silence.by_dice == (0.0 if doubts else 1.0)
        assert silence.worth > 0 > calza.worth


def test_a_bluff_that_held_and_a_call_that_was_right_are_found() -> None:
    begun = "sudden_death=true; [A 34456 B 22336 C 23456] A 4x2 B 5x2 C dudo"
    with pytest.raises(pc.RecordError, match="not over"):
        analysed(begun)
    game = analysed(f"{begun}; [A 34456 C 23456] C 9x3 A dudo")
    assert game.outcome.placements == (1, 3, 2)
    bluff = highlights(game).boldest_bluff
    assert bluff is not None
    assert (bluff.seat, bluff.call, bluff.got_through) == (0, pc.Bid(0, 4, 2), True)
    last = list(game.decisions)[-2]
    assert (last.is_bluff, last.got_through, last.is_right) == (True, False, False)
    assert [(player.bluffs, player.bluffs_through) for player in game.players][::2] == [(1, 1), (1, 0)]


def test_luck_of_a_call_is_told_and_the_best_call_was_right_not_obvious_and_better_than_any_other() -> None:
    # Ana bids against all odds and is doubted, and the dice are there
    rules = "starting_dice=2 sudden_death=true; "
    lucky = analysed(rules + "[A 34 B 22] A 2x2 B dudo")
    assert [each.is_lucky for each in lucky.decisions] == [True, False]
    bid, dudo = analysed(rules + "[A 21 B 34] A 3x2 B dudo").decisions
    assert (bid.is_lucky, bid.is_unlucky) == (False, bid.chosen is not None and bid.chosen.after_calls > 0.5)
    assert dudo.is_right
    wrong = analysed(rules + "[A 22 B 32] A 3x2 B dudo")
    assert not next(each.is_unlucky for each in wrong.decisions)
    best = highlights(analysed(rules + "[A 45 B 56] A 1x3 B 2x3 A dudo")).best_call
    assert best is not None
    assert (best.seat, best.call) == (0, pc.Dudo(0))
    steel = "starting_dice=2; [A 33 B 44] A 4x2 B dudo; [A 3 B 44] A 1x3 B dudo; [A 3 B 4] B 2x5 A dudo"
    found = highlights(analysed(steel))
    assert (found.steady, found.steady_rounds) == (0, 2), "nerves of steel"


def test_who_concedes_pays_and_who_leaves_is_not_counted() -> None:
    conceded, left = "[A 22 B 33 C 44] A 1x2 B concedes", "[A 22 B 3 C 44] B 1x3 C leaves"
    game = analysed(f"starting_dice=2; {conceded}; {left}; [A 22 B 3] B 3x3 A dudo")
    assert [each.number for each in game.rounds] == [1, 3]
    concession = game.rounds[0].decisions[1]
    assert (concession.chosen, concession.is_right) == (None, None)
    assert not any((concession.got_through, concession.is_bluff, concession.is_lucky, concession.is_unlucky))
    assert concession.lost == concession.weighing.best.worth + 1
    assert game.rounds[0].result == (0.5, -1, 0.5)
    assert game.course == ((2, 2, 2), (2, 1, 2), (2, 1, 0), (2, 0, 0))
    assert "Seat 2 (3 3) concedes" in "\n".join(analysis_lines(game))
    empty = analysed("starting_dice=2; [] B leaves")
    assert (empty.rounds, empty.players[0].milli_dice_per_decision, highlights(empty).steady) == ((), 0, None)


def test_a_calza_gives_a_die_back_or_costs_the_others_and_gains_the_caller() -> None:
    calza, game = "starting_dice=2 calza=true", "[A 33 B 44] A 4x2 B dudo; [A 3 B 44] A 2x4 B calza"
    given = analysed(f"{calza}; {game}; [A 3 B 44] B 1x3 A 2x3 B dudo")
    assert given.rounds[1].result == (0, 0)  # the caller already holds all their dice
    assert given.players[1].doubts == given.players[1].right_doubts == 3
    three = "[A 33 B 44 C 55] A 2x4 B calza; [A 3 B 44 C 5] B 2x4 A calza; [A 3 B 4] A 1x3 B dudo"
    assert analysed(f"{calza} calza_costs_others=true; {three}").rounds[0].result == (-0.5, 1, -0.5)


def test_bad_arguments() -> None:
    record = pc.record_of(pc.Rules(starting_dice=1), 2, [pc.Roll(((2,), (3,))), pc.Bid(0, 2, 2), pc.Dudo(1)], opener=0)
    with pytest.raises(TypeError, match="seed"):
        analyse(record, seed="x")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="worlds"):
        analyse(record, worlds=0)
    with pytest.raises(pc.RecordError):
        analyse(replace(record, rounds=record.rounds * 2))


def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "game.json"
    record = played(pc.Rules(starting_dice=3, calza=True, palifico=False), ["novice", "regular", "expert"], 3)
    path.write_text(record.to_json(), encoding="utf-8")
    assert main(["analyse", str(path)]) == 0
    told = capsys.readouterr().out
    rules = "The 2009 box by Fry & Fernandini. Everyone begins with 3 dice. There are no palifico rounds."
    assert told.startswith(rules)
    assert told.splitlines()[1].startswith("Odds: by dice alone / after what was said.")
    assert "milli-dice lost a decision" in told
    for word in ("Boldest bluff that held: ", "Best call: ", "Nerves of steel: ", "lucky", "lost 0.", "Players"):
        assert word in told, told
    unfinished = json.loads(record.to_json())
    del unfinished["rounds"][-1]
    path.write_text(json.dumps(unfinished), encoding="utf-8")
    assert main(["analyse", str(path)]) == 1
    assert "the game is not over" in capsys.readouterr().err
