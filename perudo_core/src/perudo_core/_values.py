"""Named tuples that are equal only to values of their own type."""

from __future__ import annotations

from collections.abc import Callable
from operator import index
from typing import Any, Never, TypeVar

__all__ = ["as_int", "value", "with_ints"]

T = TypeVar("T", bound=type[tuple[Any, ...]])


def value(cls: T) -> T:
    """Give a named tuple an equality and an order that compare the type first: by default `Dudo(1) == Calza(1)`.

    Frozen dataclasses with slots would cost 6 to 10 % of a compiled game: docs/decisions.md.
    """
    cls.__eq__ = _equal  # type: ignore[method-assign]
    cls.__ne__ = _not_equal  # type: ignore[method-assign, assignment]
    cls.__hash__ = tuple.__hash__  # type: ignore[method-assign]
    for name in ("__lt__", "__le__", "__gt__", "__ge__"):
        setattr(cls, name, _ordered(name))
    for name in {"count", "index"} - set(cls._fields):  # type: ignore[attr-defined]
        setattr(cls, name, _NoField())
    return cls


def as_int(value: Any) -> Any:
    """Return the `int` of a whole number of another type, such as one of numpy.

    Any other value as it is, True included.
    """
    try:
        return value if isinstance(value, bool) else index(value)
    except TypeError:
        return value


def with_ints(action: tuple[Any, ...]) -> Any:
    """Return the action with an `int` in place of each whole number of another type, also in the hands of a roll."""
    fields = (
        tuple(tuple(map(as_int, hand)) if type(hand) is tuple else hand for hand in field)
        if type(field) is tuple
        else as_int(field)
        for field in action
    )
    return tuple.__new__(type(action), fields)


class _NoField:
    """Hides a method of tuples that a reader could mistake for a field."""

    def __get__(self, instance: object, owner: type) -> Never:
        raise AttributeError(f"{owner.__name__} has no field of this name: {', '.join(owner._fields)}")  # type: ignore[attr-defined]


def _ordered(name: str) -> Callable[[tuple[Any, ...], object], bool]:
    """Return a comparison with values of the same type alone: `Bid(0, 1, 2) < Dudo(1)` raises `TypeError`."""
    compare = getattr(tuple, name)

    def ordered(self: tuple[Any, ...], other: object) -> bool:
        if type(self) is not type(other):
            raise TypeError(f"{type(self).__name__} and {type(other).__name__} have no order")
        return bool(compare(self, other))

    return ordered


def _equal(self: tuple[Any, ...], other: object) -> bool:
    return type(self) is type(other) and tuple.__eq__(self, other)


def _not_equal(self: tuple[Any, ...], other: object) -> bool:
    return not _equal(self, other)
