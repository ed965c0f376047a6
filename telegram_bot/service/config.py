"""What the installation chose: defaults for new tables, timings, limits, languages."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from perudo_core import Rules
from telegram_bot.service.channel_traits import ChannelDirectory
from telegram_bot.service.languages import ENGLISH
from telegram_bot.storage.models import Chat
from telegram_bot.tables.model import Timings, TurnClock

LEAST_BURST: Final = 5


@dataclass(frozen=True, slots=True)
class Quota:
    """So many a minute in the long run (0: no limit), and a quarter of that at once."""

    per_minute: int = 0

    @property
    def burst(self) -> int:
        """How many at once."""
        return max(LEAST_BURST, self.per_minute // 4)


@dataclass(frozen=True, slots=True)
class Quotas:
    """The installation's limits. Taps cost nothing but a moment, words are answered with messages."""

    person_taps: Quota = Quota()
    person_words: Quota = Quota()
    chat_taps: Quota = Quota()
    chat_words: Quota = Quota()
    live_tables: int = 0
    """Lobbies and games in all; 0: any number."""
    tables_per_host: int = 0


@dataclass(frozen=True, slots=True)
class ServiceConfig:
    """What the installation chose: defaults for new tables, timings, the language of last resort."""

    rules: Rules
    channels: ChannelDirectory
    clock: TurnClock = field(default_factory=TurnClock)
    timings: Timings = field(default_factory=Timings)
    language: str = ENGLISH
    languages: tuple[str, ...] = ()
    """Those that messages can be said in; empty: any."""
    numbers: tuple[str, ...] = ()
    """Telephone numbers that take a seat by text message."""
    slow_table_clock: TurnClock = field(default_factory=lambda: TurnClock(seconds=6 * 3600))
    """The clock that a table of a slow channel starts with: its messages are answered when there is time."""
    quotas: Quotas = field(default_factory=Quotas)
    fair_dice: bool = True
    """Whether every roll follows from a published commitment; without, dice come from the service's `rng`."""


def lobby_defaults(chat: Chat, config: ServiceConfig) -> tuple[Rules, TurnClock]:
    """The rules and clock a new lobby in this place starts with."""
    values: dict[str, Any] | None = chat.rules
    usual = config.slow_table_clock if config.channels.traits(chat.channel).slow else config.clock
    try:
        rules = Rules.from_dict(values) if values else config.rules
        clock = TurnClock.model_validate(chat.clock) if chat.clock else usual
    except (ValueError, TypeError):  # another version's choices: a table must open all the same
        return config.rules, usual
    return rules, clock
