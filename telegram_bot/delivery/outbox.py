"""Take the next messages of lanes and store the results of their sends: each function is part of a transaction.

A slot of a table contains one message. Notices for the slot edit the message, or replace it by a new one.
"""

import logging
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from math import inf
from typing import Any, Final

from sqlalchemy import and_, delete, func, insert, null, or_, true, update
from sqlmodel import Session, col, select

from telegram_bot.delivery.limits import Budget, LaneUsage, Queue
from telegram_bot.delivery.message import Message
from telegram_bot.delivery.picking import choose, in_same_slot, is_left_out
from telegram_bot.delivery.reconcile import Reconciler
from telegram_bot.delivery.sender import Sender, SendResult
from telegram_bot.intents.envelope import Envelope
from telegram_bot.intents.slots import OF_A_GAME
from telegram_bot.screens.differences import digest_of
from telegram_bot.screens.envelopes import with_words_open
from telegram_bot.screens.posting import Awaited, Urgency, outbox_columns
from telegram_bot.service.announcing.old_messages import retirement
from telegram_bot.service.round_ends import reveal_settled
from telegram_bot.service.shown_turns import with_clock_as_shown
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.models import (
    OPEN_NOTICES,
    Chat,
    LaneName,
    NoticeStatus,
    OutboxEntry,
    RoundEnd,
    SentMessage,
    UnreadableLane,
)

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Wait:
    """The lane may send nothing for some seconds; `queue` is set if the limit shared by all lanes is the reason."""

    seconds: float
    queue: Queue | None = None
    next_due: float = inf
    """Seconds until another message of the lane is due, which may be more urgent than the one that waits."""


class _Decided(Enum):
    """The decision about a lane's first message, if it is not sent and no limit is the reason."""

    CLOSED = auto()
    """It is not sent; the next one is now the first."""
    NOT_DUE = auto()
    """It is due later; a query for lanes with work will find it."""


SOON_SECONDS = 5.0
"""A lane whose next message is due within this time is read again then; later ones are found by the next looks."""
MOST_READ = 12
"""How many notices of a lane are read at once: the hand of the player to call may overtake the others of a group."""


# Lanes with work


_IS_UNREVEALED: Final = (
    select(col(RoundEnd.deal))
    .where(
        col(RoundEnd.table_id) == OutboxEntry.table_id,
        col(RoundEnd.deal) <= OutboxEntry.after_deal,
        col(RoundEnd.seen_at).is_(None),
    )
    .exists()
)
_WAITS: Final = and_(OPEN_NOTICES, col(OutboxEntry.status) == NoticeStatus.PENDING)
REVEALED_NOTICES: Final = and_(_WAITS, or_(col(OutboxEntry.after_deal).is_(None), ~_IS_UNREVEALED))
"""The condition of notices that wait for no dice. They become eligible when the table's chat has seen these; no code
releases them."""


def lanes_with_notices(session: Session, now: float) -> list[LaneName]:
    """Return the lanes with a notice that is due.

    Rows of a lane whose stored name cannot be read are set aside.
    """
    waiting = select(col(OutboxEntry.lane)).where(REVEALED_NOTICES, col(OutboxEntry.not_before) <= now).distinct()
    found = session.execute(waiting).scalars().all()
    if unreadable := [lane for lane in found if isinstance(lane, UnreadableLane)]:
        log.error("%s lanes cannot be read; their notices are set aside", len(unreadable))
        aside = {"status": NoticeStatus.FAILED, "done_at": now, "error": UnreadableLane.__name__}
        session.execute(update(OutboxEntry).where(OPEN_NOTICES, col(OutboxEntry.lane).in_(unreadable)).values(aside))
    return [lane for lane in found if lane not in unreadable]


def sends_between(session: Session, since: float, now: float) -> list[tuple[LaneName, float, Urgency]]:
    """Return the lane, time and urgency of each send that has ended between these times, the oldest first.

    A later time is one of a clock that was set back: nothing says when it was.
    """
    ended = col(OutboxEntry.status).in_((NoticeStatus.SENT, NoticeStatus.UNKNOWN))
    query = select(col(OutboxEntry.lane), col(OutboxEntry.done_at), col(OutboxEntry.urgency)).where(
        ended, col(OutboxEntry.done_at) > since, col(OutboxEntry.done_at) <= now
    )
    rows = session.exec(query.order_by(col(OutboxEntry.done_at)))
    return [(lane, at, Urgency(urgency)) for lane, at, urgency in rows if at is not None]


