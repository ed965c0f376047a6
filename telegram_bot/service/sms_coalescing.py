"""Keep the reveals of a waiting text in the text that replaces it, so that nobody misses how a round ended."""

from __future__ import annotations

from sqlmodel import Session, col, select

from telegram_bot.service.notices import Envelope, HandNotice, RevealNotice
from telegram_bot.storage.models import NoticeStatus, OutboxEntry


def keep_reveals(session: Session, envelope: Envelope, table: int | None, slot: str) -> Envelope:
    """The envelope with what it takes over from the hands that wait in its slot and that it supersedes.

    A round's end goes over into a text that has none of its own to tell; else it becomes a text of its own, in the old
    one's place.
    """
    hand = envelope.notice
    if not isinstance(hand, HandNotice):
        return envelope
    waiting = (
        select(OutboxEntry)
        .where(
            OutboxEntry.lane == envelope.lane,
            OutboxEntry.table_id == table,
            OutboxEntry.slot == slot,
            col(OutboxEntry.supersedable),
            OutboxEntry.status == NoticeStatus.PENDING,
        )
        .order_by(col(OutboxEntry.id))
        .with_for_update()
    )
    for row in session.exec(waiting):
        old = None if row.notice is None else Envelope.model_validate(row.notice)
        if old is None or not isinstance(old.notice, HandNotice) or old.notice.previous is None:
            continue
        if hand.previous is None or hand.previous == old.notice.previous:
            hand = hand.model_copy(update={"previous": old.notice.previous})
            continue
        told = RevealNotice(view=old.notice.previous, seat=old.notice.view.seat)
        row.notice = old.model_copy(update={"notice": told}).model_dump(mode="json")
        row.slot, row.supersedable, row.turn = None, False, None
    session.flush()
    return envelope.model_copy(update={"notice": hand})
