"""The league: statistics, ratings and leagues on request; achievements, the evening's score and rivals in games.

The base game counts finished games, so that the league is complete if it was off for a while.
"""

from typing import Final

from telegram_bot.feature import Feature
from telegram_bot.features.league import notices, requests, words
from telegram_bot.features.league.memories import memories_of
from telegram_bot.features.league.parts import evening_card, evening_part
from telegram_bot.notices import GameOverNotice, LobbyNotice, StartedNotice
from telegram_bot.presentation.features import Extension, FeatureCard, Presentation

_STATISTICS: Final = Presentation(notices.StatisticsNotice, words.statistics_lines)
_LEAGUE: Final = Presentation(notices.LeagueNotice, words.league_lines)
_COMPUTERS: Final = Presentation(notices.ComputerRatingsNotice, words.computer_ratings_lines)
_EVENING: Final = Presentation(notices.EveningNotice, words.evening_lines, card=FeatureCard("over", evening_card))
_MEMORIES: Final = Presentation(notices.MemoriesNotice, words.memories_lines)
_GAME_OVER: Final = Extension(GameOverNotice, part=evening_part)
_LOBBY: Final = Extension(LobbyNotice, lines=words.guests_lines)
_STARTED: Final = Extension(StartedNotice, lines=words.guests_lines, part=memories_of)

FEATURE: Final = Feature(
    "league",
    requests=(requests.SeeStatistics, requests.SeeLeague),
    notices=(_STATISTICS, _LEAGUE, _COMPUTERS, _EVENING, _MEMORIES),
    extensions=(_LOBBY, _STARTED, _GAME_OVER),
)
