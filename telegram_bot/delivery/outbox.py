"""Take the next notices of lanes and store the results of their sends: each function is part of a transaction.

A slot of a table contains one message. Notices for the slot edit the message, or replace it by a new one.
"""

import logging
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import Any, Final

from sqlalchemy import (
    JSON,
    CompoundSelect,
    Float,
    and_,
    bindparam,
    delete,
    func,
    insert,
    null,
    or_,
    select,
    true,
    union,
    update,
)
from sqlmodel import Session, col

from telegram_bot.delivery.limits import Budget, LaneUsage, Priority
from telegram_bot.delivery.picking import choose, in_same_slot, is_left_out
from telegram_bot.delivery.reconcile import SOON_SECONDS, Reconciler, Try
from telegram_bot.delivery.sender import Sender, SendResult
from telegram_bot.service import readers
from telegram_bot.service.envelope import Envelope, MessageRef
from telegram_bot.service.posting import Awaited, Urgency, outbox_columns, ref_of, retirement
from telegram_bot.service.presentation import with_words_open
from telegram_bot.service.round_ends import reveal_settled
from telegram_bot.service.shown_turns import with_clock_as_shown
from telegram_bot.service.slots import OF_A_GAME
from telegram_bot.service.surfaces.differences import digest_of
from telegram_bot.storage.database import insert_into
from telegram_bot.storage.models import (
    OPEN_NOTICES,
    LaneName,
    NoticeStatus,
    OutboxEntry,
    Reader,
    RoundEnd,
    SentMessage,
    UnreadableLane,
)

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class OutboxItem:
    """One notice to send now, and the message that it edits, if there is one."""

    id: int
    lane: LaneName
    envelope: Envelope
    table_id: int | None
    slot: str | None
    target: MessageRef | None
    replaces: SentMessage | None
    """The message in the slot that a new message replaces."""
    turn: int | None
    digest: str
    """The hash of the notice's content."""
    awaited: str | None
    """The notices that wait for this one, an `Awaited`."""
    is_counted: bool
    """Whether it counts in the limits of its chat."""
    surface: Try | None = None
    """The surface that it shows, or None if the notice is said once."""

    @property
    def is_edit(self) -> bool:
        """True if it edits an existing message: repeating an edit does no harm."""
        return self.target is not None


@dataclass(frozen=True, slots=True)
class Wait:
    """The lane may send nothing for some seconds; `budget` is set if the limit shared by all lanes is the reason."""

    seconds: float
    budget: Priority | None = None


class _Decided(Enum):
    """The decision about a lane's first notice, if it is not sent and no limit is the reason."""

    CLOSED = auto()
    """It is not sent; the next notice is now the first."""
    SETTLED = auto()
    """Its send has never ended, and it is settled now: read the lane again."""
    NOT_DUE = auto()
    """It is due later; a query for lanes with work will find it."""


_OPEN = (NoticeStatus.SENDING, NoticeStatus.PENDING)

MOST_READ = 12
"""How many notices of a lane are read at once: the hand of the player to call may overtake the others of a group."""

_UNSYNCED: Final = {"synchronize_session": False}
"""Leave loaded objects as they are: this module reads rows again with `populate_existing`."""


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
REVEALED_NOTICES: Final = and_(OPEN_NOTICES, or_(col(OutboxEntry.after_deal).is_(None), ~_IS_UNREVEALED))
"""The condition of notices that wait for no dice. They become eligible when the table's chat has seen these; no code
releases them."""


def _with_work() -> CompoundSelect[LaneName]:
    now = bindparam("now", type_=Float)
    is_due = or_(col(OutboxEntry.not_before) <= now, col(OutboxEntry.status) == NoticeStatus.SENDING)
    said = select(col(OutboxEntry.lane)).where(REVEALED_NOTICES, is_due)
    return union(said, select(col(Reader.lane)).where(col(Reader.due_at).is_not(None), col(Reader.due_at) <= now))


WAITING: Final = _with_work()
"""The query for lanes with work. It runs all the time: it is built once, and reads the index of open notices only."""


