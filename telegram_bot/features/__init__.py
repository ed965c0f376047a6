"""The features: a folder each. A folder and its line here can be deleted, and the bot plays on without the feature."""

from importlib import import_module
from typing import Final

from telegram_bot.feature import Feature

_FOLDERS: Final = (
    "learning",
    "daily",
    "aloud",
    "coach",
    "shouts",
    "story",
    "sharing",
    "tournament",
    "league",
    "predictions",
    "fair_dice",
    "nudges",
)
FEATURES: Final[tuple[Feature, ...]] = tuple(import_module(f"{__name__}.{folder}").FEATURE for folder in _FOLDERS)
"""In the order of their commands on the help page."""
