"""Take the next notices of lanes and store the results of their sends: each function is part of a transaction.

A slot of a table holds the message that notices for it edit, or that a newer message takes the place of.
"""

import json
import logging
import math
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from enum import Enum, auto
from hashlib import sha256
from typing import Any, Final

from sqlalchemy import Text, and_, bindparam, cast, delete, func, null, or_, select, true, tuple_, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.sql.dml import UpdateBase
from sqlmodel import Session, SQLModel

from telegram_bot.delivery.lanes import UNHELD_NOTICES, LockedLane
from telegram_bot.delivery.limits import (
    Budget,
    Priority,
    WaitingNotice,
    first_to_send,
    priority_of,
    replaced_by,
    urgency_of,
)
from telegram_bot.delivery.sender import Sender, SendResult
from telegram_bot.service.envelope import Envelope, MessageRef, SendMode
from telegram_bot.service.handlers.clock import with_current_clock
from telegram_bot.service.notices import (
    CallNotice,
    HandNotice,
    Notice,
    OutdatedNotice,
    ReactionNotice,
    RecordNotice,
    RevealNotice,
    RoundOverNotice,
    SpokenNotice,
    StoryNotice,
    TableNotice,
    called_round,
)
from telegram_bot.service.repositories import BOARD_SLOTS, ROUND_SLOTS
from telegram_bot.storage.models import NoticeStatus, OutboxEntry
from telegram_bot.storage.statements import Statement

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class SlotMessage:
    """The message in a slot. `digest` is the hash of what it shows; None if that is not known."""

    chat: int
    message: int
    receiver: int | None
    keyboard: bool
    digest: str | None
    picture: bool = False
    followed: bool = False
    """Whether something was written in the chat after it."""

    @property
    def ref(self) -> MessageRef:
        """The message as its channel knows it."""
        return MessageRef(self.message, self.receiver, self.picture)


@dataclass(frozen=True, slots=True)
class OutboxItem:
    """One notice to send now, and the message that it edits, if there is one.

    `attempts` also distinguishes this try from a later try by another worker.
    """

    id: int
    lane: str
    envelope: Envelope
    table_id: int | None
    slot: str | None
    attempts: int
    target: MessageRef | None
    replaces: SlotMessage | None
    """The message in the slot that a new one takes the place of."""
    turn: int | None
    created_at: float
    digest: str
    """The hash of what it shows."""

    @property
    def is_edit(self) -> bool:
        """Whether it changes an existing message: to repeat it does no harm."""
        return self.target is not None or self.envelope.mode is SendMode.TARGET


@dataclass(frozen=True, slots=True)
class Wait:
    """The lane may send nothing for some seconds; `budget` is set if the limit shared by all lanes is the reason."""

    seconds: float
    budget: Priority | None = None


class _Decided(Enum):
    """What came of a lane's first notice, if nothing is sent and no limit is the reason."""

    CLOSED = auto()
    """It is not sent; the next one is now the first."""
    SETTLED = auto()
    """A dead worker was sending it: what waits in the lane is to be read again."""
    NOT_DUE = auto()
    """Its time comes later, and a query for lanes with work finds it then."""


MODES_OF_SLOTS = (SendMode.EDIT, SendMode.EDIT_EXISTING, SendMode.REPLACE, SendMode.NEWEST)
"""The modes whose effect depends on the message that fills the slot."""

MAY_BE_LEFT_OUT = (CallNotice, ReactionNotice, SpokenNotice, RoundOverNotice)
"""Notices without which everybody can play on; see `_is_left_out`."""

_OPEN = (NoticeStatus.SENDING, NoticeStatus.PENDING)

UNDECIDED = (NoticeStatus.SENDING, NoticeStatus.UNKNOWN, NoticeStatus.PENDING)
"""The statuses that a notice can have while a worker awaits the result of its send: another worker may change it."""

MOST_READ = 12
"""How many notices of a lane are read at once: the hand of the player on turn may overtake the others of a group."""

SOON_SECONDS = 5.0
"""A worker keeps a lane whose next notice is due within this time, and gives back one whose notice is due later."""


