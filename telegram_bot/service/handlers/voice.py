"""Tell players why no call was heard in their voice note."""

from __future__ import annotations

from typing import Final

from telegram_bot.service.intents import FailedNote, Intent, NoteOutcome
from telegram_bot.service.notices import Toast
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.models import Player
from telegram_bot.tables.events import RejectedError, RejectionReason

_WHY: Final = {
    NoteOutcome.TOO_LONG: RejectionReason.NOTE_TOO_LONG,
    NoteOutcome.TOO_MANY: RejectionReason.TOO_FAST,
    NoteOutcome.WITHOUT_SOUND: RejectionReason.NOTE_WITHOUT_SOUND,
    NoteOutcome.NOT_HEARD_HERE: RejectionReason.NOTE_NOT_HEARD_HERE,
}


def note_failed(uow: UnitOfWork, intent: Intent, player: Player, what: FailedNote) -> Toast | None:
    """Tell a player why no call was heard in their note; that none are heard here, once.

    Raises:
        RejectedError: with the reason, unless it has been told.
    """
    if what.why is NoteOutcome.NOT_HEARD_HERE:
        reader = player if intent.where is None else uow.ensure_chat(intent.where)
        if reader.told_of_voice:
            return None
        reader.told_of_voice = True
    raise RejectedError(_WHY.get(what.why, RejectionReason.NOTE_TROUBLE))
