"""An engine behind a guard: every mistake of the engine becomes a `ConformanceError` with its place."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Sized
from copy import deepcopy
from itertools import islice
from typing import Any, Final

from perudo_conformance._differences import (
    ConformanceError,
    described_error,
    expect_calls,
    expect_facts,
    plain,
)
from perudo_conformance._protocols import NotOffered, Refused
from perudo_core._actions import PlayerAction, Seat
from perudo_core._codec import load_action
from perudo_core._notation_words import seat_word
from perudo_core._programs import described

__all__ = ["CheckedEngine", "call_text"]

MAX_CALLS: Final = 10_000
"""More calls than any table has: 50 seats with 10 dice each may make 3,000 bids, and each seat two other calls."""


def call_text(seat: Seat, word: str) -> str:
    """Return a call in words, as in `A 5x2` or `C calza`."""
    return f"{seat_word(seat)} {word}"


class CheckedEngine:
    """Asks an engine, and compares its answers with the wanted ones.

    Only exceptions such as `KeyboardInterrupt` and `SystemExit` pass; every other exception is the engine's mistake.
    """

    def __init__(self, engine: Any) -> None:
        self._engine = engine

    def new_game(self, place: str, rules: dict[str, Any], seats: int, opener: int) -> Any:
        """Return a new game's state."""
        return self._state(place, "new_game", deepcopy(rules), seats, opener)

    def apply(self, place: str, state: Any, action: dict[str, Any]) -> Any:
        """Return the state after a legal action."""
        return self._state(place, "apply", state, deepcopy(action))

    def _state(self, place: str, method: str, *arguments: Any) -> Any:
        following = self._ask(place, "a state", method, *arguments)
        if following is None:
            raise ConformanceError(place, "a state", "None")
        return following

    def expect_refusal(self, place: str, state: Any, action: dict[str, Any], reason: str) -> None:
        """Refuse an engine that accepts this action, or gives another reason."""
        wanted = f"refused, {reason}"
        try:
            self._answer(place, wanted, "apply", state, deepcopy(action))
        except Refused as refusal:
            if _reason(refusal) != reason:
                raise ConformanceError(place, wanted, f"refused, {_reason(refusal)}") from None
            return
        raise ConformanceError(place, wanted, "accepted")

    def expect_state(self, place: str, state: Any, facts: Mapping[str, Any], calls: Sequence[str]) -> None:
        """Refuse a state with other facts or with other legal calls."""
        got = self._ask(place, "facts by their names", "facts", state, read=plain)
        if not isinstance(got, dict):
            raise ConformanceError(place, "facts by their names", described(got))
        expect_facts(place, facts, got)
        self.expect_calls(place, state, calls)

    def expect_calls(self, place: str, state: Any, calls: Sequence[str]) -> None:
        """Refuse a state with other legal calls, in any order."""
        got = self._calls(place, state, lambda listed: [plain(call) for call in islice(listed, MAX_CALLS + 1)])
        expect_calls(place, calls, [_call_text(call) for call in got])

    def count_calls(self, place: str, state: Any) -> int:
        """Return the number of legal calls of a state; the calls themselves are only read if they are needed."""
        found: int = self._calls(
            place,
            state,
            lambda calls: len(calls) if isinstance(calls, Sized) else sum(1 for _ in islice(calls, MAX_CALLS + 1)),
        )
        return found

    def _calls(self, place: str, state: Any, read: Callable[[Iterable[Any]], Any]) -> Any:
        def checked(calls: Any) -> Any:
            if not isinstance(calls, Iterable) or isinstance(calls, str | bytes | Mapping):
                raise _UnwantedError("a list of calls", described(calls))
            found = read(calls)
            if (found if isinstance(found, int) else len(found)) > MAX_CALLS:
                raise _UnwantedError(f"at most {MAX_CALLS} calls", "more")
            return found

        return self._ask(f"{place}: legal calls", "a list of calls", "legal_calls", state, read=checked)

    def offers(self, method: str, *arguments: Any) -> bool:
        """Return whether an engine has an optional method.

        A failing method counts as offered: `ask` reports the error.
        """
        try:
            return self._try(method, *arguments)
        except NotOffered:
            return False
        except Exception:  # noqa: BLE001 - an engine may raise anything
            return True

    def _try(self, method: str, *arguments: Any) -> bool:
        asked = getattr(self._engine, method, None)
        if asked is not None:
            asked(*deepcopy(arguments))
        return asked is not None

    def ask(self, place: str, wanted: str, method: str, *arguments: Any) -> Any:
        """Return the `plain` answer of an optional method."""
        return self._ask(place, wanted, method, *deepcopy(arguments), read=plain)

    def _ask(
        self, place: str, wanted: str, method: str, *arguments: Any, read: Callable[[Any], Any] | None = None
    ) -> Any:
        try:
            return self._answer(place, wanted, method, *arguments, read=read)
        except Refused as refusal:
            raise ConformanceError(place, wanted, f"refused, {_reason(refusal)}") from None

    def _answer(
        self, place: str, wanted: str, method: str, *arguments: Any, read: Callable[[Any], Any] | None = None
    ) -> Any:
        """Return the engine's answer, read; `Refused` passes."""
        try:
            answer = getattr(self._engine, method)(*arguments)
            return answer if read is None else read(answer)
        except Refused:
            raise
        except _UnwantedError as error:
            raise ConformanceError(place, error.wanted, error.got) from None
        except NotOffered:
            raise ConformanceError(place, wanted, f"{method} is not offered") from None
        except Exception as error:
            raise ConformanceError(place, wanted, described_error(error)) from error


class _UnwantedError(Exception):
    """An answer of the wrong kind."""

    def __init__(self, wanted: str, got: str) -> None:
        super().__init__(wanted, got)
        self.wanted = wanted
        self.got = got


def _reason(refusal: Refused) -> str:
    """Return the reason's code, or a description of another value in its place."""
    reason: object = getattr(refusal, "reason", None)
    return described(reason)[1:-1] if isinstance(reason, str) else described(reason)


def _call_text(call: Any) -> str:
    """Return a call of an engine in words, or a description of another value in its place."""
    try:
        action = load_action(call)
    except Exception:  # noqa: BLE001 - the error contains the engine's own repr, which may do anything
        return described(call)
    return call_text(action.seat, str(action)) if isinstance(action, PlayerAction) else described(call)
