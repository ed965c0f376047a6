"""The database: its settings, its transactions, the values that its rows accept, and arrivals that are handled once."""

import asyncio
import sqlite3
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import BigInteger, Connection, Integer, event
from sqlalchemy.exc import IntegrityError, OperationalError
from sqlmodel import Session, SQLModel, select

from telegram_bot.service.handlers.lobby_requests import Join, OpenLobby
from telegram_bot.storage import models
from telegram_bot.storage.database import BACKGROUND_TRANSACTIONS, Database, connect, in_background, sqlite_file
from telegram_bot.storage.inbox_store import MAX_ATTEMPTS, TRANSIENT_RETRY_SECONDS
from test_support.key_values import noted
from tests.telegram_bot.conftest import ONLY_SQLITE, GroupHarness

LARGEST_ID = 2**52 - 1


def a_table(chat: int, code: str, *, live: bool = True) -> models.GameTable:
    usual: dict[str, Any] = {"status": "lobby", "state": {"x": 1}, "created_at": 1, "updated_at": 1}
    return models.GameTable(code=code, chat_id=chat, live=live, **usual)


def a_chat(session: Session, *, address: int = -1001, topic: int = 0) -> int:
    chat = models.Chat(channel="telegram", address=address, topic=topic)
    session.add(chat)
    session.flush()
    return chat.id


def test_sqlite_keeps_what_it_has_confirmed(sqlite_url: str) -> None:
    engine = connect(sqlite_url)
    with engine.connect() as connection:
        found = {
            name: connection.exec_driver_sql(f"PRAGMA {name}").scalar_one()
            for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
        }
    engine.dispose()
    assert found == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "busy_timeout": 10_000}


