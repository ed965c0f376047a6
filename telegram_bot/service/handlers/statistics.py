"""Handle statistics and leagues."""

from typing import Final

from telegram_bot.service import intents as i
from telegram_bot.service.announcing.replies import say
from telegram_bot.service.command import Command, HelpLines, Scope, everywhere
from telegram_bot.service.handlers.request import PersonRequest
from telegram_bot.service.intents import Intent
from telegram_bot.service.languages import mark
from telegram_bot.service.notices import LeagueNotice
from telegram_bot.service.results.statistics_queries import computer_ratings, ladder_of, league_of, statistics_of
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.statistics.seasons import season_at
from telegram_bot.storage.models import Player
from telegram_bot.tables.events import RejectedError, RejectionReason


def see_statistics(uow: UnitOfWork, intent: Intent, player: Player, what: i.SeeStatistics) -> None:
    """Show the statistics of the person, or of another one who does not hide.

    Raises:
        RejectedError: the other one hides, has never played here, or has ended a game whose end its chat has not seen.
    """
    shown = player if what.of is None else uow.find_player(intent.who.channel, what.of)
    if shown is None:
        raise RejectedError(RejectionReason.NEVER_PLAYED)
    if shown.hidden and shown.id != player.id:
        raise RejectedError(RejectionReason.HIDDEN)
    if uow.awaits_reveal(shown, intent.where or intent.who):
        raise RejectedError(RejectionReason.REVEALING)
    say(uow, intent, player, statistics_of(uow.session, shown, player.id, intent.where))


SEE_STATISTICS: Final = PersonRequest(
    i.SeeStatistics,
    see_statistics,
    commands=(
        Command(
            name="stats",
            intent=i.SeeStatistics(),
            is_guessed=False,
            scope=Scope.CHATS | Scope.TEXT,
            help=everywhere(
                mark("how you play"), guide="how you play; in a group, in reply to somebody: how they play"
            ),
        ),
    ),
)


def see_league(uow: UnitOfWork, intent: Intent, player: Player, what: i.SeeLeague) -> None:
    """Show the league of the group where the person asks, or the ratings of computer players.

    Raises:
        RejectedError: they ask in private.
    """
    if what.computers:
        ratings = computer_ratings(uow.session)
        if intent.where is None:
            ratings = ratings.model_copy(update={"beaten": ladder_of(uow.session, player.id)})
        say(uow, intent, player, ratings)
        return
    if intent.where is None:
        raise RejectedError(RejectionReason.LEAGUE_IN_GROUP)
    chat, season = uow.ensure_chat(intent.where), season_at(uow.now)
    last = league_of(uow.session, chat, season.before, None)
    notice = LeagueNotice(
        title=chat.title,
        year=season.year,
        month=season.month,
        rows=league_of(uow.session, chat, season, player.id),
        champion=last[0].name if last else None,
    )
    say(uow, intent, player, notice)


COMPUTERS: Final = "bots"
"""Behind /league: the list of computer players."""
SEE_LEAGUE: Final = PersonRequest(
    i.SeeLeague,
    see_league,
    commands=(
        Command(
            name="league",
            intent=i.SeeLeague(),
            reader=lambda words, _: i.SeeLeague(computers=words.strip().casefold() == COMPUTERS),
            scope=Scope.CHATS,
            anonymous=i.SeeLeague(),
            help=HelpLines(
                group_menu=mark("this month's league of the group"), help_page=mark("this month's league of the group")
            ),
        ),
    ),
)
