"""The interface of an engine: the rules of the game, and three optional parts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol, TypeVar

from perudo_core._programs import NotOffered, Refused

__all__ = ["Engine", "FairDiceEngine", "NotOffered", "NotationEngine", "OddsEngine", "Refused"]

S = TypeVar("S")


class Engine(Protocol[S]):
    """The rules. Actions are the JSON values of `dump_action`; a state is any value except None."""

    def new_game(self, rules: dict[str, Any], seats: int, opener: int) -> S:
        """Return a game before its first roll, by rules as `Rules.to_dict` gives them.

        The kit checks one game after another and does not use states of earlier games again.
        """

    def apply(self, state: S, action: dict[str, Any]) -> S:
        """Return the next state.

        The given one stays as it is. Raises `Refused` with the reason's code if it is illegal.
        """

    def legal_calls(self, state: S) -> Iterable[Mapping[str, Any]]:
        """Return every legal bid, dudo and calza of every seat, once, in any order."""

    def facts(self, state: S) -> Mapping[str, Any]:
        """Return the keys of `facts_of`, and any others. A list may be a tuple."""


class OddsEngine(Protocol):
    """The chances of a bid: offered by an engine with this method."""

    def odds(self, dice: list[int], unknown_dice: int, quantity: int, face: int, ones_are_wild: bool) -> dict[str, Any]:
        """Return the chances that a bid `holds` and that it is `exact`, for a player with these dice.

        A chance is a `Fraction` or a pair [numerator, denominator] of integers or of decimal texts, because JSON
        numbers of many digits lose some in other languages. It need not be in lowest terms.
        """


class FairDiceEngine(Protocol):
    """The dice of `perudo_core.fair`: offered by an engine with these four methods. A secret is in hex."""

    def commitment(self, secret: str, context: str) -> str:
        """Return the commitment to a secret and a context, in hex."""

    def fair_hand(self, secret: str, context: str, salt: str, label: str, dice: int) -> Sequence[int]:
        """So many dice of the stream with this label."""

    def fair_number(self, secret: str, context: str, salt: str, label: str, below: int) -> int:
        """Return the first number of the stream with this label, less than `below`."""

    def fair_contest(
        self, secret: str, context: str, salt: str, contenders: int, dice_each: int
    ) -> Sequence[Sequence[int]]:
        """Return a roll for the opener, among seats that all contend and roll one die or two."""


class NotationEngine(Protocol):
    """The notation of `perudo_core.notation`: offered by an engine with these two methods."""

    def write_game(self, record: dict[str, Any], dice: bool) -> str:
        """Return the line of a record, with the dice or without."""

    def read_game(self, text: str) -> Mapping[str, Any]:
        """Return the record of a line that has the dice, with every option of the rules."""
