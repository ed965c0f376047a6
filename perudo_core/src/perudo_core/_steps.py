"""The effect of each action on a state."""

from collections.abc import Callable
from dataclasses import make_dataclass
from functools import lru_cache
from typing import Any, Final, TypeAlias

from perudo_core._actions import Action, Bid, Calza, Concede, Dudo, Leave, OpenerDraw, OpeningRoll, Reroll, Roll, Seat
from perudo_core._bid_lists import NO_BIDS, SeatBids
from perudo_core._bid_numbers import bid_number
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
from perudo_core._legality import CHECKS, DUDOS, Check, least_raise, reason_against
from perudo_core._phase import Phase
from perudo_core._round_setup import (
    BIDDING,
    OPENING,
    OVER,
    ROLLING,
    RoundSetup,
    Standing,
    StateFields,
    game_over,
    in_turn_order,
    open_dice,
    replaced,
    setup_of,
)
from perudo_core._rules import MAX_SEATS
from perudo_core._state import State, Transition

__all__ = ["step"]

Next: TypeAlias = tuple[Standing, Phase, Seat | None, Seat | None, tuple[Seat, ...], tuple[Event, ...]]
"""After a round: the numbers of dice, the phase, the opener, the palifico player, the eliminated, the last events."""

_BID: Final = Bid
_STATE: Final = State
_TRANSITION: Final = Transition
_make: Final = tuple.__new__
_new: Final = StateFields.__new__
"""Compiled code finds names of its own module without a look-up, which saves 2 % of a decision."""
_DICE_ROLLED: Final = DiceRolled
_REVEALED: Final = Revealed
_dice_rolled: Final[Any] = make_dataclass("DiceRolled", DiceRolled.__slots__, slots=True, init=False)
_revealed: Final[Any] = make_dataclass("Revealed", Revealed.__slots__, slots=True, init=False)
"""Twins that are not frozen, and so are filled in a third of the time; then they get the classes of the events."""
_round_started: Final = lru_cache(4096)(RoundStarted)
"""Events of a few small numbers are made once, and then shared."""


def step(state: Any, action: Action) -> Transition:
    """Return the state after the given one, and the events; `apply` documents the rest.

    All books: a bid passes the turn to the left, or where a call turned the order round, to the right. Bids are the
    most frequent action, and most are the engine's own, out of `legal_calls`: such a bid needs no check of its fields.
    """
    if type(action) is _BID:
        try:
            before: StateFields = state
            own, setup = before._next_bids, before._setup
            number = 6 * action.quantity + action.face - 7  # `bid_number(quantity, face)`, written out
            if own.bids[number] is action and own.is_listed[number] and number < setup.standing.bid_count:
                next_seat, next_bids = setup.following[action.seat]
                made: Any = _new(_STATE)  # `filled`, written out
                after: StateFields = made
                after._setup = setup
                after._turn = next_seat
                bids = before._bids
                bids += (action,)  # compiled, half the time of (*bids, action)
                after._bids = bids
                after._next_bids = next_bids[number]
                return _make(_TRANSITION, (after, own.events[number]))
        except (AttributeError, IndexError, OverflowError, TypeError):  # compiled, a great number overflows
            pass
    if type(state) is not _STATE:
        expect_type(state, State, "state")
    now: StateFields = state
    turn = now._turn
    if turn is not None and action is DUDOS[turn] and now._bids:  # out of `legal_calls`, so it needs no check either
        return _dudo(now, action)
    known = _STEPS.get(type(action))
    if known is not None and known[0](now, action) is None:
        return known[1](now, action)
    reason = reason_against(now, action)
    if reason is not None:
        raise IllegalActionError(reason, action, least_raise(now) if type(action) is _BID else None)
    return step(state, with_ints(action))  # once: it was refused only because a number was no `int`


def _bid(state: StateFields, bid: Bid) -> Transition:
    return step(state, state._next_bids.bids[bid_number(bid.quantity, bid.face)])


