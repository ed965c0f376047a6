"""The part of the league at the end of a game, in chats and on pages."""

from telegram_bot.features.league.notices import EveningNotice
from telegram_bot.features.league.queries import evening_of, take_achievements
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.models import GameTable
from telegram_bot.tables.model import Table


def evening_part(uow: UnitOfWork, row: GameTable, table: Table) -> EveningNotice | None:
    """Take new achievements and return them with the score of the evening, or None if there are none.

    A game that does not count earned none: those of games before it wait for a game that counts.
    """
    session, chat = uow.session, row.chat_id
    people = [seat.player for seat in table.seats]
    achievements = take_achievements(session, people, chat) if table.counts_for_league else ()
    evening = evening_of(session, chat, uow.now)
    return EveningNotice(achievements=achievements, evening=evening) if achievements or evening else None
