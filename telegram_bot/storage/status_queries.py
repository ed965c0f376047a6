"""Query the state of the whole installation from its database, for `/metrics` and the doctor."""

import asyncio
import logging
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.registry import Collector
from sqlalchemy import Select, func, select, text
from sqlmodel import Session, col

from telegram_bot.storage.database import Database, reason
from telegram_bot.storage.key_value import as_time
from telegram_bot.storage.models import (
    INBOX_DEAD,
    LAST_BACKUP,
    OPEN_NOTICES,
    GameTable,
    GameTally,
    InboxEntry,
    KeyValue,
    OutboxEntry,
)
from telegram_bot.storage.phone_models import EVERYBODY, TextTally, day_of
from telegram_bot.tables.model import Status

log = logging.getLogger(__name__)

CACHE_SECONDS: Final = 5.0
"""How long the last result is reused."""
QUERY_TIMEOUT_SECONDS: Final = 3.0
"""How long a scrape waits for the database; Prometheus itself waits ten seconds."""
MILLIONTHS: Final = 1_000_000
LATE_SECONDS: Final = 5.0
"""Deadlines are handled within half a second. A deadline that is overdue by more than this is late."""
SHARED: Final = " (whole installation: every worker shows the same)"
"""The end of the description of a metric that workers must not add up."""


@dataclass(frozen=True, slots=True)
class InstallationStatus:
    """Counts of updates, notices, lanes and tables. Each query uses an index of open rows, so old rows cost no time."""

    tables: Mapping[str, int] = field(default_factory=dict)
    updates_waiting: int = 0
    updates_oldest: float = 0
    updates_dead: int = 0
    notices_waiting: int = 0
    notices_oldest: float = 0
    lanes_waiting: int = 0
    lane_deepest: int = 0
    timers: int = 0
    timers_late: int = 0
    timer_latest: float = 0
    games_started: int = 0
    games_finished: int = 0
    rounds_played: int = 0
    """Since the installation's first day, including deleted games."""
    texts: int = 0
    """The text messages of this UTC day."""
    texts_cost: int = 0
    """The cost of these text messages, in millionths of the installation's currency."""
    backup_age: float | None = None
    """Seconds since the last complete `perudo-bot backup`, or None if there was none."""


# The conditions of the partial indexes, word for word: a database uses an index only for exactly its condition.
_LIVE: Final = text("live")
_UPDATE_OPEN: Final = text("done_at IS NULL")
_UPDATE_DEAD: Final = text(INBOX_DEAD)


def queries(now: float) -> dict[str, Select[*tuple[Any, ...]]]:
    """Return the queries by name."""
    due = col(GameTable.due_at)
    lanes = (
        select(func.count().label("depth"), func.min(col(OutboxEntry.created_at)).label("first"))
        .where(OPEN_NOTICES)
        .group_by(col(OutboxEntry.lane))
        .subquery()
    )
    return {
        "tables": select(col(GameTable.status), func.count()).where(_LIVE).group_by(col(GameTable.status)),
        "updates": select(func.count(), func.min(col(InboxEntry.received_at))).where(_UPDATE_OPEN),
        "dead": select(func.count()).select_from(InboxEntry).where(_UPDATE_DEAD),
        "lanes": select(func.count(), func.sum(lanes.c.depth), func.max(lanes.c.depth), func.min(lanes.c.first)),
        "timers": select(func.count()).select_from(GameTable).where(due.is_not(None)),
        # The condition is true for each of the few rows. With it, the databases use the index.
        "games": select(
            func.sum(col(GameTally.games_started)),
            func.sum(col(GameTally.games_finished)),
            func.sum(col(GameTally.rounds_played)),
        ).where(col(GameTally.shard) >= 0),
        "texts": select(col(TextTally.texts), col(TextTally.cost)).where(
            col(TextTally.day) == day_of(now), col(TextTally.scope) == EVERYBODY
        ),
        "backup": select(col(KeyValue.value)).where(col(KeyValue.key) == LAST_BACKUP),
        "late": select(func.count(), func.min(due)).where(due <= now - LATE_SECONDS),
    }


def query_status(session: Session, now: float) -> InstallationStatus:
    """Run the queries."""
    found = {name: session.execute(query).all() for name, query in queries(now).items()}
    updates, first_update = found["updates"][0]
    lanes, notices, deepest, first_notice = found["lanes"][0]
    late, latest = found["late"][0]
    games_started, games_finished, rounds_played = found["games"][0]
    texts, texts_cost = found["texts"][0] if found["texts"] else (0, 0)
    backup = as_time(found["backup"][0][0]) if found["backup"] else None
    return InstallationStatus(
        tables=dict(found["tables"]),
        updates_waiting=updates,
        updates_oldest=_age(first_update, now),
        updates_dead=found["dead"][0][0],
        notices_waiting=int(notices or 0),
        notices_oldest=_age(first_notice, now),
        lanes_waiting=lanes,
        lane_deepest=deepest or 0,
        timers=found["timers"][0][0],
        timers_late=late,
        timer_latest=_age(latest, now),
        games_started=int(games_started or 0),
        games_finished=int(games_finished or 0),
        rounds_played=int(rounds_played or 0),
        texts=texts,
        texts_cost=texts_cost,
        backup_age=None if backup is None else _age(backup, now),
    )


