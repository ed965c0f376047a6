"""Take the first notices of a step in the step's own transaction, so that they are sent right after its commit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sqlalchemy import bindparam, update
from sqlmodel import Session, SQLModel

from telegram_bot.delivery import lanes, slot_messages
from telegram_bot.delivery.limits import Priority, reserve_at_once
from telegram_bot.delivery.outbox import MODES_OF_SLOTS, OutboxItem, is_without_message, priority_of, shows
from telegram_bot.delivery.send_window import Urgency
from telegram_bot.delivery.sender import Sender
from telegram_bot.delivery.slot_messages import SlotMessage
from telegram_bot.delivery.urgency import urgency_of
from telegram_bot.service.notices import Envelope, HandNotice, SendMode, TableNotice
from telegram_bot.service.step_delivery import WrittenNotice
from telegram_bot.storage.models import NoticeStatus
from telegram_bot.storage.statements import Statement


def take_first(
    session: Session, channel: Sender, notices: Sequence[WrittenNotice[Envelope]], holder: str, now: float
) -> list[OutboxItem]:
    """Lease the idle lanes of these notices and mark the notices as being sent, if all limits allow it now.

    If the process dies between the commit and the send, another worker finds notices whose fate is unknown. Therefore
    only notices are taken that it sends again: edits, hands and tables. All others wait in the outbox.
    """
    candidates = [notice for notice in notices if _may_be_taken(notice)]
    messages = _messages_in_slots(session, candidates)
    ready = {
        notice.envelope.lane: (notice, found)
        for notice in candidates
        for found in (messages.get((notice.table_id, notice.slot)),)
        for filled in (slot_messages.editable(found, notice.envelope.mode),)
        if _is_sent_again(notice, filled) and not shows(filled, notice.envelope)
    }
    if not ready:
        return []
    groups = [lane for lane, (notice, _) in ready.items() if channel.is_group(notice.envelope.chat)]
    urgent = [
        lane
        for lane, (notice, found) in ready.items()
        if urgency_of(notice.envelope, is_new=slot_messages.editable(found, notice.envelope.mode) is None)
        is Urgency.NOW
    ]
    numbers = [notice.id for notice, _ in ready.values()]
    leases = lanes.lease_idle(
        session, numbers, groups=groups, urgent=urgent, limits=channel.limits, holder=holder, now=now
    )
    if not leases:
        return []
    if not reserve_at_once(session, channel.name, channel.limits.bot, len(leases), now):
        lanes.undo_leases(session, list(leases), groups=groups, limits=channel.limits, holder=holder)
        return []
    _UNDER_WAY.all(session, {"the_ids": [ready[lane][0].id for lane in leases]})
    return [_item(*ready[lane], lease) for lane, lease in leases.items()]


def _may_be_taken(notice: WrittenNotice[Envelope]) -> bool:
    return priority_of(notice.envelope) is Priority.TURN and notice.envelope.mode is not SendMode.TARGET


def _messages_in_slots(
    session: Session, notices: Sequence[WrittenNotice[Envelope]]
) -> dict[tuple[int | None, str | None], SlotMessage]:
    slots = [
        (notice.table_id, notice.slot)
        for notice in notices
        if notice.envelope.mode in MODES_OF_SLOTS and notice.table_id is not None and notice.slot is not None
    ]
    return dict(slot_messages.find_messages(session, slots)) if slots else {}


def _is_sent_again(notice: WrittenNotice[Envelope], filled: SlotMessage | None) -> bool:
    if notice.envelope.mode is SendMode.EDIT_EXISTING:
        return not is_without_message(notice.envelope, filled)
    return filled is not None or isinstance(notice.envelope.notice, HandNotice | TableNotice)


def _item(notice: WrittenNotice[Envelope], found: SlotMessage | None, lease: lanes.Lease) -> OutboxItem:
    filled = slot_messages.editable(found, notice.envelope.mode)
    return OutboxItem(
        id=notice.id,
        envelope=notice.envelope.model_copy(update={"expires": notice.expires_at}),
        table_id=notice.table_id,
        slot=notice.slot,
        attempts=1,
        target=None if filled is None else filled.ref,
        replaces=found if filled is None else None,
        turn=notice.turn,
        created_at=notice.created_at,
        lane=lease,
        last=notice.last,
    )


_OUTBOX: Final = SQLModel.metadata.tables["outbox"]
_UNDER_WAY: Final = Statement(
    update(_OUTBOX)
    .where(_OUTBOX.c.id.in_(bindparam("the_ids", expanding=True)))
    .values(status=NoticeStatus.SENDING, attempts=_OUTBOX.c.attempts + 1)
)
"""Built once: building a statement takes longer than executing it."""
