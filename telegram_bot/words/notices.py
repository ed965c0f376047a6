"""The notices that are worded once for all channels, as ranked lines."""

from collections.abc import Callable
from typing import Any, Final

from telegram_bot.service import notices as n
from telegram_bot.words import daily, statistics, story
from telegram_bot.words.lines import Format, Line

LINES: Final[dict[type, Callable[[Any, Format], list[Line]]]] = {
    n.StoryNotice: story.story_lines,
    n.StatisticsNotice: statistics.statistics_lines,
    n.DailyNotice: daily.daily_lines,
}
