"""The setting of a person or a group."""

from typing import Final

from telegram_bot.service.config import ServiceConfig
from telegram_bot.service.switches import Switch
from telegram_bot.storage.models import Chat, Player
from telegram_bot.words.languages import mark
from telegram_bot.words.switch_words import SwitchWords


def _can_be_heard(reader: Player | Chat, config: ServiceConfig) -> bool:
    """Return True if the installation has a voice, and the channel plays it."""
    return config.speaks and config.channels.traits(reader.channel).plays_voice


READS_ALOUD: Final = Switch(
    "aloud",
    sign="🔊",
    person=SwitchWords(
        label=mark("Read to me aloud"),
        on=mark("I read your messages aloud from now on."),
        off=mark("I only write to you from now on."),
    ),
    group=SwitchWords(
        label=mark("Read rounds aloud"),
        on=mark("I read the end of each round aloud from now on."),
        off=mark("I only write here from now on."),
    ),
    is_offered=_can_be_heard,
    by_ear=True,
)
