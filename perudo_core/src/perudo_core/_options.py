"""The row of an option of the rules: its values with their sentences, and what follows from it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final

from perudo_core._errors import Reason, RulesError
from perudo_core._public_names import Listed, ListedEnum

__all__ = [
    "UNLIMITED", "CalzaBy", "LostDice", "OnesRank", "OpenerMethod", "Option", "PlainRaise", "Subject", "numbered",
    "one_of", "switch",
]  # fmt: skip

UNLIMITED: Final = "unlimited"  # TOML has no null


class OpenerMethod(StrEnum, metaclass=ListedEnum):
    """How the opener of the game is found."""

    RANDOM = "random"
    HIGHEST_DIE = "highest_die"  # each rolls one die; ties roll again
    HIGHEST_SUM = "highest_sum"  # each rolls two dice; ties roll again


class CalzaBy(StrEnum, metaclass=ListedEnum):
    """The players who may say calza; never the last bidder."""

    ANYONE_BUT_BIDDER = "anyone_but_bidder"
    BYSTANDERS = "bystanders"  # nor the player whose turn it is
    ON_TURN = "on_turn"  # only the player whose turn it is


class LostDice(StrEnum, metaclass=ListedEnum):
    """Whether the table sees how many dice each player has lost."""

    HIDDEN = "hidden"
    VISIBLE = "visible"


class PlainRaise(StrEnum, metaclass=ListedEnum):
    """How a bid rises to a bid of another face; `OnesRank.DOUBLE` has its own raises to ones and from them."""

    ONE_THING = "one_thing"  # the face at the same quantity, or the quantity on the same face
    NO_DECREASE = "no_decrease"  # the quantity on the same face, or a higher face at the same or a greater quantity
    ANY_HIGHER = "any_higher"  # a greater quantity on any face, or a higher face at the same quantity


class OnesRank(StrEnum, metaclass=ListedEnum):
    """The rank of wild ones in bids."""

    DOUBLE = "double"  # n ones are above 2n dice of any other face, and below 2n + 1
    HIGHEST = "highest"  # a face above sixes
    LOWEST = "lowest"  # a face below twos


class Subject(StrEnum, metaclass=ListedEnum):
    """The part of the game that an option changes."""

    SEATS = "seats"
    DICE = "dice"
    BIDS = "bids"
    DUDO = "dudo"
    CALZA = "calza"
    PALIFICO = "palifico"


@dataclass(frozen=True, eq=False)
class Option(metaclass=Listed):
    """The row of an option of `Rules`; `Rules.options` has them all. A copy is the row itself."""

    default: Any
    sentences: Mapping[Any, str]
    """A sentence in English for each value, in the order of the values."""
    subject: Subject
    in_books: bool = True
    """False for an option that no rulebook has a line for; its default plays without it."""
    contradicts: Mapping[str, str] = field(default_factory=dict)
    """The options that cannot be on as well, and why."""
    refusals: tuple[Reason, ...] = ()
    """The reasons for which an action is illegal by this option."""
    is_played_by_calls: bool = True
    """False if it gives players an action that is no call."""
    has_effect: Callable[[Any], bool] = field(default_factory=lambda: _always)
    """Whether the option can change a game with these rules."""
    name: str = ""

    @property
    def values(self) -> tuple[Any, ...]:
        """All values, in their order."""
        return tuple(self.sentences)

    def checked(self, value: object) -> object:
        """Return a value, or its text, as the option has it; raises `RulesError` for a value that it cannot have."""
        kind = type(self.default)
        if None in self.sentences and (value is None or value == UNLIMITED):
            return None
        if issubclass(kind, StrEnum):
            if isinstance(value, str) and value in self.sentences:
                return kind(value)
            raise RulesError(f"{self.name} must be one of {', '.join(self.sentences)}")
        if type(value) is not kind:
            raise RulesError(f"{self.name} must be of type {kind.__name__}, not {type(value).__name__}")
        if value not in self.sentences:
            numbers = [each for each in self.sentences if each is not None]
            raise RulesError(f"{self.name} must be {numbers[0]} to {numbers[-1]}")
        return value


def _always(_rules: object) -> bool:
    return True


def one_of(default: object, sentences: Mapping[Any, str], subject: Subject, **row: Any) -> Any:
    """Return the field of an option, with its row."""
    return field(default=default, metadata={"row": Option(default, MappingProxyType({**sentences}), subject, **row)})


def switch(when_on: str, when_off: str, subject: Subject, *, default: bool = False, **row: Any) -> Any:
    """Return the field of an option that is on or off, with its row."""
    return one_of(default, {True: when_on, False: when_off}, subject, **row)


def numbered(sentence: str, numbers: range) -> dict[Any, str]:
    """Return the sentence of each of these numbers."""
    return {number: sentence.format(number) for number in numbers}
