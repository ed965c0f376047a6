"""The public interface stays as it is, with its signatures."""

import importlib
import inspect
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from enum import Enum
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.perudo_core.builds import SOURCES_FIRST

KEPT = Path(__file__).with_name("api.txt")
MODULES = ["perudo_core", "perudo_core.agents", "perudo_core.analysis", "perudo_core.english", "perudo_conformance"]


def described() -> str:
    """A line for each name, option and method that a program may rely on."""
    return "".join(f"{line}\n" for name in MODULES for line in lines(importlib.import_module(name)))


def lines(module: ModuleType) -> Iterator[str]:
    for name in module.__all__:
        value = getattr(module, name)
        where = f"{module.__name__}.{name}"
        if not inspect.isclass(value):
            yield where + (signature(value) if inspect.isfunction(value) else "")
            continue
        yield where
        if issubclass(value, Enum):
            yield from (f"{where}.{each.name} = {each.value}" for each in value)
        stored = names_of_fields(value) if is_dataclass(value) or hasattr(value, "_fields") else []
        yield from (f"{where}.{name}" for name in stored)
        for method, put in vars(value).items():
            made = put.__func__ if isinstance(put, classmethod | staticmethod) else put
            public = not method.startswith("_") and method not in stored
            if public and (inspect.isfunction(made) or isinstance(made, property)):
                yield f"{where}.{method}" + (signature(made) if inspect.isfunction(made) else "")


def names_of_fields(kind: Any) -> list[str]:
    return [field.name for field in fields(kind)] if is_dataclass(kind) else list(kind._fields)


def signature(function: Callable[..., object]) -> str:
    """Compare names and kinds, and whether there is a default: type checkers look at the annotations."""
    said, star = [], False
    for each in inspect.signature(function).parameters.values():
        if each.kind is each.KEYWORD_ONLY and not star:
            said.append("*")
        star = star or each.kind in {each.KEYWORD_ONLY, each.VAR_POSITIONAL}
        stars = "**" if each.kind is each.VAR_KEYWORD else "*" if each.kind is each.VAR_POSITIONAL else ""
        said.append(f"{stars}{each.name}{'' if each.default is each.empty else '=...'}")
    return f"({', '.join(said)})"


def test_what_programs_rely_on_is_as_it_was() -> None:
    """A new line needs a new version; a missing line is a broken promise. Both belong in CHANGELOG.md."""
    program = SOURCES_FIRST.format(module="tests.perudo_core.test_api")
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, text=True)  # noqa: S603 - ours
    again = "`python -m tests.perudo_core.test_api >tests/perudo_core/api.txt` writes the file again"
    assert said.stdout.splitlines() == KEPT.read_text(encoding="utf-8").splitlines(), again


@pytest.mark.parametrize("name", MODULES)
def test_the_public_names_are_in_order_and_each_is_there_once(name: str) -> None:
    module = importlib.import_module(name)
    assert module.__all__ == sorted(module.__all__, key=lambda each: (not each.isupper(), not each[0].isupper(), each))
    assert len(set(module.__all__)) == len(module.__all__)


if __name__ == "__main__":
    print(described(), end="")  # noqa: T201 - its output