# Taking


def take_next(
    session: Session,
    channel: Sender,
    lanes: Collection[LockedLane],
    now: float,
    queues: Collection[tuple[Priority, str]] = (),
) -> dict[str, OutboxItem | Wait]:
    """The next notice of each of these lanes, marked as being sent; a `Wait` where a limit requires it.

    A lane of which nothing is to be sent is missing. A notice that is already marked as being sent was left by a dead
    worker, because this worker holds the lane. `queues` names the priorities for whose budget lanes queue, and the
    first of each queue: all others wait without asking.
    """
    found: dict[str, OutboxItem | Wait] = {}
    full: set[Priority] = set()
    budget = Budget(session, channel.name, channel.limits, now)
    left = {lane.name: lane for lane in lanes}
    while left:
        waiting = defaultdict[str, list[WaitingNotice]](list)
        messages: dict[int, SlotMessage] = {}
        for row in _WAITING.all(session, {"the_lanes": list(left)}):
            notice = WaitingNotice(*row[: -len(_SAID)])
            waiting[notice.lane].append(notice)
            if row[-1] is not None:
                messages[notice.id] = _slot_message(row[-len(_SAID) :])
        read_again = set()
        for name, rows_read in waiting.items():
            rows = rows_read
            behind = {priority for priority, first in queues if first != name}
            decided: OutboxItem | Wait | _Decided = _Decided.CLOSED
            is_whole = len(rows) < MOST_READ
            while rows and decided is _Decided.CLOSED:
                decided = _decide(budget, channel, left[name], rows, messages, full=full | behind)
                rows = [row for row in rows if row.status in _OPEN]
            if decided is _Decided.SETTLED or (decided is _Decided.CLOSED and not is_whole):
                read_again.add(name)
            elif isinstance(decided, OutboxItem | Wait):
                found[name] = decided
                if isinstance(decided, Wait) and decided.budget is not None:
                    full.add(decided.budget)
        left = {name: left[name] for name in read_again}
    budget.store()
    taken = {item.id: name for name, item in found.items() if isinstance(item, OutboxItem)}
    if not taken:
        return found
    under_way = {notice for (notice,) in _UNDER_WAY.all(session, {"the_ids": list(taken)})}
    superseded = {name for notice, name in taken.items() if notice not in under_way}
    if not superseded:
        return found
    others = {name: item for name, item in found.items() if name not in superseded}
    again = [lane for lane in lanes if lane.name in superseded]
    return others | take_next(session, channel, again, now, queues)


def _slot_message(said: Sequence[Any]) -> SlotMessage:
    """The message of a row; SQLite's truth values are numbers."""
    chat, message, receiver, keyboard, digest, picture, followed = said
    return SlotMessage(chat, message, receiver, bool(keyboard), digest, bool(picture), bool(followed))


def editable(found: SlotMessage | None, mode: SendMode) -> SlotMessage | None:
    """The message in a slot if a notice edits it when it is sent; None if the notice becomes a new message."""
    if mode is SendMode.REPLACE or (found is not None and found.followed and mode is SendMode.NEWEST):
        return None
    return found


