"""Waiting transactions are committed together, and no caller gets a result before it is on the disk."""

import asyncio
import sqlite3
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sqlalchemy import event
from sqlmodel import Session, select

from telegram_bot.storage import group_commit
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import KeyValue


@pytest.fixture
def house(sqlite_url: str) -> Iterator[Database]:
    database = Database(sqlite_url)
    yield database
    database.close()


def note(key: str) -> Callable[[Session], str]:
    def write(session: Session) -> str:
        session.add(KeyValue(key=key, value="1"))
        return key

    return write


def keys(database: Database) -> list[str]:
    with database.transaction() as session:
        return [row.key for row in session.exec(select(KeyValue).order_by(KeyValue.key))]


class Slow:
    """Work that blocks the thread until it is released, so that other work queues behind it."""

    def __init__(self) -> None:
        self.begun = threading.Event()
        self.go_on = threading.Event()

    def __call__(self, _session: Session) -> None:
        self.begun.set()
        self.go_on.wait(10)

    async def queued(self, database: Database, *works: Callable[[Session], object]) -> list[asyncio.Task[object]]:
        """Block the thread, queue these behind it, release it."""
        first = asyncio.create_task(database.run(self))
        await asyncio.to_thread(self.begun.wait, 10)
        others = [asyncio.create_task(database.run(work)) for work in works]
        await asyncio.sleep(0)  # each of the others submits its work in its first step
        self.go_on.set()
        await asyncio.gather(first, *others, return_exceptions=True)
        return others


async def test_what_came_while_the_thread_was_busy_is_committed_at_once(
    house: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    commits: list[object] = []
    event.listen(house.engine, "commit", commits.append)
    monkeypatch.setattr(group_commit, "MAX_WAIT_SECONDS", 60)  # a busy machine takes longer for 20 transactions
    done = await Slow().queued(house, *(note(f"{number:02}") for number in range(20)))
    assert [one.result() for one in done] == [f"{number:02}" for number in range(20)]
    assert len(keys(house)) == 20
    assert len(commits) <= 3  # the one that held them up with theirs, and the look of this test


async def test_one_that_fails_takes_back_its_own_part_alone(house: Database) -> None:
    def half(session: Session) -> None:
        session.add(KeyValue(key="half", value="1"))
        session.flush()
        raise LookupError("on purpose")

    first, failed, last = await Slow().queued(house, note("a"), half, note("b"))
    assert first.result() == "a"
    assert isinstance(failed.exception(), LookupError)
    assert last.result() == "b"
    assert keys(house) == ["a", "b"]


async def test_each_sees_what_the_one_before_did(house: Database) -> None:
    def count(session: Session) -> int:
        found = len(session.exec(select(KeyValue)).all())
        session.add(KeyValue(key=str(found), value="1"))
        return found

    assert [one.result() for one in await Slow().queued(house, *[count] * 5)] == [0, 1, 2, 3, 4]


async def test_a_commit_that_fails_is_everybodys_failure(house: Database) -> None:
    def refuse(_connection: object) -> None:
        raise sqlite3.OperationalError("disk I/O error")

    event.listen(house.engine, "commit", refuse)
    done = await Slow().queued(house, note("a"), note("b"))
    event.remove(house.engine, "commit", refuse)
    assert [type(one.exception()) for one in done] == [sqlite3.OperationalError] * 2
    assert keys(house) == []
    assert await house.run(note("c")) == "c", "and the next may succeed"


async def test_nobody_hears_of_success_before_another_process_can_see_it(house: Database, tmp_path: Path) -> None:
    other = sqlite3.connect(tmp_path / "perudo.db")
    for number in range(20):
        await house.run(note(f"{number:02}"))
        assert other.execute("SELECT count(*) FROM note").fetchone() == (number + 1,)
    other.close()


async def test_who_gave_up_waiting_is_not_served(house: Database) -> None:
    slow = Slow()
    first = asyncio.ensure_future(house.run(slow))
    await asyncio.to_thread(slow.begun.wait, 10)
    given_up = asyncio.ensure_future(house.run(note("a")))
    await asyncio.sleep(0)
    given_up.cancel()
    await asyncio.sleep(0)
    slow.go_on.set()
    await first
    assert await house.run(note("b")) == "b"
    assert keys(house) == ["b"]


async def test_closing_finishes_what_was_handed_over(sqlite_url: str) -> None:
    database = Database(sqlite_url)
    waiting = [asyncio.ensure_future(database.run(note(str(number)))) for number in range(10)]
    await asyncio.sleep(0)
    await asyncio.to_thread(database.close)
    assert len(await asyncio.gather(*waiting)) == 10
    with pytest.raises(RuntimeError, match="closed"):
        await database.run(note("late"))
