"""The step: one action on one state gives the next state and what happened."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from perudo_core._quick import maker, replacer
from perudo_core._round import standing_after
from perudo_core.actions import Action, Bid, Calza, Dudo, Forfeit, OpenerDraw, OpeningRoll, Resign, Roll, Seat
from perudo_core.errors import IllegalActionError
from perudo_core.events import (
    CalzaCalled,
    DiceLost,
    DiceRolled,
    DieRegained,
    DudoCalled,
    Event,
    GameOver,
    OpenerChosen,
    OpenerRolled,
    Revealed,
    RoundForfeited,
    RoundStarted,
    RoundVoided,
    SeatOut,
    SeatResigned,
)
from perudo_core.legality import check, smallest_raise
from perudo_core.rules import LostDice
from perudo_core.state import BIDDING, OPENING, OVER, ROLLING, State, outcome_of, standing_of

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Transition", "apply"]


@dataclass(frozen=True, slots=True)
class Transition:
    """The next state and what happened on the way, in order."""

    state: State
    events: tuple[Event, ...]


# What a game makes at every step.
with_roll = replacer(State, "phase", "round", "dice", "turn", "had_palifico")
with_bid = replacer(State, "turn", "bids", "judged_by")
without_dice = replacer(
    State, "phase", "dice_counts", "dice", "opener", "turn", "bids", "palifico", "contenders", "gone"
)
transition = maker(Transition)
round_started = maker(RoundStarted)
dice_rolled = maker(DiceRolled)
dudo_called = maker(DudoCalled)
revealed = maker(Revealed)
dice_lost = maker(DiceLost)
seat_out = maker(SeatOut)


def apply(state: State, action: Action) -> Transition:
    """Take an action, or raise an `IllegalActionError` that says why not."""
    reason = check(state, action)
    if reason is not None:
        raise IllegalActionError(reason, action, smallest_raise(state) if isinstance(action, Bid) else None)
    return _STEPS[type(action)](state, action)


def _opening_roll(state: State, roll: OpeningRoll) -> Transition:
    """azteca, french_guide: who opens the game; the tied roll again."""
    sums = {seat: sum(roll.dice[seat]) for seat in state.contenders}
    most = max(sums.values())
    best = tuple(seat for seat, total in sums.items() if total == most)
    if len(best) > 1:
        return transition(replace(state, contenders=best), (OpenerRolled(roll.dice, best),))
    return _opener_found(state, best[0], [OpenerRolled(roll.dice, ())])


def _opener_draw(state: State, draw: OpenerDraw) -> Transition:
    return _opener_found(state, draw.seat, [])


def _opener_found(state: State, seat: Seat, events: list[Event]) -> Transition:
    events.append(OpenerChosen(seat))
    return transition(replace(state, phase=ROLLING, opener=seat, contenders=()), tuple(events))


def _roll(state: State, roll: Roll) -> Transition:
    opener = state.opener
    assert opener is not None, "a round is rolled for an opener"  # noqa: S101 - the phase says so; for the type checker
    number = state.round + 1
    had_palifico = state.had_palifico if state.palifico is None else state.had_palifico | {state.palifico}
    bidding = with_roll(state, BIDDING, number, roll.dice, opener, had_palifico)
    hands = [dice_rolled(seat, hand) for seat, hand in enumerate(roll.dice) if hand]
    return transition(bidding, (round_started(number, opener, state.palifico), *hands))


def _bid(state: State, bid: Bid) -> Transition:
    standing = standing_after(standing_of(state).round, bid)
    following = with_bid(state, standing.turn, (*state.bids, bid), standing)
    return transition(following, standing.events)


def _dudo(state: State, dudo: Dudo) -> Transition:
    """All books: dudo. Who was wrong loses a die and opens."""
    bid = state.bids[-1]
    reveal = _reveal(state, bid)
    loser = dudo.seat if reveal.holds else bid.seat
    amount = max(1, abs(reveal.count - bid.quantity)) if state.rules.lose_by_difference else 1
    return _lose(state, loser, amount, [dudo_called(dudo.seat, bid), reveal])


def _calza(state: State, calza: Calza) -> Transition:
    """box_2009: calza. Right: the caller regains a die, never above the start; wrong: he loses one. He opens."""
    bid, seat = state.bids[-1], calza.seat
    reveal = _reveal(state, bid)
    events: list[Event] = [CalzaCalled(seat, bid), reveal]
    if not reveal.exact:
        return _lose(state, seat, 1, events)
    held = state.dice_counts[seat]
    regained = min(1, state.rules.starting_dice - held)
    events.append(DieRegained(seat, regained))
    return _end_round(state, seat, held + regained, events, opener=seat)


def _forfeit(state: State, forfeit: Forfeit) -> Transition:
    """The table's: a conceded round costs what a lost one does, one die."""
    return _lose(state, forfeit.seat, 1, [RoundForfeited(forfeit.seat)])