def _decide(
    budget: Budget,
    channel: Sender,
    lane: LockedLane,
    rows: list[WaitingNotice],
    messages: Mapping[int, SlotMessage],
    *,
    full: Collection[Priority],
) -> OutboxItem | Wait | _Decided:
    """Decide what is sent next in a lane in which these notices wait."""
    session, now = budget.session, budget.now
    limits, group = channel.limits, channel.is_group(int(lane.name.partition(":")[2]))
    first = first_to_send(rows, now) if group else 0
    row = rows[first]
    if row.status == NoticeStatus.SENDING:
        _settle_left(session, row, messages.get(row.id), now)
        return _Decided.SETTLED
    if row.expires_at is not None and row.expires_at <= now:
        return _close(session, row, NoticeStatus.SUPERSEDED, now)
    if row.not_before > now:
        wait = row.not_before - now
        return Wait(wait) if wait <= SOON_SECONDS else _Decided.NOT_DUE
    envelope = _read(session, row, now)
    if envelope is None:
        return _Decided.CLOSED
    found = messages.get(row.id) if envelope.mode in MODES_OF_SLOTS else None
    filled = editable(found, envelope.mode)
    if isinstance(envelope.notice, MAY_BE_LEFT_OUT) and _is_left_out(
        session, row, rows, envelope, filled=filled, channel=channel, lane=lane, now=now
    ):
        return _close(session, row, NoticeStatus.SUPERSEDED, now)
    digest = _digest(envelope)
    if filled is not None and filled.digest == digest:
        return _close(session, row, NoticeStatus.SENT, now)
    if envelope.mode is SendMode.EDIT_EXISTING and (
        filled is None or (filled.chat, filled.receiver) != (envelope.chat, envelope.receiver)
    ):  # it may only edit a message, which is not there
        return _close(session, row, NoticeStatus.SENT, now)
    urgency = urgency_of(envelope, is_new=filled is None)
    wait = limits.throttle(lane, now, group=group, urgency=urgency)
    if wait > 0:
        return Wait(wait)
    priority = priority_of(envelope)
    if priority in full:
        return Wait(0, priority)
    wait = budget.take(priority)
    if wait > 0:
        return Wait(wait, priority)
    limits.spend(lane, now, group=group, urgency=urgency)
    for needless in replaced_by(rows[: first + 1]):
        _close(session, needless, NoticeStatus.SUPERSEDED, now)
    shown = with_current_clock(session, envelope, row.turn, now - row.created_at, now)
    return OutboxItem(
        row.id,
        row.lane,
        shown.model_copy(update={"expires": row.expires_at}),
        row.table_id,
        row.slot,
        row.attempts + 1,
        envelope.target if filled is None else filled.ref,
        found if filled is None else None,
        row.turn,
        row.created_at,
        digest if shown is envelope else _digest(shown),
    )


def _is_left_out(
    session: Session,
    row: WaitingNotice,
    rows: list[WaitingNotice],
    envelope: Envelope,
    *,
    filled: SlotMessage | None,
    channel: Sender,
    lane: LockedLane,
    now: float,
) -> bool:
    """Whether the notice is a reaction to nothing, takes a keyboard away that nobody uses, or would delay somebody.

    In a private chat nothing is left out that is read aloud: its reader may see nothing else.
    """
    limits, group = channel.limits, channel.is_group(envelope.chat)
    match envelope.notice:
        case RoundOverNotice(shared=shared):
            return group and not shared
        case CallNotice():
            due_by = math.inf if limits.is_tight(lane, now, group=group) else now
            return _is_left_to_reveal(session, row, rows, envelope.mode, due_by=due_by)
        case ReactionNotice() if filled is None:
            return True
        case SpokenNotice() if not group:
            return False
        case _:
            turn_waits = any(other.turn is not None for other in rows if other is not row)
            return turn_waits or limits.is_scarce(lane, now, group=group)


def _is_left_to_reveal(
    session: Session, row: WaitingNotice, rows: list[WaitingNotice], mode: SendMode, *, due_by: float
) -> bool:
    """Whether the place of a call in the chat is taken by its reveal, if that is due by a time."""
    for other in rows:
        is_reveal = other.notice.get("kind") == "reveal"
        if is_reveal and (other.table_id, other.slot) == (row.table_id, row.slot) and other.not_before <= due_by:
            other.stored = json.dumps(json.loads(other.stored) | {"mode": mode.value})
            _CHANGED.all(session, {"the_id": other.id, "changed": other.stored})
            return True
    return False


def _digest(envelope: Envelope) -> str:
    """A hash that is equal for notices with the same text in the same language and dice style."""
    shown = f"{envelope.language} {envelope.dice_style} {envelope.notice.model_dump_json()}"
    return sha256(shown.encode()).hexdigest()


