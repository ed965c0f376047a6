"""An engine in any language, as a command that speaks the protocol of `_json_lines_protocol`."""

from __future__ import annotations

from typing import Any, Final

from perudo_conformance._json_lines_protocol import PROTOCOL
from perudo_core._programs import Program

__all__ = ["CommandEngine"]

MAX_ANSWER_BYTES: Final = 16 * 1024 * 1024


class CommandEngine(Program):
    """An engine behind a command, for `check_engine`: it offers every request that the command answers.

    Use it in a `with` statement, which ends the command. `timeout` is the most seconds that an answer may take, up to
    a day. Raises `CommandError` for a command that cannot be started or does not answer the first request, and
    `ValueError` for a timeout out of range.
    """

    def __init__(self, command: str, *, timeout: float = 10.0) -> None:
        super().__init__(command, PROTOCOL, timeout=timeout, longest_answer=MAX_ANSWER_BYTES)

    def new_game(self, rules: dict[str, Any], seats: int, opener: int) -> Any:
        """Return a game before its first roll."""
        return self._ask("new_game", rules=rules, seats=seats, opener=opener)

    def apply(self, state: Any, action: dict[str, Any]) -> Any:
        """Return the next state."""
        return self._ask("apply", state=state, action=action)

    def legal_calls(self, state: Any) -> Any:
        """Return every legal call."""
        return self._ask("legal_calls", state=state)

    def facts(self, state: Any) -> Any:
        """Return the facts of `facts_of`."""
        return self._ask("facts", state=state)

    def odds(self, dice: list[int], unknown_dice: int, quantity: int, face: int, ones_are_wild: bool) -> Any:
        """Return the chances of a bid."""
        return self._ask(
            "odds", dice=dice, unknown_dice=unknown_dice, quantity=quantity, face=face, ones_are_wild=ones_are_wild
        )

    def commitment(self, secret: str, context: str) -> Any:
        """Return the commitment to a secret."""
        return self._ask("commitment", secret=secret, context=context)

    def fair_hand(self, secret: str, context: str, salt: str, label: str, dice: int) -> Any:
        """So many dice of the stream with this label."""
        return self._ask("fair_hand", secret=secret, context=context, salt=salt, label=label, dice=dice)

    def fair_number(self, secret: str, context: str, salt: str, label: str, below: int) -> Any:
        """Return the first number of the stream with this label, less than `below`."""
        return self._ask("fair_number", secret=secret, context=context, salt=salt, label=label, below=below)

    def fair_contest(self, secret: str, context: str, salt: str, contenders: int, dice_each: int) -> Any:
        """Return a roll for the opener."""
        return self._ask(
            "fair_contest", secret=secret, context=context, salt=salt, contenders=contenders, dice_each=dice_each
        )

    def write_game(self, record: dict[str, Any], dice: bool) -> Any:
        """Return the line of a record."""
        return self._ask("write_game", record=record, dice=dice)

    def read_game(self, text: str) -> Any:
        """Return the record of a line."""
        return self._ask("read_game", text=text)

    def _ask(self, method: str, **params: Any) -> Any:
        return self.ask(method, params)
