"""One process plays: the others stand by on PostgreSQL, and are refused on SQLite."""

import asyncio
import logging
import secrets
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from pydantic import SecretStr
from sqlalchemy import text
from sqlmodel import Session

from telegram_bot.app import App
from telegram_bot.errors import OperatorError
from telegram_bot.settings import Settings
from telegram_bot.storage import process_lock, who_plays
from telegram_bot.storage.database import Database, TakenOverError
from telegram_bot.storage.models import KeyValue
from telegram_bot.storage.who_plays import GONE_SECONDS, RENEWED, WhoPlays

LOCKED = text("SELECT count(*) FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))")


async def until_it_waits(session: Session) -> None:
    while session.execute(LOCKED).scalar_one() == 0:  # noqa: ASYNC110 - the server has no event for it
        await asyncio.sleep(0.01)


@pytest.fixture
def processes(postgresql_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[WhoPlays]]:
    """Two processes of the bot, as far as they concern who plays."""
    monkeypatch.setattr(who_plays, "LOOK_SECONDS", 0.01)
    databases = [Database(postgresql_url) for _ in range(2)]
    yield [WhoPlays(database) for database in databases]
    for database in databases:
        database.close()


def write(session: Session) -> None:
    session.merge(KeyValue(key="a move", value=secrets.token_hex()))


def is_written(process: WhoPlays) -> bool:
    with process.database.transaction() as session:
        return session.get(KeyValue, "a move") is not None


async def stand_still(process: WhoPlays) -> None:
    """Let the process miss its renewals, and the database's time pass."""
    assert process.renewing is not None
    process.renewing.cancel()

    def pass_time(session: Session) -> None:
        row = session.get_one(KeyValue, RENEWED)
        row.value = repr(float(row.value) - GONE_SECONDS)

    await process.database.run(pass_time)


async def test_a_process_stands_by_till_another_stops(processes: list[WhoPlays]) -> None:
    one, other = processes
    await one.take_over()
    waiting = asyncio.create_task(other.take_over())
    assert await one.database.run(one.try_to_take) == one.process
    with pytest.raises(TakenOverError):  # it stands by
        await other.database.run(write)
    assert not waiting.done()
    await one.database.run(write)
    await one.give_back()
    await waiting
    await other.database.run(write)
    with pytest.raises(TakenOverError):
        await one.database.run(write)
    await other.give_back()


async def test_of_two_processes_that_take_over_at_once_one_plays(
    processes: list[WhoPlays], caplog: pytest.LogCaptureFixture
) -> None:
    one, other = processes
    caplog.set_level(logging.INFO, who_plays.__name__)
    await one.take_over()
    await one.give_back()
    one.database.epoch = 0
    with one.database.transaction() as taking:
        assert one.try_to_take(taking) is None
        waiting = asyncio.create_task(other.take_over())
        await until_it_waits(taking)
    while f"{one.process} plays; this process stands by" not in caplog.messages:  # noqa: ASYNC110
        await asyncio.sleep(0.01)
    assert [record.message for record in caplog.records if record.levelno > logging.INFO] == []
    waiting.cancel()
    await asyncio.wait([waiting])


async def test_a_process_that_is_asked_to_stop_while_it_takes_over_gives_back(processes: list[WhoPlays]) -> None:
    one, other = processes
    with other.database.transaction() as command:
        taking = asyncio.create_task(one.take_over())
        await until_it_waits(command)
        taking.cancel()
        await asyncio.sleep(0)
    with pytest.raises(asyncio.CancelledError):
        await taking
    await one.give_back()
    with other.database.transaction() as session:
        assert other.try_to_take(session) is None


