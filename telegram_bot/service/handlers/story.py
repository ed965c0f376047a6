"""Tell the story of a finished game, once."""

from __future__ import annotations

from telegram_bot.service.handlers.table_context import TableContext
from telegram_bot.service.intents import TellStory
from telegram_bot.service.notices import Confirmation, ConfirmationNotice, SendMode, StoryNotice, Toast
from telegram_bot.service.replies import answer, say
from telegram_bot.service.story import STORY_SLOT, is_told, story_notice
from telegram_bot.service.table_outbox import TableOutbox
from telegram_bot.tables.model import Status


def tell_story(context: TableContext, what: TellStory) -> Toast | None:
    """Send the story, which was found out before the step, to the table's chat and to its players who are elsewhere.

    Where no chat is, the one who asks gets it: each text costs money.
    """
    table, uow = context.table, context.uow
    done = Confirmation.STORY_TOLD
    if table.status is not Status.FINISHED:
        done = Confirmation.STORY_LATER
    elif is_told(uow, table.id):
        done = Confirmation.STORY_ABOVE
    elif what.story is None or len(what.story.seats) != len(table.seats):
        done = Confirmation.STORY_UNKNOWN
    else:
        _send(context, story_notice(uow, table, what.story))
        if context.intent.answered_by == "message":  # the story is the answer
            return None
    return answer(uow, context.intent, context.player, ConfirmationNotice(done=done))


def _send(context: TableContext, notice: StoryNotice) -> None:
    outbox = TableOutbox(context.uow, context.row, context.chat)
    if not outbox.shared:
        say(context.uow, context.intent, context.player, notice, table=context.table.id)
        return
    outbox.to_room(outbox.group_envelope(notice, SendMode.SEND), slot=STORY_SLOT)
    outbox.to_remote([seat.player for seat in context.table.seats if seat.player > 0], notice)
