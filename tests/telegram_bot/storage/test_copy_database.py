"""Moving a live installation from one database to another, in both directions."""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, select, text
from sqlmodel import SQLModel

from perudo_core import Rules
from telegram_bot.errors import OperatorError
from telegram_bot.service.handlers.lobby_requests import OpenLobby, Start
from telegram_bot.service.handlers.queries import SeeStatus
from telegram_bot.storage import copy_database as copying
from telegram_bot.storage import schema
from telegram_bot.storage.copy_database import copy_database
from telegram_bot.storage.database import Database, connect
from telegram_bot.storage.models import GameAction, InboxEntry, KeyValue, Player
from telegram_bot.storage.process_lock import single_process_lock
from test_support.postgres import PostgresServer
from tests.telegram_bot.conftest import GroupHarness

BOTH_WAYS = pytest.mark.parametrize("direction", ["to postgresql", "to sqlite"])
LONG_AGO = 1_600_000_000.0


@pytest.fixture
def direction() -> str:
    return "to postgresql"


@pytest.fixture
def here(direction: str, request: pytest.FixtureRequest) -> str:
    return str(request.getfixturevalue("sqlite_url" if direction == "to postgresql" else "postgresql_url"))


@pytest.fixture
def there(direction: str, tmp_path: Path, postgresql: PostgresServer) -> Iterator[str]:
    if direction == "to sqlite":
        yield f"sqlite:///{tmp_path}/new/perudo.db"
    else:
        with postgresql.fresh(migrated=False) as url:
            yield url


def move(here: str, there: str, **more: Any) -> list[str]:
    said: list[str] = []
    copy_database(here, there, tell=said.append, sleep=lambda _: None, **more)
    return said


def stored(url: str) -> dict[str, list[str]]:
    engine = connect(url)
    with engine.connect() as connection:
        found = {
            table.name: sorted(repr(tuple(row)) for row in connection.execute(select(table)))
            for table in SQLModel.metadata.sorted_tables
        }
    engine.dispose()
    return found


