"""Write requests for buttons and read the requests of buttons and web pages, by the fields of a request's type.

A form contains only the fields that it names, so it cannot forge a fact that the bot looks up itself, such as whether a
person is an admin. Everything in a form is public, and the handler checks it.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import fields, replace
from enum import StrEnum
from functools import cache
from typing import Any, Final

from pydantic import TypeAdapter, ValidationError

LARGEST: Final = 10**15
"""Numbers of players, tables and days are smaller, and so is every number in a form."""

_adapter = cache(TypeAdapter[Any])


class Button:
    """A request's form as a button's data, such as `close={asked}`; `fixed`: the fields that it does not contain."""

    def __init__(self, written: str, **fixed: Any) -> None:
        self.written = written
        self.fixed = fixed
        self.carries = tuple(re.findall(r"{(\w+)}", written))
        self._pattern = re.compile(re.sub(r"\\{(\w+)\\}", r"(?P<\1>.+?)", re.escape(written)))

    def write(self, request: Any) -> str | None:
        """Return the data for a request, or None if this form does not distinguish it from others."""
        usual = {field.name: field.default for field in fields(request) if field.compare} | self.fixed
        values = {name: getattr(request, name) for name in usual}
        carried = {name: values[name] for name in self.carries}
        if None in carried.values() or any(values[name] != usual[name] for name in usual.keys() - carried.keys()):
            return None
        return self.written.format_map({name: _spelt(value) for name, value in carried.items()})

    def read(self, data: str, kind: type) -> Any:
        """Return the request in a button's data, or None if this form does not write exactly this data."""
        found = self._pattern.fullmatch(data)
        request = None if found is None else _validated(kind, self.fixed, found.groupdict())
        return None if request is None or self.write(request) != data else request


class Act:
    """A web page's act: a word with fields; `fixed`: the fields that it does not contain."""

    def __init__(self, word: str, *carries: str, **fixed: Any) -> None:
        self.word = word
        self.carries = carries
        self.fixed = fixed

    def read(self, act: Mapping[str, Any], kind: type) -> Any:
        """Return the request in an act, or None if a field is missing or malformed."""
        return _validated(kind, self.fixed, {name: act[name] for name in self.carries if name in act}, strict=True)


def _spelt(value: object) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return value.value if isinstance(value, StrEnum) else str(value)


def _validated(kind: type, fixed: Mapping[str, Any], carried: Mapping[str, Any], *, strict: bool = False) -> Any:
    """Return a request of these values (`carried` are untrusted), or None if one is malformed or out of range."""
    try:
        request = _adapter(kind).validate_json(json.dumps({**fixed, **carried}), strict=strict)
    except ValidationError:
        return None
    numbers = (value for name in carried if isinstance(value := getattr(request, name), int))
    return None if any(abs(number) >= LARGEST for number in numbers) else replace(request, **fixed)
