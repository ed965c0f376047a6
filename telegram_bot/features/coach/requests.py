"""Tell the player on turn the coach's call, which an enricher has found."""

from dataclasses import dataclass
from typing import Final

from telegram_bot.features.coach.judgement import Advice
from telegram_bot.features.coach.lobby_option import are_allowed
from telegram_bot.features.coach.notices import CoachNotice
from telegram_bot.notices import AnswerNotice, Toast
from telegram_bot.service.announcing.replies import answer
from telegram_bot.service.forms import Act, Button
from telegram_bot.service.handlers.base import TableRequest
from telegram_bot.service.handlers.table_context import TableContext
from telegram_bot.service.presentation import notify, own_page
from telegram_bot.storage.models import DirectMessages
from telegram_bot.tables.events import RejectedError, RejectionReason
from telegram_bot.tables.model import Status
from telegram_bot.words.languages import mark

IN_PRIVATE: Final = AnswerNotice(sentence=mark("💡 The hint is in our private chat."))
NO_ADVICE: Final = AnswerNotice(sentence=mark("No idea this time. Trust your gut!"))


def hint_slot(player: int) -> str:
    """Return the slot of the advice to a player on turn."""
    return f"hint:{player}"


@dataclass(frozen=True, slots=True)
class AskCoach(TableRequest):
    """Ask for the coach's call on my turn."""

    takes_seconds = True
    buttons = (Button("hint"),)
    acts = (Act("coach"),)

    advice: Advice | None = None
    """The advice from an enricher, or None if there is none."""

    def handle(self, context: TableContext) -> Toast | None:
        """Tell the player on turn the coach's call in their private chat.

        Raises:
            RejectedError: the table has no coach or has moved on, another player is on turn, or the bot cannot
                write to the player in private.
        """
        table, player, uow, advice = context.table, context.player, context.uow, self.advice
        context.seat()
        if table.status is Status.PLAYING and not are_allowed(table):
            raise RejectedError(RejectionReason.UNKNOWN_OPTION)
        if table.status is Status.PLAYING and context.intent.step not in (None, table.step):
            raise RejectedError(RejectionReason.STALE)
        context.require_turn()
        if context.intent.where is not None and player.direct != DirectMessages.OPEN:
            raise RejectedError(RejectionReason.IN_PRIVATE)
        if advice is None:
            return answer(uow, context.intent, player, NO_ADVICE)
        notice = CoachNotice(table=table.id, step=table.step, advice=advice, wild_by=table.wild_by)
        at = own_page(uow, player) if uow.traits(context.intent.source).reads_rooms else None
        slot = hint_slot(player.id) if at is None else None
        notify(uow, player, notice, at=at, silent=True, table=table.id, slot=slot)
        return IN_PRIVATE if context.intent.where is not None else None
