"""The readers of tables: when their messages must be compared with those that they should see.

They are in the memory of the process that plays. After a start, all whose messages may be outdated are compared.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from threading import Lock
from typing import Final

from sqlalchemy import event, inspect, or_
from sqlalchemy.orm import object_session
from sqlmodel import Session, col, select

from telegram_bot.intents.channel_traits import ChannelDirectory
from telegram_bot.intents.slots import TABLES_CHAT
from telegram_bot.repositories.repositories import KNOWN_AS_LIVE
from telegram_bot.storage.models import Chat, DirectMessages, GameTable, LaneName, Player, TableSeat

# People

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
        session.info.setdefault(_CHANGED, {})[player.id] = player


for _name in _SHOWN:
    event.listen(getattr(Player, _name), "set", _note_change)


def changed_people(session: Session) -> Iterable[Player]:
    """Return the people whose messages may be shown elsewhere or otherwise since the last call."""
    people: dict[int, Player] = session.info.pop(_CHANGED, {})
    return [player for _, player in sorted(people.items())]


# Readers

ENDED_SECONDS: Final = 86400.0
"""After a start, the readers of tables that ended within this time are compared."""
MOST_ENDED: Final = 1000
"""So many of these tables are compared at most, the newest ones."""


@dataclass(slots=True)
class Reader:
    """A reader of a table: its chat, or a player in their private chat."""

    table: int
    player: int
    """The player, or `TABLES_CHAT`."""
    lane: LaneName
    due_at: float | None = None
    """When their messages are compared: 0 at once, or None while none can be outdated."""
    since: float | None = None
    """When the first change happened that was not compared yet."""
    marks: int = 0
    """How often a change was noted: a comparison that read an older number has not seen the last one."""


@dataclass(frozen=True, slots=True)
class Settled:
    """A reader whose messages are as they should be until `again`, unless they were marked meanwhile."""

    table: int
    player: int
    marks: int | None
    """The marks that the comparison read, or None if other messages are still missing."""
    again: float | None = None
    is_over: bool = False
    """Whether nothing of the table changes any more, so that the reader is forgotten."""
    moved_to: LaneName | None = None
    """The lane of the reader's new private route, in which their messages are compared."""


@dataclass
class Readers:
    """All readers of this process.

    A step marks readers at once, and a comparison settles them only after its commit: transactions run one after
    another, so a comparison reads what the marks before it are about. After a step that was undone, a reader is
    compared in vain.
    """

    _tables: dict[int, dict[int, Reader]] = field(default_factory=dict)
    _due: dict[tuple[int, int], Reader] = field(default_factory=dict)
    """Those that are compared at some time."""
    _lock: Lock = field(default_factory=Lock)
    """Transactions mark on the database's thread; delivery settles on its own."""

    def load(self, session: Session, channels: ChannelDirectory, now: float) -> None:
        """Have the messages of all readers compared that a process of before may have left outdated."""
        ended = (
            select(GameTable.id)
            .where(~col(GameTable.live), col(GameTable.updated_at) > now - ENDED_SECONDS)
            .order_by(col(GameTable.updated_at).desc())
            .limit(MOST_ENDED)
        )
        tables = or_(KNOWN_AS_LIVE, col(GameTable.id).in_(ended))
        chats = select(GameTable.id, GameTable.updated_at, Chat).join(Chat).where(tables)
        people = (
            select(GameTable.id, GameTable.updated_at, Player)
            .join(TableSeat, col(TableSeat.table_id) == col(GameTable.id))
            .join(Player, col(Player.id) == col(TableSeat.player_id))
            .where(tables)
        )
        for table, since, chat in session.exec(chats, params={"now": now}):
            if channels.traits(chat.channel).shared_chats:
                self.mark(table, TABLES_CHAT, chat.lane, since)
        for table, since, player in session.exec(people, params={"now": now}):
            if channels.traits(player.channel).buttons:
                self.mark(table, player.id, player.lane, since)

    # Marks

    def mark(self, table: int, player: int, lane: LaneName, now: float, *, at: float = 0) -> None:
        """Have the messages of a reader compared at a time, or at once; the earliest time counts."""
        with self._lock:
            reader = self._tables.setdefault(table, {}).setdefault(player, Reader(table, player, lane))
            reader.lane = lane
            self._mark(reader, now, at)

    def mark_table(self, table: int, now: float, without: Collection[int] = ()) -> set[LaneName]:
        """Have the messages of a table's readers compared, except those of `without`; return their lanes."""
        with self._lock:
            marked = [each for each in self._tables.get(table, {}).values() if each.player not in without]
            for reader in marked:
                self._mark(reader, now)
        return {reader.lane for reader in marked}

    def mark_lane(self, lane: LaneName, now: float) -> None:
        """Have the messages of all readers of a chat compared."""
        for reader in self._all():
            if reader.lane == lane:
                self.mark(reader.table, reader.player, lane, now)

    def mark_all(self, now: float) -> None:
        """Have the messages of all readers compared: the times at which they change may be those of another clock."""
        for reader in self._all():
            self.mark(reader.table, reader.player, reader.lane, now)

    def move_lane(self, old: LaneName, new: LaneName) -> None:
        """Follow a chat to its new address."""
        for reader in self._all():
            if reader.lane == old:
                reader.lane = new

    def forget_table(self, table: int) -> None:
        """Forget the readers of a table that is gone."""
        with self._lock:
            for player in self._tables.pop(table, {}):
                self._due.pop((table, player), None)

    def _mark(self, reader: Reader, now: float, at: float = 0) -> None:
        reader.due_at = at if reader.due_at is None else min(reader.due_at, at)
        reader.since = now if reader.since is None else reader.since
        reader.marks += 1
        self._due[reader.table, reader.player] = reader

    def _all(self) -> list[Reader]:
        with self._lock:
            return [reader for readers in self._tables.values() for reader in readers.values()]

    # Comparing

    def of(self, *, table: int | None = None, player: int | None = None) -> list[Reader]:
        """Return the readers of a table or those that are a player, the oldest table first."""
        found = [each for each in self._all() if table in (None, each.table) and player in (None, each.player)]
        return sorted(found, key=lambda each: (each.table, each.player))

    def due(self, now: float) -> list[Reader]:
        """Return the readers whose messages are compared by then, those with the oldest change first."""
        with self._lock:
            found = [each for each in self._due.values() if each.due_at is not None and each.due_at <= now]
        return sorted(found, key=lambda each: (each.since or 0, each.table, each.player))

    def is_due(self, table: int, player: int) -> bool:
        """Return True if a reader's messages may be outdated."""
        return (table, player) in self._due

    def settle(self, readers: Iterable[Settled]) -> set[LaneName]:
        """Note that readers need not be compared; return the lanes to which some have moved."""
        moved = set[LaneName]()
        with self._lock:
            for each in readers:
                reader = self._tables.get(each.table, {}).get(each.player)
                if reader is None or reader.marks != each.marks:
                    continue
                if each.moved_to is not None:
                    reader.lane = each.moved_to
                    moved.add(reader.lane)
                    continue
                reader.due_at, reader.since = each.again, None
                if each.again is None:
                    self._due.pop((each.table, each.player), None)
                if each.is_over:
                    del self._tables[each.table][each.player]
        return moved
