"""Public names say that they come from the module that exports them, and `dir` and `help` are short."""

from dataclasses import dataclass
from enum import EnumType
from types import FunctionType, ModuleType
from typing import Any, Final

__all__ = ["Listed", "ListedEnum", "publish"]


@dataclass(frozen=True, slots=True, weakref_slot=True)
class _Value:
    """Any value: `dir` of its class has the names that dataclasses make."""

    _: int


_OF_EACH_CLASS: Final = frozenset({*dir(_Value), *dir(EnumType), "__post_init__"})


class Listed(type):
    """The type of public classes: `dir`, and so `help`, leaves out what each value, text or error of Python has."""

    def __dir__(cls) -> list[str]:
        kinds = [kind for kind in cls.__mro__ if kind.__module__ in {"builtins", "enum", "typing"}]
        usual = _OF_EACH_CLASS.union(name for kind in kinds for name in vars(kind))
        return [name for name in super().__dir__() if name not in usual]


class ListedEnum(Listed, EnumType):
    """The same for enumerations."""


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