def _resign(state: State, resign: Resign) -> Transition:
    """The table's: all his dice go; a round they were bid on is void, and rolled again by the same opener."""
    seat = resign.seat
    events: list[Event] = [SeatResigned(seat, len(state.seats) - len(state.gone))]
    if state.phase is OPENING and len(state.seats) - len(state.gone) > 2:  # noqa: PLR2004 - two remain at least
        contenders = tuple(other for other in state.contenders if other != seat)
        counts, gone = _after(state, seat, 0)
        opening = replace(state, dice_counts=counts, contenders=contenders, gone=gone)
        if len(contenders) == 1:
            return _opener_found(opening, contenders[0], events)
        return transition(opening, tuple(events))
    if state.phase is BIDDING:
        events.append(RoundVoided(state.round))
    opener = state.left_of(seat) if state.opener is None or state.opener == seat else state.opener
    palifico = None if state.palifico == seat else state.palifico
    return _end_round(state, seat, 0, events, opener=opener, palifico=palifico)


def _reveal(state: State, bid: Bid) -> Revealed:
    wild, face, quantity = state.ones_wild, bid.face, bid.quantity
    count = 0
    for hand in state.dice:
        count += hand.count(face)
        if wild and face != 1:
            count += hand.count(1)
    return revealed(state.dice, bid, count, wild, count >= quantity, count == quantity)


def _lose(state: State, seat: Seat, amount: int, events: list[Event]) -> Transition:
    """Take dice from the loser, who opens the next round, or else the next to the left still in."""
    rules, held = state.rules, state.dice_counts[seat]
    left = 0 if rules.sudden_death or amount >= held else held - amount
    events.append(dice_lost(seat, held - left, None if rules.lost_dice is LostDice.HIDDEN else left))
    if left == 0:
        events.append(seat_out(seat, len(state.seats) - len(state.gone)))
        return _end_round(state, seat, 0, events, opener=state.left_of(seat))
    again = rules.palifico_once and seat in state.had_palifico
    palifico = seat if rules.palifico and left == 1 and not again else None
    return _end_round(state, seat, left, events, opener=seat, palifico=palifico)


def _end_round(
    state: State, seat: Seat, count: int, events: list[Event], *, opener: Seat, palifico: Seat | None = None
) -> Transition:
    """Put the dice away, this seat's new count with them: the next round waits for its roll, or the game is over."""
    counts, gone = _after(state, seat, count)
    players = len(counts) - len(gone)
    over = players == 1
    if over or (players == 2 and not state.rules.palifico_with_two_players):  # noqa: PLR2004 - the option's own words
        palifico = None
    phase, opens = (OVER, None) if over else (ROLLING, opener)
    following = without_dice(state, phase, counts, ((),) * len(counts), opens, None, (), palifico, (), gone)
    if over:
        events.append(GameOver(outcome_of(following)))
    return transition(following, tuple(events))


def _after(state: State, seat: Seat, count: int) -> tuple[tuple[int, ...], tuple[Seat, ...]]:
    """All seats' dice, and who is gone, once this seat holds so many."""
    counts = (*state.dice_counts[:seat], count, *state.dice_counts[seat + 1 :])
    return counts, state.gone if count else (*state.gone, seat)


_STEPS: Final[dict[type, Callable[[State, Any], Transition]]] = {
    OpeningRoll: _opening_roll,
    OpenerDraw: _opener_draw,
    Roll: _roll,
    Bid: _bid,
    Dudo: _dudo,
    Calza: _calza,
    Forfeit: _forfeit,
    Resign: _resign,
}
