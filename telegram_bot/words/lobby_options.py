"""The host's choices in the lobby that change no rule of the game. Features add them."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Final

from telegram_bot.registry import Registry
from telegram_bot.tables.events import RejectedError, RejectionReason


@dataclass(frozen=True, eq=False)
class LobbyOption:
    """A choice of the host, which is stored with the table. Its sentences are marked for translators."""

    name: str
    sign: str
    title: str
    values: Mapping[str, str]
    """Each value, and the answer to the host who chooses it; the first is the usual one.

    An option with two values has a switch. Another one has a menu, where the answers are the buttons.
    """
    explained: Mapping[str, str] = field(default_factory=dict)
    """For some values: the consequence, in the menu; for other values than the usual one, in the lobby as well."""

    has_key: bool = False
    """Whether it is among the few options with a key in the host's private chat."""
    unrated: Collection[str] = ()
    """The values with which a game does not count for people's statistics and leagues."""

    @property
    def usual(self) -> str:
        """The value that is not stored."""
        return next(iter(self.values))

    @property
    def is_switch(self) -> bool:
        """True if it has two values: off, the usual one, and on."""
        return len(self.values) == 2  # noqa: PLR2004 - off and on

    def value_in(self, options: Mapping[str, str]) -> str:
        """Return the value in a table's options; the usual one if this version does not know the stored one."""
        value = options.get(self.name, self.usual)
        return value if value in self.values else self.usual

    def chosen(self, options: Mapping[str, str], value: str | None) -> dict[str, str]:
        """Return the options with this one set to a value, or to its next value if that is None.

        Raises:
            RejectedError: there is no such value.
        """
        values = list(self.values)
        if value is None:
            value = values[(values.index(self.value_in(options)) + 1) % len(values)]
        if value not in values:
            raise RejectedError(RejectionReason.UNKNOWN_OPTION)
        others = {name: other for name, other in options.items() if name != self.name}
        return others if value == self.usual else others | {self.name: value}


LOBBY_OPTIONS: Final = Registry[str, LobbyOption]("the options of lobbies")
"""By name."""


def is_unrated(options: Mapping[str, str]) -> bool:
    """Return True if a game with these options does not count for people's statistics and leagues."""
    return any(option.value_in(options) in option.unrated for option in LOBBY_OPTIONS.values())