def lanes_with_work(session: Session, channels: Iterable[str], now: float) -> list[LaneName]:
    """Return the lanes with a notice or a reader that is due, or with a notice whose send has never ended.

    Rows of a lane whose stored name cannot be read are set aside.
    """
    names, found = set(channels), session.connection().execute(WAITING, {"now": now}).scalars().all()
    if unreadable := [lane for lane in found if isinstance(lane, UnreadableLane)]:
        log.error("%s lanes cannot be read; their notices are set aside", len(unreadable))
        aside = {"status": NoticeStatus.FAILED, "done_at": now, "error": UnreadableLane.__name__}
        session.execute(update(OutboxEntry).where(OPEN_NOTICES, col(OutboxEntry.lane).in_(unreadable)).values(aside))
        session.execute(update(Reader).where(col(Reader.lane).in_(unreadable)).values(due_at=None))
    return [lane for lane in found if lane.channel in names]


def sends_since(session: Session, since: float) -> list[tuple[LaneName, float, Urgency]]:
    """Return the lane, time and urgency of each send that has ended since a time, the oldest first."""
    ended = col(OutboxEntry.status).in_((NoticeStatus.SENT, NoticeStatus.UNKNOWN))
    query = select(col(OutboxEntry.lane), col(OutboxEntry.done_at), col(OutboxEntry.urgency)).where(
        ended, col(OutboxEntry.done_at) > since
    )
    rows = session.connection().execute(query.order_by(col(OutboxEntry.done_at)))
    return [(lane, at, Urgency(urgency)) for lane, at, urgency in rows if at is not None]


# Taking


@dataclass(frozen=True, slots=True)
class Taking:
    """The transaction that takes the next notices of a channel's lanes."""

    session: Session
    channel: Sender
    budget: Budget
    lanes: Mapping[LaneName, LaneUsage]
    now: float
    elapsed: float
    """The time by the clock of limits."""


def take_next(
    taking: Taking,
    reconciler: Reconciler,
    *,
    queues: Collection[tuple[Priority, LaneName]] = (),
) -> dict[LaneName, OutboxItem | Wait]:
    """Take the next notice of each of these lanes and mark it as being sent; a `Wait` if a limit requires it.

    A lane without a notice to send is missing. A notice that is already marked as being sent was left by an earlier
    process, because no send to these lanes is running. `reconciler` compares the surfaces of their readers. `queues`
    names the first lane of each priority that queues for the budget: the others wait without asking.
    """
    found: dict[LaneName, OutboxItem | Wait] = {}
    full: set[Priority] = set()
    session, now, left = taking.session, taking.now, dict(taking.lanes)
    while left:
        waiting = defaultdict[LaneName, list[OutboxEntry]](list)
        messages: dict[int, SentMessage] = {}
        for row, message in _waiting(session, left):
            waiting[row.lane].append(row)
            if message is not None:
                messages[row.id] = message
        differing = reconciler.compare(left)
        read_again = set()
        for name in left:
            candidates = {id(each.row): each for each in differing.get(name, ())}
            said = [row for row in waiting[name] if not _is_failed_try(row)]
            tries = _failed_tries(waiting[name], candidates.values(), now)
            rows = _in_order(said, candidates.values())
            behind = {priority for priority, first in queues if first != name}
            decided: OutboxItem | Wait | _Decided = _Decided.CLOSED
            is_whole = len(waiting[name]) < MOST_READ
            while rows and decided is _Decided.CLOSED:
                decided = _decide(taking, name, rows, messages, candidates=candidates, full=full | behind)
                rows = [row for row in rows if row.status in _OPEN]
            if decided is _Decided.SETTLED or (decided is _Decided.CLOSED and not is_whole):
                read_again.add(name)
            elif isinstance(decided, OutboxItem | Wait):
                found[name] = decided
                if isinstance(decided, OutboxItem) and decided.surface is not None:
                    found[name] = _begin(session, decided, decided.surface, tries)
                if isinstance(decided, Wait) and decided.budget is not None:
                    full.add(decided.budget)
            elif name in reconciler.soon:
                found[name] = Wait(reconciler.soon[name])
        left = {name: left[name] for name in read_again}
        if left:
            session.flush()  # else the notices closed above would be read as open again
    if taken := [item.id for item in found.values() if isinstance(item, OutboxItem)]:
        mark = update(OutboxEntry).where(col(OutboxEntry.id).in_(taken)).values(status=NoticeStatus.SENDING)
        session.execute(mark, execution_options=_UNSYNCED)
    return found