def _settle_left(session: Session, row: WaitingNotice, message: SlotMessage | None, now: float) -> None:
    """Decide about a notice that a dead worker was sending: repeat edits, hands, tables, reveals and files alone.

    Without its hand or table a game would stop with nobody informed, for a reveal in the table's chat everybody waits,
    and somebody asked for the file. Nobody knows whether the dead worker's send succeeded, so they are sent again, and
    may be seen twice.
    """
    envelope = _read(session, row, now)
    if envelope is None:
        return
    filled = editable(message, envelope.mode) if envelope.mode in MODES_OF_SLOTS else None
    is_edit = envelope.mode in (SendMode.TARGET, SendMode.EDIT_EXISTING) or filled is not None
    if not is_edit:
        log.info("%s %s was under way, and its worker has not said how it ended", envelope.notice.kind, row.id)
    in_chat = row.slot is not None and isinstance(envelope.notice, RevealNotice)
    if is_edit or in_chat or isinstance(envelope.notice, HandNotice | TableNotice | RecordNotice | StoryNotice):
        _LEFT_AGAIN.all(session, {"the_id": row.id})
    else:
        abandon(session, row.table_id, row.slot, envelope, now)
        _LEFT_UNKNOWN.all(session, {"the_id": row.id, "becomes": NoticeStatus.UNKNOWN, "at": now, "why": None})


def _read(session: Session, row: WaitingNotice, now: float) -> Envelope | None:
    """The row's notice. If this version cannot read what another version wrote: None, and the row is closed."""
    try:
        return Envelope.model_validate_json(row.stored)
    except Exception as error:  # noqa: BLE001 - no row, whatever is wrong with it, may hold up its lane
        log.error("notice %s of lane %s cannot be read: %s", row.id, row.lane, type(error).__name__)  # noqa: TRY400 - what it quotes may be secret
        _close(session, row, NoticeStatus.FAILED, now, "unreadable")
        return None


def _close(
    session: Session, row: WaitingNotice, status: NoticeStatus, now: float, error: str | None = None
) -> _Decided:
    """Close a notice that is not being sent."""
    _DROP.all(session, {"the_id": row.id, "becomes": status, "at": now, "why": error})
    row.status = status
    return _Decided.CLOSED


# Storing results


def mark_sent(session: Session, sent: Sequence[tuple[OutboxItem, SendResult]], now: float) -> None:
    """Mark notices as sent, store their messages, and remove the keyboards of messages that they replace."""
    closed = _settled(session, [item for item, _ in sent], NoticeStatus.SENT, now)
    edited, filled = [], []
    for item, result in sent:
        envelope = item.envelope
        if item.id not in closed or isinstance(envelope.notice, ReactionNotice):
            continue
        # Words that are said follow as a message of their own.
        is_message = result.message is not None or isinstance(envelope.notice, SpokenNotice)
        if is_message and not item.is_edit and follows_a_round(envelope):
            _FOLLOWED.all(session, {"the_chat": envelope.chat})
        if envelope.target is not None:
            _BUTTONS_CHANGED.all(session, {"the_chat": envelope.chat, "the_message": envelope.target.message})
        elif item.table_id is not None and item.slot is not None:
            if item.replaces is not None:
                retire(session, item.table_id, item.replaces, envelope, now)
            shown = {"keyboard": result.keyboard, "picture": result.picture, "digest": item.digest}
            if item.target is not None:
                edited.append({"the_table": item.table_id, "the_slot": item.slot, **shown})
            elif result.message is not None:
                place = {"table_id": item.table_id, "slot": item.slot}
                where = {"chat": envelope.chat, "receiver": envelope.receiver, "message": result.message}
                filled.append({**place, **where, "followed": False, **shown})
    _EDITED.for_each(session, edited)
    _FILL.for_each(session, filled)


def retry(session: Session, item: OutboxItem, error: str | None = None) -> None:
    """Put the notice back into its place in the lane."""
    _settled(session, [item], NoticeStatus.PENDING, None, error)


def forget_target(session: Session, item: OutboxItem, now: float) -> None:
    """Forget the slot's message, which no longer exists; a notice that may be a new message is sent as one."""
    if item.slot is not None and item.table_id is not None:
        _EMPTY.all(session, {"the_table": item.table_id, "the_slot": item.slot})
    if item.envelope.mode is SendMode.TARGET:
        give_up(session, item, now, NoticeStatus.SENT, None)
    else:
        retry(session, item)