def settle_left(
    session: Session, paid: Callable[[str], bool], under_way: Collection[int], now: float
) -> list[OutboxEntry]:
    """Decide about notices that an earlier process was sending: they are sent again, unless that costs money.

    `paid`: whether the messages of a channel do. Return the notices that are not repeated.
    """
    left = select(OutboxEntry).where(OPEN_NOTICES, col(OutboxEntry.status) == NoticeStatus.SENDING)
    given_up = []
    for row in session.execute(left.where(col(OutboxEntry.id).not_in(under_way))).scalars().all():
        row.status = NoticeStatus.PENDING
        if paid(row.lane.channel):
            kind = ((row.notice or {}).get("notice") or {}).get("kind")
            log.info("%s %s was under way, and the process has not said how it ended", kind, row.id)
            row.status, row.done_at, row.notice = NoticeStatus.UNKNOWN, now, None
            given_up.append(row)
    session.flush()
    return given_up


# Taking


@dataclass(frozen=True, slots=True)
class Taking:
    """The transaction that takes the next notices of a channel's lanes."""

    reconciler: Reconciler
    """It has compared the tables of the lanes' readers."""
    channel: Sender
    budget: Budget
    lanes: Mapping[LaneName, LaneUsage]
    elapsed: float
    """The time by the clock of limits."""


def take_next(
    taking: Taking,
    *,
    queues: Collection[tuple[Queue, LaneName]] = (),
) -> dict[LaneName, Message | Wait]:
    """Take the next message of each of these lanes; a `Wait` if a limit requires it.

    A lane without a message to send is missing. A notice that is taken is marked as being sent. `queues` names the
    first lane of each queue for the budget: the others wait without asking.
    """
    found: dict[LaneName, Message | Wait] = {}
    full: set[Queue] = set()
    reconciler, left = taking.reconciler, dict(taking.lanes)
    session = reconciler.uow.session
    while left:
        said = defaultdict[LaneName, list[Message]](list)
        for row, in_slot in _waiting(session, left):
            said[row.lane].append(Message.said(row, in_slot))
        read_again = set()
        for name in left:
            missing = [message for message in reconciler.missing.get(name, ()) if message.is_open]
            messages = _in_order(said[name], missing)
            behind = {queue for queue, first in queues if first != name}
            decided: Message | Wait | _Decided = _Decided.CLOSED
            while messages and decided is _Decided.CLOSED:
                decided = _decide(taking, name, messages, full=full | behind)
                messages = [message for message in messages if message.is_open]
            if decided is _Decided.CLOSED and len(said[name]) >= MOST_READ:
                read_again.add(name)
            elif isinstance(decided, Message):
                found[name] = decided
            elif isinstance(decided, Wait):
                later = (each.not_before - reconciler.uow.now for each in messages)
                due = min((seconds for seconds in later if seconds > 0), default=inf)
                found[name] = replace(decided, next_due=due)
                if decided.queue is not None:
                    full.add(decided.queue)
        left = {name: left[name] for name in read_again}
        if left:
            session.flush()  # else the notices closed above would be read as open again
    if taken := [each.row.id for each in found.values() if isinstance(each, Message) and each.row is not None]:
        mark = update(OutboxEntry).where(col(OutboxEntry.id).in_(taken)).values(status=NoticeStatus.SENDING)
        session.execute(mark)
    return found


def _in_order(said: Sequence[Message], missing: Sequence[Message]) -> list[Message]:
    """Return the messages of a lane in the order of their changes; surfaces before what a step says."""
    merged = list(said)
    for each in reversed(missing):
        since = each.created_at
        later = (
            n for n, other in enumerate(merged) if other.surface or max(other.created_at, other.not_before) >= since
        )
        merged.insert(next(later, len(merged)), each)
    return merged


def _waiting(session: Session, lanes: Collection[LaneName]) -> list[tuple[OutboxEntry, SentMessage | None]]:
    """Return the first notices of each lane, each with the message in its slot, if there is one."""
    places = (
        select(
            OutboxEntry.id,
            func.row_number()
            .over(
                partition_by=col(OutboxEntry.lane),
                order_by=(col(OutboxEntry.urgency) == Urgency.IDLE, col(OutboxEntry.id)),
            )
            .label("place"),
        )
        .where(REVEALED_NOTICES, col(OutboxEntry.lane).in_(lanes))
        .subquery()
    )
    slot = and_(col(SentMessage.table_id) == OutboxEntry.table_id, col(SentMessage.slot) == OutboxEntry.slot)
    waiting = (
        select(OutboxEntry, SentMessage)
        .outerjoin(SentMessage, slot)
        .where(col(OutboxEntry.id).in_(select(places.c.id).where(places.c.place <= MOST_READ)))
        .order_by(col(OutboxEntry.id))
    )
    return list(session.exec(waiting, execution_options={"populate_existing": True}))


