"""The features: a folder each. A folder and its line here can be deleted, and the bot plays on without the feature."""

from typing import Final

from telegram_bot.feature import Feature
from telegram_bot.features import daily, learning

FEATURES: Final[tuple[Feature, ...]] = (learning.FEATURE, daily.FEATURE)
