"""Plant a fault: compile a function again with one text of its source replaced, for the length of a `with`."""

import inspect
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from types import FunctionType
from typing import Any


@dataclass(frozen=True)
class Mutant:
    """A fault to plant."""

    name: str
    """A sentence that says which fault it is."""
    module: str
    function: str
    """The function's name, or `Class.method`."""
    right: str
    """The text of its source that is replaced."""
    wrong: str


@contextmanager
def planted(mutant: Mutant) -> Iterator[None]:
    """Let the program have a fault.

    Raises:
        LookupError: the function's source does not contain the text, once.
    """
    module = import_module(mutant.module)
    *owners, name = mutant.function.split(".")
    owner: Any = module
    for each in owners:
        owner = getattr(owner, each)
    usual = inspect.getattr_static(owner, name)
    source = textwrap.dedent(inspect.getsource(usual))
    if source.count(mutant.right) != 1:
        raise LookupError(f"{mutant.module}.{mutant.function} has {mutant.right!r} {source.count(mutant.right)} times")
    found: dict[str, Any] = {}
    exec(compile(source.replace(mutant.right, mutant.wrong), mutant.module, "exec"), vars(module), found)  # noqa: S102
    faulty = found[name]
    assert isinstance(faulty, FunctionType | classmethod | staticmethod)
    places = [(owner, name)]
    if not owners:  # other modules have imported it by name
        places += [
            (each, word)
            for each in list(sys.modules.values())
            if each is not None and each.__name__.startswith("telegram_bot")
            for word, value in list(vars(each).items())
            if value is usual and each is not module
        ]
    for place, word in places:
        setattr(place, word, faulty)
    try:
        yield
    finally:
        for place, word in places:
            setattr(place, word, usual)
