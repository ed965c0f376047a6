"""The league: statistics, ratings and leagues on request; achievements, the evening's score and rivals in games.

The base game counts finished games, so that the league is complete if it was off for a while.
"""

from dataclasses import dataclass
from typing import Final

from telegram_bot.feature import Feature
from telegram_bot.features.league import notices
from telegram_bot.features.league.queries import (
    computer_ratings,
    evening_part,
    ladder_of,
    league_of,
    memories_of,
    season_at,
    statistics_of,
)
from telegram_bot.intents.intents import Intent
from telegram_bot.intents.request import Command, HelpLines, Scope
from telegram_bot.notices import AnswerNotice, GameOverNotice, LobbyNotice, StartedNotice, Toast
from telegram_bot.presentation.features import Extension
from telegram_bot.service.announcing.replies import answer
from telegram_bot.service.announcing.saying import say
from telegram_bot.service.handlers.base import AboutPerson, PersonRequest
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.models import Player
from telegram_bot.words.languages import mark

NEVER_PLAYED: Final = AnswerNotice(sentence=mark("They haven't played here yet. Invite them!"))
HIDDEN: Final = AnswerNotice(sentence=mark("They keep their games to themselves."))
IN_GROUP: Final = AnswerNotice(sentence=mark("Each group has a league of its own. Send /league in your group."))


@dataclass(frozen=True, slots=True)
class SeeStatistics(AboutPerson):
    """Show the statistics of the person, or of another one."""

    commands = (
        Command(
            name="stats",
            is_guessed=False,
            scope=Scope.CHATS | Scope.TEXT,
            help=HelpLines(
                private_menu=mark("how you play"),
                help_page=mark("how you play"),
                guide="how you play; in a group, in reply to someone: how they play",
            ),
        ),
    )

    def handle(self, uow: UnitOfWork, intent: Intent, player: Player) -> Toast | None:
        """Show the statistics of the person, or of another one who does not hide."""
        shown = player if self.of is None else uow.find_player(intent.who.channel, self.of)
        if shown is None:
            return answer(uow, intent, player, NEVER_PLAYED)
        if shown.hidden and shown.id != player.id:
            return answer(uow, intent, player, HIDDEN)
        say(uow, player, statistics_of(uow.session, shown, player.id, intent.where), at=intent)
        return None


@dataclass(frozen=True, slots=True)
class SeeLeague(PersonRequest):
    """Show the group's league of this month, or the ratings of computer players."""

    commands = (
        Command(
            name="league",
            reader=lambda words, _: SeeLeague(computers=words.strip().casefold() == COMPUTERS),
            scope=Scope.CHATS,
            anonymous=True,
            help=HelpLines(
                group_menu=mark("this month's league of the group"), help_page=mark("this month's league of the group")
            ),
        ),
    )

    computers: bool = False

    def handle(self, uow: UnitOfWork, intent: Intent, player: Player) -> Toast | None:
        """Show the league of the group where the person asks, or the ratings of computer players."""
        if self.computers:
            ratings = computer_ratings(uow.session)
            if intent.where is None:
                ratings = ratings.model_copy(update={"beaten": ladder_of(uow.session, player.id)})
            say(uow, player, ratings, at=intent)
            return None
        if intent.where is None:
            return answer(uow, intent, player, IN_GROUP)
        chat, season = uow.ensure_chat(intent.where), season_at(uow.now)
        last = league_of(uow.session, chat, season.before, None)
        notice = notices.LeagueNotice(
            title=chat.title,
            year=season.year,
            month=season.month,
            rows=league_of(uow.session, chat, season, player.id),
            champion=last[0].name if last else None,
        )
        say(uow, player, notice, at=intent)
        return None


COMPUTERS: Final = "bots"
"""The word after /league for the list of computer players."""


_GAME_OVER: Final = Extension(GameOverNotice, part=evening_part)
_LOBBY: Final = Extension(LobbyNotice, lines=notices.guests_lines)
_STARTED: Final = Extension(StartedNotice, lines=notices.guests_lines, part=memories_of)

FEATURE: Final = Feature(
    "league",
    place=90,
    requests=(SeeStatistics, SeeLeague),
    extensions=(_LOBBY, _STARTED, _GAME_OVER),
)
