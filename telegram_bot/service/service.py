"""The one road: seen before? -> lock -> pure step -> state, actions, deadline, notices -> commit."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import delete, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlmodel import Session, col, select

from telegram_bot.service.announce import Announcer
from telegram_bot.service.desk import Desk
from telegram_bot.service.intents import Intent
from telegram_bot.service.notices import Toast
from telegram_bot.service.work import House, Work, read
from telegram_bot.storage.database import Database
from telegram_bot.storage.rows import GameTable, Inbox, Note, Outbox, Rate, SentMessage
from telegram_bot.tables.clock import on_due, restart_after_outage
from telegram_bot.tables.happenings import Step
from telegram_bot.tables.model import Status

HEARTBEAT = "heartbeat"
OUTAGE_SECONDS = 60
"""A silence of the house longer than this, in seconds, restarts every running clock."""

KEPT_SECONDS = 7 * 86400
"""How long causes are kept, so that a late repetition is known; Telegram repeats for a day."""

RETRY_SECONDS = 60
"""How long a deadline that failed is put off."""

MOST_ATTEMPTS = 3
"""How often something received is tried before it is set aside."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of an intent: an answer for whoever tapped, and the lanes that now hold notices."""

    toast: Toast | None = None
    lanes: frozenset[str] = frozenset()
    repeated: bool = False


@dataclass(frozen=True, slots=True)
class Received:
    """Something written down and not yet acted on."""

    id: int
    source: str
    cause: str
    payload: dict[str, Any]


