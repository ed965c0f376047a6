"""Rules in which a player may show dice after a bid and roll the others again."""

import random
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import perudo_core as pc
from perudo_core.agents import bid_chances, create_agent, new_memory, remember_all
from perudo_core.agents._situation import situation_of
from perudo_core.analysis import analyse, weigh
from perudo_core.batch import Batch
from perudo_core.solving import solve
from perudo_core.stirs import salt_from_stirs
from tests.perudo_core.notation import changed, say, table
from tests.perudo_core.test_properties import play

RULES = pc.Rules(reroll_after_bid=True)
HANDS = ("12255", "33446", "22666")
BID = pc.Bid(0, 3, 2)


@pytest.fixture
def bid() -> pc.State:
    """Seat 0 has bid two of its own faces, and holds a wild one."""
    return table(RULES, *HANDS, calls="3x2")


@pytest.fixture
def shown(bid: pc.State) -> pc.State:
    return pc.apply(bid, pc.Reroll(0, (2, 1), (2, 3, 6))).state


def test_after_a_bid_a_player_shows_dice_that_support_it_and_rolls_the_others(bid: pc.State) -> None:
    assert [pc.observe(bid, seat).supporting_dice for seat in (0, 1, 2, None)] == [(1, 2, 2), (), (), ()]
    after, events = pc.apply(bid, pc.Reroll(0, (2, 1), (2, 3, 6)))
    assert after.dice == ((2, 1, 2, 3, 6), *bid.dice[1:])
    assert after.open_dice == ((2, 1), (), ())
    assert (after.turn, after.bids, list(pc.legal_calls(after))) == (bid.turn, bid.bids, list(pc.legal_calls(bid)))
    assert events == (pc.DiceShown(0, (2, 1), bid.bids[0]), pc.DiceRolled(0, (2, 1, 2, 3, 6)))
    printed = [form(pc.Reroll(0, (2, 2), (3, 4))) for form in (repr, str)]
    assert printed == ["Reroll(seat=0, shown=(2, 2))", "shows 22"], "not what was rolled"
    assert pc.visible_events(events, 1) == pc.visible_events(events, None) == events[:1]


def test_other_dice_are_not_shown_none_before_a_bid_or_after_the_next_call_and_exactly_the_others_are_rolled() -> None:
    rows: list[tuple[str, int, Any, Any, pc.Reason]] = [
        ("", 0, (2,), (1, 1), pc.Reason.REROLL_NOT_NOW),
        ("3x2", 0, (), (1, 1), pc.Reason.REROLL_NONE_SHOWN),
        ("3x2", 0, (5,), (1, 1), pc.Reason.REROLL_NO_SUPPORT),
        *(("3x2", 0, dice, (1, 1), pc.Reason.REROLL_NOT_HELD) for dice in ((2, 2, 2), (3,))),
        *(("3x2", seat, (dice,), (1, 1), pc.Reason.REROLL_NOT_NOW) for seat, dice in ((1, 3), (2, 2))),
        ("3x2 4x2", 0, (2,), (1, 1), pc.Reason.REROLL_NOT_NOW),
        ("3x2 dudo", 0, (2,), (1, 1), pc.Reason.NO_ROUND),
        ("3x2", 0, (2,), (1, 2), pc.Reason.ROLL_WRONG_LENGTH),
        ("3x2", 0, (2,), (1, 1, 1, 7), pc.Reason.ROLL_FACE_UNKNOWN),
        *(("3x2", 0, (2,), rolled, pc.Reason.ROLL_MALFORMED) for rolled in (None, (1, 1, 1, "1"))),
        *(("3x2", 0, dice, (1, 2), pc.Reason.ROLL_MALFORMED) for dice in (("2",), None)),
        ("3x2", 9, (2,), (1, 2), pc.Reason.SEAT_UNKNOWN),
    ]
    for calls, seat, dice, rolled, reason in rows:
        state = table(RULES, *HANDS, calls=calls)
        assert pc.why_illegal(state, pc.Reroll(seat, dice, rolled)) is reason
        if rolled == (1, 1):
            with pytest.raises(pc.IllegalActionError) as refused:
                pc.sample_reroll(state, seat, dice, random.Random(1))
            assert refused.value.reason is reason
    without = table(pc.Rules(), *HANDS, calls="3x2")
    assert pc.why_illegal(without, pc.Reroll(0, (2,), ())) is pc.Reason.REROLL_NOT_PLAYED
    assert pc.clause(pc.Reason.REROLL_NOT_PLAYED, pc.Rules()) is None
    assert pc.why_illegal(pc.new_game(RULES, 2, opener=0), pc.Reroll(0, (2,), ())) is pc.Reason.NO_ROUND


