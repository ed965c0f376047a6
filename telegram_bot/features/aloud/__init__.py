"""Reading aloud: private messages to a person who listens, and the end of each round to a group."""

from typing import Final

from telegram_bot.feature import Feature
from telegram_bot.features.aloud.notices import SpokenNotice, spoken_lines
from telegram_bot.features.aloud.posts import read_aloud_to_group, read_aloud_to_person
from telegram_bot.features.aloud.switch import READS_ALOUD
from telegram_bot.presentation.features import Presentation

_SPOKEN: Final = Presentation(
    SpokenNotice,
    spoken_lines,
)

FEATURE: Final = Feature(
    "aloud",
    notices=(_SPOKEN,),
    switches=(READS_ALOUD,),
    private_notifications=read_aloud_to_person,
    announce=read_aloud_to_group,
)