class Service:
    """Everything that changes a table goes through here, one transaction each."""

    def __init__(
        self,
        database: Database,
        house: House,
        *,
        rng: random.Random | None = None,
        now: Callable[[], float] = time.time,
    ) -> None:
        self.database = database
        self.house = house
        self.rng = rng or random.SystemRandom()
        self.now = now

    # What comes in

    async def write_down(self, source: str, arrivals: list[tuple[str, dict[str, Any]]]) -> list[Received]:
        """Keep what arrived before anything is done about it; repeated causes are dropped."""
        return await self.database.run(lambda session: self._write_down(session, source, arrivals))

    def _write_down(self, session: Session, source: str, arrivals: list[tuple[str, dict[str, Any]]]) -> list[Received]:
        insert = sqlite.insert if self.database.is_sqlite else postgresql.insert
        kept = []
        for cause, payload in arrivals:
            statement = (
                insert(Inbox)
                .values(source=source, cause=cause, payload=payload, received_at=self.now(), attempts=0)
                .on_conflict_do_nothing(index_elements=["source", "cause"])
                .returning(col(Inbox.id))
            )
            number = session.execute(statement).scalar_one_or_none()
            if number is not None:
                kept.append(Received(number, source, cause, payload))
        return kept

    async def unfinished(self) -> list[Received]:
        """What was written down and not acted on, oldest first: after a crash, the work to do."""

        def find(session: Session) -> list[Received]:
            query = select(Inbox).where(col(Inbox.done_at).is_(None)).order_by(col(Inbox.id))
            return [Received(row.id or 0, row.source, row.cause, row.payload or {}) for row in session.exec(query)]

        return await self.database.run(find)

    async def failed(self, received: Received, error: str) -> bool:
        """Count a failed try; True when it was the last and the arrival is set aside."""

        def count(session: Session) -> bool:
            row = session.get_one(Inbox, received.id)
            row.attempts += 1
            row.error = error
            if row.attempts >= MOST_ATTEMPTS:
                row.done_at = self.now()
                return True
            return False

        return await self.database.run(count)

    async def ignored(self, received: Received) -> None:
        """Close an arrival that asks for nothing."""
        await self.database.run(lambda session: self._seen(session, received.source, received.cause) and None)

    def _seen(self, session: Session, source: str, cause: str) -> bool:
        """Mark the cause as acted on; True when it had been already."""
        now = self.now()
        closed = session.execute(
            update(Inbox)
            .where(col(Inbox.source) == source, col(Inbox.cause) == cause, col(Inbox.done_at).is_(None))
            .values(done_at=now, payload=None, error=None)
            .returning(col(Inbox.id))
        ).scalar_one_or_none()
        if closed is not None:
            return False
        insert = sqlite.insert if self.database.is_sqlite else postgresql.insert
        fresh = session.execute(
            insert(Inbox)
            .values(source=source, cause=cause, received_at=now, done_at=now, attempts=0)
            .on_conflict_do_nothing(index_elements=["source", "cause"])
            .returning(col(Inbox.id))
        ).scalar_one_or_none()
        return fresh is None

    # Intents

    async def handle(self, intent: Intent) -> Outcome:
        """Act on an intent once, whatever happens: a repeated cause changes nothing."""
        return await self.database.run(lambda session: self._handle(session, intent))

    def _handle(self, session: Session, intent: Intent) -> Outcome:
        if self._seen(session, intent.source, intent.cause):
            return Outcome(repeated=True)
        work = self.work(session, f"{intent.source}:{intent.cause}")
        toast = Desk(work).serve(intent)
        return Outcome(toast, frozenset(work.lanes))

    def work(self, session: Session, cause: str) -> Work:
        """The surroundings of one step."""
        return Work(session=session, now=self.now(), rng=self.rng, house=self.house, cause=cause)

    # Deadlines

    async def due_tables(self, limit: int = 100) -> list[int]:
        """Tables whose deadline has passed, the longest overdue first."""
        now = self.now()

        def find(session: Session) -> list[int]:
            query = (
                select(GameTable.id).where(col(GameTable.due_at) <= now).order_by(col(GameTable.due_at)).limit(limit)
            )
            return [table for table in session.exec(query) if table is not None]

        return await self.database.run(find)

    async def postpone(self, table: int) -> None:
        """Try a table's deadline again later: what it holds cannot be acted on now."""

        def put_off(session: Session) -> None:
            session.exec(update(GameTable).where(col(GameTable.id) == table).values(due_at=self.now() + RETRY_SECONDS))

        await self.database.run(put_off)

    async def on_deadline(self, table: int) -> Outcome:
        """Do what is due at a table; nothing if somebody was quicker."""
        return await self._on_table(table, "deadline", self._due)

    def _due(self, work: Work, row: GameTable) -> Step | None:
        if row.due_at is None or row.due_at > work.now:
            return None
        return on_due(read(row), now=work.now, rng=work.rng, pace=work.pace)

    async def _on_table(self, table: int, cause: str, act: Callable[[Work, GameTable], Step | None]) -> Outcome:
        def run(session: Session) -> Outcome:
            work = self.work(session, cause)
            row = work.table_row(table)
            if row is None or not row.live:
                return Outcome()
            before = read(row)
            step = act(work, row)
            if step is not None:
                work.save(row, step)
                Announcer(work, row, work.chat_of(row)).announce(before, step)
            return Outcome(lanes=frozenset(work.lanes))

        return await self.database.run(run)

    async def heartbeat(self) -> None:
        """Remember that the house is alive now."""

        def write(session: Session) -> None:
            session.merge(Note(key=HEARTBEAT, value=repr(self.now())))

        await self.database.run(write)

    async def prune(self) -> None:
        """Forget what was received or sent long ago; games and their records stay."""
        before = self.now() - KEPT_SECONDS

        def forget(session: Session) -> None:
            session.exec(delete(Inbox).where(col(Inbox.done_at) < before))
            session.exec(delete(Outbox).where(col(Outbox.done_at) < before))
            over = select(GameTable.id).where(~col(GameTable.live), col(GameTable.updated_at) < before)
            session.exec(delete(SentMessage).where(col(SentMessage.table_id).in_(over)))
            session.exec(delete(Rate).where(col(Rate.arrival) < before))

        await self.database.run(forget)

    async def after_outage(self, *, silent_since: float | None = None) -> frozenset[str]:
        """Restart the clocks that ran while the players could not be heard; nobody is late then.

        After a short silence those that ended within it, after a long one all. The silence began at `silent_since`,
        or with the last heartbeat of this house.
        """
        now = self.now()

        def unheard_tables(session: Session) -> list[int]:
            note = session.get(Note, HEARTBEAT)
            since = silent_since if silent_since is not None else None if note is None else float(note.value)
            if since is None:
                return []
            query = select(GameTable.id).where(col(GameTable.live), col(GameTable.due_at).is_not(None))
            if now - since < OUTAGE_SECONDS:
                query = query.where(col(GameTable.due_at) >= since, col(GameTable.due_at) <= now)
            return [table for table in session.exec(query) if table is not None]

        lanes: set[str] = set()
        for table in await self.database.run(unheard_tables):
            outcome = await self._on_table(table, "outage", self._restart)
            lanes |= outcome.lanes
        return frozenset(lanes)

    def _restart(self, work: Work, row: GameTable) -> Step:
        table = read(row)
        step = restart_after_outage(table, now=work.now, pace=work.pace)
        if table.status is Status.PLAYING and table.clock_ends is not None:
            Announcer(work, row, work.chat_of(row)).round(step.table)
        return step
