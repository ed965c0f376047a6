"""Drop waiting notices of the outbox that a newer one for the same slot makes useless."""

from sqlalchemy import ColumnElement, null, update
from sqlmodel import Session, col, select

from telegram_bot.intents.envelope import Envelope, read_envelope
from telegram_bot.notices import NoticeModel
from telegram_bot.screens.posting import Notification, outbox_columns
from telegram_bot.storage.models import LaneName, NoticeStatus, OutboxEntry


def drop_waiting(session: Session, table: int, which: ColumnElement[bool], now: float) -> None:
    """Drop the waiting notices of a table that `which` selects."""
    session.flush()
    session.execute(
        update(OutboxEntry)
        .where(col(OutboxEntry.table_id) == table, col(OutboxEntry.status) == NoticeStatus.PENDING, which)
        .values(status=NoticeStatus.SUPERSEDED, done_at=now, notice=null())
    )


def waiting_until(session: Session, lane: LaneName, table: int, slot: str) -> float | None:
    """Return the time before which the slot's waiting notice is not sent, or None without one."""
    query = select(OutboxEntry.not_before).where(
        OutboxEntry.lane == lane,
        OutboxEntry.table_id == table,
        OutboxEntry.slot == slot,
        col(OutboxEntry.supersedable),
        OutboxEntry.status == NoticeStatus.PENDING,
    )
    return session.exec(query.limit(1)).first()


def is_sent(session: Session, table: int, slot: str, *also: ColumnElement[bool]) -> bool:
    """Return True if a notice of a table in this slot was sent, or waits to be sent; `also`: a further condition."""
    query = select(OutboxEntry.id).where(OutboxEntry.table_id == table, OutboxEntry.slot == slot, *also)
    on_its_way = col(OutboxEntry.status).in_((NoticeStatus.PENDING, NoticeStatus.SENDING, NoticeStatus.SENT))
    return session.exec(query.where(on_its_way).limit(1)).first() is not None


def keep_reveals(session: Session, notification: Notification) -> Envelope:
    """Return the envelope with the contents of the waiting notices in its slot that it replaces.

    The end of another round becomes a separate text, in the old one's place.
    """
    kept: NoticeModel = notification.envelope.notice
    waiting = (
        select(OutboxEntry)
        .where(
            OutboxEntry.lane == notification.envelope.lane,
            OutboxEntry.table_id == notification.table,
            OutboxEntry.slot == notification.slot,
            col(OutboxEntry.supersedable),
            OutboxEntry.status == NoticeStatus.PENDING,
        )
        .order_by(col(OutboxEntry.id))
    )
    for row in session.exec(waiting):
        envelope = read_envelope(row.notice)
        if envelope is None:
            continue
        kept, alone = kept.keeping(envelope.notice)
        if alone is None:
            continue
        own_text = envelope.model_copy(update={"notice": alone})
        said_alone = outbox_columns(Notification(own_text), row.created_at)
        for name in ("notice", "slot", "turn", "urgency", "supersedable", "awaited"):
            setattr(row, name, said_alone[name])
    session.flush()
    return notification.envelope.model_copy(update={"notice": kept})