async def test_the_open_transaction_of_a_process_that_stood_still_is_refused_and_the_process_ends(
    processes: list[WhoPlays], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(who_plays, "RENEW_SECONDS", 0.0)
    one, other = processes
    await one.take_over()
    await stand_still(one)
    with pytest.raises(TakenOverError), one.database.transaction() as open_transaction:  # noqa: PT012 - it is its commit
        write(open_transaction)
        open_transaction.flush()
        await other.take_over()
    assert not is_written(other)
    with one.database.transaction() as reading:
        assert reading.get(KeyValue, "a move") is None
    with pytest.raises(TakenOverError):
        await one._renew()
    await other.give_back()


async def test_who_takes_over_sees_a_transaction_that_may_still_commit(processes: list[WhoPlays]) -> None:
    one, other = processes
    await one.take_over()
    await stand_still(one)
    with one.database.transaction() as committing:
        write(committing)
        committing.flush()
        one.database._refuse_if_taken_over(committing.connection())
        taking = asyncio.create_task(other.take_over())
        await until_it_waits(committing)
    await taking
    assert is_written(other)
    await other.give_back()


async def test_a_process_that_stands_by_answers_503(postgresql_url: str, processes: list[WhoPlays]) -> None:
    one, _ = processes
    await one.take_over()
    database = Database(postgresql_url)
    token, webhook = SecretStr("123456789:AA-a-token-for-this-test-0123"), {"url": "https://bot.example.org/telegram"}
    app = App(Settings(token=token, database_url=postgresql_url, webhook=webhook), database)
    assert app.web is not None
    app.web.port = 0
    playing = app.playing()
    standing_by = asyncio.create_task(playing.__aenter__())
    while app.web.port == 0:  # noqa: ASYNC110 - the socket has no event for it
        await asyncio.sleep(0.01)
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{app.web.port}", timeout=60) as client:
        refused = await client.post("/telegram", json={"update_id": 1})
        assert (refused.status_code, refused.headers["Retry-After"]) == (503, "1")
        assert (await client.get("/readyz")).status_code == 503
        assert (await client.get("/healthz")).status_code == 200
    assert not standing_by.done()
    await one.give_back()
    await standing_by
    await playing.__aexit__(None, None, None)
    database.close()


HOLD = """
import sys, time
from telegram_bot.storage.process_lock import single_process_lock
with single_process_lock(sys.argv[1]):
    print("held", flush=True)
    time.sleep(60)
"""

NO_LOCKS = """
import ctypes, errno, os, struct, sys
from telegram_bot.errors import OperatorError
from telegram_bot.operations.doctor import database
from telegram_bot.storage import process_lock, schema

# The kernel refuses locks as it does on a network disk without them: fcntl with F_SETLK ends with ENOLCK.
fcntl = {"x86_64": 72, "aarch64": 25}[os.uname().machine]
load, equal, ret, number, command, allow = 0x20, 0x15, 0x06, 0, 24, 0x7FFF0000
steps = [(load, 0, 0, number), (equal, 0, 3, fcntl), (load, 0, 0, command), (equal, 0, 1, 6),
         (ret, 0, 0, 0x00050000 | errno.ENOLCK), (ret, 0, 0, allow)]
code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
prctl = ctypes.CDLL(None).prctl
assert prctl(38, 1, 0, 0, 0) == prctl(22, 2, struct.pack("HP", len(steps), ctypes.addressof(code)), 0, 0) == 0

url = sys.argv[1]
process_lock.LOCK_TIMEOUT_SECONDS = 0.2
for refused in (process_lock.single_process_lock(url).__enter__, lambda: schema.migrate(url)):
    try:
        refused()
    except OperatorError as error:
        print(error)
print(*(check.mend for check in database.examine(url) if check.check == "database"))
"""


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_lock, "LOCK_TIMEOUT_SECONDS", 0.2)


def test_a_second_process_is_told_what_it_needs_to_stand_by(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/deep/perudo.db"
    other = subprocess.Popen([sys.executable, "-c", HOLD, url], stdout=subprocess.PIPE, text=True)  # noqa: S603
    try:
        assert other.stdout
        assert other.stdout.readline() == "held\n"
        with pytest.raises(OperatorError, match=r"perudo\.db\. Stop it first; a second one .* PostgreSQL"):
            process_lock.single_process_lock(url).__enter__()
        with process_lock.single_process_lock(f"sqlite:///{tmp_path}/another.db"):
            pass
    finally:
        other.kill()
        other.communicate()
    with process_lock.single_process_lock(url):
        pass  # a killed process releases it
    with process_lock.single_process_lock(url):
        pass


def test_a_place_that_cannot_be_written_to_is_told(tmp_path: Path) -> None:
    (tmp_path / "perudo.db.lock").mkdir()
    with pytest.raises(OperatorError, match=r"perudo\.db\.lock cannot be used"):
        process_lock.single_process_lock(f"sqlite:///{tmp_path}/perudo.db").__enter__()


def test_run_migrate_and_doctor_say_that_a_disk_has_no_locks(tmp_path: Path) -> None:
    told = subprocess.run(  # noqa: S603
        [sys.executable, "-c", NO_LOCKS, f"sqlite:///{tmp_path}/perudo.db"], capture_output=True, text=True, check=True
    )
    first, *others = told.stdout.splitlines()
    assert first.startswith(f"the disk of {tmp_path} locks no files")
    assert others == [first, first]
    assert sorted(file.name for file in tmp_path.iterdir()) == ["perudo.db", "perudo.db.lock"]


@pytest.mark.parametrize("url", ["sqlite://", "sqlite:///:memory:", "postgresql://perudo@localhost/perudo"])
def test_others_need_no_lock(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with process_lock.single_process_lock(url), process_lock.single_process_lock(url):
        assert list(tmp_path.iterdir()) == []
