"""The effect of each action on a state.

`make` makes the values of every round, from all their fields in the order of the class.
"""

from collections.abc import Callable
from typing import Any, Final

from perudo_core._actions import Action, Bid, Calza, Concede, Dudo, Leave, OpenerDraw, OpeningRoll, Roll, Seat
from perudo_core._bid_lists import NO_BIDS
from perudo_core._bidding import ONE
from perudo_core._errors import IllegalActionError, Unchecked, expect_type
from perudo_core._events import (
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
    RoundConceded,
    RoundStarted,
    RoundVoided,
    SeatLeft,
    SeatOut,
)
from perudo_core._legality_checks import GivenAction, least_raise, reason_against, reason_as_given
from perudo_core._phase import BIDDING, OPENING, OVER, ROLLING
from perudo_core._round_setup import RoundSetup, bid_lists_of, complete_setup, make, outcome_of
from perudo_core._state import State, Transition
from perudo_core._values import with_ints

__all__ = ["step"]

_make: Final = make
_STATE: Final = State
_TRANSITION: Final = Transition
_BID: Final = Bid
"""Compiled code finds names of its own module without a look-up, which saves 2 % of a decision."""


def step(state: Unchecked[State], action: Unchecked[Action]) -> Transition:
    """Return the next state and the events; `apply` documents the rest."""
    if type(state) is not _STATE:
        expect_type(state, State, "state")
    if type(action) is _BID:
        return _bid(state, action)
    reason = reason_as_given(state, action)
    if reason is None:
        return _STEPS[type(action)](state, action)
    reason = reason_against(state, action)
    if reason is not None:
        raise IllegalActionError(reason, action)
    return step(state, with_ints(action))


def _opening_roll(state: State, roll: OpeningRoll) -> Transition:
    """azteca, french_guide: who opens the game; the tied roll again."""
    sums = {seat: sum(roll.dice[seat]) for seat in state.contenders}
    highest = max(sums.values())
    best = tuple(seat for seat, total in sums.items() if total == highest)
    if len(best) > 1:
        return Transition(State(state.setup._replace(contenders=best)), (OpenerRolled(roll.dice, best),))
    return _opener_found(state, best[0], [OpenerRolled(roll.dice, ())])


def _opener_draw(state: State, draw: OpenerDraw) -> Transition:
    return _opener_found(state, draw.seat, [])


def _opener_found(state: State, seat: Seat, events: list[Event]) -> Transition:
    events.append(OpenerChosen(seat))
    return Transition(State(state.setup._replace(phase=ROLLING, opener=seat, contenders=())), tuple(events))


def _roll(state: State, roll: Roll) -> Transition:
    """Return all books: everyone rolls, and the opener bids first."""
    rules, seats, _, rounds, counts, _, opener, palifico, _, had_palifico, eliminated, most, bid_lists = state.setup
    number, dice = rounds + 1, roll.dice
    if palifico is not None:
        had_palifico |= {palifico}
    # fmt: off
    setup = _make(RoundSetup, (
        rules, seats, BIDDING, number, counts, dice, opener, palifico, (), had_palifico, eliminated, most, bid_lists,
    ))
    # fmt: on
    events: list[Event] = [_make(RoundStarted, (number, opener, palifico))]
    for seat, hand in enumerate(dice):
        if hand:
            events.append(_make(DiceRolled, (seat, hand)))
    following = _make(_STATE, (setup, opener, (), bid_lists[None]))
    return _make(_TRANSITION, (following, tuple(events)))


def _bid(state: State, bid: Bid) -> Transition:
    """Return all books: a bid passes the turn to the left.

    Bids are the most frequent action, so a look-up decides whether a bid is legal; `reason_against` finds the reason
    against an illegal one.
    """
    setup, turn, bids, next_bids = state
    given: GivenAction = bid
    seat, quantity, face = given
    if not (
        type(seat) is int
        and type(quantity) is int
        and type(face) is int
        and seat == turn
        and next_bids.allow(quantity, face, setup.max_quantity)
    ):
        reason = reason_against(state, bid)
        if reason is None:
            return _bid(state, with_ints(bid))
        raise IllegalActionError(reason, bid, least_raise(state))
    counts = setup.dice_counts
    turn = (seat + 1) % len(counts)
    while not counts[turn]:
        turn = (turn + 1) % len(counts)
    bid_lists = setup.bid_lists if setup.palifico is None else bid_lists_of(setup, turn)
    bids += (bid,)
    number = 6 * quantity + face - 7  # `bid_number(quantity, face)`, written out: every bid comes here
    following = _make(_STATE, (setup, turn, bids, bid_lists[number]))
    return _make(_TRANSITION, (following, next_bids.events_by_seat[seat][number]))


def _dudo(state: State, dudo: Dudo) -> Transition:
    """Return all books: dudo. The player who was wrong, bidder or doubter, loses a die and opens the next round."""
    setup, bid, seat = state.setup, state.bids[-1], dudo.seat
    reveal = _reveal(setup, bid)
    loser = seat if reveal.holds else bid.seat
    amount = max(1, abs(reveal.matching - bid.quantity)) if setup.rules.lose_by_difference else 1
    return _lose(state, loser, amount, [_make(DudoCalled, (seat, bid)), reveal])


