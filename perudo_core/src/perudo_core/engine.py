"""One action on one state gives the next state and what happened."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from perudo_core._values import make
from perudo_core.actions import Action, Bid, Calza, Concede, Dudo, Leave, OpenerDraw, OpeningRoll, Roll, Seat
from perudo_core.errors import IllegalActionError, Reason, expect_type
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
    RoundConceded,
    RoundStarted,
    RoundVoided,
    SeatLeft,
    SeatOut,
)
from perudo_core.legality import CHECKS, smallest_raise
from perudo_core.state import (
    BIDDING,
    OPENING,
    OVER,
    ROLLING,
    RoundSetup,
    State,
    bid_rules_of,
    complete_setup,
    rolled_state,
)

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Transition", "apply"]


class Transition(NamedTuple):
    """The next state and the events on the way, in order: `state, events = apply(state, action)`."""

    state: State
    events: tuple[Event, ...]


def apply(state: State, action: Action) -> Transition:
    """Take an action; the state that is given stays as it is.

    Raises `IllegalActionError`, which says why not, for an action that is not legal now.

    >>> from perudo_core import OpenerDraw, Rules, new_game
    >>> state, events = apply(new_game(Rules(), ["Ana", "Bo"]), OpenerDraw(1))
    >>> state.opener, events
    (1, (OpenerChosen(seat=1),))
    """
    if type(state) is not State:
        expect_type(state, State, "state")
    kind = type(action)
    check = CHECKS.get(kind)
    reason = Reason.ACTION_UNKNOWN if check is None else check(state, action)
    if reason is not None:
        raise IllegalActionError(reason, action, smallest_raise(state) if kind is Bid else None)
    return _STEPS[kind](state, action)


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
    rules, seats, _, before, counts, _, opener, palifico, _, had_palifico, eliminated, most, bid_rules = state.setup
    assert opener is not None, "in the phase ROLLING there is an opener"  # noqa: S101 - for the type checker
    number, dice = before + 1, roll.dice
    if palifico is not None:
        had_palifico |= {palifico}
    setup = RoundSetup(
        rules,
        seats,
        BIDDING,
        number,
        counts,
        dice,
        opener,
        palifico,
        (),
        had_palifico,
        eliminated,
        most,
        bid_rules,
    )
    hands = [make(DiceRolled, (seat, hand)) for seat, hand in enumerate(dice) if hand]
    return Transition(rolled_state(setup), (RoundStarted(number, opener, palifico), *hands))


def _bid(state: State, bid: Bid) -> Transition:
    setup, _, bids, _ = state
    seat, quantity, face = bid
    counts = setup.dice_counts
    turn = (seat + 1) % len(counts)
    while not counts[turn]:
        turn = (turn + 1) % len(counts)
    bid_rules = setup.bid_rules if setup.palifico is None else bid_rules_of(setup, turn)
    following = make(State, (setup, turn, (*bids, bid), bid_rules.next_bids[quantity, face]))
    return make(Transition, (following, (make(BidMade, (bid,)),)))


def _dudo(state: State, dudo: Dudo) -> Transition:
    """All books: dudo. The bidder or the doubter, whoever was wrong, loses a die and opens the next round."""
    bid = state.bids[-1]
    reveal = _reveal(state, bid)
    loser = dudo.seat if reveal.holds else bid.seat
    amount = max(1, abs(reveal.matching - bid.quantity)) if state.rules.lose_by_difference else 1
    return _lose(state, loser, amount, [DudoCalled(dudo.seat, bid), reveal])


def _calza(state: State, calza: Calza) -> Transition:
    """box_2009: calza. The caller regains a die, never above the start, or loses one; the caller opens."""
    bid, seat = state.bids[-1], calza.seat
    reveal = _reveal(state, bid)
    events: list[Event] = [CalzaCalled(seat, bid), reveal]
    if not reveal.exact:
        return _lose(state, seat, 1, events)
    held = state.dice_counts[seat]
    regained = min(1, state.rules.starting_dice - held)
    events.append(DieRegained(seat, regained))
    return _end_round(state, seat, held + regained, events, opener=seat)


def _concede(state: State, concede: Concede) -> Transition:
    """No book: conceding a round costs what losing it costs, one die."""
    return _lose(state, concede.seat, 1, [RoundConceded(concede.seat)])


def _leave(state: State, leave: Leave) -> Transition:
    """No book: the player's dice go; a round that counted on them is void and is rolled again by the same opener."""
    seat = leave.seat
    events: list[Event] = [SeatLeft(seat, len(state.seats) - len(state.eliminated))]
    if state.phase is OPENING and len(state.seats) - len(state.eliminated) > 2:  # noqa: PLR2004 - at least two remain
        contenders = tuple(other for other in state.contenders if other != seat)
        counts, eliminated = _after(state, seat, 0)
        before = state.setup._replace(dice_counts=counts, contenders=contenders, eliminated=eliminated)
        opening = State(complete_setup(*before[:-2]))
        if len(contenders) == 1:
            return _opener_found(opening, contenders[0], events)
        return Transition(opening, tuple(events))
    if state.phase is BIDDING:
        events.append(RoundVoided(state.round))
    opener = state.left_of(seat) if state.opener is None or state.opener == seat else state.opener
    palifico = None if state.palifico == seat else state.palifico
    return _end_round(state, seat, 0, events, opener=opener, palifico=palifico)