def test_a_bid_is_followed_by_it_once_and_a_later_bid_again(shown: pc.State) -> None:
    assert pc.why_illegal(shown, pc.Reroll(0, (2,), (1, 1))) is pc.Reason.REROLL_NOT_NOW
    assert pc.observe(shown, 0).supporting_dice == ()
    later = say(say(say(shown, "3x3").state, "4x3").state, "5x3").state
    assert pc.observe(later, 0).supporting_dice == (3,), "what lies open is not shown again"
    again = pc.apply(later, pc.Reroll(0, (3,), (5, 5))).state
    assert (again.dice[0], again.open_dice[0]) == ((2, 1, 3, 5, 5), (2, 1, 3))


def test_one_die_stays_hidden_and_in_a_palifico_round_ones_support_ones_alone() -> None:
    all_support = table(RULES, "222", "33", calls="3x2")
    assert pc.why_illegal(all_support, pc.Reroll(0, (2, 2, 2), ())) is pc.Reason.REROLL_NONE_LEFT
    assert pc.apply(all_support, pc.Reroll(0, (2, 2), (4,))).state.open_dice[0] == (2, 2)
    one = table(RULES, "2", "33", calls="3x2")
    assert pc.observe(one, 0).supporting_dice == ()
    assert pc.why_illegal(one, pc.Reroll(0, (2,), ())) is pc.Reason.REROLL_NONE_LEFT
    palifico = table(RULES, "2", "122", palifico=0, calls="1x2 2x2")
    assert pc.observe(palifico, 1).supporting_dice == (2, 2)
    assert pc.why_illegal(palifico, pc.Reroll(1, (1,), (3, 3))) is pc.Reason.REROLL_NO_SUPPORT


def test_open_dice_count_at_the_reveal_lie_open_until_then_and_everybody_counts_them(shown: pc.State) -> None:
    transition = say(shown, "dudo")
    reveal = next(event for event in transition.events if isinstance(event, pc.Revealed))
    assert (reveal.dice, reveal.matching) == (shown.dice, 5)
    assert transition.state.shown == ()
    with pytest.raises(pc.StateError, match="no dice, bids or turn while rolling"):
        pc.load_state(pc.dump_state(changed(transition.state, shown=shown.shown)))
    for action in (pc.Concede(1), pc.Leave(1)):
        assert pc.apply(shown, action).state.shown == ()
    view = pc.observe(shown, 1)
    assert (view.open_dice, view.known_dice, view.unknown_dice) == (shown.open_dice, (3, 3, 4, 4, 6, 2, 1), 8)
    assert pc.bid_odds(view, pc.Bid(0, 2, 2)).holds == 1
    assert pc.observe(shown, None).unknown_dice == 13
    assert pc.information_state_string(view).endswith("bids=3x2 open=3x2:12")
    assert "2&nbsp;" not in view._repr_html_()
    assert view._repr_html_().count('aria-label="hidden"') == 8
    drawn = pc.sample_state(view, random.Random(1), likelihood=lambda _, hand: float(hand.count(2) == 4))
    assert pc.observe(drawn, 1) == view
    assert sorted(drawn.dice[0]).count(2) == 4
    assert pc.observe(pc.sample_state(view, random.Random(2)), 1) == view


