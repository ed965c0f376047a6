"""Faults to plant in the bot, so that tests show that they are found."""

import inspect
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from types import FunctionType
from typing import Any


@contextmanager
def planted(function: str, right: str, wrong: str) -> Iterator[None]:
    """Let the bot have a fault for the length of a `with`: a function is compiled again with another text.

    `function` is `module:function`, or `module:Class.method`.

    Raises:
        LookupError: the function's source does not contain the text, once.
    """
    module_name, _, path = function.partition(":")
    module = import_module(module_name)
    *owners, name = path.split(".")
    owner: Any = module
    for each in owners:
        owner = getattr(owner, each)
    usual = inspect.getattr_static(owner, name)
    source = textwrap.dedent(inspect.getsource(usual))
    if source.count(right) != 1:
        raise LookupError(f"{function} has {right!r} {source.count(right)} times")
    found: dict[str, Any] = {}
    exec(compile(source.replace(right, wrong), module_name, "exec"), vars(module), found)  # noqa: S102
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