def give_up(session: Session, item: OutboxItem, now: float, status: NoticeStatus, error: str | None) -> None:
    """Close a notice that was not delivered, or may not have been."""
    if _settled(session, [item], status, now, error) and item.target is None:
        abandon(session, item.table_id, item.slot, item.envelope, now)


def _settled(
    session: Session, items: Sequence[OutboxItem], status: NoticeStatus, now: float | None, error: str | None = None
) -> set[int]:
    """Store the result of a try; return the notices that no other worker has tried since this one was frozen."""
    if not items:
        return set()
    mark = _AGAIN if status is NoticeStatus.PENDING else _CLOSE
    tries = {"the_ids": [item.id for item in items], "tries": [(item.id, item.attempts) for item in items]}
    values = {**tries, "becomes": status, "at": now, "why": error}
    found = {int(notice) for (notice,) in mark.all(session, values)}
    for item in items:
        if item.id not in found:
            log.warning("notice %s was taken over by another worker", item.id)
    return found


def follows_a_round(envelope: Envelope) -> bool:
    """Whether a new message with this notice may stand below a round's message, and is not a round's message itself."""
    return envelope.receiver is None and not isinstance(
        envelope.notice, HandNotice | TableNotice | RevealNotice | CallNotice
    )


def retire(session: Session, table: int, old: SlotMessage | None, envelope: Envelope, now: float) -> None:
    """Mark a message of which a notice takes the place as out of date; an ephemeral one and a board are deleted."""
    left = _what_stays(envelope.notice)
    goes = old is not None and (old.receiver is not None or (isinstance(left, OutdatedNotice) and left.moved))
    if old is None or not (old.keyboard or goes):
        return
    strip = envelope.model_copy(
        update={
            "mode": SendMode.TARGET,
            "target": old.ref,
            "notice": left,
            "chat": old.chat,
            "receiver": old.receiver,
        }
    )
    session.add(OutboxEntry(lane=strip.lane, table_id=table, notice=strip.model_dump(mode="json"), created_at=now))


def _what_stays(notice: Notice) -> Notice:
    """What the old message shows once this notice stands in a new one."""
    match notice:
        case CallNotice():
            return RoundOverNotice(round=notice.round, shared=notice.shared)
        case RevealNotice():
            return RoundOverNotice(round=called_round(notice.view), shared=notice.shared)
        case HandNotice(board=True, view=view):
            return OutdatedNotice(moved=bool(view.table.bids))  # without bids the old one may be of another round
        case _:
            return OutdatedNotice()


def abandon(session: Session, table: int | None, slot: str | None, envelope: Envelope, now: float) -> None:
    """Leave the round's old message alone: the call was perhaps sent as a new one, and the reveal follows below it."""
    ends_round = isinstance(envelope.notice, CallNotice | RevealNotice) and envelope.mode is not SendMode.EDIT
    if table is None or slot is None or not ends_round:
        return
    found = _FIND.first(session, {"the_table": table, "the_slot": slot})
    retire(session, table, None if found is None else _slot_message(found), envelope, now)
    _EMPTY.all(session, {"the_table": table, "the_slot": slot})


