"""The league: statistics, ratings and leagues on request; achievements, the evening's score and rivals in games.

The base game counts finished games, so that the league is complete if it was off for a while.
"""

from typing import Final

from telegram_bot.feature import Feature
from telegram_bot.features.league import notices, requests
from telegram_bot.features.league.memories import memories_of
from telegram_bot.features.league.queries import evening_part
from telegram_bot.notices import GameOverNotice, LobbyNotice, StartedNotice
from telegram_bot.presentation.features import Extension

_GAME_OVER: Final = Extension(GameOverNotice, part=evening_part)
_LOBBY: Final = Extension(LobbyNotice, lines=notices.guests_lines)
_STARTED: Final = Extension(StartedNotice, lines=notices.guests_lines, part=memories_of)

FEATURE: Final = Feature(
    "league",
    place=90,
    requests=(requests.SeeStatistics, requests.SeeLeague),
    notices=(
        notices.StatisticsNotice,
        notices.LeagueNotice,
        notices.ComputerRatingsNotice,
        notices.EveningNotice,
        notices.MemoriesNotice,
    ),
    extensions=(_LOBBY, _STARTED, _GAME_OVER),
)
