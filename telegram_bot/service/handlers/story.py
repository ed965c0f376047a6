"""Tell the story of a finished game, once."""

from __future__ import annotations

from telegram_bot.service.handlers.table_context import TableContext
from telegram_bot.service.intents import TellStory
from telegram_bot.service.notices import Confirmation, ConfirmationNotice, SendMode, Toast
from telegram_bot.service.replies import answer
from telegram_bot.service.story import STORY_SLOT, is_told, story_notice
from telegram_bot.service.table_outbox import TableOutbox
from telegram_bot.tables.events import RejectedError, RejectionReason
from telegram_bot.tables.model import Status


def tell_story(context: TableContext, what: TellStory) -> Toast | None:
    """Send the story to the table's chat, and to its players who are elsewhere; it was found out before the step."""
    table, uow = context.table, context.uow
    if table.status is not Status.FINISHED:
        raise RejectedError(RejectionReason.NO_GAME)
    done = Confirmation.STORY_TOLD
    if is_told(uow, table.id):
        done = Confirmation.STORY_ABOVE
    elif what.story is None or len(what.story.seats) != len(table.seats):
        done = Confirmation.STORY_UNKNOWN
    else:
        notice = story_notice(uow, table, what.story)
        outbox = TableOutbox(uow, context.row, context.chat)
        outbox.to_room(outbox.group_envelope(notice, SendMode.SEND), slot=STORY_SLOT)
        outbox.to_remote([seat.player for seat in table.seats if seat.player > 0], notice)
    return answer(uow, context.intent, context.player, ConfirmationNotice(done=done))
