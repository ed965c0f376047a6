"""Frozen dataclasses that are quick to make."""

from __future__ import annotations

import sys
from typing import Any, TypeVar

__all__ = ["sealed"]

T = TypeVar("T")


def sealed(cls: type[T]) -> type[T]:
    """Give a frozen dataclass with slots an `__init__` that costs a third; all else stays as `dataclass` made it.

    The one that `dataclass` writes has to get past the class's own lock once for each field, and a game makes a new
    state with every call. Here the object is filled as one of a twin class, equal in its slots and without a lock, and
    then becomes what it is. From two fields on this is worth it.
    """
    made: Any = cls
    usual = made.__init__
    names = tuple(made.__dataclass_fields__)
    twin = type(cls.__name__, cls.__bases__, {"__slots__": made.__slots__})
    source = "\n        ".join(
        [
            f"def make(cls, twin, usual, set_class):\n    def __init__(self, {', '.join(names)}):",
            f"if self.__class__ is not cls: return usual(self, {', '.join(names)})",  # a class derived from it
            "set_class(self, '__class__', twin)",
            *(f"self.{name} = {name}" for name in names),
            "self.__class__ = cls",
        ]
    )
    scope: dict[str, Any] = {}
    # As `dataclass` does, with the names of its fields, in the class's own module: annotations mean something there.
    exec(f"{source}\n    return __init__", vars(sys.modules[cls.__module__]), scope)  # noqa: S102 - see above
    quick = scope["make"](cls, twin, usual, object.__setattr__)
    quick.__qualname__ = f"{cls.__qualname__}.__init__"
    quick.__annotations__ = usual.__annotations__
    made.__init__ = quick
    return cls
