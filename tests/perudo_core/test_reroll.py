"""Rules in which a player may show dice after a bid and roll the others again."""

import random
import re
from dataclasses import replace

import pytest

from perudo_core import (
    Action,
    Bid,
    Concede,
    DiceRolled,
    DiceShown,
    Dudo,
    FairDice,
    FairRecord,
    GameText,
    IllegalActionError,
    Leave,
    NotationError,
    Reason,
    Record,
    Recorder,
    RecordError,
    Reroll,
    Revealed,
    Roll,
    RoundText,
    Rules,
    RulesError,
    State,
    StateError,
    apply,
    bid_odds,
    clause,
    dump_state,
    information_state_string,
    legal_calls,
    load_state,
    new_game,
    observe,
    record_of,
    replay,
    sample_reroll,
    sample_roll,
    sample_state,
    set_up,
    visible_events,
    why_illegal,
)
from perudo_core.agents import bid_chances, create_agent, new_memory, remember_all
from perudo_core.agents._situation import situation_of
from perudo_core.analysis import analyse, weigh
from perudo_core.batch import Batch
from perudo_core.solving import solve
from perudo_core.stirs import salt_from_stirs
from tests.perudo_core.conftest import Say, Table, changed

RULES = Rules(reroll_after_bid=True)
HANDS = ("12255", "33446", "22666")


@pytest.fixture
def bid(table: Table) -> State:
    """Seat 0 has bid two of its own faces, and holds a wild one."""
    return table(RULES, *HANDS, calls="3x2")


@pytest.fixture
def shown(bid: State) -> State:
    return apply(bid, Reroll(0, (2, 1), (2, 3, 6))).state


def test_after_a_bid_a_player_shows_dice_that_support_it_and_rolls_the_others(bid: State) -> None:
    assert [observe(bid, seat).supporting_dice for seat in (0, 1, 2, None)] == [(1, 2, 2), (), (), ()]
    after, events = apply(bid, Reroll(0, (2, 1), (2, 3, 6)))
    assert after.dice == ((2, 1, 2, 3, 6), *bid.dice[1:])
    assert after.open_dice == ((2, 1), (), ())
    assert (after.turn, after.bids, list(legal_calls(after))) == (bid.turn, bid.bids, list(legal_calls(bid)))
    assert events == (DiceShown(0, (2, 1), bid.bids[0]), DiceRolled(0, (2, 1, 2, 3, 6)))
    assert visible_events(events, 1) == visible_events(events, None) == events[:1]


@pytest.mark.parametrize(
    ("seat", "dice", "reason"),
    [
        (0, (), Reason.REROLL_NONE_SHOWN),
        (0, (5,), Reason.REROLL_NO_SUPPORT),
        (0, (2, 2, 2), Reason.REROLL_NOT_HELD),
        (0, (3,), Reason.REROLL_NOT_HELD),
        (1, (3,), Reason.REROLL_NOT_NOW),
        (2, (2,), Reason.REROLL_NOT_NOW),
        (9, (2,), Reason.SEAT_UNKNOWN),
        (0, ("2",), Reason.ROLL_MALFORMED),
        (0, None, Reason.ROLL_MALFORMED),
    ],
)
def test_other_dice_are_not_shown(bid: State, seat: int, dice: tuple[int, ...], reason: Reason) -> None:
    assert why_illegal(bid, Reroll(seat, dice, (1, 1))) is reason
    if dice is not None and seat < 3:
        with pytest.raises(IllegalActionError) as refused:
            sample_reroll(bid, seat, dice, random.Random(1))
        assert refused.value.reason is reason


@pytest.mark.parametrize(
    ("rolled", "reason"),
    [
        ((1, 1), Reason.ROLL_WRONG_LENGTH),
        ((1, 1, 1, 7), Reason.ROLL_FACE_UNKNOWN),
        (None, Reason.ROLL_MALFORMED),
        ((1, 1, 1, "1"), Reason.ROLL_MALFORMED),
    ],
)
def test_exactly_the_other_dice_are_rolled(bid: State, rolled: tuple[int, ...], reason: Reason) -> None:
    assert why_illegal(bid, Reroll(0, (2,), rolled)) is reason


