"""The state of the installation, which every worker reports alike, on both databases."""

import asyncio
import re

import pytest
from prometheus_client import CollectorRegistry, generate_latest
from sqlalchemy import text
from sqlmodel import Session

from telegram_bot.intents import intents as i
from telegram_bot.notices import OutdatedNotice
from telegram_bot.service.handlers.ending import Stop
from telegram_bot.storage import status_queries
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import GameTable, InboxEntry
from telegram_bot.storage.phone_models import EVERYBODY, TextTally, day_of
from telegram_bot.storage.status_queries import InstallationStatus, StatusCollector, queries, query_status
from tests.telegram_bot.conftest import START, GroupHarness


@pytest.fixture(autouse=True)
def on_a_busy_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """An answer takes longer there, and so do the steps between two questions."""
    monkeypatch.setattr(status_queries, "QUERY_TIMEOUT_SECONDS", 60)
    monkeypatch.setattr(status_queries, "CACHE_SECONDS", 600)


def stands(harness: GroupHarness) -> InstallationStatus:
    with harness.database.transaction() as session:
        return query_status(session, harness.now)


def shown(gauges: StatusCollector) -> dict[str, float]:
    registry = CollectorRegistry()
    registry.register(gauges)
    lines = generate_latest(registry).decode().splitlines()
    return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines if not line.startswith("#"))}


async def test_lobbies_and_games_are_counted_and_those_that_are_over_are_not(harness: GroupHarness) -> None:
    assert stands(harness) == InstallationStatus()
    await harness.game("11236", "22345")
    assert stands(harness).tables == {"playing": 1}
    harness.group = i.Place("telegram", -1002, 0, "Others")
    await harness.lobby("Cy", "Dee")
    found = stands(harness)
    assert found.tables == {"playing": 1, "lobby": 1}
    assert found.timers == 2
    await harness.tap("Cy", Stop(confirmed=True), table=2)
    assert stands(harness).tables == {"playing": 1}


async def test_what_waits_is_counted_by_notice_and_by_chat_and_has_an_age(harness: GroupHarness) -> None:
    await harness.lobby("Ana", "Bo")
    harness.mark_all_sent()
    harness.now += 90
    harness.enqueue(OutdatedNotice(), chat=-1001)
    harness.enqueue(OutdatedNotice(), chat=-1001)
    harness.now += 30
    harness.enqueue(OutdatedNotice(), chat=101)
    found = stands(harness)
    assert (found.notices_waiting, found.lanes_waiting, found.lane_deepest, found.notices_oldest) == (3, 2, 2, 30)


def test_updates_that_wait_and_updates_that_were_set_aside(harness: GroupHarness) -> None:
    with harness.database.transaction() as session:
        for cause, seconds, more in (
            ("1", 40, {}),
            ("2", 7, {"error": "KeyError", "attempts": 1}),
            ("3", 90, {"done_at": START, "error": "KeyError", "attempts": 3}),
            ("4", 90, {"done_at": START}),
        ):
            session.add(InboxEntry(source="telegram", cause=cause, received_at=START - seconds, **more))
    found = stands(harness)
    assert (found.updates_waiting, found.updates_oldest, found.updates_dead) == (2, 40, 1)


def test_what_was_texted_today_and_what_may_still_be(harness: GroupHarness) -> None:
    with harness.database.transaction() as session:
        for day, texts in ((day_of(harness.now), 30), (day_of(harness.now - 86400), 500)):
            session.add(TextTally(day=day, scope=EVERYBODY, texts=texts, cost=texts * 10_000))
        session.add(TextTally(day=day_of(harness.now), scope="phone:7", texts=9, cost=90_000))
    gauges = StatusCollector(harness.database, now=lambda: harness.now, texts_per_day=100)
    asyncio.run(gauges.refresh())
    found = {name: value for name, value in shown(gauges).items() if name.startswith("perudo_texts")}
    assert found == {"perudo_texts_today": 30, "perudo_texts_cost_today": 0.3, "perudo_texts_left_today": 70}


async def test_a_deadline_that_nobody_meets_is_late_after_some_seconds(harness: GroupHarness) -> None:
    await harness.game("11236", "22345")
    due = harness.rows(GameTable)[0].due_at
    assert due is not None
    harness.now = due + 4
    assert stands(harness).timers_late == 0
    harness.now = due + 61
    assert (stands(harness).timers_late, stands(harness).timer_latest) == (1, 61)


def test_no_number_costs_a_walk_through_the_past(database: Database) -> None:
    with Session(database.engine) as session:
        if not database.is_sqlite:
            session.execute(text("SET LOCAL enable_seqscan = off"))
        for name, query in queries(START).items():
            compiled = str(query.compile(database.engine, compile_kwargs={"literal_binds": True}))
            if database.is_sqlite:
                plan = [str(row[-1]) for row in session.execute(text(f"EXPLAIN QUERY PLAN {compiled}"))]
                walks = [step for step in plan if re.match(r"SCAN (?!lanes|anon)", step) and "INDEX" not in step]
            else:
                plan = [str(row[0]) for row in session.execute(text(f"EXPLAIN {compiled}"))]
                walks = [step for step in plan if "Seq Scan" in step]
            assert plan, name
            assert not walks, (name, plan)


async def test_all_workers_tell_the_same_and_ask_once(harness: GroupHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    gauges = StatusCollector(harness.database, now=lambda: harness.now)
    await gauges.refresh()
    first = gauges.asked_at
    await harness.game("11236", "22345")
    await gauges.refresh()
    assert (gauges.asked_at, shown(gauges)['perudo_tables{status="playing"}']) == (first, 0)
    monkeypatch.setattr(gauges, "asked_at", float("-inf"))
    told = []
    for worker in (gauges, StatusCollector(harness.database, now=lambda: harness.now)):
        await worker.refresh()
        told.append({name: value for name, value in shown(worker).items() if "ask_seconds" not in name})
    assert told[0] == told[1]
    assert told[0]['perudo_tables{status="playing"}'] == 1
    assert told[0]['perudo_tables{status="lobby"}'] == 0
    assert told[0]["perudo_database_up"] == 1


async def test_without_a_database_no_old_number_is_told(harness: GroupHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    gauges = StatusCollector(harness.database, now=lambda: harness.now)
    await gauges.refresh()
    with harness.database.engine.begin() as connection:
        connection.execute(text("ALTER TABLE game_tally RENAME TO elsewhere"))
    monkeypatch.setattr(gauges, "asked_at", float("-inf"))
    await gauges.refresh()
    assert shown(gauges) == {"perudo_database_up": 0, "perudo_database_ask_seconds": gauges.seconds}