def _age(since: float | None, now: float) -> float:
    return 0.0 if since is None else max(0.0, now - since)


class StatusCollector(Collector):
    """Shows the status to Prometheus. A scrape queries the database unless the last result is fresh."""

    def __init__(
        self,
        database: Database,
        *,
        now: Callable[[], float] = time.time,
        texts_per_day: int = 0,
        spend_per_day: float = 0,
    ) -> None:
        """`texts_per_day` and `spend_per_day` are the day's limits; 0: no limit, and no metric of the rest."""
        self.database = database
        self.texts_per_day = texts_per_day
        self.spend_per_day = spend_per_day
        self.now = now
        self.asked_at = float("-inf")
        self.seconds = 0.0
        self.found: InstallationStatus | None = None
        self._asking: asyncio.Task[None] | None = None

    async def refresh(self) -> None:
        """Query again unless the last result is fresh. At most one query runs."""
        if time.monotonic() - self.asked_at < CACHE_SECONDS:
            return
        if self._asking is None or self._asking.done():
            self._asking = asyncio.create_task(self._ask(), name="gauges")
        _, late = await asyncio.wait([self._asking], timeout=QUERY_TIMEOUT_SECONDS)
        if late:
            self.found = None

    async def _ask(self) -> None:
        began = time.perf_counter()
        try:
            self.found = await self.database.run(lambda session: query_status(session, self.now()))
        except Exception as error:  # noqa: BLE001 - the numbers say so themselves: perudo_database_up is 0
            log.warning("the database could not be asked how things stand: %s", reason(error))
            self.found = None
        self.seconds = time.perf_counter() - began
        self.asked_at = time.monotonic()

    def collect(self) -> Iterable[CounterMetricFamily | GaugeMetricFamily]:
        """Yield the metrics of the last result; if the database did not answer, only `perudo_database_up`."""
        found = self.found
        yield _gauge("database_up", "Whether this worker reaches the database", 0 if found is None else 1)
        yield _gauge(
            "database_ask_seconds", "The time that this worker's query of the metrics below took", self.seconds
        )
        shown = found or InstallationStatus()
        tables = GaugeMetricFamily("perudo_tables", f"Open tables{SHARED}", labels=["status"])
        for status in (Status.LOBBY, Status.PLAYING):
            if found is not None:
                tables.add_metric([status], shown.tables.get(status, 0))
        yield tables
        for name, words, value in (
            ("updates_waiting", "Updates that are stored and not yet acted on", shown.updates_waiting),
            ("updates_oldest_seconds", "The age of the oldest of them", shown.updates_oldest),
            (
                "updates_dead",
                "Updates set aside because they could not be read or failed again and again; kept for a week",
                shown.updates_dead,
            ),
            ("notices_waiting", "Notices that are not yet sent", shown.notices_waiting),
            ("notices_oldest_seconds", "The age of the oldest of them", shown.notices_oldest),
            ("lanes_waiting", "Chats with waiting notices", shown.lanes_waiting),
            ("lane_depth_max", "Waiting notices of the busiest chat", shown.lane_deepest),
            ("timers", "Running clocks", shown.timers),
            ("timers_late", "Expired clocks without a result", shown.timers_late),
            ("timer_latest_seconds", "The delay of the latest of them", shown.timer_latest),
        ):
            yield _gauge(name, f"{words}{SHARED}", None if found is None else value)
        yield _gauge("backup_age_seconds", f"The age of the last backup{SHARED}", shown.backup_age)
        for name, words, value in (
            ("games_started", "Games that began", shown.games_started),
            ("games_finished", "Games with a winner", shown.games_finished),
            ("rounds_played", "Finished rounds", shown.rounds_played),
        ):
            yield CounterMetricFamily(f"perudo_{name}", f"{words}{SHARED}", value=None if found is None else value)
        texts, money = shown.texts, shown.texts_cost / MILLIONTHS
        for name, words, value, limit in (
            ("texts_today", "Text messages sent today (UTC)", texts, 1),
            (
                "texts_left_today",
                "Text messages that may still be sent today",
                self.texts_per_day - texts,
                self.texts_per_day,
            ),
            ("texts_cost_today", "The cost of today's text messages", money, 1),
            (
                "texts_money_left_today",
                "The money that may still be spent on texts today",
                self.spend_per_day - money,
                self.spend_per_day,
            ),
        ):
            yield _gauge(name, f"{words}{SHARED}", value if found is not None and limit else None)


def _gauge(name: str, words: str, value: float | None) -> GaugeMetricFamily:
    """Return a gauge. None gives a gauge without a value, because an old value would be wrong."""
    return GaugeMetricFamily(f"perudo_{name}", words, value=value)