def _is_failed_try(row: OutboxEntry) -> bool:
    """Return True if the row is a try that failed: its surface is compared again."""
    return row.surface and row.status == NoticeStatus.PENDING


def _failed_tries(
    rows: Collection[OutboxEntry], candidates: Collection[Try], now: float
) -> dict[tuple[int | None, str | None], OutboxEntry]:
    """Return the failed tries of a lane by table and slot; those of surfaces that are no longer wanted are closed."""
    wanted = {(each.row.table_id, each.row.slot) for each in candidates}
    tries = {(row.table_id, row.slot): row for row in rows if _is_failed_try(row)}
    for which, row in tries.items():
        if which not in wanted:
            row.status, row.done_at = NoticeStatus.SUPERSEDED, now
    return tries


def _in_order(rows: Sequence[OutboxEntry], candidates: Collection[Try]) -> list[OutboxEntry]:
    """Return the notices and surfaces of a lane in the order of their changes; surfaces before what a step says.

    A row whose send has never ended is first.
    """
    merged = [row for row in rows if row.status != NoticeStatus.SENDING]
    for each in reversed(list(candidates)):
        since = each.row.created_at
        later = (n for n, row in enumerate(merged) if row.surface or max(row.created_at, row.not_before) >= since)
        place = next(later, len(merged))
        merged.insert(place, each.row)
    return [row for row in rows if row.status == NoticeStatus.SENDING] + merged


def _begin(
    session: Session,
    item: OutboxItem,
    surface: Try,
    tries: Mapping[tuple[int | None, str | None], OutboxEntry],
) -> OutboxItem:
    """Store that a try to show a surface begins: in the row of the last one that failed, or in a new one."""
    row = tries.get((item.table_id, item.slot))
    columns = {name: value for name, value in vars(surface.row).items() if name != "id"}
    columns["notice"] = {"content": surface.content}
    if row is None:
        number = session.connection().execute(_ADD_TRY, columns).scalar_one()
        return replace(item, id=number)
    for name in ("turn", "awaited", "urgency", "again", "notice"):
        setattr(row, name, columns[name])
    session.flush()
    return replace(item, id=row.id)


_ADD_TRY: Final = insert(OutboxEntry).returning(col(OutboxEntry.id))


def _waiting(session: Session, lanes: Collection[LaneName]) -> list[tuple[OutboxEntry, SentMessage | None]]:
    """Return the first notices of each lane, each with the message in its slot, if there is one."""
    options = {"populate_existing": True}
    return [
        (row, message) for row, message in session.execute(_WAITING, {"lanes": list(lanes)}, execution_options=options)
    ]


_PLACES: Final = (
    select(
        col(OutboxEntry.id),
        func.row_number()
        .over(
            partition_by=col(OutboxEntry.lane),
            order_by=(col(OutboxEntry.urgency) == Urgency.IDLE, col(OutboxEntry.id)),
        )
        .label("place"),
    )
    .where(REVEALED_NOTICES, col(OutboxEntry.lane).in_(bindparam("lanes", expanding=True)))
    .subquery()
)
_WAITING: Final = (
    select(OutboxEntry, SentMessage)
    .outerjoin(
        SentMessage,
        and_(col(SentMessage.table_id) == col(OutboxEntry.table_id), col(SentMessage.slot) == col(OutboxEntry.slot)),
    )
    .where(col(OutboxEntry.id).in_(select(_PLACES.c.id).where(_PLACES.c.place <= MOST_READ)))
    .order_by(col(OutboxEntry.id))
)
"""Built once: it takes longer to build than to execute."""


def edited(envelope: Envelope, found: SentMessage | None) -> SentMessage | None:
    """Return the message in a slot if the notice edits it, or None if the notice becomes a new message."""
    key = envelope.key
    is_edited = found is not None and (envelope.edit_only or (key is not None and tuple(found.key) >= key))
    return found if is_edited else None