def _decide(
    taking: Taking, name: LaneName, messages: list[Message], *, full: Collection[Queue]
) -> Message | Wait | _Decided:
    """Decide about the next message of a lane."""
    uow, elapsed, lane = taking.reconciler.uow, taking.elapsed, taking.lanes[name]
    now = uow.now
    limits, group = taking.channel.limits, taking.channel.is_group(name.chat)
    message = choose(messages, now, group=group)
    is_surface = message.surface is not None
    if is_surface and message.awaited is Awaited.CALL and limits.is_tight(lane, elapsed, group=group):
        return _close(uow, message, NoticeStatus.SUPERSEDED)
    if message.expires_at is not None and message.expires_at <= now:
        return _close(uow, message, NoticeStatus.SUPERSEDED)
    if message.not_before > now:
        wait = message.not_before - now
        return Wait(wait) if wait <= SOON_SECONDS else _Decided.NOT_DUE
    if not is_surface:
        scarce = limits.is_scarce(lane, elapsed, group=group)
        if is_left_out(message, messages, group=group, scarce=scarce):
            return _close(uow, message, NoticeStatus.SUPERSEDED)
        if (settled := _place(message)) is not None:
            return _close(uow, message, settled, "unreadable" if settled is NoticeStatus.FAILED else None)
    message.is_counted = group or message.urgency is not Urgency.IDLE
    wait = limits.throttle(lane, elapsed, group=group, urgency=message.urgency)
    if wait > 0:
        return Wait(wait)
    # The order within the lane stays, so the notices before a turn queue where it does. Strangers who ask for much
    # delay no message that shows a game.
    of_game = any((each.surface or each.urgency < Urgency.TOLD) and each.not_before <= now for each in messages)
    queue = Queue.GAME if of_game else Queue.REST
    if queue in full:
        return Wait(0, queue)
    wait = taking.budget.take(limits, queue, elapsed)
    if wait > 0:
        return Wait(wait, queue)
    if message.is_counted:
        limits.spend(lane, elapsed, group=group, urgency=message.urgency)
    shown = with_clock_as_shown(uow, message.envelope)
    opening = [each for each in messages if each.urgency == Urgency.IDLE and in_same_slot(each, message)]
    if is_surface and limits.is_tight(lane, elapsed, group=group):  # there is hardly time to open the words
        for each in opening:
            _close(uow, each, NoticeStatus.SUPERSEDED)
        opening = []
    if not opening:
        shown = with_words_open(shown)
    if not is_surface and shown is not message.envelope:
        message.digest = digest_of(shown)
    message.envelope = shown.model_copy(update={"expires": message.expires_at})
    return message


def _place(message: Message) -> NoticeStatus | None:
    """Find the message that a notice edits or replaces; return its status if there is nothing to send."""
    try:
        envelope, in_slot = message.envelope, message.edited
    except Exception as error:  # noqa: BLE001 - no row, whatever is wrong with it, may hold up its lane
        log.error("notice %s of lane %s cannot be read: %s", message.name, message.lane, type(error).__name__)  # noqa: TRY400 - what it quotes may be secret
        return NoticeStatus.FAILED
    is_edit = in_slot is not None and (
        envelope.edit_only or (envelope.key is not None and tuple(in_slot.key) >= envelope.key)
    )
    message.edited = in_slot if is_edit else None
    message.replaces = None if is_edit or envelope.key is None else in_slot
    if message.edited is not None and message.edited.digest == message.digest:
        return NoticeStatus.SENT
    here = None if message.edited is None else (message.edited.chat, message.edited.receiver)
    is_nowhere = envelope.edit_only and here != (envelope.chat, envelope.receiver)
    return NoticeStatus.SENT if is_nowhere else None


def _close(uow: UnitOfWork, message: Message, status: NoticeStatus, error: str | None = None) -> _Decided:
    """Close a message that is not being sent. Its text, which may contain dice, is deleted."""
    message.is_open = False
    if message.row is not None:
        message.row.status, message.row.done_at, message.row.error, message.row.notice = status, uow.now, error, None
    reveal_settled(uow, message)
    return _Decided.CLOSED


# Storing results