def test_nobody_rolls_again_before_a_bid_or_where_the_option_is_off(table: Table) -> None:
    assert why_illegal(table(RULES, *HANDS), Reroll(0, (2,), ())) is Reason.REROLL_NOT_NOW
    assert why_illegal(table(Rules(), *HANDS, calls="3x2"), Reroll(0, (2,), ())) is Reason.REROLL_NOT_PLAYED
    assert why_illegal(new_game(RULES, 2, opener=0), Reroll(0, (2,), ())) is Reason.NO_ROUND
    assert clause(Reason.REROLL_NOT_PLAYED, Rules()) is None


def test_a_bid_is_followed_by_it_once_and_a_later_bid_again(shown: State, say: Say) -> None:
    assert why_illegal(shown, Reroll(0, (2,), (1, 1))) is Reason.REROLL_NOT_NOW
    assert observe(shown, 0).supporting_dice == ()
    later = say(say(say(shown, "3x3").state, "4x3").state, "5x3").state
    assert observe(later, 0).supporting_dice == (3,), "what lies open is not shown again"
    again = apply(later, Reroll(0, (3,), (5, 5))).state
    assert (again.dice[0], again.open_dice[0]) == ((2, 1, 3, 5, 5), (2, 1, 3))


def test_a_call_of_another_player_is_the_end_of_it(bid: State, say: Say) -> None:
    assert why_illegal(say(bid, "4x2").state, Reroll(0, (2,), (1,) * 4)) is Reason.REROLL_NOT_NOW
    assert why_illegal(say(bid, "dudo").state, Reroll(0, (2,), (1,) * 4)) is Reason.NO_ROUND


def test_one_die_stays_hidden(table: Table) -> None:
    all_support = table(RULES, "222", "33", calls="3x2")
    assert why_illegal(all_support, Reroll(0, (2, 2, 2), ())) is Reason.REROLL_NONE_LEFT
    assert apply(all_support, Reroll(0, (2, 2), (4,))).state.open_dice[0] == (2, 2)
    one = table(RULES, "2", "33", calls="3x2")
    assert observe(one, 0).supporting_dice == ()
    assert why_illegal(one, Reroll(0, (2,), ())) is Reason.REROLL_NONE_LEFT


def test_in_a_palifico_round_ones_support_ones_alone(table: Table, say: Say) -> None:
    state = say(table(RULES, "2", "122", palifico=0, calls="1x2"), "2x2").state
    assert observe(state, 1).supporting_dice == (2, 2)
    assert why_illegal(state, Reroll(1, (1,), (3, 3))) is Reason.REROLL_NO_SUPPORT


def test_open_dice_count_at_the_reveal_and_lie_open_until_then(shown: State, say: Say) -> None:
    transition = say(shown, "dudo")
    reveal = next(event for event in transition.events if isinstance(event, Revealed))
    assert (reveal.dice, reveal.matching) == (shown.dice, 5)
    assert transition.state.shown == ()
    for action in (Concede(1), Leave(1)):
        assert apply(shown, action).state.shown == ()


def test_everybody_counts_open_dice(shown: State) -> None:
    view = observe(shown, 1)
    assert (view.open_dice, view.known_dice, view.unknown_dice) == (shown.open_dice, (3, 3, 4, 4, 6, 2, 1), 8)
    assert bid_odds(view, Bid(0, 2, 2)).holds == 1
    assert observe(shown, None).unknown_dice == 13
    assert information_state_string(view).endswith("bids=3x2 open=3x2:12")
    assert "2&nbsp;" not in view._repr_html_()
    assert view._repr_html_().count('aria-label="hidden"') == 8
    drawn = sample_state(view, random.Random(1), likelihood=lambda _, hand: float(hand.count(2) == 4))
    assert observe(drawn, 1) == view
    assert sorted(drawn.dice[0]).count(2) == 4
    assert observe(sample_state(view, random.Random(2)), 1) == view


def test_a_state_with_open_dice_is_stored_and_set_up(shown: State) -> None:
    assert load_state(dump_state(shown)) == shown
    assert set_up(RULES, shown.dice, shown.bids, shown=shown.shown) == shown


