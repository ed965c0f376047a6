"""The base class of all sections of the settings, and their errors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict


class SettingsError(Exception):
    """The settings cannot be used. Each line names a key, its value and what is allowed."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = tuple(lines)
        super().__init__("\n".join(self.lines))


@dataclass(frozen=True, slots=True)
class Allowed:
    """What a key may be set to, in words."""

    words: str


class InvalidSettingError(ValueError):
    """A refusal whose reason is worth telling."""


class Section(BaseModel):
    """Some settings that belong together. Its errors do not quote what was set: it may be a secret."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)
