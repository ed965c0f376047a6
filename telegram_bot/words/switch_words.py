"""The sentences of the settings that are on or off."""

from dataclasses import KW_ONLY, dataclass
from typing import Final

from telegram_bot.registry import Registry


@dataclass(frozen=True, slots=True)
class SwitchWords:
    """The sentences of a switch, to a person or to a group. They are marked for translators."""

    on: str
    """The answer when it is switched on."""
    off: str
    label: str = ""
    """On its button in the settings; empty: a command switches it."""


@dataclass(frozen=True, eq=False)
class WordedSwitch:
    """The name and the sentences of a setting that is on or off."""

    name: str
    _: KW_ONLY
    sign: str = ""
    """The picture on its button."""
    person: SwitchWords | None = None
    """None if persons have no such setting."""
    group: SwitchWords | None = None
    """None if groups have no such setting."""

    def words(self, *, to_all: bool) -> SwitchWords | None:
        """Return the sentences to a group, or to a person."""
        return self.group if to_all else self.person


WORDED_SWITCHES: Final = Registry[str, WordedSwitch]("the sentences of switches")
"""By name; the service lists the same switches with their effect."""
