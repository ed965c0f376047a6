"""Values of this library as JSON values."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from perudo_core._actions import Bid
from perudo_core._outcome import Outcome
from perudo_core._rules import Rules

__all__ = ["plain", "plain_fields"]


def plain(value: Any) -> Any:
    """Return a field's value as a JSON value; raises `TypeError` for a value that no field can have."""
    if value is None or type(value) in {int, str, bool}:
        return value
    if type(value) is tuple:
        return [plain(item) for item in value]
    if isinstance(value, frozenset):
        return sorted(value)
    if isinstance(value, StrEnum):
        return value.value
    if isinstance(value, Rules):
        return value.to_dict()
    if not isinstance(value, Bid | Outcome):
        raise TypeError(f"a field must be a value of this library, not {type(value).__name__}")
    return plain_fields(value)


def plain_fields(value: Any) -> dict[str, Any]:
    """Return the fields of a named tuple as a JSON object."""
    return {name: plain(getattr(value, name)) for name in value._fields}