def test_a_state_with_open_dice_is_stored_and_set_up_and_one_that_no_game_comes_to_is_refused(shown: pc.State) -> None:
    assert pc.load_state(pc.dump_state(shown)) == shown
    assert pc.set_up(RULES, shown.dice, shown.bids, shown=shown.shown) == shown
    wrong: list[tuple[tuple[pc.DiceShown, ...], str]] = [
        ((pc.DiceShown(0, (2, 1), pc.Bid(0, 2, 2)),), "shown must follow bids"),
        ((pc.DiceShown(0, (2,), BID), pc.DiceShown(0, (1,), BID)), "shown must follow bids"),
        ((pc.DiceShown(1, (2, 1), BID),), "shown must support a bid"),
        *(((pc.DiceShown(0, dice, BID),), "shown must support a bid") for dice in ((), (5,))),
        ((pc.DiceShown(0, (1, 2), BID),), "shown must be the first dice"),
    ]
    states = [(changed(shown, shown=dice), fault) for dice, fault in wrong]
    states.append((changed(shown, rules=pc.Rules()), "shown dice, where nobody rolls again"))
    all_open = changed(shown, dice=((2, 1), (3,), (4,)), dice_counts=(2, 1, 1))
    for state, fault in (*states, (all_open, "shown must be the first dice")):
        with pytest.raises(pc.StateError, match=fault):
            pc.load_state(pc.dump_state(state))


def game(rules: pc.Rules = RULES, seed: int = 1) -> pc.Record:
    return pc.record_of(rules, 3, [played.action for played in play(rules, 3, seed)])


def test_a_record_and_a_line_of_notation_have_what_was_shown_and_rolled_and_without_dice_what_was_shown() -> None:
    record = game()
    assert record.schema == "perudo-record/3"
    assert pc.Record.from_json(record.to_json()) == record
    assert pc.replay(record).final.is_terminal
    two: list[pc.Action] = [pc.Roll(((2, 2, 3), (4, 5, 5))), pc.Bid(0, 2, 2), pc.Reroll(0, (2, 2), (6,)), pc.Dudo(1)]
    written = pc.record_of(RULES.with_options(starting_dice=3), 2, two, opener=0).to_json()
    assert '[0, "shows 22 rolls 6"]' in written
    with pytest.raises(pc.RecordError, match="perudo-record/2 has no 'shows'"):
        replace(record, schema="perudo-record/2")
    with pytest.raises(pc.RecordError, match="unknown call 'shows 7"):
        pc.Record.from_json(record.to_json().replace('"shows ', '"shows 7', 1))
    line = str(pc.GameText.of(game()))
    assert ">" in line
    assert str(pc.GameText.of(pc.GameText.parse(line).record())) == line
    short = pc.GameText.of(game(), dice=False)
    assert re.search(r" [A-Z] [1-6]+> ", str(short)), "what is shown is public, what is rolled is not"
    assert pc.GameText.parse(str(short)) == short
    assert pc.RoundText.parse("A 3x2 A 22>145 B dudo").actions[1] == pc.Reroll(0, (2, 2), (1, 4, 5))
    with pytest.raises(pc.NotationError):
        pc.RoundText.parse("A 22>7")
    with pytest.raises(ValueError, match="shown must be of one die at least"):
        pc.RoundText((pc.Reroll(0, (), (1,)),))


