"""The one road: seen before? -> lock -> pure step -> state, actions, deadline, notices -> commit."""

from __future__ import annotations

import logging
import random
from collections.abc import Callable
from dataclasses import dataclass, replace

from sqlalchemy import update
from sqlmodel import Session, col

from telegram_bot.observability import metrics
from telegram_bot.service.announcer import Announcer
from telegram_bot.service.dispatcher import Desk
from telegram_bot.service.handlers import clock
from telegram_bot.service.intents import Intent
from telegram_bot.service.multi_table import Errands, concerns_several, errands_of, run_errand
from telegram_bot.service.notices import Toast
from telegram_bot.service.outages import Outages
from telegram_bot.service.quotas import Gate, Verdict
from telegram_bot.service.unit_of_work import Hear, House, Work, read
from telegram_bot.storage.database import Database
from telegram_bot.storage.database_clock import Clock
from telegram_bot.storage.inbox_store import Arrivals
from telegram_bot.storage.key_value import Notes
from telegram_bot.storage.models import GameTable
from telegram_bot.tables.events import Denial

log = logging.getLogger(__name__)

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
    ignored: bool = False
    """Its sender asks for too much and was told so: nothing is answered."""


class Service:
    """Everything that changes a table goes through here, one transaction each."""

    def __init__(
        self,
        database: Database,
        house: House,
        *,
        rng: random.Random | None = None,
        clock: Clock | None = None,
        now: Callable[[], float] | None = None,
        hear: Hear | None = None,
    ) -> None:
        self.database = database
        self.house = house
        self.rng = rng or random.SystemRandom()
        if now is None:
            clock = clock or Clock()
            now = clock.now
        self.now = now
        self.hear = hear
        self.arrivals = Arrivals(database, now)
        self.notes = Notes(database, now)
        self.outages = Outages(database, now, self.work, clock)
        self.gate = Gate(house.quotas, now)

    # Intents

    async def handle(self, intent: Intent) -> Outcome:
        """Act on an intent once, whatever happens: a repeated cause changes nothing."""
        with metrics.timed(metrics.STEP_SECONDS.labels("intent")):
            if concerns_several(intent):
                outcome = await self._handle_several(intent)
            else:
                outcome = await self.database.run(lambda session: self._handle(session, intent))
        fate = "duplicate" if outcome.repeated else "ignored" if outcome.ignored else "acted"
        metrics.UPDATES.labels(intent.source, fate).inc()
        log.debug("acted", extra={"intent": type(intent.what).__name__, "repeated": outcome.repeated})
        return outcome

    async def _handle_several(self, intent: Intent) -> Outcome:
        """The same for what may concern several tables: a transaction for each, then one for the person."""

        def survey(session: Session) -> tuple[Verdict, Errands] | None:
            if self.arrivals.is_done(session, intent.source, intent.cause):
                return None
            verdict = self.gate.check(session, intent)
            errands = errands_of(self.work(session, ""), intent) if verdict is Verdict.SERVE else Errands()
            return verdict, errands

        surveyed = await self.database.run(survey)
        if surveyed is None:
            return Outcome(repeated=True)
        verdict, errands = surveyed
        lanes: frozenset[str] = frozenset()
        for table in errands.tables:
            lanes |= await self.database.run(lambda s, table=table: self._errand(s, intent, table, errands))  # type: ignore[misc]
        outcome = await self.database.run(lambda session: self._handle(session, intent, verdict))
        return replace(outcome, lanes=outcome.lanes | lanes)

    def _errand(self, session: Session, intent: Intent, table: int, errands: Errands) -> frozenset[str]:
        if self.arrivals.seen(session, intent.source, f"{intent.cause}/{table}"):
            return frozenset()
        work = self.work(session, f"{intent.source}:{intent.cause}")
        run_errand(work, intent, table, was_refused=errands.was_refused)
        return frozenset(work.lanes)

    def _handle(self, session: Session, intent: Intent, verdict: Verdict | None = None) -> Outcome:
        if self.arrivals.seen(session, intent.source, intent.cause):
            return Outcome(repeated=True)
        verdict = verdict or self.gate.check(session, intent)
        if verdict is Verdict.IGNORE:
            return Outcome(ignored=True)
        work = self.work(session, f"{intent.source}:{intent.cause}")
        desk = Desk(work)
        toast = desk.serve(intent) if verdict is Verdict.SERVE else desk.refuse(intent, Denial.TOO_FAST)
        return Outcome(toast, frozenset(work.lanes), language=desk.language)

    def work(self, session: Session, cause: str) -> Work:
        """The surroundings of one step."""
        return Work(session=session, now=self.now(), rng=self.rng, house=self.house, cause=cause, hear=self.hear)

    # Deadlines

    async def postpone(self, table: int) -> None:
        """Try a table's deadline again later: what it holds cannot be acted on now."""

        def put_off(session: Session) -> None:
            session.exec(update(GameTable).where(col(GameTable.id) == table).values(due_at=self.now() + RETRY_SECONDS))

        await self.database.run(put_off)

    async def on_deadline(self, table: int) -> Outcome:
        """Do what is due at a table; nothing if somebody was quicker, or is at it."""
        with metrics.timed(metrics.STEP_SECONDS.labels("deadline")):
            return await self.database.run(lambda session: self._on_deadline(session, table))

    def _on_deadline(self, session: Session, table: int) -> Outcome:
        work = self.work(session, "deadline")
        row = work.table_row(table, skip_locked=True)
        if row is None or not row.live or row.due_at is None or row.due_at > work.now:
            return Outcome()
        before = read(row)
        step = clock.due(work, before)
        work.save(row, step)
        Announcer(work, row, work.chat_of(row)).announce(before, step)
        return Outcome(lanes=frozenset(work.lanes))
