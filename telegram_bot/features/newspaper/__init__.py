"""The newspaper: on the morning after an evening its group gets one page about it, and a key for a revenge."""

from typing import Final

from telegram_bot.feature import Feature
from telegram_bot.features.newspaper import printing, requests
from telegram_bot.features.newspaper.notices import NewspaperNotice
from telegram_bot.presentation.features import Extension
from telegram_bot.service.naming import NamingNotices

_NEWSPAPER: Final = Extension(NewspaperNotice, keys=requests.newspaper_keys)

FEATURE: Final = Feature(
    "newspaper",
    place=25,
    requests=(requests.WantRevenge, requests.EndNewspaper),
    extensions=(_NEWSPAPER,),
    naming=NamingNotices(printing.tables_of_waiting),
    switches=(printing.ENDED,),
    announce=printing.follow,
    timers={printing.MORNING: printing.print_newspaper, printing.REVENGE: printing.open_revenge},
    evening=printing.in_evening,
    prune=printing.prune,
)
