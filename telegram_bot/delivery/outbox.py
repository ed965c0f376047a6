"""Take the next notice of a lane and store the result of its send. Each function is part of a transaction."""

from __future__ import annotations

import logging
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

from sqlalchemy import Row, bindparam, null, select, tuple_, update
from sqlmodel import Session, SQLModel

from telegram_bot.delivery import lanes, replaced_messages, slot_messages
from telegram_bot.delivery.lanes import Lease
from telegram_bot.delivery.limits import Limits, Priority, reserve
from telegram_bot.delivery.sender import SendResult
from telegram_bot.delivery.slot_messages import SlotMessage
from telegram_bot.delivery.urgency import first_to_send, replaced_by, urgency_of
from telegram_bot.service.handlers.clock import with_later_clock
from telegram_bot.service.notices import (
    BidsNotice,
    CallNotice,
    Envelope,
    GameOverNotice,
    HandNotice,
    MessageRef,
    ReactionNotice,
    RecordNotice,
    ReminderNotice,
    ResumedNotice,
    RevealNotice,
    SendMode,
    SpokenNotice,
    StoryNotice,
    TableNotice,
)
from telegram_bot.storage.models import OPEN_NOTICES, NoticeStatus
from telegram_bot.storage.statements import Statement

log = logging.getLogger(__name__)

PLAY = (TableNotice, HandNotice, CallNotice, RevealNotice, GameOverNotice, ReminderNotice, BidsNotice, ResumedNotice)
"""Notices that players wait for. They are sent before others when the bot's budget is scarce."""


@dataclass(frozen=True, slots=True)
class OutboxItem:
    """One notice to send now, and the message that it edits, if there is one.

    `attempts` also distinguishes this try from a later try by another worker.
    """

    id: int
    envelope: Envelope
    table_id: int | None
    slot: str | None
    attempts: int
    target: MessageRef | None
    replaces: SlotMessage | None
    """The message in the slot that a new one takes the place of."""
    turn: int | None
    created_at: float
    lane: Lease
    """The lane as it was when the notice was taken."""
    last: bool
    """Whether nothing else waited in the lane when the notice was taken."""

    @property
    def is_edit(self) -> bool:
        """Whether it changes an existing message: to repeat it does no harm."""
        return self.target is not None or self.envelope.mode is SendMode.TARGET


@dataclass(frozen=True, slots=True)
class Wait:
    """The lane may send nothing for some seconds; `budget` is set if the limit shared by all lanes is the reason."""

    seconds: float
    budget: Priority | None = None


MODES_OF_SLOTS = (SendMode.EDIT, SendMode.EDIT_EXISTING, SendMode.REPLACE, SendMode.NEWEST)
"""The modes whose effect depends on the message that fills the slot."""


UNDECIDED = (NoticeStatus.SENDING, NoticeStatus.UNKNOWN, NoticeStatus.PENDING)
"""The statuses that a notice can have while a worker awaits the result of its send: another worker may change it."""


MOST_OVERTAKEN = 11
"""How many waiting notices of a group the hand of the player on turn may overtake."""

SOON_SECONDS = 5.0
"""A worker keeps a lane whose next notice is due within this time, and gives back one whose notice is due later."""


def priority_of(envelope: Envelope) -> Priority:
    """The priority of a notice: answers to taps, and notices that players wait for, come first."""
    urgent = envelope.reply_handle is not None or isinstance(envelope.notice, PLAY)
    return Priority.TURN if urgent else Priority.REST


def _is_left_out(envelope: Envelope, filled: SlotMessage | None, *, group: bool, hurry: bool) -> bool:
    """Whether the notice is a reaction to nothing, or one that would delay something that somebody waits for.

    In a private chat nothing is left out that is read aloud: its reader may see nothing else.
    """
    match envelope.notice:
        case ReactionNotice():
            return filled is None or hurry
        case SpokenNotice():
            return group and hurry
        case _:
            return False


def _settle(session: Session, row: Row[Any], now: float) -> bool:
    """Decide about a notice that was left in mid-send, or is of no use any more; whether it was one."""
    if row.status == NoticeStatus.SENDING:
        _settle_unknown(session, row, now)
    elif row.expires_at is not None and row.expires_at <= now:
        _close(session, row.id, NoticeStatus.SUPERSEDED, now)
    else:
        return False
    return True


