"""The effect of each action on a state."""

from collections.abc import Callable
from dataclasses import make_dataclass, replace
from functools import lru_cache
from typing import Any, Final

from perudo_core._actions import Action, Bid, Calza, Concede, Dudo, Leave, OpenerDraw, OpeningRoll, Reroll, Roll, Seat
from perudo_core._bid_lists import NO_BIDS, BidList
from perudo_core._bidding import ONE
from perudo_core._errors import IllegalActionError, expect_type, with_ints
from perudo_core._events import (
    CalzaCalled,
    DiceLost,
    DiceRolled,
    DiceShown,
    DieRegained,
    DudoCalled,
    Event,
    OpenerChosen,
    OpenerRolled,
    Revealed,
    RoundConceded,
    RoundStarted,
    RoundVoided,
    SeatLeft,
    SeatOut,
)
from perudo_core._legality import CHECKS, Check, least_raise, reason_against
from perudo_core._round_setup import (
    BIDDING,
    OPENING,
    OVER,
    ROLLING,
    RoundSetup,
    Standing,
    StateFields,
    bid_lists_of,
    filled,
    game_over,
    in_turn_order,
    open_dice,
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
_revealed: Final[Any] = make_dataclass("Revealed", Revealed.__slots__, slots=True)
"""A twin that is not frozen, and so is filled in a third of the time; then it gets the class of the event."""
_new_event: Final = object.__new__
_set_seat: Final[Any] = vars(DiceRolled)["seat"].__set__
_set_dice: Final[Any] = vars(DiceRolled)["dice"].__set__
"""An event of two fields is filled faster so."""
_round_started: Final = lru_cache(4096)(RoundStarted)
"""Events of a few small numbers are made once, and then shared."""


@lru_cache(4096)
def _dudo_called(seat: Seat, bidder: Seat, quantity: int, face: int) -> DudoCalled:
    return DudoCalled(seat, Bid(bidder, quantity, face))


def step(given: Any, action: Action) -> Transition:
    """Return the state after the given one, and the events; `apply` documents the rest.

    All books: a bid passes the turn to the left, or where a call turned the order round, to the right. Bids are the
    most frequent action: a look-up decides whether one is legal, and its whole effect is here.
    """
    if type(given) is not _STATE:
        expect_type(given, State, "state")
    state: StateFields = given
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
            and quantity <= setup.standing.max_quantity
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
    else:
        known = _STEPS.get(type(action))
        if known is not None and known[0](state, action) is None:
            return known[1](state, action)
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
    palifico = seat if state._setup.standing.options.palifico_every_round else None
    setup = replace(state._setup, phase=ROLLING, opener=seat, palifico=palifico, contenders=())
    return _transition(setup, tuple(events))


def _roll(state: StateFields, roll: Roll) -> Transition:
    """Return all books: everyone rolls, and the opener bids first."""
    old, dice = state._setup, roll.dice
    number, opener, palifico = old.round + 1, old.opener, old.palifico
    had_palifico = old.had_palifico if palifico is None else old.had_palifico | {palifico}
    setup = RoundSetup(
        old.rules, old.seats, BIDDING, number, old.dice_counts, dice, opener, palifico, (), had_palifico,
        old.eliminated, (), old.standing,
    )  # fmt: skip
    events: list[Event] = [_round_started(number, opener, palifico)]
    for seat, hand in enumerate(dice):
        if hand:
            rolled = _new_event(_DICE_ROLLED)
            _set_seat(rolled, seat)
            _set_dice(rolled, hand)
            events.append(rolled)
    return _transition(setup, tuple(events), opener, (), setup.bid_lists[None])


def _reroll(state: StateFields, reroll: Reroll) -> Transition:
    """No book: the dice that support the bid lie open, the others are new; bids and turn stay."""
    old, seat = state._setup, reroll.seat
    hand = (*open_dice(old.shown, seat), *reroll.shown, *reroll.rolled)
    shown = DiceShown(seat, reroll.shown, state._bids[-1])
    setup = RoundSetup(
        old.rules, old.seats, BIDDING, old.round, old.dice_counts, (*old.dice[:seat], hand, *old.dice[seat + 1 :]),
        old.opener, old.palifico, (), old.had_palifico, old.eliminated, (*old.shown, shown), old.standing,
    )  # fmt: skip
    return _transition(setup, (shown, DiceRolled(seat, hand)), state._turn, state._bids, state._next_bids)


def _dudo(state: StateFields, dudo: Dudo) -> Transition:
    """Return all books: dudo. The player who was wrong, bidder or doubter, loses a die and opens the next round.

    thomasahle/liars-dice: the player who was right loses the die, and the other one opens.
    """
    setup, bid, seat = state._setup, state._bids[-1], dudo.seat
    reveal, bidder, options = _reveal(setup, bid), bid.seat, setup.standing.options
    wrong, right = (seat, bidder) if reveal.holds else (bidder, seat)
    amount = options.dudo_cost(reveal.matching - bid.quantity)
    events: list[Event] = [_dudo_called(seat, bidder, bid.quantity, bid.face), reveal]
    return _lose(setup, right if options.first_out_wins else wrong, amount, events, wrong)


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
        return _lose(setup, seat if reveal.exact else bid.seat, 1, events, seat)
    if not reveal.exact:
        return _lose(setup, seat, 1, events, seat)
    if rules.calza_costs_others:
        others = _others_lose(setup, seat, events)
        return _end_round(others, seat, others.standing, events, seat)
    held = setup.dice_counts[seat]
    regained = min(1, setup.standing.options.most_dice(seat) - held)
    events.append(DieRegained(seat, regained))
    return _end_round(setup, seat, setup.standing.with_count(seat, held + regained), events, seat)


def _concede(state: StateFields, concede: Concede) -> Transition:
    """No book: conceding a round costs what losing it costs, one die."""
    seat, setup = concede.seat, state._setup
    winner = state._bids[-1].seat if state._bids else setup.left[seat]
    return _lose(setup, winner if setup.rules.first_out_wins else seat, 1, [RoundConceded(seat)], seat)


def _leave(state: StateFields, leave: Leave) -> Transition:
    """No book: the player's dice go; a round that was being bid is void and is rolled again.

    The same opener opens it again, or the next player after an opener who left.
    """
    seat, old = leave.seat, state._setup
    standing = old.standing.with_count(seat, 0)
    events: list[Event] = [SeatLeft(seat, old.standing.players)]
    if old.phase is OPENING and standing.players > 1:
        contenders = tuple(other for other in old.contenders if other != seat)
        eliminated = (*old.eliminated, seat)
        setup = replace(old, dice_counts=standing.dice_counts, contenders=contenders, eliminated=eliminated)
        opening = _transition(setup, tuple(events))
        if len(contenders) == 1:
            return _opener_found(opening.state, contenders[0], events)
        return opening
    if old.phase is BIDDING:
        events.append(RoundVoided(old.round))
    palifico = None if old.palifico == seat else old.palifico
    return _end_round(old, seat, standing, events, old.opener, palifico)


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


@lru_cache(4096)
def _loss(standing: Standing, seat: Seat, amount: int) -> tuple[Standing, tuple[Event, ...]]:
    """Return what a seat's loss of dice leads to, and its events."""
    options, held = standing.options, standing.dice_counts[seat]
    remaining = 0 if options.sudden_death or amount >= held else held - amount
    lost = DiceLost(seat, held - remaining, remaining)
    is_out = remaining == 0 and not options.first_out_wins
    return standing.with_count(seat, remaining), (lost, SeatOut(seat, standing.players)) if is_out else (lost,)


def _lose(setup: RoundSetup, seat: Seat, amount: int, events: list[Event], opener: Seat) -> Transition:
    """Take dice from a player; one who drops to a single die may have a palifico round."""
    standing, lost = _loss(setup.standing, seat, amount)
    events += lost
    options, palifico = standing.options, None
    if (
        options.palifico
        and standing.dice_counts[seat] == 1
        and not (options.palifico_once and seat in setup.had_palifico)
    ):
        palifico = seat
    return _end_round(setup, seat, standing, events, opener, palifico, options.first_out_wins)


def _others_lose(setup: RoundSetup, caller: Seat, events: list[Event]) -> RoundSetup:
    """Take a die from each player but the caller, in turn order; only an opener is palifico, and none of them opens."""
    standing, eliminated = setup.standing, setup.eliminated
    for seat in in_turn_order(caller, len(setup.seats), standing.options.direction(setup.round + 1))[1:]:
        if standing.dice_counts[seat]:
            standing, lost = _loss(standing, seat, 1)
            events += lost
            if not standing.dice_counts[seat]:
                eliminated = (*eliminated, seat)
    return replace(setup, dice_counts=standing.dice_counts, eliminated=eliminated)


def _end_round(  # noqa: PLR0917 - every round ends here, and keywords would cost 3 % of it
    old: RoundSetup,
    seat: Seat,
    standing: Standing,
    events: list[Event],
    opener: Seat | None,
    palifico: Seat | None = None,
    first_wins: bool = False,
) -> Transition:
    """Let the next round wait for its roll, or end the game, where the seat's number of dice leads to this standing.

    `first_wins`: the seat wins if it has no dice, by `Rules.first_out_wins`. If the opener is out, the next one opens.
    """
    counts, eliminated, options = standing.dice_counts, old.eliminated, standing.options
    is_out = counts[seat] == 0
    if is_out and not first_wins:
        eliminated = (*eliminated, seat)
    if standing.players == 1 or (is_out and first_wins):
        phase, opener, palifico = OVER, None, None
    else:
        phase = ROLLING
        if opener is not None and counts[opener] == 0:
            opener = standing.next_seats[(old.round + 1) % 2][opener]
        if options.palifico_every_round:
            palifico = opener
        elif standing.players == 2 and not options.palifico_with_two_players:  # noqa: PLR2004 - the option's own words
            palifico = None
    setup = RoundSetup(
        old.rules, old.seats, phase, old.round, counts, standing.no_dice, opener, palifico, (), old.had_palifico,
        eliminated, (), standing,
    )  # fmt: skip
    if phase is OVER:
        events.append(game_over(setup))
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


_STEPS: Final[dict[type, tuple[Check, Callable[[StateFields, Any], Transition]]]] = {
    OpeningRoll: (CHECKS[OpeningRoll], _opening_roll),
    OpenerDraw: (CHECKS[OpenerDraw], _opener_draw),
    Roll: (CHECKS[Roll], _roll),
    Dudo: (CHECKS[Dudo], _dudo),
    Calza: (CHECKS[Calza], _calza),
    Concede: (CHECKS[Concede], _concede),
    Leave: (CHECKS[Leave], _leave),
    Reroll: (CHECKS[Reroll], _reroll),
}
"""The check of each action, except `Bid`, and its effect where it is legal."""