def _reveal(state: State, bid: Bid) -> Revealed:
    _, quantity, face = bid
    dice, ones_are_wild = state.setup.dice, state.setup.bid_rules.ones_are_wild
    count = sum([hand.count(face) for hand in dice])
    if ones_are_wild and face != 1:
        count += sum([hand.count(1) for hand in dice])
    return Revealed(dice, bid, count, ones_are_wild, count >= quantity, count == quantity)


def _lose(state: State, seat: Seat, amount: int, events: list[Event]) -> Transition:
    """Take dice from the loser, who opens the next round; if they are out, the next player to the left opens it."""
    setup = state.setup
    rules, held = setup.rules, setup.dice_counts[seat]
    remaining = 0 if rules.sudden_death or amount >= held else held - amount
    events.append(DiceLost(seat, held - remaining, None if rules.hides_lost_dice else remaining))
    if remaining == 0:
        events.append(SeatOut(seat, len(setup.seats) - len(setup.eliminated)))
        return _end_round(state, seat, 0, events, opener=state.left_of(seat))
    again = rules.palifico_once and seat in setup.had_palifico
    palifico = seat if remaining == 1 and rules.palifico and not again else None
    return _end_round(state, seat, remaining, events, opener=seat, palifico=palifico)


def _end_round(
    state: State, seat: Seat, count: int, events: list[Event], *, opener: Seat, palifico: Seat | None = None
) -> Transition:
    """Give the seat its new count of dice; then the next round waits for its roll, or the game is over."""
    rules, seats, _, number, _, _, _, _, _, had_palifico, *_ = state.setup
    counts, eliminated = _after(state, seat, count)
    players = len(counts) - len(eliminated)
    over = players == 1
    if over or (players == 2 and not rules.palifico_with_two_players):  # noqa: PLR2004 - the option's own words
        palifico = None
    following = State(
        RoundSetup(
            rules,
            seats,
            OVER if over else ROLLING,
            number,
            counts,
            ((),) * len(counts),
            None if over else opener,
            palifico,
            (),
            had_palifico,
            eliminated,
            rules.max_quantity(counts),
            rules.normal_bid_rules if palifico is None else rules.palifico_bid_rules,
        )
    )
    if over:
        outcome = following.outcome
        assert outcome is not None, "a game that is over has an outcome"  # noqa: S101 - for the type checker
        events.append(GameOver(outcome))
    return Transition(following, tuple(events))


def _after(state: State, seat: Seat, count: int) -> tuple[tuple[int, ...], tuple[Seat, ...]]:
    """All seats' counts of dice, and the eliminated seats, once this seat holds so many."""
    counts, eliminated = state.setup.dice_counts, state.setup.eliminated
    return (*counts[:seat], count, *counts[seat + 1 :]), eliminated if count else (*eliminated, seat)


_STEPS: Final[dict[type, Callable[[State, Any], Transition]]] = {
    OpeningRoll: _opening_roll,
    OpenerDraw: _opener_draw,
    Roll: _roll,
    Bid: _bid,
    Dudo: _dudo,
    Calza: _calza,
    Concede: _concede,
    Leave: _leave,
}
