"""The readers of a table: when their messages must be compared with those that they should see."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Float, String, bindparam, case, event, func, inspect, null, type_coerce, update
from sqlalchemy.orm import object_session
from sqlmodel import Session, col, delete, select

from telegram_bot.storage.database import upsert
from telegram_bot.storage.models import DirectMessages, LaneName, Player, Reader
from telegram_bot.storage.session import columns_of, plain

TABLES_CHAT: Final = 0
"""The reader that is no player: the table's chat."""


# Marks

_MARK: Final = upsert(
    Reader,
    lambda insert: insert.on_conflict_do_update(
        index_elements=["table_id", "player_id"],
        set_={
            "lane": insert.excluded.lane,
            "due_at": case((col(Reader.due_at) < insert.excluded.due_at, Reader.due_at), else_=insert.excluded.due_at),
            "since": func.coalesce(Reader.since, insert.excluded.since),
            "marks": Reader.marks + 1,
        },
    ),
)


_CHANGED: Final = "changed people"
_SHOWN: Final = (
    *("view", "direct", "phone", "language", "chosen_language", "dice_style", "pictures"),
    *("asks_twice", "tips", "switched_on", "last_tip"),
)
"""The columns of a person from which follows where and how their messages are shown.

`handlers.chats` marks the messages of a person who refuses private messages.
"""


def _note_change(player: Player, value: object, before: object, _: object) -> None:
    session = object_session(player)
    is_known = session is not None and inspect(player).persistent
    if session is not None and is_known and value not in (before, DirectMessages.REFUSED):
        session.info.setdefault(_CHANGED, []).append(player)


for _name in _SHOWN:
    event.listen(getattr(Player, _name), "set", _note_change)


def changed_people(session: Session) -> dict[int, tuple[Player, set[int]]]:
    """Return the people whose messages may be shown elsewhere or otherwise since the last call, with their tables."""
    people = {player.id: player for player in session.info.pop(_CHANGED, ())}
    tables = {number: (player, set[int]()) for number, player in sorted(people.items())}
    if people:
        read = select(Reader.player_id, Reader.table_id).where(col(Reader.player_id).in_(people))
        for number, table in session.exec(read):
            tables[number][1].add(table)
    return tables


@dataclass(slots=True)
class Mark:
    """A change that a reader's messages may not show yet."""

    lane: LaneName
    at: float | None = None
    """When the messages are compared, or None for now."""


def mark_due(session: Session, marks: Mapping[tuple[int, int], Mark], now: float) -> None:
    """Have the messages of readers compared, by table and player."""
    rows: list[dict[str, Any]] = [
        {
            "table_id": table,
            "player_id": player,
            "lane": mark.lane,
            "due_at": now if mark.at is None else mark.at,
            "since": now,
            "marks": 1,
        }
        for (table, player), mark in marks.items()
    ]
    if rows:
        _MARK(session, rows)


_MARK_TABLE: Final = (
    update(Reader)
    .where(
        col(Reader.table_id) == bindparam("table"),
        col(Reader.player_id).not_in(bindparam("without", expanding=True)),
    )
    .values(
        due_at=case((col(Reader.due_at) < bindparam("now"), Reader.due_at), else_=bindparam("now")),
        since=func.coalesce(Reader.since, bindparam("now")),
        marks=Reader.marks + 1,
    )
    .returning(col(Reader.lane))
    .execution_options(synchronize_session=False)
)


def mark_table(session: Session, table: int, now: float, without: Collection[int] = ()) -> set[LaneName]:
    """Have the messages of a table's readers compared, except those of `without`; return their lanes."""
    which = {"table": table, "now": now, "without": list(without)}
    return set(session.connection().execute(_MARK_TABLE, which).scalars())


def mark_lane(session: Session, lane: LaneName, now: float) -> None:
    """Have the messages of all readers of a chat compared."""
    marked = {"due_at": now, "since": func.coalesce(Reader.since, now), "marks": Reader.marks + 1}
    session.execute(update(Reader).where(col(Reader.lane) == lane).values(marked))


def move_lane(session: Session, old: LaneName, new: LaneName) -> None:
    """Follow a chat to its new address."""
    session.execute(update(Reader).where(col(Reader.lane) == old).values(lane=new))


def mark_all(session: Session, channels: Iterable[str], now: float) -> None:
    """Have the messages of all readers in these channels compared; those of a channel that is gone are forgotten."""
    lane = type_coerce(col(Reader.lane), String)
    session.execute(delete(Reader).where(*(~lane.startswith(f"{channel}:", autoescape=True) for channel in channels)))
    session.execute(update(Reader).where(col(Reader.due_at).is_(None)).values(due_at=now))


# Comparing

_DUE: Final = (
    columns_of(Reader)
    .where(col(Reader.lane).in_(bindparam("lanes", expanding=True)), col(Reader.due_at) <= bindparam("now"))
    .order_by(col(Reader.since), col(Reader.table_id), col(Reader.player_id))
)


def due_readers(session: Session, lanes: Collection[LaneName], now: float) -> Sequence[Reader]:
    """Return the readers in these lanes whose messages must be compared, those with the oldest change first."""
    found = session.connection().execute(_DUE, {"lanes": list(lanes), "now": now}).mappings()
    return [plain(Reader, row) for row in found]


_THIS: Final = (col(Reader.table_id) == bindparam("table"), col(Reader.player_id) == bindparam("player"))
_UNCHANGED: Final = col(Reader.marks) == bindparam("read")
_SETTLE: Final = update(Reader).where(*_THIS, _UNCHANGED).values(due_at=bindparam("again", type_=Float), since=null())
_FORGET: Final = delete(Reader).where(*_THIS, _UNCHANGED)
_MOVE: Final = update(Reader).where(*_THIS, _UNCHANGED).values(lane=bindparam("to"))


@dataclass(frozen=True, slots=True)
class Settled:
    """A reader whose messages are as they should be until `again`, unless they were marked meanwhile."""

    table: int
    player: int
    marks: int | None
    """The marks that the comparison read, or None if other messages are still missing."""
    again: float | None = None
    is_over: bool = False
    """Whether nothing of the table changes any more, so that the reader is deleted."""


def settle(session: Session, readers: Sequence[Settled]) -> None:
    """Store that readers need not be compared, and that they have been asked."""
    connection = session.connection()
    for statement, is_over in ((_SETTLE, False), (_FORGET, True)):
        values: list[dict[str, Any]] = [
            {"table": each.table, "player": each.player, "read": -1 if each.marks is None else each.marks}
            | ({} if is_over else {"again": each.again})
            for each in readers
            if each.is_over == is_over
        ]
        if values:
            connection.execute(statement, values)


def move(session: Session, readers: Sequence[tuple[Reader, LaneName]]) -> None:
    """Follow readers whose private route has changed to the lane of the new one."""
    for reader, lane in readers:
        which = {"table": reader.table_id, "player": reader.player_id, "read": reader.marks}
        session.connection().execute(_MOVE, which | {"to": lane})
