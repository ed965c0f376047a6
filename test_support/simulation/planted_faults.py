"""Faults to plant in the bot, so that tests show that they are found."""

import inspect
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from pkgutil import resolve_name
from typing import Any


@contextmanager
def planted(function: str, right: str, wrong: str) -> Iterator[None]:
    """Let the bot have a fault for the length of a `with`: a function is compiled again with another text.

    `function` is `module:function`, or `module:Class.method`.

    Raises:
        LookupError: the function's source does not contain the text, once.
    """
    usual: Any = inspect.unwrap(resolve_name(function))
    usual = getattr(usual, "__func__", usual)
    source = textwrap.dedent(inspect.getsource(usual))
    if source.count(right) != 1:
        raise LookupError(f"{function} has {right!r} {source.count(right)} times")
    found: dict[str, Any] = {}
    exec(compile(source.replace(right, wrong), function, "exec"), usual.__globals__, found)  # noqa: S102
    code, usual.__code__ = usual.__code__, inspect.unwrap(found[usual.__name__]).__code__
    try:
        yield
    finally:
        usual.__code__ = code