def test_fair_dice_prove_what_was_rolled_again() -> None:
    dice = pc.FairDice(bytes(32), RULES, "table", salt_from_stirs(["llama"]))
    actions = [dice.roll(pc.new_game(RULES, 2))]
    state = pc.apply(pc.new_game(RULES, 2), actions[0]).state
    roll = dice.roll(state)
    state = pc.apply(state, roll).state
    assert state.turn is not None
    bid = pc.Bid(state.turn, 1, next(die for die in state.dice[state.turn] if die > 1))
    state = pc.apply(state, bid).state
    supporting = pc.observe(state, bid.seat).supporting_dice[:1]
    again = dice.reroll(state, bid.seat, supporting)
    honest = pc.FairRecord.of(dice, 2, [*actions, roll, bid, again])
    assert pc.FairRecord.from_json(honest.to_json()).verify(dice.commitment).rolls == 1
    false = replace(again, rolled=tuple(7 - die for die in again.rolled))
    with pytest.raises(pc.RecordError, match="the secret gives"):
        pc.FairRecord.of(dice, 2, [*actions, roll, bid, false]).verify()
    with pytest.raises(ValueError, match="by the rules of the dice"):
        pc.FairDice(bytes(32)).reroll(state, bid.seat, supporting)
    with pytest.raises(pc.IllegalActionError):
        dice.reroll(state, 1 - bid.seat, supporting)


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize("level", ["novice", "regular", "strong", "expert"])
@pytest.mark.parametrize("seats", [2, 3])
def test_computer_players_believe_what_lies_open(level: str, seats: int) -> None:
    """Dice that lie open prove a bid that by the other dice alone would be a bold one."""
    state = table(RULES, *("22223", "22456", "34456")[:seats], calls="4x2")
    state = pc.apply(state, pc.Reroll(0, (2, 2, 2, 2), (3,))).state
    memory = remember_all(new_memory(RULES, seats), [pc.DiceShown(0, (2, 2, 2, 2), pc.Bid(0, 4, 2))])
    for seed in range(1, 4):
        assert create_agent(level).choose(pc.observe(state, 1), memory, random.Random(seed)) != pc.Dudo(1)
    chances = bid_chances(pc.observe(state, 1), memory, pc.Bid(0, 4, 2))
    assert chances.by_dice == 1
    assert chances.after_calls == pytest.approx(1)
    weighed = weigh(pc.observe(state, 1), memory, random.Random(1), chosen=pc.Dudo(1), worlds=40)
    assert weighed.of(pc.Dudo(1)).worth == -1
    assert weighed.best.call != pc.Dudo(1)


def test_bids_before_a_roll_say_nothing_about_the_dice_after_it(shown: pc.State) -> None:
    situation = situation_of(pc.observe(shown, 1), new_memory(RULES, 3))
    assert (situation.last_faces, situation.silent_until, situation.unknown) == ((), (1, 0, 0), 8)
    assert situation.tail_by_bids(2) == situation.tail_by_dice(2)
    big = pc.set_up(RULES.with_options(starting_dice=9), ((2,) * 9, (3,) * 9), [pc.Bid(0, 3, 2)])
    big = pc.apply(big, pc.Reroll(0, (2,), (4,) * 8)).state
    assert bid_chances(pc.observe(big, 1), new_memory(big.rules, 2), pc.Bid(0, 1, 2)).after_calls == pytest.approx(1)


def test_a_memory_learns_nothing_about_a_player_who_rolled_again(shown: pc.State, bid: pc.State) -> None:
    start = remember_all(new_memory(RULES, 3), pc.apply(pc.new_game(RULES, 3, opener=0), pc.Roll(bid.dice)).events)
    memory = remember_all(start, [*say(pc.set_up(RULES, bid.dice), "3x2").events, shown.shown[0]])
    memory = remember_all(memory, say(shown, "3x3").events)
    after = remember_all(memory, say(say(shown, "3x3").state, "dudo").events)
    assert memory.rerolled == (0,)
    assert after.rounds == ()
    assert [habit.shown_bids for habit in after.habits] == [0, 1, 0]
    assert remember_all(after, pc.apply(pc.new_game(RULES, 3, opener=0), pc.Roll(bid.dice)).events).rerolled == ()


def test_a_game_is_analysed_but_what_has_a_number_for_each_call_refuses_the_option() -> None:
    analysis = analyse(game(RULES.with_options(starting_dice=2)), worlds=4)
    assert sum(player.result for player in analysis.players) == pytest.approx(0)
    with pytest.raises(pc.RulesError, match="an encoding of calls does not know reroll_after_bid"):
        Batch(RULES, 3, 1, np.random.default_rng(1))
    with pytest.raises(pc.RulesError, match="a solved round does not know reroll_after_bid"):
        solve(RULES, (1, 1))
