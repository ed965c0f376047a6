"""The outbox's rows: which lane has work, what is next in it, what became of it. One transaction each."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from hashlib import sha256

from sqlalchemy import ColumnElement, and_, or_, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlmodel import Session, col, select

from telegram_bot.delivery.channel import Sent, Target
from telegram_bot.delivery.limits import Limit, penalise, reserve
from telegram_bot.service.notices import Envelope, HandNotice, KeyboardNotice, Mode, StripNotice, TableNotice
from telegram_bot.storage.rows import Lane, Outbox, Sending, SentMessage

log = logging.getLogger(__name__)

LEASE_SECONDS = 30.0
"""How long a worker may hold a lane without a sign of life; longer than any send takes."""


@dataclass(frozen=True, slots=True)
class Item:
    """One notice to send now, and the message it edits if there is one."""

    id: int
    envelope: Envelope
    table_id: int | None
    slot: str | None
    attempts: int
    target: Target | None


@dataclass(frozen=True, slots=True)
class Wait:
    """Nothing may be sent on this lane for some seconds."""

    seconds: float


def lanes_with_work(session: Session, now: float) -> list[str]:
    """Lanes that nobody drains and that hold something to send, or what a dead worker was sending."""
    left = col(Outbox.status) == Sending.SENDING
    query = (
        select(Outbox.lane)
        .where(or_(left, and_(_open(), col(Outbox.not_before) <= now)))
        .where(
            ~col(Outbox.lane).in_(
                select(Lane.name).where(or_(col(Lane.leased_until) > now, col(Lane.paused_until) > now))
            )
        )
        .distinct()
    )
    return list(session.exec(query))


def lease(session: Session, lane: str, holder: str, now: float) -> bool:
    """Take the lane for a while, or extend the own lease; False when another worker holds it or it rests."""
    insert = sqlite.insert if session.get_bind().dialect.name == "sqlite" else postgresql.insert
    session.execute(insert(Lane).values(name=lane, leased_until=0, paused_until=0).on_conflict_do_nothing())
    taken = session.execute(
        update(Lane)
        .where(
            col(Lane.name) == lane,
            or_(col(Lane.holder) == holder, col(Lane.leased_until) <= now),
            col(Lane.paused_until) <= now,
        )
        .values(holder=holder, leased_until=now + LEASE_SECONDS)
        .returning(col(Lane.name))
    ).scalar_one_or_none()
    return taken is not None


def release(session: Session, lane: str, holder: str) -> None:
    """Give the lane back."""
    session.execute(
        update(Lane).where(col(Lane.name) == lane, col(Lane.holder) == holder).values(holder=None, leased_until=0)
    )


def release_all(session: Session) -> None:
    """End every lease: for a database that only one process may use, those of its earlier life are void."""
    session.execute(update(Lane).values(holder=None, leased_until=0))


def settle_unknown(session: Session, lane: str, now: float) -> None:
    """Decide about sends that a dead worker left under way: edits go again, and what nobody can play on without."""
    for row in session.exec(select(Outbox).where(Outbox.lane == lane, Outbox.status == Sending.SENDING)):
        envelope = _read(row, now)
        if envelope is None:
            continue
        is_edit = envelope.mode is Mode.TARGET or (envelope.mode is Mode.EDIT and _slot(session, row) is not None)
        if is_edit or isinstance(envelope.notice, HandNotice | TableNotice):
            row.status = Sending.PENDING
        else:
            _close(row, Sending.UNKNOWN, now)


def take_next(session: Session, lane: str, limits: list[Limit], now: float) -> Item | Wait | None:
    """The lane's next notice, marked as under way; a pause if a limit asks for one; None when all is sent."""
    while True:
        query = select(Outbox).where(Outbox.lane == lane, _open()).order_by(col(Outbox.id)).limit(1)
        row = session.exec(query).one_or_none()
        if row is None:
            return None
        if row.expires_at is not None and row.expires_at <= now:
            _close(row, Sending.SUPERSEDED, now)
            session.flush()
            continue
        if row.not_before > now:
            return Wait(row.not_before - now)
        envelope = _read(row, now)
        if envelope is None:
            session.flush()
            continue
        if envelope.mode is Mode.EDIT and _shows(_slot(session, row), envelope):
            _close(row, Sending.SENT, now)
            session.flush()
            continue
        wait = reserve(session, limits, now)
        if wait > 0:
            return Wait(wait)
        row.status = Sending.SENDING
        row.attempts += 1
        return Item(row.id or 0, envelope, row.table_id, row.slot, row.attempts, _target(session, row, envelope))


