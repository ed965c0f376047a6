"""Databases that fail, vanish, hang, are pooled, or were replaced by a standby: nothing confirmed is lost."""

import asyncio
import os
import shutil
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import psycopg
import pytest
from pydantic import SecretStr
from sqlalchemy import make_url, text
from sqlalchemy.exc import IntegrityError, OperationalError
from sqlmodel import Session, select

from telegram_bot.app import App
from telegram_bot.operations.doctor import database as doctor
from telegram_bot.sandbox_launcher import free_port
from telegram_bot.settings import Settings
from telegram_bot.storage import database as storage
from telegram_bot.storage.database import POSTGRESQL_SESSION, Database, connect
from telegram_bot.storage.key_value import KeyValueStore
from telegram_bot.storage.models import KeyValue, Player
from test_support.postgres import DISCONNECT, PostgresServer, running_postgres
from tests.telegram_bot.channels.sms.conftest import running
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


async def test_after_a_transaction_without_an_answer_the_next_succeeds(
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


async def test_connections_that_the_server_closed_while_they_lay_unused_are_replaced(
    postgresql: PostgresServer, postgresql_url: str
) -> None:
    database = Database(postgresql_url)
    notes = KeyValueStore(database, time.time)
    await notes.put("before", "1")
    with postgresql.maintenance.connect() as connection:
        connection.execute(text(DISCONNECT), {"database": make_url(postgresql_url).database})
    assert await notes.get("before") == "1"
    database.close()


async def test_a_primary_that_comes_back_late_is_refused(postgresql_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
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
    servers, opened = storage._Servers(), list[Mock]()
    timelines = {"one": 1, "two": 2, "three": 0}

    def open_one(_self: object, parameters: dict[str, Any], *, alone: bool) -> tuple[int, Mock]:
        host = str(parameters["host"])
        assert (alone, parameters["port"]) == (False, {"one": "1", "two": "2", "three": "3"}[host])
        if not timelines[host]:
            raise psycopg.OperationalError(f"{host} is a standby")
        opened.append(Mock(host=host))
        return timelines[host], opened[-1]

    monkeypatch.setattr(storage._Servers, "_open", open_one)

    def use() -> str:
        record = Mock(info={})
        host: str = servers.connect(None, record, (), {"host": "one,two,three", "port": "1,2,3"}).host
        assert record.info["timeline"] == servers.timeline
        return host

    assert use() == "two"
    assert [each.host for each in opened if not each.close.called] == ["two"]
    assert use() == "two"
    assert [each.host for each in opened] == ["one", "two", "two"], "the last good one is tried first"
    timelines |= {"one": 0, "two": 0, "three": 3}
    assert use() == "three"
    timelines["three"] = 0
    with pytest.raises(Exception, match="three is a standby; one is a standby; two is a standby"):
        use()


@pytest.mark.parametrize("change", ["RENAME TO elsewhere", "ALTER live SET DEFAULT true", "SET (fillfactor = 50)"])
def test_no_test_gets_a_database_whose_schema_another_has_changed(postgresql: PostgresServer, change: str) -> None:
    with postgresql.fresh() as url, closing(Database(url)) as database, database.transaction() as session:
        session.connection().execute(text(f"ALTER TABLE sitting {change}"))
    with postgresql.fresh() as another:
        assert another != url


async def test_an_error_does_not_quote_what_was_being_written(database: Database) -> None:
    nobody: Any = None
    player = Player(channel="secret", address=nobody, name="five fours")
    with pytest.raises(IntegrityError) as caught:
        await database.run(lambda session: session.add(player))
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
async def test_what_was_kept_outlives_an_outage(
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


# PgBouncer between the workers and PostgreSQL, and a synchronous standby that does not answer


@pytest.fixture
def pooled_url(postgresql_url: str, tmp_path: Path) -> Iterator[str]:
    """The database behind PgBouncer, which gives each transaction another session."""
    parsed, port = make_url(postgresql_url), free_port()
    folder = str(parsed.query["host"])
    settings = tmp_path / "pgbouncer.ini"
    settings.write_text(
        f"[databases]\n* = host={folder} user={parsed.username}\n"
        f"[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\npool_mode = transaction\nauth_type = any\n"
        f"unix_socket_dir =\ndefault_pool_size = 3\nserver_lifetime = 0\n"
        + (f"user = {Path(folder).owner()}\n" if os.geteuid() == 0 else "")  # it refuses to be root
    )
    program = shutil.which("pgbouncer", path=f"{os.environ['PATH']}:/usr/sbin")
    assert program, "apt-get install pgbouncer"
    with running(program, "-q", settings, port=port, log=tmp_path / "log"):
        yield parsed.set(host="127.0.0.1", port=port, query={}).render_as_string(hide_password=False)


async def test_behind_a_pooler_transactions_bring_their_own_settings_and_prepare_nothing(pooled_url: str) -> None:
    database = Database(pooled_url)
    notes = KeyValueStore(database, time.time)

    async def one(number: int) -> str:
        await notes.put(str(number), "1")
        return str(await database.run(lambda session: session.execute(text("SHOW lock_timeout")).scalar_one()))

    for _ in range(8):
        assert set(await asyncio.gather(*map(one, range(8)))) == {"6s"}
    found = {each.check: each for each in doctor.examine(pooled_url)}
    assert found["database"].ok, found["database"].says
    database.close()


async def test_a_commit_that_hangs_is_noticed_by_the_doctor_and_by_readyz(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "COMMIT_SECONDS", 0.2)
    with running_postgres() as server:
        url = server.create()
        database = Database(url)
        app = App(Settings(token=SecretStr("123456789:AA-a-token-for-this-test-0123"), database_url=url), database)
        assert await app._database_trouble() is None
        server._do("ALTER SYSTEM SET synchronous_standby_names = 'two'")
        server._do("SELECT pg_reload_conf()")
        found = {each.check: each for each in await asyncio.to_thread(lambda: list(doctor.examine(url)))}
        assert (found["database"].ok, found["commit"].ok) == (True, False)
        assert "ANY 1 (two, three)" in found["commit"].mend
        for _ in range(3):
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(app._database_trouble(), 0.05)
        server._do("ALTER SYSTEM SET synchronous_standby_names = ''")
        server._do("SELECT pg_reload_conf()")
        assert await app._database_trouble() is None
        database.close()
