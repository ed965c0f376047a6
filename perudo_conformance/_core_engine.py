"""This library as an engine of the kit."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Any

from perudo_conformance._protocols import Refused
from perudo_core import fair
from perudo_core._codec import dump_action, load_action
from perudo_core._engine import apply, legal_calls
from perudo_core._errors import IllegalActionError
from perudo_core._legal_calls import LegalCalls
from perudo_core._record import Record
from perudo_core._rules import Rules
from perudo_core._state import State, new_game
from perudo_core.notation import GameText
from perudo_core.odds import probability_exact, probability_holds

__all__ = ["CoreEngine", "facts_of"]


def facts_of(state: State) -> dict[str, Any]:
    """Return the facts of a state that a playthrough contains, as JSON values.

    >>> from perudo_core import Rules, new_game
    >>> facts_of(new_game(Rules(), 2, opener=1))["dice_counts"]
    [5, 5]
    """
    outcome = state.outcome
    return {
        "phase": state.phase.value,
        "round": state.round,
        "turn": state.turn,
        "opener": state.opener,
        "palifico": state.palifico,
        "dice_counts": list(state.dice_counts),
        "ones_wild": state.ones_are_wild,
        "max_quantity": state.max_quantity,
        "placements": None if outcome is None else list(outcome.placements),
    }


class CoreEngine:
    """This library as an engine that offers everything, and an example of one."""

    def new_game(self, rules: dict[str, Any], seats: int, opener: int) -> State:
        """Return a game before its first roll."""
        return new_game(Rules.from_dict(rules), seats, opener=opener)

    def apply(self, state: State, action: dict[str, Any]) -> State:
        """Return the next state."""
        try:
            return apply(state, load_action(action)).state
        except IllegalActionError as error:
            raise Refused(error.reason.value) from None

    def legal_calls(self, state: State) -> Iterable[dict[str, Any]]:
        """Return every legal call."""
        return _Dumped(legal_calls(state))

    def facts(self, state: State) -> dict[str, Any]:
        """Return the facts of `facts_of`."""
        return facts_of(state)

    def odds(self, dice: list[int], unknown_dice: int, quantity: int, face: int, ones_are_wild: bool) -> dict[str, Any]:
        """Return the chances of a bid."""
        question = (dice, unknown_dice, quantity, face, ones_are_wild)
        return {"holds": probability_holds(*question), "exact": probability_exact(*question)}

    def commitment(self, secret: str, context: str) -> str:
        """Return the commitment to a secret and a context."""
        return fair.commitment(bytes.fromhex(secret), context)

    def fair_hand(self, secret: str, context: str, salt: str, label: str, dice: int) -> list[int]:
        """So many dice of the stream with this label."""
        return list(fair.hand(fair.derived_key(bytes.fromhex(secret), context, salt), dice, label))

    def fair_number(self, secret: str, context: str, salt: str, label: str, below: int) -> int:
        """Return the first number below a limit of the stream with this label."""
        return fair.number_below(below, fair.derived_key(bytes.fromhex(secret), context, salt), label)

    def fair_contest(self, secret: str, context: str, salt: str, contenders: int, dice_each: int) -> list[list[int]]:
        """Return a roll for the opener."""
        key = fair.derived_key(bytes.fromhex(secret), context, salt)
        return [list(hand) for hand in fair.contest(key, (dice_each,) * contenders, contenders)]

    def write_game(self, record: dict[str, Any], dice: bool) -> str:
        """Return the line of a record."""
        return str(GameText.of(Record.from_dict(record), dice=dice))

    def read_game(self, text: str) -> dict[str, Any]:
        """Return the record of a line."""
        return GameText.parse(text).record().to_dict()


class _Dumped(Collection[dict[str, Any]]):
    """Calls that become JSON values when they are read, because most of them are only counted."""

    def __init__(self, calls: LegalCalls) -> None:
        self._calls = calls

    def __contains__(self, call: object) -> bool:
        return call in list(self)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return map(dump_action, self._calls)

    def __len__(self) -> int:
        return len(self._calls)
