"""The types of notices that the bot has; tests may have types of their own."""

from typing import Final

from telegram_bot.features import FEATURES
from telegram_bot.notices import NOTICES, FeatureNotice, NoticeModel

assert FEATURES
ALL_NOTICES: Final = tuple(each for each in NOTICES.values() if each.__module__.startswith("telegram_bot."))
BASE_NOTICES: Final = tuple(each for each in ALL_NOTICES if not issubclass(each, FeatureNotice))


def notices_of(feature: str) -> list[type[NoticeModel]]:
    """Return the types of a feature's notices."""
    return [each for each in ALL_NOTICES if each.__module__.startswith(f"telegram_bot.features.{feature}")]
