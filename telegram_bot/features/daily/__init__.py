"""The hand of the day: one decision a person, the same for everyone, with an immediate answer."""

from typing import Final

from telegram_bot.feature import Feature
from telegram_bot.features.daily import keys, requests
from telegram_bot.features.daily.look_ups import DailyHands
from telegram_bot.features.daily.notices import DailyLinkNotice, DailyNotice
from telegram_bot.features.daily.pictures import daily_picture_of
from telegram_bot.features.daily.pruning import prune
from telegram_bot.features.daily.tables import DailyDecision
from telegram_bot.presentation.features import Presentation

_DAILY: Final = Presentation(DailyNotice, keys=keys.daily_keys, picture=daily_picture_of)
_DAILY_LINK: Final = Presentation(DailyLinkNotice, keys=keys.daily_link_keys)

FEATURE: Final = Feature(
    "daily",
    requests=(requests.PlayDaily,),
    notices=(_DAILY, _DAILY_LINK),
    look_ups=(DailyHands,),
    rows={DailyDecision: "{} decision(s) in hands of the day"},
    prune=prune,
)
