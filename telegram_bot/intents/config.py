"""The installation's configuration: defaults for new tables, timings, limits, languages."""

from dataclasses import dataclass, field
from typing import Any, Final

from perudo_core import Rules
from telegram_bot.intents.channel_traits import ChannelDirectory
from telegram_bot.settings.sections import ALL_ON, FeatureSettings
from telegram_bot.storage.models import Chat
from telegram_bot.tables.house_rules import HouseRules
from telegram_bot.tables.model import Timings, TurnClock
from telegram_bot.tables.quiet_hours import QuietHours
from telegram_bot.words.languages import ENGLISH

LEAST_BURST: Final = 5
MILLIONTHS: Final = 1_000_000
"""The number of units of a text's cost in one of the currency."""


@dataclass(frozen=True, slots=True)
class Quota:
    """A limit per minute (0: no limit); a quarter of it, but at least 5, is allowed at once."""

    per_minute: int = 0

    @property
    def burst(self) -> int:
        """Return the number that is allowed at once."""
        return max(LEAST_BURST, self.per_minute // 4)


@dataclass(frozen=True, slots=True)
class Quotas:
    """The installation's limits. Words have lower limits than taps, because each answer to words is a message."""

    person_taps: Quota = Quota()
    person_words: Quota = Quota()
    chat_taps: Quota = Quota()
    chat_words: Quota = Quota()
    live_tables: int = 0
    """The maximum number of lobbies and games at the same time, and twice that of rooms of pages; 0: no limit."""
    tables_per_host: int = 0


@dataclass(frozen=True, slots=True)
class TextCaps:
    """The limits of a day's text messages, and their cost in millionths of the currency; 0 means no limit."""

    per_phone: int = 0
    per_table: int = 0
    per_day: int = 0
    spend: int = 0
    cost: int = 0
    """The cost of one text."""

    @property
    def talk(self) -> int:
        """Return the limit of texts to one phone that are neither dice nor turns: half of them."""
        return max(self.per_phone // 2, 1) if self.per_phone else 0


@dataclass(frozen=True, slots=True)
class ServiceConfig:
    """The installation's configuration. `language` is used if no other language is known."""

    rules: Rules
    channels: ChannelDirectory
    clock: TurnClock = field(default_factory=TurnClock)
    timings: Timings = field(default_factory=Timings)
    language: str = ENGLISH
    languages: tuple[str, ...] = ()
    """The languages that messages are available in; empty: any."""
    pages_url: str = ""
    """The address of the web pages, without a slash at its end."""
    numbers: tuple[str, ...] = ()
    """Telephone numbers that take a seat by text message."""
    slow_table_clock: TurnClock = field(default_factory=lambda: TurnClock(seconds=6 * 3600))
    """The clock of a new table of a slow channel, whose players answer hours later."""
    text_caps: TextCaps = TextCaps()
    quotas: Quotas = field(default_factory=Quotas)
    celebrate: bool = True
    """Whether the bot reacts to an exact calza, an elimination and the win."""
    reactions: bool = True
    """Whether computer players sometimes say a word at the end of a round."""
    hand_pictures: bool = True
    """Whether pictures show players their dice, if possible."""
    reveal_pictures: bool = True
    """The same for a group at the end of a round."""
    reveal_animations: bool = True
    """Whether that picture is animated."""
    speaks: bool = False
    """Whether the installation has a voice that can read messages aloud."""
    house_rules: tuple[HouseRules, ...] = ()
    """The house rules that a lobby offers besides the published rulebooks."""
    engines: tuple[str, ...] = ()
    """The names of the programs that a host can seat as computer players."""
    night: QuietHours | None = None
    """When the clock of a slow table stops."""
    hears_voice: bool = False
    """Whether voice notes are recognised here, in some language."""
    sealed_dice: bool = True
    """Whether every roll follows from a published commitment; otherwise dice come from the service's `rng`."""
    features: FeatureSettings = ALL_ON

    @property
    def time_zone(self) -> str:
        """The operator's time zone."""
        return "UTC" if self.night is None else self.night.zone


def lobby_defaults(chat: Chat, config: ServiceConfig) -> tuple[Rules, TurnClock]:
    """Return the rules and clock of a new lobby in this place."""
    values: dict[str, Any] | None = chat.rules
    usual = config.slow_table_clock if config.channels.traits(chat.channel).slow else config.clock
    try:
        rules = Rules.from_dict(values) if values else config.rules
        clock = TurnClock.model_validate(chat.clock) if chat.clock else usual
    except (ValueError, TypeError):  # stored by another version: the table must open nevertheless
        return config.rules, usual
    return rules, clock
