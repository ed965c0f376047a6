"""Take back what was said for a while: its message is deleted, or loses its keys."""

from typing import Final

from sqlalchemy import bindparam
from sqlmodel import col, select

from telegram_bot import notices as n
from telegram_bot.service.announcing.saying import About, post
from telegram_bot.service.envelope import Envelope, read_envelope
from telegram_bot.service.outbox_dedupe import drop_waiting
from telegram_bot.service.posting import Notification, ref_of
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.models import OPEN_NOTICES, Chat, NoticeStatus, OutboxEntry, Player, SentMessage

_UNDER_WAY: Final = select(OutboxEntry.notice).where(
    OPEN_NOTICES,
    OutboxEntry.status == NoticeStatus.SENDING,
    OutboxEntry.table_id == bindparam("table"),
    OutboxEntry.slot == bindparam("in_slot"),
)


def withdraw(
    uow: UnitOfWork, reader: Player | Chat, slot: str, *, about: About | int, keeps_words: bool = False
) -> None:
    """Take back what was said in a slot of a table, or of a feature's message.

    It is deleted, and not sent if it waits. `keeps_words`: only the keys of its message go.
    """
    table = about if isinstance(about, int) else about.table_id
    gone = n.OutdatedNotice(moved=not keeps_words)
    if not keeps_words:
        drop_waiting(uow.session, table, col(OutboxEntry.slot) == slot, uow.now)
        for stored in uow.session.exec(_UNDER_WAY, params={"table": table, "in_slot": slot}):
            if (sending := read_envelope(stored)) is not None:
                edit = {"notice": gone, "key": None, "edit_only": True, "reply_handle": None}
                post(uow, about, Notification(sending.model_copy(update=edit), slot=slot))
    sent = uow.session.get(SentMessage, (table, slot))
    if sent is None or (keeps_words and not sent.keyboard):
        return
    if keeps_words:
        sent.keyboard = False
    else:
        uow.session.delete(sent)
    where = {"chat": sent.chat, "receiver": sent.receiver, "topic": reader.topic if isinstance(reader, Chat) else 0}
    post(uow, about, Notification(Envelope(channel=reader.channel, **where, target=ref_of(sent), notice=gone)))
