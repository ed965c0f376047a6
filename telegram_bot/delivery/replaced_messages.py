"""What becomes of a message in whose place a newer one stands. Each function is part of a transaction."""

from __future__ import annotations

from sqlmodel import Session

from telegram_bot.delivery import slot_messages
from telegram_bot.delivery.slot_messages import SlotMessage
from telegram_bot.service.notices import (
    CallNotice,
    Envelope,
    HandNotice,
    Notice,
    OutdatedNotice,
    RevealNotice,
    RoundOverNotice,
    SendMode,
    TableNotice,
    called_round,
)
from telegram_bot.storage.models import OutboxEntry


def follows_a_round(envelope: Envelope) -> bool:
    """Whether a new message with this notice may stand below a round's message, and is not a round's message itself."""
    return envelope.receiver is None and not isinstance(
        envelope.notice, HandNotice | TableNotice | RevealNotice | CallNotice
    )


def retire(session: Session, table: int, old: SlotMessage | None, envelope: Envelope, now: float) -> None:
    """Mark a message of which a notice takes the place as out of date."""
    if old is None or not old.keyboard:
        return
    strip = envelope.model_copy(
        update={
            "mode": SendMode.TARGET,
            "target": old.ref,
            "notice": _what_stays(envelope.notice),
            "chat": old.chat,
            "receiver": old.receiver,
        }
    )
    session.add(OutboxEntry(lane=strip.lane, table_id=table, notice=strip.model_dump(mode="json"), created_at=now))


def _what_stays(notice: Notice) -> Notice:
    """What the old message shows once this notice stands in a new one."""
    match notice:
        case CallNotice():
            return RoundOverNotice(round=notice.round)
        case RevealNotice():
            return RoundOverNotice(round=called_round(notice.view))
        case _:
            return OutdatedNotice()


def abandon(session: Session, table: int | None, slot: str | None, envelope: Envelope, now: float) -> None:
    """Leave the round's old message alone: the call was perhaps sent as a new one, and the reveal follows below it."""
    ends_round = isinstance(envelope.notice, CallNotice | RevealNotice) and envelope.mode is not SendMode.EDIT
    if table is None or slot is None or not ends_round:
        return
    retire(session, table, slot_messages.find_message(session, table, slot), envelope, now)
    slot_messages.delete_message(session, table, slot)
