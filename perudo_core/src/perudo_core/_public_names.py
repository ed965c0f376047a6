"""Public classes and functions say that they come from the module that exports them."""

from types import FunctionType
from typing import Any

__all__ = ["publish"]


def publish(namespace: dict[str, Any]) -> None:
    """Give each name that a public module exports from its private modules that public module.

    A traceback then reads `perudo_core.StateError`, and a pickle names no private module.
    """
    for name in namespace["__all__"]:
        value = namespace[name]
        if isinstance(value, type | FunctionType) and "._" in value.__module__:
            value.__module__ = namespace["__name__"]