def _calza(state: State, calza: Calza) -> Transition:
    """box_2009: calza. The caller regains a die, never above the start, or loses one; the caller opens."""
    setup, bid, seat = state.setup, state.bids[-1], calza.seat
    reveal = _reveal(setup, bid)
    events: list[Event] = [CalzaCalled(seat, bid), reveal]
    if not reveal.exact:
        return _lose(state, seat, 1, events)
    held = setup.dice_counts[seat]
    regained = min(1, setup.rules.starting_dice - held)
    events.append(DieRegained(seat, regained))
    return _end_round(state, seat, held + regained, events)


def _concede(state: State, concede: Concede) -> Transition:
    """No book: conceding a round costs what losing it costs, one die."""
    return _lose(state, concede.seat, 1, [RoundConceded(concede.seat)])


def _leave(state: State, leave: Leave) -> Transition:
    """No book: the player's dice go; a round that was being bid is void and is rolled again.

    The same opener opens it again, or the next player to the left of an opener who left.
    """
    seat = leave.seat
    events: list[Event] = [SeatLeft(seat, len(state.seats) - len(state.eliminated))]
    if state.phase is OPENING and len(state.seats) - len(state.eliminated) > 2:  # noqa: PLR2004 - at least two remain
        contenders = tuple(other for other in state.contenders if other != seat)
        counts, eliminated = _with_count(state.dice_counts, seat, 0), (*state.eliminated, seat)
        before = state.setup._replace(dice_counts=counts, contenders=contenders, eliminated=eliminated)
        opening = State(complete_setup(*before[:-2]))
        if len(contenders) == 1:
            return _opener_found(opening, contenders[0], events)
        return Transition(opening, tuple(events))
    if state.phase is BIDDING:
        events.append(RoundVoided(state.round))
    opener = None if state.opener == seat else state.opener
    palifico = None if state.palifico == seat else state.palifico
    return _end_round(state, seat, 0, events, opener, palifico)


def _reveal(setup: RoundSetup, bid: Bid) -> Revealed:
    """Return all books: the reveal. All dice of the face count, and the ones where they are wild."""
    _, quantity, face = bid
    dice, ones_are_wild = setup.dice, setup.bid_lists.rules.ones_are_wild
    matching = 0
    if ones_are_wild and face != ONE:
        for hand in dice:
            matching += hand.count(face) + hand.count(ONE)
    else:
        for hand in dice:
            matching += hand.count(face)
    return _make(Revealed, (dice, bid, matching, ones_are_wild, matching >= quantity, matching == quantity))


def _lose(state: State, seat: Seat, amount: int, events: list[Event]) -> Transition:
    """Take dice from a player; one who drops to a single die may have a palifico round."""
    setup = state.setup
    rules, held = setup.rules, setup.dice_counts[seat]
    remaining = 0 if rules.sudden_death or amount >= held else held - amount
    events.append(_make(DiceLost, (seat, held - remaining, remaining)))
    if remaining == 0:
        events.append(_make(SeatOut, (seat, len(setup.seats) - len(setup.eliminated))))
    has_palifico = remaining == 1 and rules.palifico and not (rules.palifico_once and seat in setup.had_palifico)
    return _end_round(state, seat, remaining, events, None, seat if has_palifico else None)


def _end_round(  # noqa: PLR0917 - every round ends here, and keywords would cost 3 % of it
    state: State,
    seat: Seat,
    count: int,
    events: list[Event],
    opener: Seat | None = None,
    palifico: Seat | None = None,
) -> Transition:
    """Give the seat its new count of dice; then the next round waits for its roll, or the game is over.

    Without another `opener` the seat itself opens the next round; if it is out, the next player to the left does.
    """
    rules, seats, _, number, counts, _, _, _, _, had_palifico, eliminated, _, _ = state.setup
    counts = _with_count(counts, seat, count)
    if count == 0:
        eliminated = (*eliminated, seat)
    players = len(counts) - len(eliminated)
    if players == 1:
        phase, opener, palifico = OVER, None, None
    else:
        phase = ROLLING
        if opener is None:
            opener = seat if count else state.left_of(seat)
        if players == 2 and not rules.palifico_with_two_players:  # noqa: PLR2004 - the option's own words
            palifico = None
    no_dice = ((),) * len(counts)
    most = rules.max_quantity(counts)
    bid_lists = (rules.normal_bid_lists if palifico is None else rules.palifico_bid_lists)[most]
    # fmt: off
    setup = _make(RoundSetup, (
        rules, seats, phase, number, counts, no_dice,
        opener, palifico, (), had_palifico, eliminated, most, bid_lists,
    ))
    # fmt: on
    if phase is OVER:
        events.append(_make(GameOver, (outcome_of(setup),)))
    return _make(_TRANSITION, (_make(_STATE, (setup, None, (), NO_BIDS)), tuple(events)))


def _with_count(counts: tuple[int, ...], seat: Seat, count: int) -> tuple[int, ...]:
    """Return all seats' counts of dice, once this seat holds so many."""
    changed = list(counts)
    changed[seat] = count
    return tuple(changed)


_STEPS: Final[dict[type, Callable[[State, Any], Transition]]] = {
    OpeningRoll: _opening_roll,
    OpenerDraw: _opener_draw,
    Roll: _roll,
    Dudo: _dudo,
    Calza: _calza,
    Concede: _concede,
    Leave: _leave,
}
"""The effect of each legal action, except `Bid`."""
