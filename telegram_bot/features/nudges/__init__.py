"""Call players who are away, and remove them amid a game."""

from pathlib import Path
from typing import Final

from telegram_bot.feature import Feature
from telegram_bot.features.nudges.nudges import (
    CalledNotice,
    CallSleepers,
    RemovedNotice,
    RemoveSleeper,
    SleepersNotice,
    called_keys,
    page_words,
    sleepers_keys,
)
from telegram_bot.presentation.features import Extension, PagePart

_SLEEPERS: Final = Extension(SleepersNotice, keys=sleepers_keys)
_CALLED: Final = Extension(CalledNotice, keys=called_keys)

FEATURE: Final = Feature(
    "nudges",
    place=120,
    requests=(CallSleepers, RemoveSleeper),
    notices=(SleepersNotice, CalledNotice, RemovedNotice),
    extensions=(_SLEEPERS, _CALLED),
    page=PagePart(Path(__file__).with_name("static"), page_words),
)