def mark_sent(uow: UnitOfWork, sent: Sequence[tuple[Message, SendResult]]) -> None:
    """Store that messages were sent and where, and remove the keyboards of messages that they replace."""
    if not sent:
        return
    session, now = uow.session, uow.now
    settled = settle(uow, [message for message, _ in sent], NoticeStatus.SENT)
    tables, slots = {each.table_id for each in settled}, {each.slot for each in settled}
    in_slots = select(SentMessage).where(col(SentMessage.table_id).in_(tables), col(SentMessage.slot).in_(slots))
    known = {(row.table_id, row.slot): row for row in session.exec(in_slots)}
    for message, result in ((message, result) for message, result in sent if message in settled):
        envelope = message.envelope
        if envelope.receiver is None and not message.is_edit:
            _mark_followed(session, envelope.chat)
        if envelope.target is not None:  # its buttons have changed
            here = col(SentMessage.chat) == envelope.chat, col(SentMessage.message) == envelope.target.message
            session.execute(update(SentMessage).where(*here).values(digest=None))
        elif message.table_id is not None and message.slot is not None:
            if message.edited is None and message.replaces is not None:
                retire(session, message.replaces, envelope, now)
            if result.message is None and message.surface is None:
                if envelope.notice.deletes:
                    session.execute(delete(SentMessage).where(*_in_slot(message.table_id, message.slot)))
                continue
            if message.edited is None:
                row = SentMessage(table_id=message.table_id, slot=message.slot, chat=envelope.chat, message=0)
                row.message, row.receiver, row.key = result.message or 0, envelope.receiver, list(envelope.key or ())
                shown = session.merge(row)
            elif (found := known.get((message.table_id, message.slot))) is not None:
                shown = found
            else:
                continue
            shown.keyboard, shown.picture, shown.digest = result.keyboard, result.picture, message.digest
            if message.surface is not None:  # a notice that decorates a surface leaves its key
                message.surface.note_shown(shown, now)
                if message.surface.of is not None:
                    uow.tables.sent(message.lane, message.table_id, message.slot, message.surface.of)


def _mark_followed(session: Session, chat: int) -> None:
    """Store that a message is below the messages of rounds in a chat."""
    followed = update(SentMessage).where(col(SentMessage.chat) == chat, OF_A_GAME, ~col(SentMessage.followed))
    session.execute(followed.values(followed=true()))


def retry(uow: UnitOfWork, message: Message, error: str | None = None) -> None:
    """Put the message back into its place in the lane: it was certainly not sent."""
    settle(uow, [message], NoticeStatus.PENDING, error)


def forget_target(uow: UnitOfWork, message: Message) -> None:
    """Forget the slot's message, which no longer exists; a notice that may be a new message is sent as one."""
    if message.slot is not None and message.table_id is not None:
        here = _in_slot(message.table_id, message.slot)
        uow.session.execute(delete(SentMessage).where(*here))
    if message.envelope.target is not None:
        settle(uow, [message], NoticeStatus.SENT)
    else:
        retry(uow, message)


def settle(
    uow: UnitOfWork, messages: Sequence[Message], status: NoticeStatus, error: str | None = None
) -> Collection[Message]:
    """Store the result of a try; return the messages that no step has closed meanwhile.

    A surface gets a row when it is shown or given up: until then it is compared again. Where a chat has moved, all is
    shown anew at the new address.
    """
    if not messages:
        return ()
    session, again = uow.session, status is NoticeStatus.PENDING
    session.flush()
    shared = [each.lane.chat for each in messages if each.is_shared_surface]
    chats = set(session.exec(select(Chat.address).where(col(Chat.address).in_(shared)))) if shared else ()
    settled = {
        each for each in messages if each.row is None and (not each.is_shared_surface or each.lane.chat in chats)
    }
    if said := {each.row.id: each for each in messages if each.row is not None}:
        result = {"status": status, "error": error, "done_at": None if again else uow.now}
        sending = update(OutboxEntry).where(
            col(OutboxEntry.id).in_(said), col(OutboxEntry.status) == NoticeStatus.SENDING
        )
        # The text of a sent notice, which may contain dice, is deleted.
        sending = sending.values(result if again else result | {"notice": null()})
        settled |= {said[row] for row in session.execute(sending.returning(col(OutboxEntry.id))).scalars()}
    if again:
        return settled
    shown = list[dict[str, Any]]()
    for each in messages:
        if each in settled:
            reveal_settled(uow, each)
        if each.row is None:
            columns = {"lane": each.lane, "table_id": each.table_id, "slot": each.slot, "urgency": each.urgency}
            times = {"created_at": each.created_at, "done_at": uow.now}
            shown.append(columns | times | {"status": status, "error": error})
    if shown:
        session.execute(insert(OutboxEntry), shown)
    return settled


def retire(session: Session, old: SentMessage, envelope: Envelope, now: float) -> None:
    """Mark the message that this notice replaces as outdated."""
    strip = retirement(envelope, old)
    if strip is not None:
        session.add(OutboxEntry(**outbox_columns(strip, now)))


def _in_slot(table: Any, slot: Any) -> tuple[Any, Any]:
    """Return the condition for the message in a slot."""
    return col(SentMessage.table_id) == table, col(SentMessage.slot) == slot
