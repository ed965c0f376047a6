"""Reading JSON values from outside: what is not as expected is refused with its place."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any, Final, TypeVar

from perudo_core.errors import StateError, abbreviated, is_encodable

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

T = TypeVar("T")

MAX_INTEGER: Final = 1_000_000_000  # no count in a game comes near it


def parse_json(text: str) -> Any:
    """One JSON document: no key twice, no NaN."""
    try:
        return json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant)
    except RecursionError:
        raise StateError("not JSON: nested too deeply") from None
    except ValueError as error:
        raise StateError(f"not JSON: {str(error)[:200]}") from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    data = dict(pairs)
    if len(data) < len(pairs):
        [(twice, _)] = Counter(key for key, _ in pairs).most_common(1)
        raise ValueError(f"the key {abbreviated(twice)} stands twice in an object")
    return data


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a number")


def mapping(value: Any, where: str, needed: Collection[str]) -> dict[str, Any]:
    """An object with exactly these keys."""
    if not isinstance(value, dict):
        raise StateError(f"{where} must be an object, not {abbreviated(value)}")
    for key in value:
        if key not in needed:
            raise StateError(f"{where} has an unknown key {abbreviated(key)}")
    for key in needed:
        if key not in value:
            raise StateError(f"{where} lacks {key!r}")
    return value


def integer(value: Any, where: str, low: int = 0, high: int = MAX_INTEGER) -> int:
    """A whole number in its range; true and 1.0 are none."""
    if type(value) is not int or not low <= value <= high:
        raise StateError(f"{where} must be a whole number from {low} to {high}, not {abbreviated(value)}")
    return value


def boolean(value: Any, where: str) -> bool:
    """True or false."""
    if type(value) is not bool:
        raise StateError(f"{where} must be true or false, not {abbreviated(value)}")
    return value


def string(value: Any, where: str) -> str:
    """A text that can be written as UTF-8."""
    if not isinstance(value, str):
        raise StateError(f"{where} must be a text, not {abbreviated(value)}")
    if not is_encodable(value):
        raise StateError(f"{where} is not a whole text: {abbreviated(value)}")
    return value


def sequence(value: Any, where: str, length: int | None = None) -> list[Any]:
    """A list, of a given length if any."""
    if not isinstance(value, list) or (length is not None and len(value) != length):
        many = "" if length is None else f" of {length}"
        raise StateError(f"{where} must be a list{many}, not {abbreviated(value)}")
    return value


def integers(value: Any, where: str, low: int, high: int) -> tuple[int, ...]:
    """A list of whole numbers in their range."""
    return tuple(integer(item, f"{where}[{at}]", low, high) for at, item in enumerate(sequence(value, where)))


def dice(value: Any, where: str) -> tuple[tuple[int, ...], ...]:
    """A list of hands."""
    return tuple(integers(hand, f"{where}[{at}]", 1, 6) for at, hand in enumerate(sequence(value, where)))


def optional(read: Callable[..., T], value: Any, where: str, *limits: int) -> T | None:
    """What `read` reads, or null."""
    return None if value is None else read(value, where, *limits)