def _decide(
    taking: Taking,
    name: LaneName,
    rows: list[OutboxEntry],
    messages: Mapping[int, SentMessage],
    *,
    candidates: Mapping[int, Try],
    full: Collection[Priority],
) -> OutboxItem | Wait | _Decided:
    """Decide about the next notice of a lane."""
    session, now, elapsed, lane = taking.session, taking.now, taking.elapsed, taking.lanes[name]
    limits, group = taking.channel.limits, taking.channel.is_group(name.chat)
    row = choose(rows, now, group=group)
    candidate = candidates.get(id(row))
    if candidate is not None and row.passing and limits.is_tight(lane, elapsed, group=group):
        return _close(session, row, NoticeStatus.SUPERSEDED, now)
    if row.status == NoticeStatus.SENDING:
        if row.surface:
            return _settle_left_try(session, row, candidates.values(), now)
        return _settle_left(session, row, messages.get(row.id), now)
    if row.expires_at is not None and row.expires_at <= now:
        return _close(session, row, NoticeStatus.SUPERSEDED, now)
    if row.not_before > now:
        wait = row.not_before - now
        return Wait(wait) if wait <= SOON_SECONDS else _Decided.NOT_DUE
    if candidate is None and is_left_out(row, rows, group=group, scarce=limits.is_scarce(lane, elapsed, group=group)):
        return _close(session, row, NoticeStatus.SUPERSEDED, now)
    if candidate is not None:
        envelope, digest = candidate.difference.notification.envelope, candidate.difference.digest
        filled, found = candidate.difference.edited, candidate.difference.replaced
    else:
        read = _read(session, row, now)
        if read is None:
            return _Decided.CLOSED
        envelope, digest = read, digest_of(read)
        found = None if envelope.key is None else messages.get(row.id)
        filled = edited(envelope, messages.get(row.id))
        if filled is not None and filled.digest == digest:
            return _close(session, row, NoticeStatus.SENT, now)
        if envelope.edit_only and (
            filled is None or (filled.chat, filled.receiver) != (envelope.chat, envelope.receiver)
        ):  # it may only edit a message, and there is none
            return _close(session, row, NoticeStatus.SENT, now)
    urgency = Urgency(row.urgency)
    is_counted = group or urgency is not Urgency.IDLE
    wait = limits.throttle(lane, elapsed, group=group, urgency=urgency)
    if wait > 0:
        return Wait(wait)
    # The order within the lane stays, so a turn gives its priority to the notices before it. Strangers who ask for much
    # delay no message that shows a game.
    urgent = any((each.surface or each.urgency < Urgency.TOLD) and each.not_before <= now for each in rows)
    priority = Priority.TURN if urgent else Priority.REST
    if priority in full:
        return Wait(0, priority)
    wait = taking.budget.take(limits, priority, elapsed)
    if wait > 0:
        return Wait(wait, priority)
    if is_counted:
        limits.spend(lane, elapsed, group=group, urgency=urgency)
    shown = with_clock_as_shown(session, envelope, now)
    opening = [each for each in rows if each.urgency == Urgency.IDLE and in_same_slot(each, row)]
    if candidate is not None and limits.is_tight(lane, elapsed, group=group):  # there is hardly time to open the words
        for each in opening:
            _close(session, each, NoticeStatus.SUPERSEDED, now)
        opening = []
    if not opening:
        shown = with_words_open(shown)
    return OutboxItem(
        row.id,
        row.lane,
        shown.model_copy(update={"expires": row.expires_at}),
        row.table_id,
        row.slot,
        envelope.target if filled is None else ref_of(filled),
        found if filled is None else None,
        row.turn,
        digest if shown is envelope or candidate is not None else digest_of(shown),
        row.awaited,
        is_counted,
        candidate,
    )


def _settle_left_try(session: Session, row: OutboxEntry, candidates: Collection[Try], now: float) -> _Decided:
    """Decide about a surface that an earlier process was showing: it is tried again, unless it may be doubled.

    If the reader should see another message there by now, that one is sent.
    """
    row.status = NoticeStatus.PENDING
    for each in candidates:
        if (each.row.table_id, each.row.slot) != (row.table_id, row.slot) or each.difference.edited is not None:
            continue
        wanted, reader = each.difference, each.once_sent
        kind = wanted.notification.envelope.notice.kind
        log.info("%s %s was under way, and the process has not said how it ended", kind, row.id)
        if not row.again:
            row.status, row.done_at = NoticeStatus.UNKNOWN, now
            if row.notice is None or row.notice.get("content") == wanted.content:
                readers.give_up(session, reader.table, reader.player, wanted.want.slot, wanted.content)
            reveal_settled(session, row, now)
    return _Decided.SETTLED


