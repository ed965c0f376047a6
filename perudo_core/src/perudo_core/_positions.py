"""Setting up a position in the middle of a game."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from perudo_core._actions import Bid, Dice, Roll, Seat
from perudo_core._consistency import proved
from perudo_core._engine import apply
from perudo_core._errors import StateError, expect_int, expect_tuple_of, expect_type
from perudo_core._events import DiceShown
from perudo_core._json_reading import MAX_INTEGER
from perudo_core._phase import Phase
from perudo_core._round_setup import replaced, setup_of
from perudo_core._rules import Rules
from perudo_core._state import State, complete_state, new_game

__all__ = ["set_up"]


def set_up(
    rules: Rules,
    dice: Dice,
    bids: Iterable[Bid] = (),
    *,
    seats: Sequence[str] | None = None,
    opener: Seat = 0,
    palifico: Seat | None = None,
    had_palifico: Collection[Seat] = (),
    eliminated: Sequence[Seat] | None = None,
    shown: Sequence[DiceShown] = (),
    round: int = 1,  # noqa: A002 - the state's word
) -> State:
    """Return the state of a round with these hands, after these bids.

    `dice` has a hand for each seat, `()` for a seat that is out; `seats` are the names. `palifico` is the seat whose
    palifico round it is, the opener by `Rules.palifico_every_round`; `had_palifico` are the seats that had one before.
    `eliminated` is the order in which players went out, by default the seat order. `shown` is what lies open: the first
    dice of the hands. `round` counts from 1.

    Raises `StateError` for a position that no game can have, `RulesError` for seats or an opener that the rules do not
    allow, and `IllegalActionError` for hands that are not dice and for a bid that may not follow.

    >>> from perudo_core import Rules, smallest_raise
    >>> state = set_up(Rules(), ((2, 2, 5), (), (1, 6)), [Bid(0, 2, 5)])
    >>> state.turn, str(smallest_raise(state))
    (2, '2x6')
    """
    expect_tuple_of(dice, tuple, "dice")
    expect_type(bids, Iterable, "bids")
    expect_type(opener, int, "opener")
    expect_int(round, "round", 1, MAX_INTEGER)
    game = new_game(rules, len(dice) if seats is None else seats, opener=opener)
    counts = tuple(map(len, dice))
    if len(counts) != len(game.seats):
        raise StateError(f"{len(counts)} hands for {len(game.seats)} seats")
    if palifico is not None:
        expect_int(palifico, "palifico", 0, len(counts) - 1)
    out = [seat for seat, count in enumerate(counts) if not count]
    before = setup_of(
        rules=rules,
        seats=game.seats,
        phase=Phase.ROLLING,
        round=round - 1,
        dice_counts=counts,
        dice=game.dice,
        opener=opener,
        palifico=game.palifico if palifico is None else palifico,
        contenders=(),
        had_palifico=frozenset(_seats(had_palifico, "had_palifico", len(counts))),
        eliminated=_seats(out if eliminated is None else eliminated, "eliminated", len(counts)),
    )
    state = apply(complete_state(before), Roll(dice)).state
    state = proved(state._setup, state.turn, ())
    for bid in bids:
        expect_type(bid, Bid, "each of bids")
        state = apply(state, bid).state
    if not shown:
        return state
    expect_tuple_of(tuple(shown), DiceShown, "shown")
    return proved(replaced(state._setup, shown=tuple(shown)), state.turn, state.bids)


def _seats(seats: Collection[Seat], name: str, size: int) -> tuple[Seat, ...]:
    expect_type(seats, Collection, name)
    for seat in seats:
        expect_int(seat, f"each of {name}", 0, size - 1)
    return tuple(seats)
