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
    called_card,
    called_keys,
    page_words,
    sleepers_keys,
)
from telegram_bot.presentation.features import FeatureCard, PagePart, Presentation

_SLEEPERS: Final = Presentation(SleepersNotice, keys=sleepers_keys)
_CALLED: Final = Presentation(CalledNotice, keys=called_keys, card=FeatureCard("note", called_card))
_REMOVED: Final = Presentation(RemovedNotice)

FEATURE: Final = Feature(
    "nudges",
    requests=(CallSleepers, RemoveSleeper),
    notices=(_SLEEPERS, _CALLED, _REMOVED),
    page=PagePart(Path(__file__).with_name("static"), page_words),
)
