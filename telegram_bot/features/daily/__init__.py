"""The hand of the day, one decision a person, with an immediate answer; in a group a bid of its last night."""

from typing import Final

from telegram_bot.feature import Feature
from telegram_bot.features.daily import daily
from telegram_bot.features.daily.daily import DailyDecision, DailyHands, prune
from telegram_bot.features.daily.last_night import GuessLastNight, LastNightAnswerNotice, LastNightNotice
from telegram_bot.features.daily.notices import DailyLinkNotice, DailyNotice
from telegram_bot.presentation.features import Extension

_DAILY: Final = Extension(DailyNotice, keys=daily.daily_keys)
_LAST_NIGHT: Final = Extension(LastNightNotice, keys=daily.last_night_keys)
_DAILY_LINK: Final = Extension(DailyLinkNotice, keys=daily.daily_link_keys)

FEATURE: Final = Feature(
    "daily",
    place=20,
    requests=(daily.PlayDaily, GuessLastNight),
    notices=(DailyNotice, DailyLinkNotice, LastNightNotice, LastNightAnswerNotice),
    extensions=(
        _DAILY,
        _DAILY_LINK,
        _LAST_NIGHT,
    ),
    look_ups=(DailyHands,),
    rows={DailyDecision: "{} decision(s) in hands of the day"},
    prune=prune,
)