def _opening_roll(state: StateFields, roll: OpeningRoll) -> Transition:
    """azteca, french_guide: who opens the game; the tied roll again."""
    sums = {seat: sum(roll.dice[seat]) for seat in state._setup.contenders}
    highest = max(sums.values())
    best = tuple(seat for seat, total in sums.items() if total == highest)
    if len(best) > 1:
        return _transition(replaced(state._setup, contenders=best), (OpenerRolled(roll.dice, best),))
    return _opener_found(state._setup, best[0], (OpenerRolled(roll.dice, ()),))


def _opener_draw(state: StateFields, draw: OpenerDraw) -> Transition:
    return _opener_found(state._setup, draw.seat, ())


def _opener_found(old: RoundSetup, seat: Seat, events: tuple[Event, ...]) -> Transition:
    palifico = seat if old.standing.options.palifico_every_round else None
    setup = replaced(old, phase=ROLLING, opener=seat, palifico=palifico, contenders=())
    return _transition(setup, (*events, OpenerChosen(seat)))


def _roll(state: StateFields, roll: Roll) -> Transition:
    """Return all books: everyone rolls, and the opener bids first."""
    old, dice = state._setup, roll.dice
    number, palifico = old.round + 1, old.palifico
    opener: Any = old.opener  # while a roll is waited for, a seat
    had_palifico = old.had_palifico if palifico is None else old.had_palifico | {palifico}
    setup = setup_of(
        old.rules, old.seats, BIDDING, number, old.dice_counts, dice, opener, palifico, (), had_palifico,
        old.eliminated, (), old.standing,
    )  # fmt: skip
    events: list[Event] = [_round_started(number, opener, palifico)]
    for seat, hand in enumerate(dice):
        if hand:
            rolled = _dice_rolled()
            rolled.seat = seat
            rolled.dice = hand
            rolled.__class__ = _DICE_ROLLED
            events.append(rolled)
    standing = setup.standing
    bids = standing.of_seat if palifico is None else standing.bid_lists_of(opener, palifico).of_seat
    return _transition(setup, tuple(events), opener, (), bids[opener][None])