# Built once: building a statement takes longer than executing it.
_OUTBOX: Final = SQLModel.metadata.tables["outbox"]
_PLACES: Final = (
    select(_OUTBOX.c.id, func.row_number().over(partition_by=_OUTBOX.c.lane, order_by=_OUTBOX.c.id).label("place"))
    .where(UNHELD_NOTICES, _OUTBOX.c.lane.in_(bindparam("the_lanes", expanding=True)))
    .subquery()
)
_SENT: Final = SQLModel.metadata.tables["sent_message"]
_SAID: Final = [field.name for field in fields(SlotMessage)]
_WAITING: Final = Statement(
    select(
        *(_OUTBOX.c.get(field.name, cast(_OUTBOX.c.notice, Text)) for field in fields(WaitingNotice)),
        *(_SENT.c[name] for name in _SAID),
    )
    .outerjoin_from(_OUTBOX, _SENT, and_(_SENT.c.table_id == _OUTBOX.c.table_id, _SENT.c.slot == _OUTBOX.c.slot))
    .where(_OUTBOX.c.id.in_(select(_PLACES.c.id).where(_PLACES.c.place <= MOST_READ)))
    .order_by(_OUTBOX.c.id)
)
"""The notices of lanes, each with the message in its slot, if there is one."""
# The condition: on PostgreSQL a newer notice may have superseded it since it was read.
_UNDER_WAY: Final = Statement(
    update(_OUTBOX)
    .where(_OUTBOX.c.id.in_(bindparam("the_ids", expanding=True)), _OUTBOX.c.status.in_(_OPEN))
    .values(status=NoticeStatus.SENDING, attempts=_OUTBOX.c.attempts + 1)
    .returning(_OUTBOX.c.id)
)
_ONE: Final = update(_OUTBOX).where(_OUTBOX.c.id == bindparam("the_id"))
_CHANGED: Final = Statement(_ONE.values(notice=bindparam("changed", type_=_OUTBOX.c.notice.type)))
_STATE: Final[dict[str, Any]] = {"status": bindparam("becomes"), "error": bindparam("why"), "done_at": bindparam("at")}
# The text of a sent notice, which may contain dice, is not kept.
_DROPPED: Final = _ONE.values(**_STATE, notice=null())
_DROP: Final = Statement(_DROPPED)
# The condition: its worker may still be alive and mark the notice at this moment.
_STILL_UNDER_WAY: Final = _OUTBOX.c.status == NoticeStatus.SENDING
_LEFT_AGAIN: Final = Statement(_ONE.where(_STILL_UNDER_WAY).values(status=NoticeStatus.PENDING))
_LEFT_UNKNOWN: Final = Statement(_DROPPED.where(_STILL_UNDER_WAY))
_TRIED: Final = (
    update(_OUTBOX)
    .where(
        _OUTBOX.c.id.in_(bindparam("the_ids", expanding=True)),  # SQLite finds no index by the tuples
        tuple_(_OUTBOX.c.id, _OUTBOX.c.attempts).in_(bindparam("tries", expanding=True)),
        _OUTBOX.c.status.in_(UNDECIDED),
    )
    .values(**_STATE)
    .returning(_OUTBOX.c.id)
)
_AGAIN: Final = Statement(_TRIED)
_CLOSE: Final = Statement(_TRIED.values(notice=null()))
_IT: Final = (_SENT.c.table_id == bindparam("the_table"), _SENT.c.slot == bindparam("the_slot"))
_FIND: Final = Statement(select(*(_SENT.c[name] for name in _SAID)).where(*_IT))
_FILL: Final = Statement(lambda insert: _filled(insert(_SENT)))


def _filled(row: sqlite.Insert | postgresql.Insert) -> UpdateBase:
    given = row.values({name: bindparam(name) for name in ("table_id", "slot", *_SAID)})
    return given.on_conflict_do_update(
        index_elements=["table_id", "slot"], set_={name: row.excluded[name] for name in _SAID}
    )


_FOLLOWED: Final = Statement(
    update(_SENT)
    .where(
        _SENT.c.chat == bindparam("the_chat"),
        or_(_SENT.c.slot.startswith(ROUND_SLOTS), _SENT.c.slot.startswith(BOARD_SLOTS)),
        ~_SENT.c.followed,
    )
    .values(followed=true())
)
_EDITED: Final = Statement(
    update(_SENT).where(*_IT).values({name: bindparam(name) for name in ("keyboard", "picture", "digest")})
)
_EMPTY: Final = Statement(delete(_SENT).where(*_IT))
_BUTTONS_CHANGED: Final = Statement(
    update(_SENT)
    .where(_SENT.c.chat == bindparam("the_chat"), _SENT.c.message == bindparam("the_message"))
    .values(digest=null())
)