def _settle_unknown(session: Session, row: Row[Any], now: float) -> None:
    """Decide about a notice that a dead worker was sending: repeat edits, hands, tables, reveals and files alone.

    Without its hand or table a game would stop with nobody informed, for a reveal in the table's chat everybody waits,
    and somebody asked for the file. Nobody knows whether the dead worker's send succeeded, so they are sent again, and
    may be seen twice.
    """
    envelope = _read(session, row, now)
    if envelope is None:
        return
    found = slot_messages.find_message(session, row.table_id, row.slot) if envelope.mode in MODES_OF_SLOTS else None
    filled = slot_messages.editable(found, envelope.mode)
    is_edit = envelope.mode in (SendMode.TARGET, SendMode.EDIT_EXISTING) or filled is not None
    if not is_edit:
        log.info("%s %s was under way when its worker died", envelope.notice.kind, row.id)
    in_chat = row.slot is not None and isinstance(envelope.notice, RevealNotice)
    if is_edit or in_chat or isinstance(envelope.notice, HandNotice | TableNotice | RecordNotice | StoryNotice):
        session.execute(_LEFT_AGAIN, {"the_id": row.id})
    else:
        replaced_messages.abandon(session, row.table_id, row.slot, envelope, now)
        session.execute(_LEFT_UNKNOWN, {"the_id": row.id, "becomes": NoticeStatus.UNKNOWN, "at": now, "why": None})


def is_empty(session: Session, lane: str) -> bool:
    """Whether nothing waits in a lane."""
    return session.execute(_ANY, {"the_lane": lane}).one_or_none() is None


def take_next(
    session: Session, lane: Lease, limits: Limits, now: float, *, group: bool, full: Collection[Priority] = ()
) -> OutboxItem | Wait | None:
    """The next notice of a leased lane, marked as being sent; a `Wait` if a limit requires it; None if all is sent.

    A notice that is already marked as being sent was left by a dead worker, because this worker holds the lane. `full`
    names the priorities for whose budget other lanes already queue: this lane waits without asking.
    """
    session.flush()
    while True:
        rows, others = _first_rows(session, lane, now, group=group)
        if not rows:
            return None
        row = rows[-1]
        if _settle(session, row, now):
            continue
        if row.not_before > now:
            wait = row.not_before - now
            # Whoever settles the notice that this one waits for wakes the lane, perhaps long before.
            return Wait(wait) if wait <= SOON_SECONDS and row.waits_for is None else None
        envelope = _read(session, row, now)
        if envelope is None:
            continue
        found = slot_messages.find_message(session, row.table_id, row.slot) if envelope.mode in MODES_OF_SLOTS else None
        filled = slot_messages.editable(found, envelope.mode)
        turn_waits = any(other.turn is not None for other in others)
        hurry = turn_waits or limits.is_scarce(lane, now, group=group)
        if _is_left_out(envelope, filled, group=group, hurry=hurry):
            _close(session, row.id, NoticeStatus.SUPERSEDED, now)
            continue
        if shows(filled, envelope) or is_without_message(envelope, filled):
            _close(session, row.id, NoticeStatus.SENT, now)
            continue
        urgency = urgency_of(envelope, is_new=filled is None)
        wait = limits.lane_wait(lane, now, group=group, urgency=urgency)
        if wait > 0:
            return Wait(wait)
        priority = priority_of(envelope)
        if priority in full:
            return Wait(0, priority)
        wait = reserve(session, envelope.channel, limits.bot, priority, now)
        if wait > 0:
            return Wait(wait, priority)
        limits.spend_lane(lane, now, group=group, urgency=urgency)
        lanes.save_limits(session, lane)
        session.execute(_UNDER_WAY, {"the_id": row.id})
        _close_needless(session, rows, now)
        if row.turn is not None:
            envelope = with_later_clock(envelope, now - row.created_at)
        return OutboxItem(
            row.id,
            envelope.model_copy(update={"expires": row.expires_at}),
            row.table_id,
            row.slot,
            row.attempts + 1,
            envelope.target if filled is None else filled.ref,
            found if filled is None else None,
            row.turn,
            row.created_at,
            lane,
            last=not others,
        )


