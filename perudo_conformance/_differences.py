"""Describes, in one line, the difference between an engine's answer and the wanted answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any, Final

from perudo_core._errors import PerudoError
from perudo_core._programs import LONGEST, CommandError, described, one_line

__all__ = [
    "STATE_BEFORE",
    "ConformanceError",
    "described_error",
    "expect_calls",
    "expect_equal",
    "expect_facts",
    "plain",
]

MAX_KEYS: Final = 1_000
NOTHING: Final = "nothing"
MISSING: Final = object()
STATE_BEFORE: Final = "the state before"


class ConformanceError(PerudoError, AssertionError):
    """A difference between an engine and this library.

    `place` names the file, the case, and the step or the part of the answer. `wanted` and `got` are short texts for
    people to read.

    >>> print(ConformanceError("perft.json: aces: ways to make 1 calls", "20", "19"))
    perft.json: aces: ways to make 1 calls: wanted 20, got 19
    """

    def __init__(self, place: str, wanted: str, got: str) -> None:
        super().__init__(place, wanted, got)
        self.place = place
        self.wanted = wanted
        self.got = got

    def __str__(self) -> str:
        return f"{self.place}: wanted {self.wanted}, got {self.got}"


def plain(value: Any) -> Any:
    """Return an engine's value with lists for tuples and builtin types for their subclasses.

    Other values stay as they are.
    """
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        return int.__index__(value)
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, list | tuple):
        items = list.__iter__(value) if isinstance(value, list) else tuple.__iter__(value)
        return [plain(item) for item in items]
    if isinstance(value, Mapping):
        return {plain(key): plain(value[key]) for key in islice(value, MAX_KEYS)}
    return value


def described_error(error: Exception) -> str:
    """Return an engine's exception, safe to print on one line."""
    try:
        text = one_line(str(error))
    except Exception:  # noqa: BLE001 - an engine's exception, whose str may do anything
        text = ""
    if isinstance(error, CommandError):
        return text
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def expect_facts(place: str, wanted: Mapping[str, Any], got: Mapping[str, Any]) -> None:
    """Refuse the first fact that is missing or differs; an engine may have more facts."""
    for key, value in wanted.items():
        expect_equal(f"{place}: {key}", value, got.get(key, MISSING))


def expect_equal(place: str, wanted: Any, got: Any) -> None:
    """Refuse the first item that differs between two `plain` values."""
    if isinstance(wanted, dict) and isinstance(got, dict):
        for key in (*wanted, *(key for key in got if key not in wanted)):
            expect_equal(f"{place}: {_key(key)}", wanted.get(key, MISSING), got.get(key, MISSING))
    elif isinstance(wanted, list) and isinstance(got, list) and any(isinstance(item, list | dict) for item in wanted):
        for at in range(max(len(wanted), len(got))):
            expect_equal(f"{place}: item {at + 1}", _item(wanted, at), _item(got, at))
    elif isinstance(wanted, str) and isinstance(got, str) and len(wanted) + len(got) > LONGEST:
        _expect_same_text(place, wanted, got)
    elif not _is_same(wanted, got):
        raise ConformanceError(place, _or_nothing(wanted), _or_nothing(got))


def expect_calls(place: str, wanted: Sequence[str], got: Sequence[str]) -> None:
    """Refuse legal calls, as texts, that differ from the wanted ones; names the first missing and extra call."""
    known, found = frozenset(wanted), Counter(got)
    missing = next((call for call in wanted if call not in found), None)
    extra = next((call for call in got if call not in known), None)
    if missing is not None or extra is not None:
        raise ConformanceError(
            f"{place}: legal calls",
            _call_list(len(wanted), present=missing, absent=extra),
            _call_list(len(got), present=extra, absent=missing),
        )
    twice = next((call for call in got if found[call] > 1), None)
    if twice is not None:
        raise ConformanceError(f"{place}: legal calls", "each call once", f"{twice} {found[twice]} times")


def _call_list(count: int, *, present: str | None, absent: str | None) -> str:
    words = [f"{count} calls"]
    if present is not None:
        words.append(f"with {present}")
    if absent is not None:
        words.append(f"without {absent}")
    return " ".join(words)


def _is_same(wanted: object, got: object) -> bool:
    """Return whether two plain values are equal: True is not 1, and 1.0 is not 1."""
    if isinstance(wanted, list) and isinstance(got, list):
        return len(wanted) == len(got) and all(map(_is_same, wanted, got))
    return type(wanted) is type(got) and type(got) in {bool, int, str, type(None)} and wanted == got


def _key(key: object) -> str:
    return key if isinstance(key, str) and key.isidentifier() else described(key)


def _item(items: list[Any], at: int) -> Any:
    return items[at] if at < len(items) else MISSING


def _or_nothing(value: object) -> str:
    return NOTHING if value is MISSING else described(value)


def _expect_same_text(place: str, wanted: str, got: str) -> None:
    """Refuse a long text with the words round the first character that differs."""
    if wanted == got:
        return
    at = next((at for at, (one, other) in enumerate(zip(wanted, got, strict=False)) if one != other), None)
    at = min(len(wanted), len(got)) if at is None else at
    part = slice(max(0, at - 30), at + 30)
    raise ConformanceError(f"{place}: character {at + 1}", described(wanted[part]), described(got[part]))
