"""Named tuples that are equal only to values of their own type."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Never, TypeVar

__all__ = ["value"]

T = TypeVar("T", bound=type[tuple[Any, ...]])


def value(cls: T) -> T:
    """Give a named tuple an equality and an order that look at the type: by default `Dudo(1) == Calza(1)`.

    Why named tuples: a game makes about three values for each call, and a frozen dataclass with slots takes several
    times as long to make: `python -m benchmarks.core_values`. So `json` writes them as lists; `dump_action` does not.
    """
    cls.__eq__ = _equal  # type: ignore[method-assign]
    cls.__ne__ = _not_equal  # type: ignore[method-assign, assignment]
    cls.__hash__ = tuple.__hash__  # type: ignore[method-assign]
    for name in ("__lt__", "__le__", "__gt__", "__ge__"):
        setattr(cls, name, _ordered(name))
    for name in {"count", "index"} - set(cls._fields):  # type: ignore[attr-defined]
        setattr(cls, name, _NoField())
    return cls


class _NoField:
    """In the place of a method of tuples, which whoever asks for a field of that name would take for its value."""

    def __get__(self, instance: object, owner: type) -> Never:
        raise AttributeError(f"{owner.__name__} has no field of this name: {', '.join(owner._fields)}")  # type: ignore[attr-defined]


def _ordered(name: str) -> Callable[[tuple[Any, ...], object], bool]:
    """A comparison with values of the same type alone: `Bid(0, 1, 2) < Dudo(1)` raises `TypeError`."""
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
