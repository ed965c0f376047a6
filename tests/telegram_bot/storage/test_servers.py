"""Databases that fail, vanish, hang, or were replaced by a standby: no row is quoted, nothing confirmed is lost."""

import asyncio
import os
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from typing import Any

import pytest
from sqlalchemy import make_url, text
from sqlalchemy.exc import IntegrityError, OperationalError
from sqlmodel import Session, select

from telegram_bot.storage import database as storage
from telegram_bot.storage.database import POSTGRESQL_SESSION, Database, connect
from telegram_bot.storage.key_value import KeyValueStore
from telegram_bot.storage.models import KeyValue, Player
from test_support.postgres import DISCONNECT, PostgresServer
from tests.telegram_bot.conftest import ONLY_POSTGRESQL


class Link:
    """A link to PostgreSQL that can be cut: it then passes no byte on, and closes no connection."""

    def __init__(self, folder: str) -> None:
        self.is_cut = threading.Event()
        self._target = f"{folder}/.s.PGSQL.5432"
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._open: list[socket.socket] = [self._listener]
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        for each in self._open:
            each.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                far = socket.socket(socket.AF_UNIX)
                far.connect(self._target)
                self._open += [near, far]
                for pair in ((near, far), (far, near)):
                    threading.Thread(target=self._pass_on, args=pair, daemon=True).start()

    def _pass_on(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while piece := source.recv(65536):
                if self.is_cut.is_set():
                    return
                target.sendall(piece)
            target.shutdown(socket.SHUT_WR)


@contextmanager
def linked(url: str) -> Iterator[tuple[str, Link]]:
    parsed = make_url(url)
    link = Link(str(parsed.query["host"]))
    there = parsed.set(query={}, host="127.0.0.1", port=link.port).render_as_string(hide_password=False)
    try:
        yield there, link
    finally:
        link.close()


def pretend(monkeypatch: pytest.MonkeyPatch, timeline: int | None) -> None:
    shown = "NULL" if timeline is None else str(timeline)
    monkeypatch.setattr(storage, "_SERVER", f"SELECT pg_backend_pid(), {shown}::int")


def test_the_system_is_asked_to_notice_a_machine_that_vanished(postgresql_url: str) -> None:
    with linked(postgresql_url) as (url, _):
        engine = connect(url, answer_seconds=8)
        with engine.connect() as connection:
            driver: Any = connection.connection.dbapi_connection
            here = socket.socket(fileno=os.dup(driver.pgconn.socket))
            with closing(here):
                found = [
                    here.getsockopt(socket.IPPROTO_TCP, option)
                    for option in (socket.TCP_USER_TIMEOUT, socket.TCP_KEEPIDLE, socket.TCP_KEEPINTVL)
                ]
            assert found == [4000, 3, 1]
            assert connection.execute(text("SHOW idle_in_transaction_session_timeout")).scalar_one() == "5s"
        engine.dispose()


async def test_a_transaction_whose_answer_does_not_come_fails_and_the_next_one_finds_another_way(
    postgresql_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(storage.POSTGRESQL_CONNECTION, "connect_timeout", 2)
    with linked(postgresql_url) as (one, link), linked(postgresql_url) as (two, _):
        ports = f"{make_url(one).port},{make_url(two).port}"
        both = make_url(one).set(host=None, port=None, query={"host": "127.0.0.1,127.0.0.1", "port": ports})
        database = Database(both.render_as_string(hide_password=False))
        database.epoch = 1  # a command waits until the server has noticed that the connection is lost
        notes = KeyValueStore(database, time.time)
        await notes.put("before", "1")

        def cut_within(session: Session) -> None:
            driver: Any = session.connection().connection.dbapi_connection
            driver.answer_seconds = 0.2
            link.is_cut.set()
            session.execute(text("SELECT 1"))

        with pytest.raises(OperationalError, match="no answer within"):
            await database.run(cut_within)
        assert await notes.get("before") == "1"
        database.close()


async def test_connections_that_the_server_closed_while_they_lay_unused_are_replaced_or_fail_once(
    postgresql: PostgresServer, postgresql_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = Database(postgresql_url)
    notes = KeyValueStore(database, time.time)

    def cut(tried_after: float) -> None:
        monkeypatch.setattr(storage, "TRIED_AFTER_SECONDS", tried_after)
        with postgresql.maintenance.connect() as connection:
            connection.execute(text(DISCONNECT), {"database": make_url(postgresql_url).database})

    await notes.put("before", "1")
    cut(0)
    assert await notes.get("before") == "1"
    cut(60)
    with pytest.raises(OperationalError) as failed:
        await notes.get("before")
    assert storage.is_transient(failed.value), "it was closed a moment ago"
    assert await notes.get("before") == "1"
    database.close()


async def test_a_primary_that_comes_back_too_late_is_refused(
    postgresql_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = Database(postgresql_url)
    pretend(monkeypatch, 7)
    await KeyValueStore(database, time.time).put("a", "1")
    database.engine.dispose()
    pretend(monkeypatch, 6)
    with pytest.raises(OperationalError, match=r"no longer the primary: .*timeline 6, the newest is 7"):
        await KeyValueStore(database, time.time).put("b", "1")
    pretend(monkeypatch, 8)
    await KeyValueStore(database, time.time).put("b", "1")
    database.close()


def test_of_several_servers_the_one_that_was_promoted_last_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    servers, opened = storage._Servers(), []
    timelines: dict[str, int] = {"one": 1, "two": 2, "three": 0}

    class Driver:
        prepare_threshold = 5
        info: Any = None

        def __init__(self, host: str) -> None:
            self.host = host
            self.is_open = True

        def close(self) -> None:
            self.is_open = False

    def open_one(_self: object, parameters: dict[str, Any], *, alone: bool) -> tuple[int, Any]:
        import psycopg  # noqa: PLC0415

        host = str(parameters["host"])
        assert not alone
        assert parameters["port"] == {"one": "1", "two": "2", "three": "3"}[host]
        if not timelines[host]:
            raise psycopg.OperationalError(f"{host} is a standby")
        opened.append(Driver(host))
        return timelines[host], opened[-1]

    monkeypatch.setattr(storage._Servers, "_open", open_one)

    class Record:
        def __init__(self) -> None:
            self.info: dict[str, Any] = {}

    def use() -> str:
        record = Record()
        host: str = servers.connect(None, record, (), {"host": "one,two,three", "port": "1,2,3"}).host
        assert record.info["timeline"] == servers.timeline
        return host

    assert use() == "two"
    assert [each.host for each in opened if each.is_open] == ["two"]
    assert use() == "two"
    assert [each.host for each in opened] == ["one", "two", "two"], "the last good one is tried first"
    timelines["two"], timelines["three"] = 0, 3
    timelines["one"] = 0
    assert use() == "three"
    timelines["three"] = 0
    with pytest.raises(Exception, match="three is a standby; one is a standby; two is a standby"):
        use()


async def test_an_error_does_not_quote_what_was_being_written(database: Database) -> None:
    with pytest.raises(IntegrityError) as caught:
        await database.run(
            lambda session: session.add(
                Player(
                    channel="secret",
                    address=None,  # type: ignore[arg-type]
                    name="five fours",
                )
            )
        )
    said = f"{caught.value} {caught.value.orig} {caught.value.__cause__!r} {caught.value.orig!r}"
    assert "address" in said, "what is wrong is said"
    assert "five fours" not in said
    assert "secret" not in said


@ONLY_POSTGRESQL
async def test_a_locked_table_holds_no_worker_for_ever(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(POSTGRESQL_SESSION, "lock_timeout", "50ms")
    database.engine.dispose()
    await database.run(lambda session: session.add(KeyValue(key="a", value="")))
    with database.transaction() as holder:
        holder.exec(select(KeyValue).with_for_update()).one()
        with pytest.raises(OperationalError, match="lock timeout"):
            await database.run(lambda session: session.exec(select(KeyValue).with_for_update()).one().value)


@ONLY_POSTGRESQL
async def test_after_the_database_was_away_what_was_confirmed_is_there_and_work_goes_on(
    database: Database, database_url: str, postgresql: PostgresServer
) -> None:
    await database.run(lambda session: session.add(KeyValue(key="confirmed", value="1")))
    with ExitStack() as away:
        with pytest.raises(OperationalError), database.transaction() as session:  # noqa: PT012 - it comes in the middle
            session.add(KeyValue(key="half", value="1"))
            session.flush()
            away.enter_context(postgresql.unreachable(database_url))
            session.add(KeyValue(key="other half", value="1"))
            session.flush()
        with pytest.raises(OperationalError):
            await database.run(lambda session: session.get(KeyValue, "confirmed"))
    assert await database.run(lambda session: [note.key for note in session.exec(select(KeyValue))]) == ["confirmed"]


@ONLY_POSTGRESQL
async def test_the_bot_waits_while_a_command_changes_the_database(database: Database, database_url: str) -> None:
    database.epoch = 1
    command = Database(database_url)
    with command.transaction() as session:
        session.add(KeyValue(key="a", value="of the command"))
        session.flush()
        waiting = asyncio.create_task(database.run(lambda session: session.get_one(KeyValue, "a").value))
        waits = text("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")
        while session.execute(waits).scalar_one() == 0:  # noqa: ASYNC110 - the server has no event for it
            await asyncio.sleep(0.01)
    assert await waiting == "of the command"
    command.close()


@ONLY_POSTGRESQL
async def test_transactions_that_waited_with_one_that_lost_its_connection_are_committed(database: Database) -> None:
    begun = threading.Event()

    def write(session: Session) -> None:
        session.add(KeyValue(key="first", value=""))
        begun.wait()

    end_this = text("SELECT pg_terminate_backend(pg_backend_pid())")
    first = asyncio.create_task(database.run(write))
    lost = asyncio.create_task(database.run(lambda session: session.execute(end_this)))
    last = asyncio.create_task(database.run(lambda session: session.add(KeyValue(key="last", value=""))))
    await asyncio.sleep(0)  # all three are submitted
    begun.set()
    with pytest.raises(OperationalError):
        await lost
    await asyncio.gather(first, last)
    with database.transaction() as session:
        assert set(session.exec(select(KeyValue.key))) == {"first", "last"}
