"""The notices about the hand of the day."""

from typing import Literal

from pydantic import ConfigDict

from telegram_bot.features.daily.hand import DailyAnswer, DailyQuestion
from telegram_bot.notices import FeatureNotice, LinksToBot


class DailyNotice(LinksToBot, FeatureNotice):
    """The hand of the day, told in private: the question, or the answer for a player who has decided."""

    model_config = ConfigDict(extra="ignore")  # release 1.0 stored the answer of the day before
    kind: Literal["daily"] = "daily"
    day: int
    question: DailyQuestion
    said: str | None = None
    """The decision of the reader, or None if there is none yet."""
    streak: int = 0
    """On how many days in a row the reader has decided, up to today, or yesterday if they have not yet today."""
    answer: DailyAnswer | None = None
    """None if the reader has not decided yet."""
    hours: int = 24
    """The number of hours until the next hand, rounded up: players are in many time zones."""


class DailyLinkNotice(LinksToBot, FeatureNotice):
    """A line about the hand of the day for a group. It does not show the hand."""

    model_config = ConfigDict(extra="ignore")  # release 1.0 stored a streak
    kind: Literal["daily_link"] = "daily_link"
    day: int
