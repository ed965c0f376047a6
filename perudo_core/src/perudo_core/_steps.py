"""The effect of each action on a state."""

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final

from perudo_core._actions import Action, Bid, Calza, Concede, Dudo, Leave, OpenerDraw, OpeningRoll, Reroll, Roll, Seat
from perudo_core._bid_lists import NO_BIDS, BidList
from perudo_core._bidding import ONE
from perudo_core._errors import IllegalActionError, with_ints
from perudo_core._events import (
    CalzaCalled,
    DiceLost,
    DiceRolled,
    DiceShown,
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
from perudo_core._legality import least_raise, reason_against, reason_as_given
from perudo_core._phase import BIDDING, OPENING, OVER, ROLLING
from perudo_core._round_setup import (
    RoundSetup,
    StateFields,
    bid_lists_of,
    filled,
    in_turn_order,
    next_seats,
    open_dice,
    outcome_of,
    twin_of,
)
from perudo_core._state import State, Transition

__all__ = ["step"]

_BID: Final = Bid
_STATE: Final = State
_TRANSITION: Final = Transition
_make: Final = tuple.__new__
_new: Final = StateFields.__new__
"""Compiled code finds names of its own module without a look-up, which saves 2 % of a decision."""
_DICE_ROLLED: Final = DiceRolled
_REVEALED: Final = Revealed
_dice_rolled: Final = twin_of(DiceRolled)
_revealed: Final = twin_of(Revealed)
"""Twins of the events of every round that have too many values to be kept."""
_round_started: Final = lru_cache(4096)(RoundStarted)
_dice_lost: Final = lru_cache(4096)(DiceLost)
_seat_out: Final = lru_cache(4096)(SeatOut)
_game_over: Final = lru_cache(4096)(GameOver)
"""Events of a few small numbers are made once, and then shared."""


@lru_cache(4096)
def _dudo_called(seat: Seat, bidder: Seat, quantity: int, face: int) -> DudoCalled:
    return DudoCalled(seat, Bid(bidder, quantity, face))


def step(state: StateFields, action: Action) -> Transition:
    """Return the next state and the events; `apply` documents the rest.

    All books: a bid passes the turn to the left, or where a call turned the order round, to the right. Bids are the
    most frequent action: a look-up decides whether one is legal, and its whole effect is here.
    """
    if type(action) is _BID:
        bid: Any = action
        seat: object = bid.seat
        quantity: object = bid.quantity
        face: object = bid.face
        setup = state._setup
        if (
            type(seat) is int
            and type(quantity) is int
            and type(face) is int
            and seat == state._turn
            and 1 <= face <= 6  # noqa: PLR2004 - the faces of a die
            and quantity <= setup.max_quantity
        ):
            next_bids = state._next_bids
            first, stop = next_bids.ranges[face]
            if first <= quantity < stop:
                turn = setup.left[seat]
                bid_lists = setup.bid_lists if setup.palifico is None else bid_lists_of(setup, turn)
                number = 6 * quantity + face - 7  # `bid_number(quantity, face)`, written out
                made: Any = _new(_STATE)  # `filled`, written out
                after: StateFields = made
                after._setup = setup
                after._turn = turn
                bids = state._bids
                bids += (bid,)  # compiled, half the time of (*bids, bid)
                after._bids = bids
                after._next_bids = bid_lists[number]
                return _make(_TRANSITION, (after, next_bids.events_by_seat[seat][number]))
    elif reason_as_given(state, action) is None:
        return _STEPS[type(action)](state, action)
    reason = reason_against(state, action)
    if reason is not None:
        raise IllegalActionError(reason, action, least_raise(state) if type(action) is _BID else None)
    return step(state, with_ints(action))  # once: it was refused only because a number was no `int`


def _opening_roll(state: StateFields, roll: OpeningRoll) -> Transition:
    """azteca, french_guide: who opens the game; the tied roll again."""
    sums = {seat: sum(roll.dice[seat]) for seat in state._setup.contenders}
    highest = max(sums.values())
    best = tuple(seat for seat, total in sums.items() if total == highest)
    if len(best) > 1:
        return _transition(replace(state._setup, contenders=best), (OpenerRolled(roll.dice, best),))
    return _opener_found(state, best[0], [OpenerRolled(roll.dice, ())])


def _opener_draw(state: StateFields, draw: OpenerDraw) -> Transition:
    return _opener_found(state, draw.seat, [])


def _opener_found(state: StateFields, seat: Seat, events: list[Event]) -> Transition:
    events.append(OpenerChosen(seat))
    palifico = seat if state._setup.options.palifico_every_round else None
    setup = replace(state._setup, phase=ROLLING, opener=seat, palifico=palifico, contenders=())
    return _transition(setup, tuple(events))


def _roll(state: StateFields, roll: Roll) -> Transition:
    """Return all books: everyone rolls, and the opener bids first."""
    old, dice = state._setup, roll.dice
    number, opener, palifico = old.round + 1, old.opener, old.palifico
    had_palifico = old.had_palifico if palifico is None else old.had_palifico | {palifico}
    setup = RoundSetup(
        old.rules, old.seats, BIDDING, number, old.dice_counts, dice, opener, palifico, (), had_palifico,
        old.eliminated, old,
    )  # fmt: skip
    events: list[Event] = [_round_started(number, opener, palifico)]
    for seat, hand in enumerate(dice):
        if hand:
            rolled = _dice_rolled(seat, hand)
            rolled.__class__ = _DICE_ROLLED
            events.append(rolled)
    return _transition(setup, tuple(events), opener, (), setup.bid_lists[None])


def _reroll(state: StateFields, reroll: Reroll) -> Transition:
    """No book: the dice that support the bid lie open, the others are new; bids and turn stay."""
    old, seat = state._setup, reroll.seat
    hand = (*open_dice(old.shown, seat), *reroll.shown, *reroll.rolled)
    shown = DiceShown(seat, reroll.shown, state._bids[-1])
    setup = RoundSetup(
        old.rules, old.seats, BIDDING, old.round, old.dice_counts, (*old.dice[:seat], hand, *old.dice[seat + 1 :]),
        old.opener, old.palifico, (), old.had_palifico, old.eliminated, old, (*old.shown, shown),
    )  # fmt: skip
    return _transition(setup, (shown, DiceRolled(seat, hand)), state._turn, state._bids, state._next_bids)


def _dudo(state: StateFields, dudo: Dudo) -> Transition:
    """Return all books: dudo. The player who was wrong, bidder or doubter, loses a die and opens the next round.

    thomasahle/liars-dice: the player who was right loses the die, and the other one opens.
    """
    setup, bid, seat = state._setup, state._bids[-1], dudo.seat
    reveal, bidder, options = _reveal(setup, bid), bid.seat, setup.options
    wrong, right = (seat, bidder) if reveal.holds else (bidder, seat)
    amount = options.dudo_cost(reveal.matching - bid.quantity)
    events: list[Event] = [_dudo_called(seat, bidder, bid.quantity, bid.face), reveal]
    return _lose(state, right if options.first_out_wins else wrong, amount, events, wrong)


def _calza(state: StateFields, calza: Calza) -> Transition:
    """box_2009: calza. The caller regains a die, never above the start, or loses one; the caller opens.

    The Italian Wikipedia: a right one costs all others a die instead. `Rules.first_out_wins`: it costs the caller a
    die, and a wrong one costs the bidder a die.
    """
    setup, bid, seat = state._setup, state._bids[-1], calza.seat
    reveal = _reveal(setup, bid)
    events: list[Event] = [CalzaCalled(seat, bid), reveal]
    rules = setup.rules
    if rules.first_out_wins:
        return _lose(state, seat if reveal.exact else bid.seat, 1, events, seat)
    if not reveal.exact:
        return _lose(state, seat, 1, events, seat)
    held = setup.dice_counts[seat]
    if rules.calza_costs_others:
        return _end_round(_others_lose(state, seat, events), seat, held, events)
    regained = min(1, setup.options.most_dice(seat) - held)
    events.append(DieRegained(seat, regained))
    return _end_round(state, seat, held + regained, events)


def _concede(state: StateFields, concede: Concede) -> Transition:
    """No book: conceding a round costs what losing it costs, one die."""
    seat, setup = concede.seat, state._setup
    winner = state._bids[-1].seat if state._bids else setup.left[seat]
    return _lose(state, winner if setup.rules.first_out_wins else seat, 1, [RoundConceded(seat)], seat)


def _leave(state: StateFields, leave: Leave) -> Transition:
    """No book: the player's dice go; a round that was being bid is void and is rolled again.

    The same opener opens it again, or the next player to the left of an opener who left.
    """
    seat = leave.seat
    events: list[Event] = [SeatLeft(seat, len(state._setup.seats) - len(state._setup.eliminated))]
    if state._setup.phase is OPENING and len(state._setup.seats) - len(state._setup.eliminated) > 2:  # noqa: PLR2004 - at least two remain
        contenders = tuple(other for other in state._setup.contenders if other != seat)
        counts, eliminated = _with_count(state._setup.dice_counts, seat, 0), (*state._setup.eliminated, seat)
        setup = replace(state._setup, dice_counts=counts, contenders=contenders, eliminated=eliminated)
        opening = _transition(setup, tuple(events))
        if len(contenders) == 1:
            return _opener_found(opening.state, contenders[0], events)
        return opening
    if state._setup.phase is BIDDING:
        events.append(RoundVoided(state._setup.round))
    opener = None if state._setup.opener == seat else state._setup.opener
    palifico = None if state._setup.palifico == seat else state._setup.palifico
    return _end_round(state, seat, 0, events, opener, palifico)


def _reveal(setup: RoundSetup, bid: Bid) -> Revealed:
    """Return all books: the reveal. All dice of the face count, and the ones where they are wild."""
    quantity, face = bid.quantity, bid.face
    dice, ones_are_wild = setup.dice, setup.bid_lists.rules.ones_are_wild
    other, matching = ONE if ones_are_wild else face, 0
    for hand in dice:
        for die in hand:
            if die == face or die == other:  # noqa: PLR1714, SIM109 - from sources faster than `in`
                matching += 1
    revealed = _revealed(dice, bid, matching, ones_are_wild, matching >= quantity, matching == quantity)
    revealed.__class__ = _REVEALED
    return revealed  # type: ignore[no-any-return]


def _lose(state: StateFields, seat: Seat, amount: int, events: list[Event], opener: Seat) -> Transition:
    """Take dice from a player; one who drops to a single die may have a palifico round."""
    setup = state._setup
    options, held = setup.options, setup.dice_counts[seat]
    remaining = 0 if options.sudden_death or amount >= held else held - amount
    events.append(_dice_lost(seat, held - remaining, remaining))
    wins = options.first_out_wins and remaining == 0
    if remaining == 0 and not wins:
        events.append(_seat_out(seat, len(setup.seats) - len(setup.eliminated)))
    may_again = not (options.palifico_once and seat in setup.had_palifico)
    has_palifico = remaining == 1 and options.palifico and may_again
    other = None if seat == opener else opener
    return _end_round(state, seat, remaining, events, other, seat if has_palifico else None, wins)


def _others_lose(state: StateFields, caller: Seat, events: list[Event]) -> StateFields:
    """Take a die from each player but the caller, to the left; only an opener is palifico, and none of them opens."""
    setup = state._setup
    counts, eliminated, size = setup.dice_counts, setup.eliminated, len(setup.seats)
    for seat in in_turn_order(caller, size, setup.options.direction(setup.round + 1))[1:]:
        held = counts[seat]
        if held:
            remaining = 0 if setup.rules.sudden_death else held - 1
            events.append(DiceLost(seat, held - remaining, remaining))
            counts = _with_count(counts, seat, remaining)
            if not remaining:
                events.append(SeatOut(seat, size - len(eliminated)))
                eliminated = (*eliminated, seat)
    return _transition(replace(setup, dice_counts=counts, eliminated=eliminated), ()).state


def _end_round(  # noqa: PLR0917 - every round ends here, and keywords would cost 3 % of it
    state: StateFields,
    seat: Seat,
    count: int,
    events: list[Event],
    opener: Seat | None = None,
    palifico: Seat | None = None,
    wins: bool = False,
) -> Transition:
    """Give the seat its new count of dice; then the next round waits for its roll, or the game is over.

    `wins`: the seat has won, by `Rules.first_out_wins`. Without another `opener` the seat itself opens the next round;
    if it is out, the next player to the left does.
    """
    old = state._setup
    counts, eliminated, options = _with_count(old.dice_counts, seat, count), old.eliminated, old.options
    if count == 0 and not wins:
        eliminated = (*eliminated, seat)
    players = len(counts) - len(eliminated)
    if wins or players == 1:
        phase, opener, palifico = OVER, None, None
    else:
        phase = ROLLING
        if opener is None:
            opener = seat if count else next_seats(counts, options.direction(old.round + 1))[seat]
        if options.palifico_every_round:
            palifico = opener
        elif players == 2 and not options.palifico_with_two_players:  # noqa: PLR2004 - the option's own words
            palifico = None
    dice = ((),) * len(counts)
    left = old.left if count and not old.rules.reverse_after_call else None
    setup = RoundSetup(
        old.rules,
        old.seats,
        phase,
        old.round,
        counts,
        dice,
        opener,
        palifico,
        (),
        old.had_palifico,
        eliminated,
        left=left,
    )
    if phase is OVER:
        events.append(_game_over(outcome_of(setup)))
    return _transition(setup, tuple(events))


def _transition(
    setup: RoundSetup,
    events: tuple[Event, ...],
    turn: Seat | None = None,
    bids: tuple[Bid, ...] = (),
    next_bids: BidList = NO_BIDS,
) -> Transition:
    """Return the next state and the events on the way."""
    return _make(_TRANSITION, (filled(_new(_STATE), setup, turn, bids, next_bids), events))


def _with_count(counts: tuple[int, ...], seat: Seat, count: int) -> tuple[int, ...]:
    """Return all seats' counts of dice, once this seat holds so many."""
    changed = list(counts)
    changed[seat] = count
    return tuple(changed)


_STEPS: Final[dict[type, Callable[[StateFields, Any], Transition]]] = {
    OpeningRoll: _opening_roll,
    OpenerDraw: _opener_draw,
    Roll: _roll,
    Dudo: _dudo,
    Calza: _calza,
    Concede: _concede,
    Leave: _leave,
    Reroll: _reroll,
}
"""The effect of each legal action, except `Bid`."""
