"""Calls as small whole numbers, for learning programs; `perudo_core.batch` and `perudo_core.openspiel` use them too.

The numbers of a table whose highest quantity is Q:

    face            1     2     3     4     5     6
    quantity 1      0     1     2     3     4     5
    quantity 2      6     7     8     9    10    11
    quantity 3     12    13    14    15    16    17
    ...
    quantity Q   6Q-6  6Q-5  6Q-4  6Q-3  6Q-2  6Q-1

    dudo           6Q
    calza        6Q+1

Q is the number of dice that the game starts with. Lost dice do not change Q, so a number means the same call for the
whole game.
"""

from __future__ import annotations

from typing import Final, SupportsIndex

from perudo_core._actions import FACES, Bid, Call, Calza, Dudo
from perudo_core._bid_numbers import bid_number, count_bids, quantity_and_face
from perudo_core._errors import expect_type, whole_number
from perudo_core._public_names import Listed
from perudo_core._rules import OPTIONS, Rules, expect_supported
from perudo_core._state import new_game

__all__ = ["ActionEncoding"]

SUPPORTED: Final = frozenset(name for name, row in OPTIONS.items() if row.is_played_by_calls)


class ActionEncoding(metaclass=Listed):
    """The numbers of all calls at a table: from 0 to below `size`, without gaps.

    A number does not name the caller's seat. `seats` is the number of players. Raises `RulesError` for a number of
    seats that the rules do not allow, and for an option that is not played by calls alone, such as `reroll_after_bid`.

    >>> from perudo_core import Bid, Dudo, Rules
    >>> encoding = ActionEncoding(Rules(), seats=2)
    >>> encoding.encode(Bid(seat=1, quantity=2, face=3)), encoding.encode(Dudo(seat=0)), encoding.size
    (8, 60, 62)
    >>> encoding.decode(8, seat=1)
    Bid(seat=1, quantity=2, face=3)
    """

    __slots__ = ("bid_count", "calza", "dudo", "max_quantity", "seats", "size")

    def __init__(self, rules: Rules, seats: int) -> None:
        self.seats: Final = whole_number(seats, "seats", 0, 10**9)
        self.max_quantity: Final = new_game(rules, self.seats, opener=0).max_quantity
        """The highest quantity that can be bid at the start of the game."""
        expect_supported(rules, SUPPORTED, "an encoding of calls")
        self.bid_count: Final = count_bids(self.max_quantity)
        """The number of bids; bids have the numbers below this one."""
        self.dudo: Final = self.bid_count
        """The number of a dudo."""
        self.calza: Final = self.bid_count + 1
        """The number of a calza, reserved under rules without calza as well."""
        self.size: Final = self.bid_count + 2
        """The size of the encoding: numbers go from 0 to `size` - 1."""

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ActionEncoding):
            return NotImplemented
        return (self.seats, self.max_quantity) == (other.seats, other.max_quantity)

    def __hash__(self) -> int:
        return hash((self.seats, self.max_quantity))

    def __repr__(self) -> str:
        return f"<ActionEncoding: {self.size} numbers, {self.seats} seats>"

    def encode(self, call: Call) -> int:
        """Return the number of a call.

        Raises `TypeError` for a value that is not a call, and `ValueError` for a bid above the highest quantity.
        """
        expect_type(call, Bid | Dudo | Calza, "call")
        if not isinstance(call, Bid):
            return self.dudo if isinstance(call, Dudo) else self.calza
        quantity = whole_number(call.quantity, "quantity", 1, self.max_quantity)
        return bid_number(quantity, whole_number(call.face, "face", FACES[0], FACES[-1]))

    def decode(self, number: SupportsIndex, seat: SupportsIndex) -> Call:
        """Return the call with this number, made by this seat.

        Raises `ValueError` for a number or a seat out of range.
        """
        number = whole_number(number, "number", 0, self.size - 1)
        seat = whole_number(seat, "seat", 0, self.seats - 1)
        if number >= self.bid_count:
            return Dudo(seat) if number == self.dudo else Calza(seat)
        return Bid(seat, *quantity_and_face(number))