@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        ({"rules": Rules()}, "shown dice, where nobody rolls again"),
        ({"shown": (DiceShown(0, (2, 1), Bid(0, 2, 2)),)}, "shown must follow bids"),
        ({"shown": (DiceShown(0, (2,), Bid(0, 3, 2)), DiceShown(0, (1,), Bid(0, 3, 2)))}, "shown must follow bids"),
        ({"shown": (DiceShown(1, (2, 1), Bid(0, 3, 2)),)}, "shown must support a bid"),
        ({"shown": (DiceShown(0, (), Bid(0, 3, 2)),)}, "shown must support a bid"),
        ({"shown": (DiceShown(0, (5,), Bid(0, 3, 2)),)}, "shown must support a bid"),
        ({"shown": (DiceShown(0, (1, 2), Bid(0, 3, 2)),)}, "shown must be the first dice"),
        ({"dice": ((2, 1), (3,), (4,)), "dice_counts": (2, 1, 1)}, "shown must be the first dice"),
    ],
)
def test_a_state_in_which_no_game_shows_these_dice_is_refused(
    shown: State, fields: dict[str, object], fault: str
) -> None:
    with pytest.raises(StateError, match=fault):
        load_state(dump_state(changed(shown, **fields)))


def test_nothing_lies_open_between_rounds(shown: State, say: Say) -> None:
    with pytest.raises(StateError, match="no dice, bids or turn while rolling"):
        load_state(dump_state(changed(say(shown, "dudo").state, shown=shown.shown)))


def game(rules: Rules = RULES, seed: int = 1) -> Record:
    """A game in which everybody who may rolls again."""
    recorder, rng = Recorder(new_game(rules, 3, opener=0)), random.Random(seed)
    while not (state := recorder.state).is_terminal:
        last = state.current_bid
        turn, dice = state.turn, observe(state, last.seat).supporting_dice if last else ()
        if turn is None:
            recorder.apply(sample_roll(state, rng))
        elif last and dice:
            recorder.apply(sample_reroll(state, last.seat, dice[:1], rng))
        else:
            calls = legal_calls(state, turn)
            recorder.apply(Dudo(turn) if last and last.quantity > 2 else rng.choice(calls[:9]))
    return recorder.record()


def test_a_record_has_what_was_shown_and_what_was_rolled() -> None:
    record = game()
    assert record.schema == "perudo-record/3"
    assert '"shows ' in record.to_json()
    assert Record.from_json(record.to_json()) == record
    assert replay(record).final.is_terminal
    with pytest.raises(RecordError, match="perudo-record/2 has no 'shows'"):
        replace(record, schema="perudo-record/2")
    with pytest.raises(RecordError, match="unknown call 'shows 7"):
        Record.from_json(record.to_json().replace('"shows ', '"shows 7', 1))


def test_a_line_of_notation_has_it_too_and_without_dice_what_was_shown() -> None:
    line = str(GameText.of(game()))
    assert ">" in line
    assert str(GameText.of(GameText.parse(line).record())) == line
    short = GameText.of(game(), dice=False)
    assert re.search(r" [A-Z] [1-6]+> ", str(short)), "what is shown is public, what is rolled is not"
    assert GameText.parse(str(short)) == short
    assert RoundText.parse("A 3x2 A 22>145 B dudo").actions[1] == Reroll(0, (2, 2), (1, 4, 5))
    with pytest.raises(NotationError):
        RoundText.parse("A 22>7")
    with pytest.raises(ValueError, match="shown must be of one die at least"):
        RoundText((Reroll(0, (), (1,)),))


def test_fair_dice_prove_what_was_rolled_again() -> None:
    dice = FairDice(bytes(32), RULES, "table", salt_from_stirs(["llama"]))
    actions = [dice.roll(new_game(RULES, 2))]
    state = apply(new_game(RULES, 2), actions[0]).state
    roll = dice.roll(state)
    state = apply(state, roll).state
    assert state.turn is not None
    bid = Bid(state.turn, 1, next(die for die in state.dice[state.turn] if die > 1))
    state = apply(state, bid).state
    supporting = observe(state, bid.seat).supporting_dice[:1]
    again = dice.reroll(state, bid.seat, supporting)
    honest = FairRecord.of(dice, 2, [*actions, roll, bid, again])
    assert FairRecord.from_json(honest.to_json()).verify(dice.commitment).rolls == 1
    false = replace(again, rolled=tuple(7 - die for die in again.rolled))
    with pytest.raises(RecordError, match="the secret gives"):
        FairRecord.of(dice, 2, [*actions, roll, bid, false]).verify()
    with pytest.raises(ValueError, match="by the rules of the dice"):
        FairDice(bytes(32)).reroll(state, bid.seat, supporting)
    with pytest.raises(IllegalActionError):
        dice.reroll(state, 1 - bid.seat, supporting)


