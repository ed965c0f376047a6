"""What is in a slot of the outbox; notices that a newer one for the same slot makes useless are dropped."""

from typing import Final

from sqlalchemy import ColumnElement, null, update
from sqlmodel import Session, col, select

from telegram_bot.service.envelope import SendMode
from telegram_bot.service.notices import HandNotice, RevealNotice
from telegram_bot.storage.models import NoticeStatus, OutboxEntry
from telegram_bot.tables.model import FrozenModel

_MODES: Final = (SendMode.EDIT, SendMode.REPLACE, SendMode.NEWEST, SendMode.TARGET)


def supersedes(mode: SendMode, notice: FrozenModel) -> bool:
    """Whether nobody needs what waits in the slot any more once this notice is sent, whatever the channel.

    Hands are not among these notices, except those on a board: each tells its reader something, and only where a
    channel says so does one replace another that waits.
    """
    if isinstance(notice, HandNotice):
        return notice.board and mode in (SendMode.NEWEST, SendMode.EDIT_EXISTING)
    return mode in _MODES


def drop_waiting(session: Session, table: int, which: ColumnElement[bool], now: float) -> list[int | None]:
    """Drop the notices of a table that wait, out of those that `which` selects; return the turn that each announced."""
    dropped = session.execute(
        update(OutboxEntry)
        .where(col(OutboxEntry.table_id) == table, col(OutboxEntry.status) == NoticeStatus.PENDING, which)
        .values(status=NoticeStatus.SUPERSEDED, done_at=now, notice=null())
        .returning(col(OutboxEntry.turn))
    )
    return [turn for (turn,) in dropped]


def waiting_until(session: Session, lane: str, table: int, slot: str) -> float | None:
    """The time before which what waits in the slot is not sent; None if nothing waits there."""
    query = select(OutboxEntry.not_before).where(
        OutboxEntry.lane == lane,
        OutboxEntry.table_id == table,
        OutboxEntry.slot == slot,
        col(OutboxEntry.supersedable),
        OutboxEntry.status == NoticeStatus.PENDING,
    )
    return session.exec(query.limit(1)).first()


def is_sent(session: Session, table: int, slot: str, *also: ColumnElement[bool]) -> bool:
    """Whether a notice of a table in this slot was sent, or waits to be sent; `also`: what else is asked of it."""
    query = select(OutboxEntry.id).where(OutboxEntry.table_id == table, OutboxEntry.slot == slot, *also)
    on_its_way = col(OutboxEntry.status).in_((NoticeStatus.PENDING, NoticeStatus.SENDING, NoticeStatus.SENT))
    return session.exec(query.where(on_its_way).limit(1)).first() is not None


def keep_reveals(session: Session, lane: str, hand: HandNotice, table: int | None, slot: str) -> HandNotice:
    """The hand with what it takes over from the hands that wait in its slot and that it supersedes.

    A round's end goes over into a text that has none of its own to tell; else it becomes a text of its own, in the old
    one's place. What was stirred into the dice always goes over.
    """
    waiting = (
        select(OutboxEntry)
        .where(
            OutboxEntry.lane == lane,
            OutboxEntry.table_id == table,
            OutboxEntry.slot == slot,
            col(OutboxEntry.supersedable),
            OutboxEntry.status == NoticeStatus.PENDING,
        )
        .order_by(col(OutboxEntry.id))
        .with_for_update()
    )
    for row in session.exec(waiting):
        envelope = row.notice or {}
        if envelope.get("notice", {}).get("kind") != "hand":
            continue
        old = HandNotice.model_validate(envelope["notice"])
        if old.stirs is not None:
            hand = hand.model_copy(update={"stirs": old.stirs})
        if old.previous is None:
            continue
        if hand.previous is None or hand.previous == old.previous:
            hand = hand.model_copy(update={"previous": old.previous})
            continue
        told = RevealNotice(view=old.previous, seat=old.view.seat)
        row.notice = envelope | {"notice": told.model_dump(mode="json")}
        row.slot, row.supersedable, row.turn = None, False, None
    session.flush()
    return hand
