"""Reads JSON values from outside; an unexpected value raises a `StateError` that names its place."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection
from typing import Any, Final

from perudo_core._errors import StateError, abbreviated, is_encodable

MAX_INTEGER: Final = 1_000_000_000  # no count in a game comes near it


def parse_json(text: str) -> Any:
    """Return one JSON document: no key twice, no NaN. An editor's byte order mark before it does not count."""
    try:
        return json.loads(text.removeprefix("\ufeff"), object_pairs_hook=_unique, parse_constant=_no_constant)
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


def mapping(value: Any, where: str, needed: Collection[str] | None = None) -> dict[str, Any]:
    """Return an object, with exactly these keys if they are given."""
    if not isinstance(value, dict):
        raise StateError(f"{where} must be an object, not {abbreviated(value)}")
    if needed is None:
        return value
    for key in value:
        if key not in needed:
            raise StateError(f"{where} has an unknown key {abbreviated(key)}")
    for key in needed:
        if key not in value:
            raise StateError(f"{where} lacks {key!r}")
    return value


def integer(value: Any, where: str, low: int = 0, high: int = MAX_INTEGER) -> int:
    """Return a whole number in its range; true and 1.0 are not whole numbers."""
    if type(value) is not int or not low <= value <= high:
        raise StateError(f"{where} must be a whole number from {low} to {high}, not {abbreviated(value)}")
    return value


def boolean(value: Any, where: str) -> bool:
    """Return True or false."""
    if type(value) is not bool:
        raise StateError(f"{where} must be true or false, not {abbreviated(value)}")
    return value


def string(value: Any, where: str) -> str:
    """Return a text that can be written as UTF-8."""
    if not isinstance(value, str):
        raise StateError(f"{where} must be a text, not {abbreviated(value)}")
    if not is_encodable(value):
        raise StateError(f"{where} is not a whole text: {abbreviated(value)}")
    return value


def sequence(value: Any, where: str, length: int | None = None) -> list[Any]:
    """Return a list, of a given length if any."""
    if not isinstance(value, list) or (length is not None and len(value) != length):
        many = "" if length is None else f" of {length}"
        raise StateError(f"{where} must be a list{many}, not {abbreviated(value)}")
    return value