def done(session: Session, item: Item, sent: Sent, now: float) -> None:
    """The notice stands; remember its message, and take the keyboard off the one it replaces."""
    row = session.get_one(Outbox, item.id)
    if item.slot is not None and item.table_id is not None:
        old = session.get(SentMessage, (item.table_id, item.slot))
        new_message = item.target is None
        if old is not None and new_message and old.keyboard and item.envelope.mode is Mode.REPLACE:
            strip = item.envelope.model_copy(
                update={
                    "mode": Mode.TARGET,
                    "notice": StripNotice(message=old.message),
                    "chat": old.chat,
                    "receiver": old.receiver,
                }
            )
            session.add(
                Outbox(lane=strip.lane, table_id=item.table_id, notice=strip.model_dump(mode="json"), created_at=now)
            )
        if sent.message is not None and new_message:
            session.merge(
                SentMessage(
                    table_id=item.table_id,
                    slot=item.slot,
                    chat=item.envelope.chat,
                    message=sent.message,
                    receiver=item.envelope.receiver,
                    keyboard=sent.keyboard,
                    digest=_digest(item.envelope),
                )
            )
        elif old is not None and not new_message:
            old.keyboard = sent.keyboard
            old.digest = _digest(item.envelope)
    if isinstance(item.envelope.notice, KeyboardNotice | StripNotice):
        _forget_digest(session, item.envelope.chat, item.envelope.notice.message)
    _close(row, Sending.SENT, now)


def _digest(envelope: Envelope) -> str:
    """Tells two notices with the same words in the same language apart from others."""
    return sha256(f"{envelope.language} {envelope.notice.model_dump_json()}".encode()).hexdigest()


def _shows(sent: SentMessage | None, envelope: Envelope) -> bool:
    return sent is not None and sent.digest == _digest(envelope)


def _forget_digest(session: Session, chat: int, message: int) -> None:
    """The message's buttons were changed by themselves: what it shows is not its last notice any more."""
    session.exec(
        update(SentMessage)
        .where(col(SentMessage.chat) == chat, col(SentMessage.message) == message)
        .values(digest=None)
    )


def again(session: Session, item: Item, now: float, *, after: float = 0, error: str | None = None) -> None:
    """Put the notice back at its place in the lane, to be tried after some seconds."""
    row = session.get_one(Outbox, item.id)
    row.status = Sending.PENDING
    row.not_before = now + after
    row.error = error


def forget_target(session: Session, item: Item, now: float) -> None:
    """The message of the slot is gone: the notice goes out as a new one, if it is more than an edit."""
    if item.slot is not None and item.table_id is not None:
        old = session.get(SentMessage, (item.table_id, item.slot))
        if old is not None:
            session.delete(old)
    if item.envelope.mode is Mode.TARGET:
        give_up(session, item, now, Sending.SENT, None)
    else:
        again(session, item, now)


def give_up(session: Session, item: Item, now: float, status: Sending, error: str | None) -> None:
    """Close a notice that was not, or perhaps not, delivered."""
    row = session.get_one(Outbox, item.id)
    row.error = error
    _close(row, status, now)


def pause(session: Session, item: Item, seconds: float, now: float) -> None:
    """Rest this lane alone for as long as the channel asks; the notice keeps its place."""
    again(session, item, now)
    session.execute(update(Lane).where(col(Lane.name) == item.envelope.lane).values(paused_until=now + seconds))
    penalise(session, item.envelope.lane, now + seconds)


def _open() -> ColumnElement[bool]:
    return col(Outbox.status) == Sending.PENDING


def _read(row: Outbox, now: float) -> Envelope | None:
    """What the row says; None, and the row is closed, where this version cannot read what another wrote."""
    try:
        return Envelope.model_validate(row.notice)
    except Exception as error:  # noqa: BLE001 - no row, whatever is wrong with it, may hold up its lane
        log.error("notice %s of lane %s cannot be read: %s", row.id, row.lane, type(error).__name__)  # noqa: TRY400 - what it quotes may be secret
        row.error = "unreadable"
        _close(row, Sending.FAILED, now)
        return None


def _slot(session: Session, row: Outbox) -> SentMessage | None:
    if row.slot is None or row.table_id is None:
        return None
    return session.get(SentMessage, (row.table_id, row.slot))


def _target(session: Session, row: Outbox, envelope: Envelope) -> Target | None:
    if envelope.mode is not Mode.EDIT:
        return None
    sent = _slot(session, row)
    return None if sent is None else Target(sent.message, sent.receiver)


def _close(row: Outbox, status: Sending, now: float) -> None:
    row.status = status
    row.done_at = now
    # What a notice said, dice included, is not kept once it has been said.
    row.notice = None