def _settle_left(session: Session, row: OutboxEntry, message: SentMessage | None, now: float) -> _Decided:
    """Decide about a notice that an earlier process was sending: the result of that send is unknown."""
    envelope = _read(session, row, now)
    if envelope is None:
        return _Decided.CLOSED
    is_edit = envelope.target is not None or envelope.edit_only or edited(envelope, message) is not None
    if not is_edit:
        log.info("%s %s was under way, and the process has not said how it ended", envelope.notice.kind, row.id)
    if is_edit or row.again:
        row.status = NoticeStatus.PENDING
    else:
        abandon(session, row, envelope, now)
        row.status, row.done_at, row.notice = NoticeStatus.UNKNOWN, now, None
    return _Decided.SETTLED


def _read(session: Session, row: OutboxEntry, now: float) -> Envelope | None:
    """Return the row's notice. If this version cannot read it, close the row and return None."""
    try:
        return Envelope.model_validate(row.notice)
    except Exception as error:  # noqa: BLE001 - no row, whatever is wrong with it, may hold up its lane
        log.error("notice %s of lane %s cannot be read: %s", row.id, row.lane, type(error).__name__)  # noqa: TRY400 - what it quotes may be secret
        _close(session, row, NoticeStatus.FAILED, now, "unreadable")
        return None


def _close(session: Session, row: OutboxEntry, status: NoticeStatus, now: float, error: str | None = None) -> _Decided:
    """Close a notice that is not being sent. Its text, which may contain dice, is deleted."""
    row.status, row.done_at, row.error, row.notice = status, now, error, None
    reveal_settled(session, row, now)
    return _Decided.CLOSED


# Storing results


_EDIT: Final = (
    update(SentMessage)
    .where(col(SentMessage.table_id) == bindparam("in_table"), col(SentMessage.slot) == bindparam("in_slot"))
    .values(keyboard=bindparam("keyboard"), picture=bindparam("picture"), digest=bindparam("digest"))
)
_JSON: Final = JSON(none_as_null=True)
_EDIT_KEYED: Final = _EDIT.values(
    key=bindparam("key", type_=JSON), frozen=bindparam("frozen"), asked=bindparam("asked", type_=_JSON)
)


def mark_sent(session: Session, sent: Sequence[tuple[OutboxItem, SendResult]], now: float) -> Sequence[readers.Settled]:
    """Mark notices as sent, store their messages, and remove the keyboards of messages that they replace.

    The readers of surfaces that were shown are returned.
    """
    closed = _settled(session, [item for item, _ in sent], NoticeStatus.SENT, now)
    compared: list[readers.Settled] = []
    filled: list[dict[str, Any]] = []
    for item, result in sent:
        envelope = item.envelope
        if item.id not in closed:
            continue
        if envelope.receiver is None and not item.is_edit:
            _mark_followed(session, envelope.chat)
        if envelope.target is not None:  # its buttons have changed
            here = col(SentMessage.chat) == envelope.chat, col(SentMessage.message) == envelope.target.message
            session.execute(update(SentMessage).where(*here).values(digest=None), execution_options=_UNSYNCED)
        elif item.table_id is not None and item.slot is not None:
            if item.replaces is not None:
                retire(session, item.replaces, envelope, now)
            if result.message is None and item.surface is None:
                if envelope.notice.deletes:
                    session.execute(delete(SentMessage).where(*_in_slot(item.table_id, item.slot)))
                continue
            shown = {"keyboard": result.keyboard, "picture": result.picture, "digest": item.digest}
            keyed = {} if item.surface is None else item.surface.keyed(now)
            if item.surface is not None:
                compared.append(item.surface.once_sent)
            if item.target is None:
                where = {"chat": envelope.chat, "receiver": envelope.receiver, "message": result.message or 0}
                new = {"table_id": item.table_id, "slot": item.slot, **where, "followed": False}
                filled.append({"key": envelope.key or (), "frozen": False, "asked": None} | new | shown | keyed)
            else:  # a notice that decorates a surface leaves its key
                edit = {"in_table": item.table_id, "in_slot": item.slot, **shown, **keyed}
                session.connection().execute(_EDIT_KEYED if keyed else _EDIT, edit)
    if filled:
        fill = insert_into(session, SentMessage)
        new = {name: fill.excluded[name] for name in filled[0]}
        fill = fill.on_conflict_do_update(index_elements=["table_id", "slot"], set_=new)
        session.connection().execute(fill, filled)
    return compared