@BOTH_WAYS
def test_rows_without_a_model_in_this_version_move(here: str, there: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [(1, "one"), (2, "two")]

    def create(engine: Engine) -> None:
        with engine.begin() as connection:
            connection.exec_driver_sql("CREATE TABLE of_a_feature (id INTEGER PRIMARY KEY, word VARCHAR NOT NULL)")

    def migrated(engine: Engine, upgrade: Callable[[Engine], None] = schema.upgrade) -> None:
        upgrade(engine)
        create(engine)

    old = connect(here)
    create(old)
    with old.begin() as connection:
        connection.execute(text("INSERT INTO of_a_feature VALUES (1, 'one'), (2, 'two')"))
    old.dispose()
    monkeypatch.setattr(schema, "upgrade", migrated)
    assert any("of_a_feature" in line for line in move(here, there))
    new = connect(there)
    with new.connect() as connection:
        assert connection.execute(text("SELECT * FROM of_a_feature ORDER BY id")).all() == rows
    new.dispose()


@BOTH_WAYS
async def test_a_game_begun_before_the_move_is_played_on_after_it(here: str, there: str) -> None:
    before = GroupHarness(Database(here), rules=Rules(starting_dice=2, palifico=False))
    await before.lobby("Ana", "Bo", "Cy")
    await before.tap("Ana", Start())
    await before.call("2x3")
    await before.service.inbox_store.store_all("telegram", [("not done", {"text": "zwölf\u2028\\u0000 🎲"})])
    before.database.close()
    move(here, there)
    assert stored(there) == stored(here)

    after = GroupHarness(Database(there), seed=2)
    after.now, after._causes = before.now + 5, 1000
    assert (await after.say("Bo", SeeStatus(), cause="3")).repeated, "what was heard is known"
    left = await after.service.inbox_store.left_open(["telegram"])
    assert [received.payload for received in left] == [{"text": "zwölf\u2028\\u0000 🎲"}]
    await after.play_out()
    await after.say("Dee", OpenLobby())
    assert len(after.table(2).seats) == 1, "new tables, people and actions get new numbers"
    numbers = [row.number for row in after.rows(GameAction)]
    assert sorted(numbers) == list(range(len(numbers)))
    after.database.close()


def store(url: str, *rows: SQLModel) -> None:
    database = Database(url)
    with database.transaction() as session:
        session.add_all(rows)
    database.close()


def test_each_table_is_counted_and_compared(here: str, there: str, monkeypatch: pytest.MonkeyPatch) -> None:
    store(here, *(Player(channel="telegram", address=n, name="Ana\0") for n in range(2500)))
    monkeypatch.setattr(copying, "PROGRESS_SECONDS", 0.0)
    said = move(here, there)
    told = [line.split() for line in said if line.startswith("player ")]
    assert told[:2] == [["player", "1000", "of", "2500"], ["player", "2000", "of", "2500"]]
    assert any(line.startswith("player ") and " 2500 rows, checksum " in line for line in said)
    assert len({line.index(" rows, checksum ") for line in said if " rows, checksum " in line}) == 1, "one column"
    assert "Ana\\x00" not in repr(stored(there)), "what PostgreSQL cannot hold is left out"


def test_a_copy_that_differs_is_not_kept(here: str, there: str, monkeypatch: pytest.MonkeyPatch) -> None:
    store(here, Player(channel="telegram", address=1, name="Ana"))
    whole = copying._batches

    def other(connection: Any, columns: Any) -> Any:
        for rows in whole(connection, columns):
            spoilt = connection.dialect.name == "postgresql" and columns[0].table.name == "player"
            yield [(*row[:-1], "something else") for row in rows] if spoilt else rows

    monkeypatch.setattr(copying, "_batches", other)
    with pytest.raises(OperatorError, match="player: 1 rows went in and 1 came out, or others: nothing is kept"):
        move(here, there)
    monkeypatch.undo()
    assert not any(stored(there).values())
    move(here, there)


@BOTH_WAYS
def test_a_target_that_is_in_use_is_left_alone(here: str, there: str) -> None:
    database = Database(there)
    schema.upgrade(database.engine)
    with database.transaction() as session:
        session.add(Player(channel="telegram", address=1, name="Ana"))
    with pytest.raises(OperatorError, match="not empty, there are rows in player"):
        move(here, there)
    with database.transaction() as session:
        session.delete(session.get_one(Player, 1))
        session.connection().exec_driver_sql("CREATE TABLE holidays (x INTEGER)")
    with pytest.raises(OperatorError, match=r"other tables \(holidays\)"):
        move(here, there)
    database.close()


def test_a_file_that_a_bot_works_with_is_refused(here: str, there: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("telegram_bot.storage.process_lock.LOCK_TIMEOUT_SECONDS", 0.1)
    with single_process_lock(here), pytest.raises(OperatorError, match="another perudo-bot works with"):
        move(here, there)
    move(here, there)


@pytest.mark.parametrize("direction", ["to sqlite"])
def test_a_server_that_a_bot_works_with_is_refused(here: str, there: str) -> None:
    database = Database(here)

    def beat(value: float) -> None:
        with database.transaction() as session:
            session.merge(KeyValue(key="heartbeat", value=repr(value)))

    beat(LONG_AGO)
    beats = iter([LONG_AGO + 10])
    with pytest.raises(OperatorError, match="a bot runs on the database: stop it"):
        copy_database(here, there, tell=print, now=lambda: LONG_AGO + 9, sleep=lambda _: beat(next(beats)))
    slept: list[float] = []
    copy_database(here, there, tell=print, now=lambda: LONG_AGO + 19, sleep=slept.append)
    assert sum(slept) >= 20, "one that was stopped a moment ago is told from one that runs"
    database.close()


def test_a_source_that_is_not_there_or_older_is_refused(tmp_path: Path, there: str) -> None:
    with pytest.raises(OperatorError, match=r"gone\.db is not there"):
        move(f"sqlite:///{tmp_path}/gone.db", there)
    assert not (tmp_path / "gone.db").exists()
    engine = connect(f"sqlite:///{tmp_path}/old.db")
    with engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE alembic_version (version_num VARCHAR)")
    engine.dispose()
    with pytest.raises(OperatorError, match="the database to copy is not up to date: perudo-bot migrate"):
        move(f"sqlite:///{tmp_path}/old.db", there)


def test_a_database_is_not_copied_onto_itself(here: str) -> None:
    store(here, KeyValue(key="a", value="1"))
    with pytest.raises(OperatorError, match="both are the same database"):
        move(here, here)


STOPS_IN_THE_MIDDLE = """
import sys
from telegram_bot.storage import copy_database as copying

def tell(line):
    if line.startswith("inbox ") and int(line.split()[1]) >= 2000:
        print("in the middle", flush=True)
        sys.stdin.read()

copying.PROGRESS_SECONDS = 0
copying.copy_database(sys.argv[1], sys.argv[2], tell=tell)
"""


@BOTH_WAYS
def test_a_copy_that_is_killed_leaves_nothing_and_can_be_repeated(here: str, there: str) -> None:
    store(here, *(InboxEntry(source="x", cause=str(n), received_at=1.0) for n in range(3000)))
    command = [sys.executable, "-c", STOPS_IN_THE_MIDDLE, here, there]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as copying_now:  # noqa: S603
        assert copying_now.stdout
        assert copying_now.stdout.readline() == "in the middle\n"
        copying_now.kill()
    assert copying_now.returncode < 0, "it was in the middle"
    deadline = time.monotonic() + 60
    while any(stored(there).values()):
        assert time.monotonic() < deadline
    move(here, there)
    assert len(stored(there)["inbox"]) == 3000
