"""Public classes and functions say that they come from the module that exports them, and `dir` shows no other name."""

from types import FunctionType, ModuleType
from typing import Any

__all__ = ["publish"]


def publish(namespace: dict[str, Any]) -> None:
    """Give each name that a public module exports from its private modules that public module.

    A traceback then reads `perudo_core.StateError`, and a pickle names no private module. `dir(module)` lists these
    names, the public modules inside it, and names as `__doc__`.
    """

    def shown() -> list[str]:
        inside = f"{namespace['__name__']}."
        modules = [name for name, value in namespace.items() if isinstance(value, ModuleType)]
        public = [name for name in modules if name[0] != "_" and namespace[name].__name__ == inside + name]
        return sorted({*namespace["__all__"], *public, *(name for name in namespace if name.startswith("__"))})

    namespace["__dir__"] = shown
    for name in namespace["__all__"]:
        value = namespace[name]
        if isinstance(value, type | FunctionType) and "._" in value.__module__:
            value.__module__ = namespace["__name__"]
