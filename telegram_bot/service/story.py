"""Whether the story of a finished game was told, and how its players are named in it."""

from __future__ import annotations

from typing import Final

from sqlmodel import col, select

from telegram_bot.service.notices import StoryNotice
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.statistics.story import GameStory
from telegram_bot.storage.models import NoticeStatus, OutboxEntry
from telegram_bot.tables.model import Table

STORY_SLOT: Final = "story"


def is_told(uow: UnitOfWork, table: int) -> bool:
    """Whether the story of a game was sent, or waits to be sent."""
    query = (
        select(OutboxEntry.id)
        .where(OutboxEntry.table_id == table, OutboxEntry.slot == STORY_SLOT)
        .where(col(OutboxEntry.status).in_((NoticeStatus.PENDING, NoticeStatus.SENDING, NoticeStatus.SENT)))
    )
    return uow.session.exec(query.limit(1)).first() is not None


def story_notice(uow: UnitOfWork, table: Table, story: GameStory) -> StoryNotice:
    """The story with the players' names; who hides from leagues is not named, as their luck and skill are compared."""
    players = uow.players_by_id(seat.player for seat in table.seats if seat.player > 0)
    names = tuple("" if seat.player > 0 and players[seat.player].hidden else seat.name for seat in table.seats)
    return StoryNotice(table=table.id, story=story, names=names, theme=uow.config.story_theme)