@pytest.fixture
def other(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(tmp_path / "perudo.db", timeout=0, isolation_level=None)
    yield connection
    connection.close()


def test_a_worker_waits_ten_seconds_while_another_program_has_locked_the_file(
    other: sqlite3.Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other.execute("BEGIN EXCLUSIVE")
    pauses: list[float] = []
    monkeypatch.setattr("telegram_bot.storage.database.time.sleep", pauses.append)
    url = f"sqlite:///{tmp_path}/perudo.db"
    with pytest.raises(OperationalError, match="locked"):
        connect(url).connect()
    assert sum(pauses) == pytest.approx(10, abs=0.2)

    def other_goes_on(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 3:
            other.rollback()

    pauses.clear()
    monkeypatch.setattr("telegram_bot.storage.database.time.sleep", other_goes_on)
    engine = connect(url)
    with engine.connect() as connection:
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar_one() == "wal"
    assert pauses == [0.1] * 3
    engine.dispose()


@ONLY_SQLITE
async def test_a_transaction_takes_the_write_lock_before_reading(database: Database, other: sqlite3.Connection) -> None:
    with database.transaction() as session:
        session.exec(select(models.KeyValue)).all()
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            other.execute("BEGIN IMMEDIATE")
        assert other.execute("SELECT count(*) FROM note").fetchone() == (0,), "readers are not kept waiting"
    other.execute("BEGIN IMMEDIATE")
    waiting = asyncio.create_task(database.run(lambda session: session.add(models.KeyValue(key="a", value="1"))))
    _, pending = await asyncio.wait([waiting], timeout=0.2)
    assert pending, "the lock is another's"
    other.rollback()
    await asyncio.wait_for(waiting, 60)


def keep(database: Database, key: str) -> None:
    database.run_now(lambda session: session.add(models.KeyValue(key=key, value="1")))


@pytest.mark.parametrize("deleted", [("",), ("", "-wal", "-shm")])
def test_a_deleted_file_is_written_again(
    sqlite_url: str, deleted: tuple[str, ...], caplog: pytest.LogCaptureFixture
) -> None:
    file = sqlite_file(sqlite_url)
    database = Database(sqlite_url)
    keep(database, "before")
    for end in deleted:
        Path(f"{file}{end}").unlink()
    keep(database, "after")
    assert noted(sqlite_url) == ["after", "before"]
    assert caplog.text.count("was deleted while the bot ran") == 1
    database.close()
    assert noted(sqlite_url) == ["after", "before"], "a new start finds them too"


def test_while_a_deleted_file_cannot_be_written_games_go_on(sqlite_url: str, caplog: pytest.LogCaptureFixture) -> None:
    file = sqlite_file(sqlite_url)
    assert file
    database = Database(sqlite_url)
    keep(database, "before")
    file.unlink()
    in_its_way = Path(f"{file}.rescued")
    in_its_way.mkdir()
    keep(database, "meanwhile")
    keep(database, "later")
    assert not file.exists()
    assert caplog.text.count("cannot be written again") == 1
    in_its_way.rmdir()
    keep(database, "after")
    assert noted(sqlite_url) == ["after", "before", "later", "meanwhile"]
    database.close()


async def test_work_is_committed_or_rolled_back_as_a_whole(database: Database) -> None:
    def half(session: Session) -> None:
        session.add(models.KeyValue(key="a", value="1"))
        session.flush()
        raise LookupError

    with pytest.raises(LookupError), database.transaction() as session:
        half(session)
    with pytest.raises(LookupError):
        await database.run(half)
    assert await database.run(lambda session: session.get(models.KeyValue, "a")) is None
    await database.run(lambda session: session.add(models.KeyValue(key="a", value="1")))
    assert await database.run(lambda session: session.get_one(models.KeyValue, "a").value) == "1"


async def test_a_transaction_waits_for_few_of_those_in_the_background(database: Database) -> None:
    begun: list[str] = []

    async def in_the_background() -> None:
        in_background.set(True)
        await database.run(lambda _session: begun.append("note"))

    others = [asyncio.create_task(in_the_background()) for _ in range(50)]
    await asyncio.sleep(0)  # they are all under way, or wait

    await database.run(lambda _session: begun.append("tap"))
    assert begun.index("tap") <= BACKGROUND_TRANSACTIONS
    await asyncio.gather(*others)
    assert begun.count("note") == 50


@pytest.mark.parametrize("model", [models.InboxEntry, models.OutboxEntry])
def test_keys_that_grow_for_ever_have_64_bits_where_the_database_tells_them_apart(model: type[SQLModel]) -> None:
    kind = model.__table__.c.id.type  # type: ignore[attr-defined]
    assert isinstance(kind, BigInteger)
    assert isinstance(kind.dialect_impl(connect("sqlite://").dialect), Integer)


def test_a_52_bit_id_survives(database: Database) -> None:
    with database.transaction() as session:
        chat = a_chat(session, address=-LARGEST_ID, topic=LARGEST_ID)
        session.add(models.Player(channel="telegram", address=LARGEST_ID, name="Ana"))
        session.add(
            models.SentMessage(table_id=1, slot="lobby", chat=-LARGEST_ID, message=LARGEST_ID, receiver=LARGEST_ID)
        )
    with database.transaction() as session:
        assert session.get_one(models.Chat, chat).address == -LARGEST_ID
        assert session.get_one(models.Chat, chat).topic == LARGEST_ID
        assert session.exec(select(models.Player.address)).one() == LARGEST_ID
        sent = session.get_one(models.SentMessage, (1, "lobby"))
        assert (sent.chat, sent.message, sent.receiver) == (-LARGEST_ID, LARGEST_ID, LARGEST_ID)


def refused(database: Database, write: Callable[[Session], None]) -> str:
    with pytest.raises(IntegrityError) as caught, database.transaction() as session:
        write(session)
    return str(caught.value.orig)


def test_json_keeps_what_people_send(database: Database) -> None:
    sent = {"text": "half \ud83d, ²½ and 🎲", "number": 2**60, "none": None, "list": [1.5, True]}
    with database.transaction() as session:
        session.add(models.InboxEntry(source="telegram", cause="1", payload=sent, received_at=1))
    with database.transaction() as session:
        assert session.exec(select(models.InboxEntry.payload)).one() == sent


def test_a_place_holds_one_live_table_which_makes_room_when_it_is_over(database: Database) -> None:
    with database.transaction() as session:
        chat = a_chat(session)
        for number in range(3):
            session.add(a_table(chat, f"OLD{number}", live=False))
        session.add(a_table(chat, "LIVE"))
    assert "chat" in refused(database, lambda session: session.add(a_table(chat, "MORE")))
    with database.transaction() as session:
        topic = a_chat(session, topic=5)
        session.add(a_table(topic, "TOPIC"))
        session.exec(select(models.GameTable).where(models.GameTable.code == "LIVE")).one().live = False
        session.flush()
        session.add(a_table(chat, "NEXT"))


def test_nothing_is_there_twice(database: Database) -> None:
    with database.transaction() as session:
        chat = a_chat(session)
        session.add(models.Player(channel="telegram", address=1, name="Ana"))
        session.add(models.InboxEntry(source="telegram", cause="1", received_at=1))
        session.add(a_table(chat, "CODE"))
    twice: list[Callable[[Session], None]] = [
        lambda session: session.add(models.Player(channel="telegram", address=1, name="Other")),
        lambda session: session.add(models.Chat(channel="telegram", address=-1001)),
        lambda session: session.add(models.InboxEntry(source="telegram", cause="1", received_at=2)),
        lambda session: session.add(a_table(chat, "CODE", live=False)),
    ]
    for write in twice:
        assert "unique" in refused(database, write).casefold()
    with database.transaction() as session:
        session.add(models.Player(channel="sms", address=1, name="Ana by text message"))
        session.add(models.InboxEntry(source="sms", cause="1", received_at=2))


def test_nothing_points_at_what_is_not_there(database: Database) -> None:
    nowhere: list[Callable[[Session], None]] = [
        lambda session: session.add(a_table(99, "NOWHERE")),
        lambda session: session.add(models.TableSeat(table_id=99, player_id=99)),
        lambda session: session.add(models.GameAction(table_id=99, number=0, at=1, cause="x", action={})),
    ]
    for write in nowhere:
        assert "foreign key" in refused(database, write).casefold()


@pytest.fixture
def house(sqlite_url: str) -> Iterator[Database]:
    database = Database(sqlite_url)
    yield database
    database.close()


def note(key: str) -> Callable[[Session], str]:
    def write(session: Session) -> str:
        session.add(models.KeyValue(key=key, value="1"))
        return key

    return write


def keys(database: Database) -> list[str]:
    with database.transaction() as session:
        return [row.key for row in session.exec(select(models.KeyValue).order_by(models.KeyValue.key))]


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


async def test_one_that_fails_takes_back_its_own_part_alone(house: Database) -> None:
    def half(session: Session) -> None:
        session.add(models.KeyValue(key="half", value="1"))
        session.flush()
        raise LookupError("on purpose")

    first, failed, last = await Slow().queued(house, note("a"), half, note("b"))
    assert first.result() == "a"
    assert isinstance(failed.exception(), LookupError)
    assert last.result() == "b"
    assert keys(house) == ["a", "b"]


async def test_each_sees_what_the_one_before_did(house: Database) -> None:
    def count(session: Session) -> int:
        found = len(session.exec(select(models.KeyValue)).all())
        session.add(models.KeyValue(key=str(found), value="1"))
        return found

    assert [one.result() for one in await Slow().queued(house, *[count] * 5)] == [0, 1, 2, 3, 4]


async def test_a_commit_that_fails_takes_nothing_else_with_it(house: Database) -> None:
    def refuse(connection: Connection) -> None:
        if connection.exec_driver_sql("SELECT count(*) FROM note WHERE key = 'b'").scalar():
            raise sqlite3.OperationalError("disk I/O error")

    event.listen(house.engine, "commit", refuse)
    first, failed, last = await Slow().queued(house, note("a"), note("b"), note("c"))
    event.remove(house.engine, "commit", refuse)
    assert (first.result(), type(failed.exception()), last.result()) == ("a", sqlite3.OperationalError, "c")
    assert keys(house) == ["a", "c"]


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
    with pytest.raises(RuntimeError, match="shutdown"):
        await database.run(note("late"))


AWAY = OperationalError("SELECT 1", {}, Exception("the server closed the connection"))


async def test_what_was_written_down_is_known_once_and_kept_until_it_is_done(harness: GroupHarness) -> None:
    arrivals: list[tuple[str, dict[str, Any]]] = [("7", {"text": "a"}), ("8", {"text": "b"})]
    first = await harness.service.inbox_store.store_all("telegram", arrivals)
    assert [received.cause for received in first] == ["7", "8"]
    again = await harness.service.inbox_store.store_all("telegram", [*arrivals, ("9", {})])
    assert [received.cause for received in again] == ["9"]
    assert harness.unfinished() == ["7", "8", "9"]
    assert harness.rows(models.InboxEntry)[0].payload == {"text": "a"}
    await harness.service.handle(harness.intent("Ana", OpenLobby(), cause="7"))
    await harness.service.inbox_store.close_ignored(first[1])
    assert harness.unfinished() == ["9"]


async def test_a_crash_between_writing_down_and_acting_loses_nothing_and_repeats_nothing(harness: GroupHarness) -> None:
    await harness.service.inbox_store.store_all("telegram", [("a", {}), ("b", {})])
    await harness.service.handle(harness.intent("Ana", OpenLobby(), cause="a"))
    reborn = GroupHarness(harness.database)
    left = await reborn.service.inbox_store.left_open(["telegram"])
    assert [received.cause for received in left] == ["b"]
    repeated = await reborn.service.handle(reborn.intent("Ana", OpenLobby(), cause="a"))
    assert repeated.repeated
    await reborn.service.handle(reborn.intent("Bo", Join(), cause="b"))
    assert reborn.unfinished() == []
    assert [seat.name for seat in reborn.table().seats] == ["Ana", "Bo"]


async def test_what_is_brought_again_is_taken_over_at_once_unless_it_is_done(harness: GroupHarness) -> None:
    arrivals = harness.service.inbox_store
    first = await arrivals.store("telegram", "7", {"text": "a"})
    assert first is not None
    assert await arrivals.store("telegram", "7", {"text": "a"}) == first, "whoever brings it again had no answer"
    await arrivals.close_ignored(first)
    assert await arrivals.store("telegram", "7", {"text": "a"}) is None


async def test_what_fails_three_times_is_set_aside_for_the_operator(harness: GroupHarness) -> None:
    (received,) = await harness.service.inbox_store.store_all("telegram", [("x", {"text": "poison"})])
    record = harness.service.inbox_store.record_failure
    verdicts = [await record(received, KeyError("dice")) for _ in range(MAX_ATTEMPTS)]
    assert [(verdict.set_aside, verdict.again_after) for verdict in verdicts] == [(False, 1), (False, 2), (True, 0)]
    assert harness.unfinished() == []
    (row,) = harness.rows(models.InboxEntry)
    assert (row.error, row.attempts, row.payload) == ("KeyError", 3, {"text": "poison"})
    assert await harness.service.inbox_store.store("telegram", "x", {"text": "poison"}) is None, "it is in no one's way"


async def test_the_databases_troubles_are_not_the_updates_fault(harness: GroupHarness) -> None:
    (received,) = await harness.service.inbox_store.store_all("telegram", [("x", {})])
    for _ in range(3 * MAX_ATTEMPTS):
        assert not (await harness.service.inbox_store.record_failure(received, AWAY)).set_aside
    assert harness.rows(models.InboxEntry)[0].attempts == 0
    harness.now += TRANSIENT_RETRY_SECONDS
    verdicts = [await harness.service.inbox_store.record_failure(received, AWAY) for _ in range(MAX_ATTEMPTS)]
    assert verdicts[-1].set_aside, "but not for ever"


async def test_a_failure_that_somebody_else_made_good_does_not_count(harness: GroupHarness) -> None:
    (received,) = await harness.service.inbox_store.store_all("telegram", [("x", {})])
    await harness.service.inbox_store.close_ignored(received)
    assert not (await harness.service.inbox_store.record_failure(received, KeyError())).set_aside
    assert harness.rows(models.InboxEntry)[0].attempts == 0


@pytest.mark.parametrize("seconds", [0.0, 30.0])
async def test_a_note_can_be_claimed_by_one_at_a_time(harness: GroupHarness, seconds: float) -> None:
    assert await harness.service.key_values.claim("chores", 30)
    harness.now += seconds
    assert await harness.service.key_values.claim("chores", 30) == (seconds == 30.0)
