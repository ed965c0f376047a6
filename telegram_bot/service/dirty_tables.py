"""The tables whose readers' messages must be compared with those that they should see.

They are in the memory of the process that plays. After a start, all whose messages may be outdated are compared.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Final

from sqlalchemy import event, inspect, or_
from sqlalchemy.orm import object_session
from sqlmodel import Session, col, select

from telegram_bot.repositories.repositories import known_as_live
from telegram_bot.storage.models import DirectMessages, GameTable, LaneName, Player

# People

_CHANGED: Final = "changed people"
_SHOWN: Final = (
    *("view", "direct", "phone", "language", "chosen_language", "dice_style", "pictures"),
    *("asks_twice", "tips", "switched_on", "last_tip"),
)
"""The columns of a person from which follows where and how their messages are shown.

`handlers.chats` marks the tables of a person who refuses private messages.
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


# Tables

ENDED_SECONDS: Final = 86400.0
"""After a start, the tables that ended within this time are compared."""
MOST_ENDED: Final = 1000
"""So many of these tables are compared at most, the newest ones."""


@dataclass(eq=False, slots=True)
class Missing:
    """The messages of a table that a chat misses, as compared last."""

    since: float
    slots: set[str] = field(default_factory=set)


@dataclass(eq=False)
class DirtyTables:
    """The tables to compare. Only transactions change them, which run one after another."""

    since: dict[int, float] = field(default_factory=dict)
    """The dirty tables: since when a message of one of their readers may be outdated."""
    changes: dict[int, float] = field(default_factory=dict)
    """When tables become dirty without a step."""
    missing: dict[LaneName, dict[int, Missing]] = field(default_factory=dict)
    """The messages that chats miss of tables that are not dirty: they wait for their limits or another message."""

    def load(self, session: Session, now: float) -> None:
        """Have all tables compared whose messages a process of before may have left outdated."""
        ended = (
            select(GameTable.id)
            .where(~col(GameTable.live), col(GameTable.updated_at) > now - ENDED_SECONDS)
            .order_by(col(GameTable.updated_at).desc())
            .limit(MOST_ENDED)
        )
        tables = select(GameTable.id, GameTable.updated_at).where(or_(known_as_live(now), col(GameTable.id).in_(ended)))
        for table, since in session.exec(tables):
            self.mark(table, since)

    def mark(self, table: int, now: float) -> None:
        """Have the messages of a table's readers compared."""
        self.since[table] = min(now, self.since.get(table, now))

    def mark_later(self, table: int, at: float) -> None:
        """Have them compared at a time; the earliest time counts."""
        self.changes[table] = min(at, self.changes.get(table, at))

    def mark_waiting(self, now: float) -> None:
        """Have all tables compared that change at some time: it may be the time of another clock."""
        for table in self.changes:
            self.mark(table, now)

    def due(self, now: float) -> dict[int, float]:
        """Return the tables to compare, each since when."""
        return {table: at for table, at in self.changes.items() if at <= now} | self.since

    def waits(self, table: int, slots: Collection[str]) -> bool:
        """Return True if a message in one of these slots may be outdated, or will be."""
        may_be = table in self.since or table in self.changes
        return may_be or any(of[table].slots.intersection(slots) for of in self.missing.values() if table in of)

    # Comparing

    def note(self, table: int, missing: dict[LaneName, Missing], lanes: Collection[LaneName] | None) -> None:
        """Note what chats miss of a table: these chats, or all if `lanes` is None."""
        for lane in list(self.missing) if lanes is None else lanes:
            if (of := self.missing.get(lane)) is not None and of.pop(table, None) is not None and not of:
                del self.missing[lane]
        for lane, missed in missing.items():
            self.missing.setdefault(lane, {})[table] = missed

    def sent(self, lane: LaneName, table: int, slot: str, missing: Missing) -> None:
        """Note that the only message was sent that a reader missed at the last comparison."""
        missing.slots.discard(slot)
        if not missing.slots and self.missing.get(lane, {}).get(table) is missing:
            self.note(table, {}, [lane])