def test_nothing_that_is_printed_contains_the_dice_that_were_rolled() -> None:
    assert repr(Reroll(0, (2,), (3, 4))) == "Reroll(seat=0, shown=(2,))"
    assert str(Reroll(0, (2, 2), (3, 4))) == "shows 22"


@pytest.mark.parametrize("level", ["novice", "regular", "strong", "expert"])
@pytest.mark.parametrize("seats", [2, 3])
def test_computer_players_believe_what_lies_open(table: Table, level: str, seats: int) -> None:
    """Dice that lie open prove a bid that by the other dice alone would be a bold one."""
    state = table(RULES, *("22223", "22456", "34456")[:seats], calls="4x2")
    state = apply(state, Reroll(0, (2, 2, 2, 2), (3,))).state
    memory = remember_all(new_memory(RULES, seats), [DiceShown(0, (2, 2, 2, 2), Bid(0, 4, 2))])
    for seed in range(1, 4):
        assert create_agent(level).choose(observe(state, 1), memory, random.Random(seed)) != Dudo(1)
    chances = bid_chances(observe(state, 1), memory, Bid(0, 4, 2))
    assert chances.by_dice == 1
    assert chances.after_calls == pytest.approx(1)
    weighed = weigh(observe(state, 1), memory, random.Random(1), chosen=Dudo(1), worlds=40)
    assert weighed.of(Dudo(1)).worth == -1
    assert weighed.best.call != Dudo(1)


def test_bids_before_a_roll_say_nothing_about_the_dice_after_it(shown: State) -> None:
    situation = situation_of(observe(shown, 1), new_memory(RULES, 3))
    assert (situation.last_faces, situation.silent_until, situation.unknown) == ((), (1, 0, 0), 8)
    assert situation.tail_by_bids(2) == situation.tail_by_dice(2)
    big = set_up(RULES.with_options(starting_dice=9), ((2,) * 9, (3,) * 9), [Bid(0, 3, 2)])
    big = apply(big, Reroll(0, (2,), (4,) * 8)).state
    assert bid_chances(observe(big, 1), new_memory(big.rules, 2), Bid(0, 1, 2)).after_calls == pytest.approx(1)


def test_a_memory_learns_nothing_about_a_player_who_rolled_again(shown: State, bid: State, say: Say) -> None:
    start = remember_all(new_memory(RULES, 3), apply(new_game(RULES, 3, opener=0), Roll(bid.dice)).events)
    memory = remember_all(start, [*say(set_up(RULES, bid.dice), "3x2").events, shown.shown[0]])
    memory = remember_all(memory, say(shown, "3x3").events)
    after = remember_all(memory, say(say(shown, "3x3").state, "dudo").events)
    assert memory.rerolled == (0,)
    assert after.rounds == ()
    assert [habit.shown_bids for habit in after.habits] == [0, 1, 0]
    assert remember_all(after, apply(new_game(RULES, 3, opener=0), Roll(bid.dice)).events).rerolled == ()


def test_a_game_is_analysed() -> None:
    analysis = analyse(game(RULES.with_options(starting_dice=3)), worlds=8)
    assert sum(player.result for player in analysis.players) == pytest.approx(0)


def test_what_has_a_number_for_each_call_refuses_the_option() -> None:
    import numpy as np  # noqa: PLC0415 - an extra

    with pytest.raises(RulesError, match="an encoding of calls does not know reroll_after_bid"):
        Batch(RULES, 3, 1, np.random.default_rng(1))
    with pytest.raises(RulesError, match="a solved round does not know reroll_after_bid"):
        solve(RULES, (1, 1))


def test_a_record_of_a_round_is_made_of_its_actions() -> None:
    actions: list[Action] = [Roll(((2, 2, 3), (4, 5, 5))), Bid(0, 2, 2), Reroll(0, (2, 2), (6,)), Dudo(1)]
    record = record_of(RULES.with_options(starting_dice=3), 2, actions, opener=0)
    assert '[0, "shows 22 rolls 6"]' in record.to_json()
