"""The morning of a newspaper, and the evening of a revenge, in the operator's time zone."""

from datetime import datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from telegram_bot.service.config import ServiceConfig

NINE: Final = time(9)
EVENING: Final = time(20)
FRIDAY: Final = 4
"""As `datetime.weekday` counts."""


def zone_of(config: ServiceConfig) -> str:
    """Return the time zone of the operator's nights."""
    return "UTC" if config.night is None else config.night.zone


def local_time(at: float, zone: str) -> datetime:
    """Return a time in a zone."""
    return datetime.fromtimestamp(at, ZoneInfo(zone))


def next_nine(at: float, zone: str) -> float:
    """Return the first nine in the morning after a time."""
    day = local_time(at, zone)
    nine = datetime.combine(day, NINE, ZoneInfo(zone))
    return (
        nine if nine.timestamp() > at else datetime.combine(day + timedelta(days=1), NINE, ZoneInfo(zone))
    ).timestamp()


def next_friday(at: float, zone: str) -> float:
    """Return the first Friday evening after a time."""
    day = local_time(at, zone)
    day += timedelta(days=(FRIDAY - day.weekday()) % 7)
    friday = datetime.combine(day, EVENING, ZoneInfo(zone)).timestamp()
    return friday if friday > at else friday + timedelta(days=7).total_seconds()
