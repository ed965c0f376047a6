"""The base class of all sections of the settings, and their errors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict


class SettingsError(Exception):
    """The settings are invalid. Each line names a key, its value and the allowed values."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = tuple(lines)
        super().__init__("\n".join(self.lines))


@dataclass(frozen=True, slots=True)
class Allowed:
    """The allowed values of a key, in words."""

    words: str


class InvalidSettingError(ValueError):
    """An invalid value whose reason is shown to the operator."""


class Section(BaseModel):
    """A section of the settings. Its errors do not quote values, which may be secrets."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)
