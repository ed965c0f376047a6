"""The step: one action on one state gives the next state and what happened."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

from perudo_core._sealed import sealed
from perudo_core.actions import Action, Bid, Calza, Dudo, Forfeit, OpenerDraw, OpeningRoll, Resign, Roll, Seat
from perudo_core.errors import IllegalActionError
from perudo_core.events import (
    BidMade,
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
from perudo_core.state import Phase, State, round_of

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Transition", "apply"]


@sealed
@dataclass(frozen=True, slots=True)
class Transition:
    """The next state and what happened on the way, in order."""

    state: State
    events: tuple[Event, ...]


def apply(state: State, action: Action) -> Transition:
    """Take an action, or raise an `IllegalActionError` that says why not."""
    reason = check(state, action)
    if reason is not None:
        raise IllegalActionError(reason, action, smallest_raise(state) if isinstance(action, Bid) else None)
    return _STEPS[type(action)](state, action)


def _opening_roll(state: State, roll: OpeningRoll) -> Transition:
    """azteca, french_guide: who opens the game; the tied roll again."""
    sums = {seat: sum(roll.dice[seat]) for seat in state.contenders}
    best = tuple(seat for seat, total in sums.items() if total == max(sums.values()))
    if len(best) > 1:
        return Transition(replace(state, contenders=best), (OpenerRolled(roll.dice, best),))
    return _opener_found(state, best[0], [OpenerRolled(roll.dice, ())])


def _opener_draw(state: State, draw: OpenerDraw) -> Transition:
    return _opener_found(state, draw.seat, [])


def _opener_found(state: State, seat: Seat, events: list[Event]) -> Transition:
    events.append(OpenerChosen(seat))
    return Transition(replace(state, phase=Phase.ROLLING, opener=seat, contenders=()), tuple(events))


def _roll(state: State, roll: Roll) -> Transition:
    opener = state.opener
    assert opener is not None, "a round is rolled for an opener"  # noqa: S101 - the phase says so; for the type checker
    number = state.round + 1
    had_palifico = state.had_palifico if state.palifico is None else state.had_palifico | {state.palifico}
    bidding = State(
        state.rules,
        state.seats,
        Phase.BIDDING,
        number,
        state.dice_counts,
        roll.dice,
        opener,
        opener,
        (),
        state.palifico,
        (),
        had_palifico,
        state.gone,
    )
    hands = [DiceRolled(seat, hand) for seat, hand in enumerate(roll.dice) if hand]
    return Transition(bidding, (RoundStarted(number, opener, state.palifico), *hands))


def _bid(state: State, bid: Bid) -> Transition:
    following = State(
        state.rules,
        state.seats,
        state.phase,
        state.round,
        state.dice_counts,
        state.dice,
        state.opener,
        state.left_of(bid.seat),
        (*state.bids, bid),
        state.palifico,
        (),
        state.had_palifico,
        state.gone,
    )
    object.__setattr__(following, "judged_by", round_of(state))
    return Transition(following, (BidMade(bid),))


def _dudo(state: State, dudo: Dudo) -> Transition:
    """All books: dudo. Who was wrong loses a die and opens."""
    bid = state.bids[-1]
    revealed = _reveal(state, bid)
    loser = dudo.seat if revealed.holds else bid.seat
    amount = max(1, abs(revealed.count - bid.quantity)) if state.rules.lose_by_difference else 1
    return _lose(state, loser, amount, [DudoCalled(dudo.seat, bid), revealed])


def _calza(state: State, calza: Calza) -> Transition:
    """box_2009: calza. Right: the caller regains a die, never above the start; wrong: he loses one. He opens."""
    bid, seat = state.bids[-1], calza.seat
    revealed = _reveal(state, bid)
    events: list[Event] = [CalzaCalled(seat, bid), revealed]
    if not revealed.exact:
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
    if state.phase is Phase.OPENING and len(state.seats) - len(state.gone) > 2:  # noqa: PLR2004 - two remain at least
        contenders = tuple(other for other in state.contenders if other != seat)
        counts, gone = _after(state, seat, 0)
        opening = replace(state, dice_counts=counts, contenders=contenders, gone=gone)
        if len(contenders) == 1:
            return _opener_found(opening, contenders[0], events)
        return Transition(opening, tuple(events))
    if state.phase is Phase.BIDDING:
        events.append(RoundVoided(state.round))
    opener = state.left_of(seat) if state.opener is None or state.opener == seat else state.opener
    palifico = None if state.palifico == seat else state.palifico
    return _end_round(state, seat, 0, events, opener=opener, palifico=palifico)


def _reveal(state: State, bid: Bid) -> Revealed:
    wild = state.ones_wild
    dice = tuple(chain.from_iterable(state.dice))
    count = dice.count(bid.face)
    if wild and bid.face != 1:
        count += dice.count(1)
    return Revealed(state.dice, bid, count, wild, count >= bid.quantity, count == bid.quantity)


def _lose(state: State, seat: Seat, amount: int, events: list[Event]) -> Transition:
    """Take dice from the loser, who opens the next round, or else the next to the left still in."""
    held = state.dice_counts[seat]
    amount = held if state.rules.sudden_death else min(held, amount)
    left = held - amount
    events.append(DiceLost(seat, amount, None if state.rules.lost_dice is LostDice.HIDDEN else left))
    if left == 0:
        events.append(SeatOut(seat, len(state.seats) - len(state.gone)))
        return _end_round(state, seat, 0, events, opener=state.left_of(seat))
    again = state.rules.palifico_once and seat in state.had_palifico
    palifico = seat if state.rules.palifico and left == 1 and not again else None
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
    following = State(
        state.rules,
        state.seats,
        Phase.OVER if over else Phase.ROLLING,
        state.round,
        counts,
        ((),) * len(counts),
        None if over else opener,
        None,
        (),
        palifico,
        (),
        state.had_palifico,
        gone,
    )
    outcome = following.outcome
    if outcome is not None:
        events.append(GameOver(outcome))
    return Transition(following, tuple(events))


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