def _first_rows(
    session: Session, lane: Lease, now: float, *, group: bool
) -> tuple[Sequence[Row[Any]], Sequence[Row[Any]]]:
    """The notice that is sent first, as the last of the rows that it overtakes; and what waits besides."""
    rows = session.execute(_FIRST_FEW if group else _FIRST_TWO, {"the_lane": lane.name}).all()
    if not rows:
        return [], []
    first = first_to_send(rows, now) if group else 0
    return rows[: first + 1], [*rows[:first], *rows[first + 1 :]]


def _close_needless(session: Session, rows: Sequence[Row[Any]], now: float) -> None:
    """Close what the last row makes needless."""
    for needless in replaced_by(rows):
        _close(session, needless.id, NoticeStatus.SUPERSEDED, now)


def _settled(
    session: Session, item: OutboxItem, status: NoticeStatus, now: float | None, error: str | None = None
) -> bool:
    """Store the result of a try; False if another worker has tried since, after this worker was frozen."""
    mark = _AGAIN if status is NoticeStatus.PENDING else _CLOSE
    values = {"the_id": item.id, "tries": item.attempts, "becomes": status, "at": now, "why": error}
    if session.execute(mark, values).one_or_none() is None:
        _log_taken_over(item)
        return False
    return True


def _log_taken_over(item: OutboxItem) -> None:
    log.warning("notice %s was taken over by another worker", item.id)


def mark_sent(session: Session, item: OutboxItem, sent: SendResult, now: float) -> None:
    """Mark the notice as sent, store its message, and remove the keyboard of the message that it replaces."""
    if _settled(session, item, NoticeStatus.SENT, now):
        _store_messages(session, item, sent, now)


def mark_all_sent(session: Session, marks: Sequence[tuple[OutboxItem, SendResult, float]]) -> None:
    """The same for several notices: each with its result and the time of its result."""
    tries = [(item.id, item.attempts) for item, _, _ in marks]
    values = {"tries": tries, "becomes": NoticeStatus.SENT, "at": max(at for _, _, at in marks), "why": None}
    closed = {notice for (notice,) in _CLOSE_ALL.all(session, values)}
    for item, sent, at in marks:
        if item.id in closed:
            _store_messages(session, item, sent, at)
        else:
            _log_taken_over(item)


def _store_messages(session: Session, item: OutboxItem, sent: SendResult, now: float) -> None:
    _fill(session, item, sent, now)
    if item.envelope.target is not None:
        slot_messages.buttons_changed(session, item.envelope.chat, item.envelope.target.message)


def _fill(session: Session, item: OutboxItem, sent: SendResult, now: float) -> None:
    table, slot, envelope = item.table_id, item.slot, item.envelope
    if isinstance(envelope.notice, ReactionNotice):
        return
    is_message = sent.message is not None or isinstance(envelope.notice, SpokenNotice)  # which follows when it is said
    if is_message and not item.is_edit and replaced_messages.follows_a_round(envelope):
        slot_messages.mark_followed(session, envelope.chat)
    if table is None or slot is None or envelope.target is not None:
        return
    if item.target is not None:
        slot_messages.mark_edited(
            session, table, slot, keyboard=sent.keyboard, picture=sent.picture, digest=_digest(envelope)
        )
        return
    if item.replaces is not None:
        replaced_messages.retire(session, table, item.replaces, envelope, now)
    if sent.message is not None:
        digest = _digest(envelope)
        new = SlotMessage(envelope.chat, sent.message, envelope.receiver, sent.keyboard, digest, sent.picture)
        slot_messages.store_message(session, table, slot, new)


def _digest(envelope: Envelope) -> str:
    """A hash that is equal for notices with the same text in the same language and dice style."""
    shown = f"{envelope.language} {envelope.dice_style} {envelope.notice.model_dump_json()}"
    return sha256(shown.encode()).hexdigest()


def shows(sent: SlotMessage | None, envelope: Envelope) -> bool:
    """Whether a message shows a notice already."""
    return sent is not None and sent.digest == _digest(envelope)


def is_without_message(envelope: Envelope, filled: SlotMessage | None) -> bool:
    """Whether a notice may only edit its slot's message, and there is none in the chat that the notice is for."""
    if envelope.mode is not SendMode.EDIT_EXISTING:
        return False
    return filled is None or (filled.chat, filled.receiver) != (envelope.chat, envelope.receiver)


