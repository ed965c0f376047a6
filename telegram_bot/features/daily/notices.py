"""The notices about the hand of the day."""

from typing import Literal

from telegram_bot.features.daily.hand import DailyQuestion, DailyResult
from telegram_bot.service.notices import FeatureNotice, FeatureToast, LinksToBot


class DailyNotice(FeatureNotice):
    """The hand of the day, told in private; before it, how the last one ended that the reader decided."""

    kind: Literal["daily"] = "daily"
    day: int
    question: DailyQuestion
    said: str | None = None
    """The decision of the reader; None: there is none yet."""
    streak: int = 0
    """On how many days in a row the reader has decided, up to today, or yesterday if they have not yet today."""
    last: DailyResult | None = None


class DailyLinkNotice(LinksToBot, FeatureNotice):
    """A line about the hand of the day, which tells nothing of it: for a group, or to be forwarded."""

    kind: Literal["daily_link"] = "daily_link"
    day: int
    streak: int = 0
    """The streak of the person who may forward it; 0: it names no person's streak."""


class NoHandNotice(FeatureToast):
    """The hand of the day is not dealt yet."""

    kind: Literal["no_daily_hand"] = "no_daily_hand"
