"""The errors that this library raises, and the reasons why an action is illegal."""

from __future__ import annotations

from enum import StrEnum
from operator import index
from types import UnionType
from typing import Any, get_args

from perudo_core._actions import Action, Bid
from perudo_core._public_names import Listed, ListedEnum

__all__ = ["IllegalActionError", "NotationError", "PerudoError", "Reason", "RecordError", "RulesError", "StateError"]


def abbreviated(value: object) -> str:
    """Return a value from outside, short enough for an error message and safe to print."""
    try:
        text = ascii(value)
    except (RecursionError, ValueError):  # a nest, or an int of more digits than Python prints
        text = type(value).__name__
    return text if len(text) <= 60 else f"{text[:57]}..."  # noqa: PLR2004 - one line


def is_encodable(text: str) -> bool:
    """Return whether a text can be written as UTF-8: half a surrogate pair cannot."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def expect_type(value: object, kind: type | UnionType, name: str) -> None:
    """Refuse an argument of another type, by its name."""
    if not isinstance(value, kind):
        wanted = " or ".join(each.__name__ for each in get_args(kind) or (kind,))
        raise TypeError(f"{name} must be of type {wanted}, not {type(value).__name__}")


def expect_tuple_of(values: object, kind: type | UnionType, name: str) -> None:
    """Refuse a value that is not a tuple of such values."""
    expect_type(values, tuple, name)
    for value in values:  # type: ignore[attr-defined]
        expect_type(value, kind, f"each of {name}")


def expect_int(value: object, name: str, low: int, high: int) -> None:
    """Refuse a value that is not a whole number in this range; True and 1.0 are not whole numbers."""
    if type(value) is not int:
        raise TypeError(f"{name} must be a whole number, not {type(value).__name__}")
    if not low <= value <= high:
        raise ValueError(f"{name} must be from {low} to {high}, not {abbreviated(value)}")


def as_int(value: Any) -> Any:
    """Return the `int` of a whole number of another type, such as one of numpy.

    Any other value as it is, True included.
    """
    try:
        return value if isinstance(value, bool) else index(value)
    except TypeError:
        return value


def with_ints(action: Any) -> Any:
    """Return the action with an `int` in place of each whole number of another type, also in the hands of a roll."""
    fields = [getattr(action, name) for name in action.__slots__]
    return type(action)(
        *(
            tuple(tuple(map(as_int, hand)) if type(hand) is tuple else as_int(hand) for hand in field)
            if type(field) is tuple
            else as_int(field)
            for field in fields
        )
    )


def whole_number(value: object, name: str, low: int, high: int) -> int:
    """Return the `int` of a whole number of any type, such as one of numpy.

    Refuses other values as `expect_int` does.
    """
    number: int = as_int(value)
    expect_int(number, name, low, high)
    return number


def missing_extra(error: ModuleNotFoundError, module: str, extra: str) -> ModuleNotFoundError:
    """Return the error of a module whose extra is not installed."""
    needed = f"{module} needs {error.name}: pip install 'perudo-core[{extra}]'"
    return ModuleNotFoundError(needed, name=error.name)


class PerudoError(Exception, metaclass=Listed):
    """The base class of all errors of this library, except `TypeError` and `ValueError` for a bad argument."""


class RulesError(PerudoError, ValueError):
    """Options that contradict each other, an unknown option or value, or seats that the rules do not allow."""


class StateError(PerudoError, ValueError):
    """Data that this library did not write, or a state that no game can have."""


class NotationError(PerudoError, ValueError):
    """A line that is not in the notation, or whose result does not follow; `position` is the character, from 0."""

    def __init__(self, reason: str, position: int | None = None) -> None:
        super().__init__(reason, position)
        self.reason = reason
        self.position = position

    def __str__(self) -> str:
        return self.reason if self.position is None else f"character {self.position + 1}: {self.reason}"


class Reason(StrEnum, metaclass=ListedEnum):
    """The reason for a refused action: a stable code that a program can translate."""

    ACTION_UNKNOWN = "action/unknown"
    GAME_OVER = "game/over"
    SEAT_UNKNOWN = "seat/unknown"
    SEAT_OUT = "seat/out"

    NO_ROUND = "call/no_round"  # the dice are not on the table
    NOT_YOUR_TURN = "call/not_your_turn"
    NO_BID = "call/no_bid"  # nothing to doubt yet
    OWN_BID = "call/own_bid"

    BID_MALFORMED = "bid/malformed"  # not whole numbers
    BID_FACE_UNKNOWN = "bid/face_unknown"
    BID_QUANTITY_ZERO = "bid/quantity_zero"
    BID_ABOVE_MAXIMUM = "bid/above_maximum"
    BID_ONES_MAY_NOT_OPEN = "bid/ones_may_not_open"
    BID_TOO_LOW = "bid/too_low"
    BID_FACE_LOWER = "bid/face_lower"  # more dice, but of a lower face
    BID_TWO_THINGS = "bid/two_things"  # quantity and face at once, where a raise changes one thing
    BID_TOO_FEW_ONES = "bid/too_few_ones"  # from a plain face to ones: half, rounded up
    BID_TOO_FEW_AFTER_ONES = "bid/too_few_after_ones"  # from ones to a plain face: twice plus one
    BID_FACE_LOCKED = "bid/face_locked"  # a palifico round

    CALZA_NOT_PLAYED = "calza/not_played"
    CALZA_ON_TURN = "calza/on_turn"  # only bystanders may say it
    CALZA_IN_PALIFICO = "calza/in_palifico"
    CALZA_TWO_PLAYERS = "calza/two_players"

    REROLL_NOT_PLAYED = "reroll/not_played"
    REROLL_NOT_NOW = "reroll/not_now"  # the last bid is another player's, or was followed by a roll already
    REROLL_NOT_HELD = "reroll/not_held"  # not among the player's hidden dice
    REROLL_NO_SUPPORT = "reroll/no_support"  # a die that does not count for the bid
    REROLL_NONE_SHOWN = "reroll/none_shown"
    REROLL_NONE_LEFT = "reroll/none_left"  # every die is shown, and none is left to roll

    ROLL_NOT_NOW = "roll/not_now"
    ROLL_WRONG_KIND = "roll/wrong_kind"  # this table finds its opener another way
    ROLL_MALFORMED = "roll/malformed"
    ROLL_WRONG_SEATS = "roll/wrong_seats"
    ROLL_WRONG_LENGTH = "roll/wrong_length"
    ROLL_FACE_UNKNOWN = "roll/face_unknown"


class IllegalActionError(PerudoError, ValueError):
    """An action that is not legal now; the state stays as it was.

    `reason` is a `Reason`; `smallest_raise` is the least legal bid after a refused bid, or None.

    >>> from perudo_core import Bid, Rules, apply, set_up
    >>> try:
    ...     apply(set_up(Rules(), ((2, 2), (3, 4)), [Bid(0, 2, 3)]), Bid(1, 1, 5))
    ... except IllegalActionError as error:
    ...     print(error.reason, error.smallest_raise)
    bid/too_low 2x4
    """

    def __init__(self, reason: Reason, action: Action, smallest_raise: Bid | None = None) -> None:
        super().__init__(reason, action, smallest_raise)
        self.reason = reason
        self.action = action
        self.smallest_raise = smallest_raise

    def __str__(self) -> str:
        hint = f"; the smallest raise is {self.smallest_raise}" if self.smallest_raise else ""
        return f"{self.reason}: {abbreviated(self.action)}{hint}"


class RecordError(PerudoError, ValueError):
    """A game record that cannot be read or replayed.

    `round` and `call` count from 1 along the record's own lists, or are None for an error outside of the lists.
    """

    def __init__(self, reason: str, round: int | None = None, call: int | None = None) -> None:  # noqa: A002 - the record's word
        super().__init__(reason, round, call)
        self.reason = reason
        self.round = round
        self.call = call

    def __str__(self) -> str:
        place = ""
        if self.round is not None:
            place = f"round {self.round}: " if self.call is None else f"round {self.round}, call {self.call}: "
        return place + self.reason
