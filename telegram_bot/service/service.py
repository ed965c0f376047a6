"""The one road: seen before? -> lock -> pure step -> state, actions, deadline, notices -> commit."""

from __future__ import annotations

import logging
import random
import time
from collections.abc import Callable
from dataclasses import dataclass

from sqlalchemy import delete, update
from sqlmodel import Session, col, select

from telegram_bot import metrics
from telegram_bot.service.announce import Announcer
from telegram_bot.service.arrivals import Arrivals
from telegram_bot.service.desk import Desk
from telegram_bot.service.intents import Intent
from telegram_bot.service.notes import Notes
from telegram_bot.service.notices import Toast
from telegram_bot.service.work import Hear, House, Work, read
from telegram_bot.storage.database import Database
from telegram_bot.storage.rows import HEARTBEAT, GameTable, Inbox, Note, Outbox, Rate, SentMessage
from telegram_bot.tables.clock import on_due, restart_after_outage
from telegram_bot.tables.happenings import Step
from telegram_bot.tables.model import Status

log = logging.getLogger(__name__)

OUTAGE_SECONDS = 60
"""A silence of the house longer than this, in seconds, restarts every running clock."""

KEPT_SECONDS = 7 * 86400
"""How long causes are kept, so that a late repetition is known; Telegram repeats for a day."""

RETRY_SECONDS = 60
"""How long a deadline that failed is put off."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of an intent: an answer for whoever tapped, and the lanes that now hold notices."""

    toast: Toast | None = None
    lanes: frozenset[str] = frozenset()
    repeated: bool = False
    language: str | None = None
    """What the answer is to be said in."""


class Service:
    """Everything that changes a table goes through here, one transaction each."""

    def __init__(
        self,
        database: Database,
        house: House,
        *,
        rng: random.Random | None = None,
        now: Callable[[], float] = time.time,
        hear: Hear | None = None,
    ) -> None:
        self.database = database
        self.house = house
        self.rng = rng or random.SystemRandom()
        self.now = now
        self.hear = hear
        self.arrivals = Arrivals(database, now)
        self.notes = Notes(database, now)

    # Intents

    async def handle(self, intent: Intent) -> Outcome:
        """Act on an intent once, whatever happens: a repeated cause changes nothing."""
        with metrics.timed(metrics.STEP_SECONDS.labels("intent")):
            outcome = await self.database.run(lambda session: self._handle(session, intent))
        metrics.UPDATES.labels(intent.source, "duplicate" if outcome.repeated else "acted").inc()
        log.debug("acted", extra={"intent": type(intent.what).__name__, "repeated": outcome.repeated})
        return outcome

    def _handle(self, session: Session, intent: Intent) -> Outcome:
        if self.arrivals.seen(session, intent.source, intent.cause):
            return Outcome(repeated=True)
        work = self.work(session, f"{intent.source}:{intent.cause}")
        desk = Desk(work)
        toast = desk.serve(intent)
        return Outcome(toast, frozenset(work.lanes), language=desk.language)

    def work(self, session: Session, cause: str) -> Work:
        """The surroundings of one step."""
        return Work(session=session, now=self.now(), rng=self.rng, house=self.house, cause=cause, hear=self.hear)

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
        with metrics.timed(metrics.STEP_SECONDS.labels("deadline")):
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
