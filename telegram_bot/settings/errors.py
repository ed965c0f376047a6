"""Error messages for settings: which key, where it was set, and what it may be."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import SequenceMatcher, get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from pydantic import SecretStr

from telegram_bot.settings.base import Allowed, InvalidSettingError, Section
from telegram_bot.settings.model import TOKEN, Settings
from telegram_bot.settings.sms import gateway_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pydantic_core import ErrorDetails

PREFIX: Final = "PERUDO_"
CONFIG_VARIABLE: Final = "PERUDO_CONFIG"
LIKE_ENOUGH: Final = 0.7

Tree: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Source:
    """A file, or variables, and what is set there."""

    values: Tree
    file: Path | None = None
    """None: variables, which are named one by one."""
    aliases: Mapping[str, str] = field(default_factory=dict)
    """The variables that go by another name than their key's."""

    def origin(self, location: Sequence[str]) -> str | None:
        """Where this source sets the key, if it does."""
        here: Any = self.values
        for part in location:
            if not isinstance(here, Mapping) or part not in here:
                return None
            here = here[part]
        key = "__".join(location)
        return str(self.file) if self.file else self.aliases.get(key, PREFIX + key.upper())


def _keys() -> dict[str, Any]:
    """Every key, as in `table.clock_seconds`, with the description of its field."""
    keys: dict[str, Any] = {}
    for name, setting in Settings.model_fields.items():
        section = setting.annotation
        if isinstance(section, type) and issubclass(section, Section):
            keys |= {f"{name}.{key}": described for key, described in section.model_fields.items()}
        else:
            keys[name] = setting
    return keys


def refusal(detail: ErrorDetails, sources: Sequence[Source], values: Tree) -> str:
    """What is wrong with one key."""
    if detail["loc"][:2] == ("sms", "gateways") and len(detail["loc"]) > 2 and isinstance(detail["loc"][2], int):  # noqa: PLR2004
        return gateway_line(detail, values)
    parts = [str(part) for part in detail["loc"]]
    key = ".".join(parts)
    source, origin = next(((source, origin) for source in sources if (origin := source.origin(parts))), (None, "?"))
    if detail["type"] == "extra_forbidden":  # its value is not shown: it may be a token under a misspelt name
        return f"{key} (in {origin}) is no setting{_did_you_mean(key)}"
    setting = _keys().get(key)
    if setting is None:
        return f"{key} (in {origin}) is a section: write [{key}] on a line of its own, and its settings below"
    allowed = next(mark.words for mark in setting.metadata if isinstance(mark, Allowed))
    shown = "" if setting.annotation is SecretStr or source is None else f" = {_harmless(_at(source.values, parts))}"
    reason = detail.get("ctx", {}).get("error")
    because = f" ({reason})" if isinstance(reason, InvalidSettingError) else ""
    return f"{key}{shown} (in {origin}) is not allowed{because}; it may be {allowed}"


def _did_you_mean(key: str) -> str:
    """The nearest setting, those of the same section first."""
    keys = list(_keys())
    section, _, ending = key.rpartition(".")
    siblings = [full for full in keys if section and full.startswith(f"{section}.")]
    sections = [] if section else sorted({full.partition(".")[0] for full in keys if "." in full})
    for candidates in (siblings, [*sections, *keys]):
        nearest = max(candidates, key=lambda full: _likeness(ending, full), default="")
        if _likeness(ending, nearest) >= LIKE_ENOUGH:
            return f"; did you mean {nearest}?"
    return f"; there are {', '.join(siblings or keys)}"


def _likeness(ending: str, full: str) -> float:
    """From 0 to 1: how much like a key, or like a word of it, this is."""
    name = full.rpartition(".")[2]
    return max(SequenceMatcher(None, ending, part).ratio() for part in (name, *name.split("_")))


def _at(values: Tree, parts: Sequence[str]) -> Any:
    here: Any = values
    for part in parts:
        here = here[part]
    return here


def _harmless(value: Any) -> str:
    """A value as it may be shown: no token, no password, no end of it out of sight."""
    shown = str(value) if isinstance(value, str) else repr(value)
    shown = re.sub(r"(://[^/\s:@]*):\S*@", r"\1:…@", TOKEN.sub("…", shown))
    shown = re.sub(r"^(?!https?:)([\w+]+://).+", r"\1…", shown)  # a database's: where does its password end?
    return repr(shown) if isinstance(value, str) else shown[:200]


def misspelt(variables: Mapping[str, str | None]) -> Iterator[str]:
    """Only what is nearly a setting: container platforms add PERUDO_PORT and the like of their own."""
    known = {PREFIX + key.replace(".", "__").upper() for key in _keys()} | {CONFIG_VARIABLE}
    endings = {name.removeprefix(PREFIX): name for name in known}
    sections = tuple(f"{PREFIX}{key.partition('.')[0].upper()}__" for key in _keys() if "." in key)
    for variable in map(str.upper, variables):
        if variable in known or not variable.startswith(PREFIX) or variable.startswith(sections):
            continue  # one that names a section is judged with it
        for ending in get_close_matches(variable.removeprefix(PREFIX), endings, n=1, cutoff=0.75):
            yield f"{variable} is no setting; did you mean {endings[ending]}?"
