"""What people write in a table's chat without asking the bot for anything: it moves the round's message up."""

from __future__ import annotations

from typing import Final

from sqlalchemy import bindparam, select, true, update
from sqlmodel import Session, SQLModel, col

from telegram_bot.service.intents import Place
from telegram_bot.storage.models import Chat, GameTable
from telegram_bot.storage.statements import Statement

ROUND_SLOTS: Final = "deal:"
"""With which the slots of the rounds' messages begin."""


def mark_followed(session: Session, where: Place) -> None:
    """Store that something was written after the messages of the rounds in this place.

    Only the first message after a round's message writes anything.
    """
    place = {"the_channel": where.channel, "the_address": where.address, "the_topic": where.topic}
    _FOLLOWED.all(session, place)


_SENT: Final = SQLModel.metadata.tables["sent_message"]
_FOLLOWED: Final = Statement(
    update(_SENT)
    .where(
        _SENT.c.chat == bindparam("the_address"),
        _SENT.c.table_id.in_(
            select(col(GameTable.id))
            .join(Chat, col(Chat.id) == col(GameTable.chat_id))
            .where(
                col(GameTable.live),
                col(Chat.channel) == bindparam("the_channel"),
                col(Chat.address) == bindparam("the_address"),
                col(Chat.topic) == bindparam("the_topic"),
            )
        ),
        _SENT.c.slot.startswith(ROUND_SLOTS),
        _SENT.c.receiver.is_(None),
        ~_SENT.c.followed,
    )
    .values(followed=true())
)
"""Built once: building a statement takes longer than executing it."""