def _mark_followed(session: Session, chat: int) -> None:
    """Store that a message is below the messages of rounds in a chat."""
    followed = update(SentMessage).where(col(SentMessage.chat) == chat, OF_A_GAME, ~col(SentMessage.followed))
    session.execute(followed.values(followed=true()), execution_options=_UNSYNCED)


def retry(session: Session, item: OutboxItem, error: str | None = None) -> None:
    """Put the notice back into its place in the lane: it was certainly not sent."""
    _settled(session, [item], NoticeStatus.PENDING, None, error)


def forget_target(session: Session, item: OutboxItem, now: float) -> None:
    """Forget the slot's message, which no longer exists; a notice that may be a new message is sent as one."""
    if item.slot is not None and item.table_id is not None:
        session.execute(delete(SentMessage).where(*_in_slot(item.table_id, item.slot)), execution_options=_UNSYNCED)
    if item.envelope.target is not None:
        give_up(session, item, now, NoticeStatus.SENT, None)
    else:
        retry(session, item)


def give_up(session: Session, item: OutboxItem, now: float, status: NoticeStatus, error: str | None) -> None:
    """Close a notice that was not delivered, or whose outcome is unknown."""
    if not _settled(session, [item], status, now, error):
        return
    if item.surface is not None and item.table_id is not None and item.slot is not None:
        readers.give_up(session, item.table_id, item.surface.once_sent.player, item.slot, item.surface.content)
    if item.target is None:
        abandon(session, item, item.envelope, now)


_TRY_AGAIN: Final = (
    update(OutboxEntry)
    .where(
        col(OutboxEntry.id).in_(bindparam("ids", expanding=True)),
        col(OutboxEntry.status) == NoticeStatus.SENDING,
    )
    .values(status=bindparam("result"), error=bindparam("fault"), done_at=bindparam("at"))
    .returning(col(OutboxEntry.id))
)
_SETTLE: Final = _TRY_AGAIN.values(notice=null())  # the text of a sent notice, which may contain dice, is deleted


def _settled(
    session: Session, items: Sequence[OutboxItem], status: NoticeStatus, now: float | None, error: str | None = None
) -> set[int]:
    """Store the result of a try; return the notices that no step has closed meanwhile."""
    if not items:
        return set()
    tried = {"ids": [item.id for item in items]}
    result = {"result": status, "fault": error, "at": now}
    settle = _TRY_AGAIN if status is NoticeStatus.PENDING else _SETTLE
    session.flush()
    found = set(session.connection().execute(settle, tried | result).scalars())
    for item in items:
        if item.id in found and now is not None:
            reveal_settled(session, item, now)
    return found


def retire(session: Session, old: SentMessage, envelope: Envelope, now: float) -> None:
    """Mark the message that this notice replaces as outdated."""
    strip = retirement(envelope, old)
    if strip is not None:
        session.execute(insert(OutboxEntry), [outbox_columns(strip, now)])


def abandon(session: Session, notice: OutboxEntry | OutboxItem, envelope: Envelope, now: float) -> None:
    """Leave the old message of the round unedited.

    The call was perhaps sent as a new message, and the reveal follows below it.
    """
    if notice.table_id is None or notice.slot is None or notice.awaited not in (Awaited.CALL, Awaited.REVEAL):
        return
    old = session.get(SentMessage, (notice.table_id, notice.slot), populate_existing=True)
    if old is not None:
        retire(session, old, envelope, now)
        session.delete(old)


def _in_slot(table: Any, slot: Any) -> tuple[Any, Any]:
    """Return the condition for the message in a slot."""
    return col(SentMessage.table_id) == table, col(SentMessage.slot) == slot