def retry(session: Session, item: OutboxItem, error: str | None = None) -> None:
    """Put the notice back into its place in the lane."""
    _settled(session, item, NoticeStatus.PENDING, None, error)


def forget_target(session: Session, item: OutboxItem, now: float) -> None:
    """Forget the slot's message, which no longer exists; a notice that may be a new message is sent as one."""
    if item.slot is not None and item.table_id is not None:
        slot_messages.delete_message(session, item.table_id, item.slot)
    if item.envelope.mode is SendMode.TARGET:
        give_up(session, item, now, NoticeStatus.SENT, None)
    else:
        retry(session, item)


def give_up(session: Session, item: OutboxItem, now: float, status: NoticeStatus, error: str | None) -> None:
    """Close a notice that was not delivered, or may not have been."""
    if _settled(session, item, status, now, error) and item.target is None:
        replaced_messages.abandon(session, item.table_id, item.slot, item.envelope, now)


def _read(session: Session, row: Row[Any], now: float) -> Envelope | None:
    """The row's notice. If this version cannot read what another version wrote: None, and the row is closed."""
    try:
        return Envelope.model_validate(row.notice)
    except Exception as error:  # noqa: BLE001 - no row, whatever is wrong with it, may hold up its lane
        log.error("notice %s of lane %s cannot be read: %s", row.id, row.lane, type(error).__name__)  # noqa: TRY400 - what it quotes may be secret
        _close(session, row.id, NoticeStatus.FAILED, now, "unreadable")
        return None


def _close(session: Session, notice: int, status: NoticeStatus, now: float, error: str | None = None) -> None:
    """Close a notice that is not being sent."""
    session.execute(_DROP, {"the_id": notice, "becomes": status, "at": now, "why": error})


# Built once: building a statement takes longer than executing it.
_OUTBOX: Final = SQLModel.metadata.tables["outbox"]
_OPEN: Final = select(_OUTBOX).where(OPEN_NOTICES, _OUTBOX.c.lane == bindparam("the_lane"))
_FIRST_TWO: Final = _OPEN.order_by(_OUTBOX.c.id).limit(2)
_FIRST_FEW: Final = _OPEN.order_by(_OUTBOX.c.id).limit(MOST_OVERTAKEN + 1)
_ANY: Final = _OPEN.with_only_columns(_OUTBOX.c.id).limit(1)
_ONE: Final = update(_OUTBOX).where(_OUTBOX.c.id == bindparam("the_id"))
_UNDER_WAY: Final = _ONE.values(status=NoticeStatus.SENDING, attempts=_OUTBOX.c.attempts + 1)
_STATE: Final[dict[str, Any]] = {"status": bindparam("becomes"), "error": bindparam("why")}
# The text of a sent notice, which may contain dice, is not kept.
_DROP: Final = _ONE.values(**_STATE, done_at=bindparam("at"), notice=null())
# The condition: its worker may still be alive and mark the notice at this moment.
_STILL_UNDER_WAY: Final = _OUTBOX.c.status == NoticeStatus.SENDING
_LEFT_AGAIN: Final = _ONE.where(_STILL_UNDER_WAY).values(status=NoticeStatus.PENDING)
_LEFT_UNKNOWN: Final = _DROP.where(_STILL_UNDER_WAY)
_LAST_TRY: Final = (_OUTBOX.c.attempts == bindparam("tries"), _OUTBOX.c.status.in_(UNDECIDED))
_CLOSE_ALL: Final = Statement(
    update(_OUTBOX)
    .where(
        tuple_(_OUTBOX.c.id, _OUTBOX.c.attempts).in_(bindparam("tries", expanding=True)),
        _OUTBOX.c.status.in_(UNDECIDED),
    )
    .values(**_STATE, done_at=bindparam("at"), notice=null())
    .returning(_OUTBOX.c.id)
)
_CLOSE: Final = _DROP.where(*_LAST_TRY).returning(_OUTBOX.c.id)
_AGAIN: Final = _ONE.where(*_LAST_TRY).values(**_STATE, done_at=bindparam("at")).returning(_OUTBOX.c.id)