def _reroll(state: StateFields, reroll: Reroll) -> Transition:
    """No book: the dice that support the bid lie open, the others are new; bids and turn stay."""
    old, seat = state._setup, reroll.seat
    hand = (*open_dice(old.shown, seat), *reroll.shown, *reroll.rolled)
    shown = DiceShown(seat, reroll.shown, state._bids[-1])
    setup = setup_of(
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
    amount = 1 if options.dudo_costs_one else options.dudo_cost(reveal.matching - bid.quantity)
    kept, key = state._next_bids.dudos, seat * MAX_SEATS + bidder
    called = kept.get(key)
    if called is None:
        called = kept[key] = DudoCalled(seat, bid)
    loser = right if options.first_out_wins else wrong
    number, had_palifico = (setup.round + 1) % 2, loser in setup.had_palifico  # `_lose`, written out
    following = _loss(setup.standing, loser, amount, wrong, number, had_palifico, setup.eliminated)
    return _end_round(setup, following, (called, reveal))


def _calza(state: StateFields, calza: Calza) -> Transition:
    """box_2009: calza. The caller regains a die, never above the start, or loses one; the caller opens.

    The Italian Wikipedia: a right one costs all others a die instead. `Rules.first_out_wins`: it costs the caller a
    die, and a wrong one costs the bidder a die.
    """
    setup, bid, seat = state._setup, state._bids[-1], calza.seat
    reveal = _reveal(setup, bid)
    events = (CalzaCalled(seat, bid), reveal)
    rules = setup.rules
    if rules.first_out_wins:
        return _lose(setup, seat if reveal.exact else bid.seat, 1, events, seat)
    if not reveal.exact:
        return _lose(setup, seat, 1, events, seat)
    if rules.calza_costs_others:
        return _others_lose(setup, seat, events)
    standing = setup.standing
    held = standing.dice_counts[seat]
    regained = min(1, standing.options.most_dice(seat) - held)
    standing = standing.with_count(seat, held + regained)
    following = _next(standing, seat, None, (setup.round + 1) % 2, setup.eliminated, (DieRegained(seat, regained),))
    return _end_round(setup, following, events)


def _concede(state: StateFields, concede: Concede) -> Transition:
    """No book: conceding a round costs what losing it costs, one die."""
    seat, setup = concede.seat, state._setup
    winner = state._bids[-1].seat if state._bids else setup.following[seat][0]
    return _lose(setup, winner if setup.rules.first_out_wins else seat, 1, (RoundConceded(seat),), seat)


def _leave(state: StateFields, leave: Leave) -> Transition:
    """No book: the player's dice go; a round that was being bid is void and is rolled again.

    The same opener opens it again, or the next player after an opener who left.
    """
    seat, old = leave.seat, state._setup
    standing, eliminated = old.standing.with_count(seat, 0), (*old.eliminated, seat)
    events: tuple[Event, ...] = (SeatLeft(seat, old.standing.players),)
    if old.phase is OPENING and standing.players > 1:
        contenders = tuple(other for other in old.contenders if other != seat)
        setup = replaced(old, dice_counts=standing.dice_counts, contenders=contenders, eliminated=eliminated)
        if len(contenders) == 1:
            return _opener_found(setup, contenders[0], events)
        return _transition(setup, events)
    if old.phase is BIDDING:
        events += (RoundVoided(old.round),)
    palifico = None if old.palifico == seat else old.palifico
    return _end_round(old, _next(standing, old.opener, palifico, (old.round + 1) % 2, eliminated, ()), events)


def _reveal(setup: RoundSetup, bid: Bid) -> Revealed:
    """Return all books: the reveal. All dice of the face count, and the ones where they are wild."""
    quantity, face = bid.quantity, bid.face
    dice, ones_are_wild = setup.dice, setup.palifico is None and setup.standing.options.wild_ones
    other, matching = ONE if ones_are_wild else face, 0
    for hand in dice:
        for die in hand:
            if die == face or die == other:  # noqa: PLR1714, SIM109 - from sources faster than `in`
                matching += 1
    revealed = _revealed()
    revealed.dice = dice
    revealed.bid = bid
    revealed.matching = matching
    revealed.ones_are_wild = ones_are_wild
    revealed.holds = matching >= quantity
    revealed.exact = matching == quantity
    revealed.__class__ = _REVEALED
    return revealed  # type: ignore[no-any-return]


@lru_cache(4096)
def _loss(  # noqa: PLR0917 - keywords would cost more than the rest of a look-up
    standing: Standing, seat: Seat, amount: int, opener: Seat, number: int, had_palifico: bool,
    eliminated: tuple[Seat, ...],
) -> Next:  # fmt: skip
    """Return what a seat's loss of dice leads to, and its events. One who drops to a die may have a palifico round."""
    options, held = standing.options, standing.dice_counts[seat]
    remaining = 0 if options.sudden_death or amount >= held else held - amount
    events: tuple[Event, ...] = (DiceLost(seat, held - remaining, remaining),)
    if remaining == 0 and not options.first_out_wins:
        events += (SeatOut(seat, standing.players),)
        eliminated += (seat,)
    drops = remaining == 1 and seat == opener
    is_palifico = options.palifico and drops and not (options.palifico_once and had_palifico)
    is_won = remaining == 0 and options.first_out_wins
    after = standing.with_count(seat, remaining)
    return _next(after, opener, seat if is_palifico else None, number, eliminated, events, is_won)


def _lose(setup: RoundSetup, seat: Seat, amount: int, events: tuple[Event, ...], opener: Seat) -> Transition:
    """Take dice from a player, which ends the round."""
    following = _loss(
        setup.standing, seat, amount, opener, (setup.round + 1) % 2, seat in setup.had_palifico, setup.eliminated
    )
    return _end_round(setup, following, events)


def _others_lose(setup: RoundSetup, caller: Seat, events: tuple[Event, ...]) -> Transition:
    """Take a die from each player but the caller, in turn order; only an opener is palifico, and none of them opens."""
    number = (setup.round + 1) % 2
    following = _next(setup.standing, caller, None, number, setup.eliminated, ())
    for seat in in_turn_order(caller, len(setup.seats), setup.standing.options.direction(number))[1:]:
        if setup.standing.dice_counts[seat]:
            standing, _, _, _, eliminated, lost = following
            events += lost
            following = _loss(standing, seat, 1, caller, number, False, eliminated)
    return _end_round(setup, following, events)


def _next(  # noqa: PLR0917 - those of `_loss`
    standing: Standing, opener: Seat | None, palifico: Seat | None, number: int, eliminated: tuple[Seat, ...],
    events: tuple[Event, ...], is_won: bool = False,
) -> Next:  # fmt: skip
    """Return what follows a round: another one, or the end of the game. If the opener is out, the next one opens.

    `number` is the remainder of the next round's number; `is_won` by a player without dice, by `Rules.first_out_wins`.
    """
    if standing.players == 1 or is_won:
        return standing, OVER, None, None, eliminated, (*events, game_over(standing, eliminated, number))
    if opener is not None and standing.dice_counts[opener] == 0:
        opener = standing.next_seats[number][opener]
    if standing.options.palifico_every_round:
        palifico = opener
    elif standing.players == 2 and not standing.options.palifico_with_two_players:  # noqa: PLR2004 - the option's own words
        palifico = None
    return standing, ROLLING, opener, palifico, eliminated, events


def _end_round(old: RoundSetup, following: Next, events: tuple[Event, ...]) -> Transition:
    """Let the next round wait for its roll, or end the game."""
    standing, phase, opener, palifico, eliminated, caused = following
    setup = RoundSetup()  # `setup_of`, written out
    setup.rules = old.rules
    setup.seats = old.seats
    setup.phase = phase
    setup.round = old.round
    setup.dice_counts = standing.dice_counts
    setup.dice = standing.no_dice
    setup.opener = opener
    setup.palifico = palifico
    setup.contenders = ()
    setup.had_palifico = old.had_palifico
    setup.eliminated = eliminated
    setup.shown = ()
    setup.standing = standing
    setup.following = ()
    made: Any = _new(_STATE)  # `_transition`, written out
    state: StateFields = made
    state._setup = setup
    state._turn = None
    state._bids = ()
    state._next_bids = NO_BIDS
    return _make(_TRANSITION, (state, events + caused))


def _transition(
    setup: RoundSetup,
    events: tuple[Event, ...],
    turn: Seat | None = None,
    bids: tuple[Bid, ...] = (),
    next_bids: SeatBids = NO_BIDS,
) -> Transition:
    """Return the next state and the events on the way."""
    made: Any = _new(_STATE)  # `filled`, written out
    state: StateFields = made
    state._setup = setup
    state._turn = turn
    state._bids = bids
    state._next_bids = next_bids
    return _make(_TRANSITION, (state, events))


_STEPS: Final[dict[type, tuple[Check, Callable[[StateFields, Any], Transition]]]] = {
    Bid: (CHECKS[Bid], _bid),
    OpeningRoll: (CHECKS[OpeningRoll], _opening_roll),
    OpenerDraw: (CHECKS[OpenerDraw], _opener_draw),
    Roll: (CHECKS[Roll], _roll),
    Dudo: (CHECKS[Dudo], _dudo),
    Calza: (CHECKS[Calza], _calza),
    Concede: (CHECKS[Concede], _concede),
    Leave: (CHECKS[Leave], _leave),
    Reroll: (CHECKS[Reroll], _reroll),
}
"""The check of each action, and its effect where it is legal."""
