"""`perudo-bot backup` and `restore`: from and to real databases of both kinds, with PostgreSQL's own programs."""

import os
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, make_url, select, text
from sqlmodel import Session, SQLModel

from perudo_core import Rules
from telegram_bot.cli import main
from telegram_bot.errors import OperatorError
from telegram_bot.intents.intents import OutageEnded
from telegram_bot.operations.backup import backup, check, restore
from telegram_bot.service.handlers.lobby_requests import OpenLobby
from telegram_bot.service.handlers.queries import SeeStatus
from telegram_bot.storage import copy_database as copying
from telegram_bot.storage import schema
from telegram_bot.storage.copy_database import copy_database
from telegram_bot.storage.database import Database, connect, sqlite_file
from telegram_bot.storage.models import HEARTBEAT, RESTORED, GameAction, GameTable, InboxEntry, KeyValue, Player
from telegram_bot.storage.process_lock import single_process_lock
from test_support.key_values import note, noted
from test_support.postgres import PostgresServer
from tests.telegram_bot.conftest import BOTH_DATABASES, GroupHarness

PASSWORD = "p@ss word%/:"
WITNESS = """#!/bin/sh
# Looks at what anyone sees of this process, then is the program.
tr '\\0' ' ' < /proc/$$/cmdline >> "$WITNESS"
echo >> "$WITNESS"
[ -z "$PGSERVICEFILE" ] || stat -c '%a' "$PGSERVICEFILE" >> "$WITNESS"
exec "$REAL/$(basename "$0")" "$@"
"""


def execute(url: str, *statements: str) -> None:
    engine = connect(url)
    with engine.begin() as connection:
        for statement in statements:
            connection.execute(text(statement))
    engine.dispose()


HEAD = schema._revisions()[-1]


def of_file(file: Path) -> str:
    return f"sqlite:///{file}"


@pytest.fixture
def file(sqlite_url: str) -> Path:
    found = sqlite_file(sqlite_url)
    assert found
    return found


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    return tmp_path / "saved"


@pytest.fixture
def programs(postgresql: PostgresServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{postgresql.programs}:{os.environ['PATH']}")


def test_while_the_bot_runs_a_copied_file_holds_nothing_and_a_backup_everything(tmp_path: Path, saved: Path) -> None:
    running, copied = tmp_path / "perudo.db", tmp_path / "copied.db"
    engine = connect(of_file(running))
    with Session(engine) as session:
        schema.upgrade(engine)
        session.add(KeyValue(key="kept", value="1"))
        session.commit()
        shutil.copy(running, copied)
        with closing(sqlite3.connect(copied)) as connection:
            assert connection.execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,), "as the page told to do"
        assert backup(of_file(running), saved) == HEAD
    engine.dispose()
    assert noted(of_file(saved)) == ["kept"]


def test_a_backup_while_the_bot_writes_is_this_users_alone(
    sqlite_url: str, saved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("telegram_bot.storage.database.SQLITE_BUSY_MILLISECONDS", 50)
    note(sqlite_url, "kept")
    engine = connect(sqlite_url)
    with single_process_lock(sqlite_url), Session(engine) as session:
        session.add(KeyValue(key="under way", value="1"))
        session.flush()
        backup(sqlite_url, saved)
        session.commit()
    engine.dispose()
    assert saved.stat().st_mode & 0o777 == 0o600
    assert [each for each in saved.parent.iterdir() if "saved" in each.name] == [saved]
    with closing(sqlite3.connect(saved)) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("delete",)
    assert noted(of_file(saved)) == ["kept"]


def test_a_backup_that_fails_leaves_the_last_one(sqlite_url: str, file: Path, saved: Path) -> None:
    backup(sqlite_url, saved)
    before = saved.read_bytes()
    file.write_bytes(b"no database at all, but as long as one might be" * 100)
    with pytest.raises(OperatorError, match="cannot be copied"):
        backup(sqlite_url, saved)
    assert saved.read_bytes() == before
    assert not [each for each in saved.parent.iterdir() if each.name.startswith(".saved")]


def test_neither_a_backup_nor_a_restored_database_takes_the_place_of_the_database_a_folder_or_a_device(
    sqlite_url: str, file: Path, saved: Path, tmp_path: Path
) -> None:
    for end in ("", "-wal", "-shm", ".lock"):
        with pytest.raises(OperatorError, match="belongs to the database itself"):
            backup(sqlite_url, Path(f"{file}{end}"))
    with pytest.raises(OperatorError, match="is no folder"):
        backup(sqlite_url, tmp_path / "nowhere/saved.db")
    empty, folder, device = tmp_path / "empty.db", tmp_path / "folder", tmp_path / "device"
    empty.touch()
    with pytest.raises(OperatorError, match="holds no games"):
        backup(of_file(empty), saved)
    (file.parent / "gone.db").symlink_to("nowhere")  # next to the database it prevents no backup
    assert backup(sqlite_url, saved) == HEAD
    folder.mkdir()
    os.mkfifo(device)  # as /dev/null is
    for place in (folder, device):
        with pytest.raises(OperatorError, match="is no file"):
            backup(sqlite_url, place)
        with pytest.raises(OperatorError, match="is no file"):
            restore(saved, of_file(place), force=True)
    assert device.is_fifo()


def store(url: str, *rows: SQLModel) -> None:
    engine = connect(url)
    with Session(engine) as session:
        for row in rows:
            session.merge(row)
        session.commit()
    engine.dispose()


def last_used(url: str, seconds_ago: float, now: float | None = None) -> None:
    store(url, KeyValue(key=HEARTBEAT, value=repr((now or time.time()) - seconds_ago)))


@BOTH_DATABASES
@pytest.mark.usefixtures("programs")
def test_a_database_that_no_bot_used_for_a_day_is_refused_unless_it_is_meant(database_url: str, saved: Path) -> None:
    """A nightly backup of the wrong database must not look like one."""
    last_used(database_url, 86400 - 60)
    backup(database_url, saved)
    last_used(database_url, 86400 + 60)
    saved.unlink()
    with pytest.raises(OperatorError, match="is DATABASE_URL right"):
        backup(database_url, saved)
    assert not saved.exists()
    backup(database_url, saved, force=True)


def test_a_database_with_one_beside_it_that_was_used_later_is_refused(sqlite_url: str, file: Path, saved: Path) -> None:
    beside = file.with_name("games.db")
    backup(sqlite_url, beside)
    last_used(sqlite_url, 60)
    backup(sqlite_url, saved)
    last_used(of_file(beside), 30)
    with pytest.raises(OperatorError, match=r"games.db was used later than .*perudo.db"):
        backup(sqlite_url, saved)


@pytest.mark.parametrize("words", [("backup", "saved.db"), ("doctor",), ("forget", "5"), ("restore", "misty.db")])
def test_a_mistyped_path_is_refused_and_not_created(
    words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DATABASE_URL", "sqlite:///folder/misty.db")
    monkeypatch.setenv("PERUDO_API_BASE_URL", "http://127.0.0.1:9/bot")
    monkeypatch.setenv("PERUDO_CONFIG", os.devnull)
    assert main(words) == 1
    captured = capsys.readouterr()
    assert "misty.db" in captured.out + captured.err
    assert list(tmp_path.iterdir()) == []


def test_a_backup_is_restored_elsewhere_and_over_what_is_there(sqlite_url: str, saved: Path, tmp_path: Path) -> None:
    note(sqlite_url, "kept")
    backup(sqlite_url, saved)
    new = tmp_path / "other/perudo.db"
    assert restore(saved, of_file(new)) == HEAD
    assert noted(of_file(new)) == ["kept"]
    note(of_file(new), "since")
    with pytest.raises(OperatorError, match="not empty: --force"):
        restore(saved, of_file(new))
    assert noted(of_file(new)) == ["kept", "since"]
    for end in ("-wal", "-shm"):
        Path(f"{new}{end}").write_bytes(b"another database's")
    restore(saved, of_file(new), force=True)
    assert noted(of_file(new)) == ["kept"]
    new.write_bytes(b"what a broken disk has left")
    restore(saved, of_file(new), force=True)
    assert noted(of_file(new)) == ["kept"]


@BOTH_DATABASES
@pytest.mark.usefixtures("programs")
async def test_a_backup_is_tried_out_beside_the_database(harness: GroupHarness, database_url: str, saved: Path) -> None:
    await harness.game("22222", "33333")
    backup(database_url, saved)
    assert check(saved, database_url)[1:3] == [
        "live tables: 1, each can be played on; people: 2",
        "games begun: 1, with a winner: 0; rounds: 0",
    ]
    harness.update_row(GameTable, 1, state={"spoilt": True})
    backup(database_url, saved)
    with pytest.raises(OperatorError, match="table 1 in the backup cannot be played on"):
        check(saved, database_url)


def test_a_user_who_may_create_no_database_is_told_what_the_drill_needs(postgresql_url: str, saved: Path) -> None:
    execute(postgresql_url, "CREATE ROLE plain LOGIN")
    try:
        with pytest.raises(OperatorError, match=r'ALTER USER "plain" CREATEDB$'):
            check(saved, str(make_url(postgresql_url).set(username="plain")))
    finally:
        execute(postgresql_url, "DROP ROLE plain")


async def test_after_a_restore_tables_hear_from_when_it_is(harness: GroupHarness, sqlite_url: str, saved: Path) -> None:
    await harness.game("22222", "33333", sent=True)
    await harness.service.outages.find_due()
    target = of_file(saved.with_name("restored.db"))
    backup(sqlite_url, saved, force=True)
    restore(saved, target)
    database = Database(target)
    again = GroupHarness(database)
    again.now = harness.now + 5
    assert (await again.service.outages.find_due()).restarting
    await again.service.handle(OutageEnded())
    assert [notice.at for notice in again.notices("restored")] == [harness.now]
    told = [(each.notice.kind, each.edits) for each in again.envelopes() if each.chat == -1001]
    assert {("restored", False), ("table", False)} <= set(told)
    assert RESTORED not in noted(target)
    database.close()


def test_a_database_in_use_is_never_replaced(sqlite_url: str, saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("telegram_bot.storage.process_lock.LOCK_TIMEOUT_SECONDS", 0.1)
    backup(sqlite_url, saved)
    with single_process_lock(sqlite_url), pytest.raises(OperatorError, match="another perudo-bot works"):
        restore(saved, sqlite_url, force=True)


@pytest.mark.parametrize(
    "kind", ["TRIGGER {} AFTER INSERT ON note BEGIN DELETE FROM player; END", "VIEW {} AS SELECT 1"]
)
def test_a_backup_with_statements_of_its_own_is_refused(sqlite_url: str, saved: Path, kind: str) -> None:
    new = saved.with_name("new.db")
    backup(sqlite_url, saved)
    execute(of_file(saved), f"CREATE {kind.format('of_a_stranger')}")
    for tried in (lambda: restore(saved, of_file(new)), lambda: check(saved, of_file(new))):
        with pytest.raises(OperatorError, match="of_a_stranger, which no backup of the bot has"):
            tried()
    assert not new.exists()


def test_what_is_no_backup_is_refused(sqlite_url: str, file: Path, tmp_path: Path) -> None:
    new = of_file(tmp_path / "new.db")
    other = tmp_path / "other.txt"
    other.write_text("hello")
    with pytest.raises(OperatorError, match="is no backup"):
        restore(other, new)
    with pytest.raises(OperatorError, match="cannot be read"):
        restore(tmp_path / "missing.db", new)
    other.write_bytes(b"PGDMP and more")
    with pytest.raises(OperatorError, match=r"of PostgreSQL, and DATABASE_URL names SQLite.*perudo-bot restore URL"):
        restore(other, new)
    with pytest.raises(OperatorError, match="is the database itself"):
        restore(file, sqlite_url, force=True)
    with pytest.raises(OperatorError, match="of SQLite, and DATABASE_URL names PostgreSQL"):
        restore(file, "postgresql+psycopg://nobody@127.0.0.1:9/none")
    assert not (tmp_path / "new.db").exists()


BEAT = "INSERT INTO note (key, value) VALUES ('heartbeat', '{}')"
EDITED = {
    "DROP TABLE note": "lacks note: restore another backup",
    "ALTER TABLE player RENAME COLUMN name TO called": "lacks player.name: restore another backup",
    "INSERT INTO alembic_version VALUES ('0001')": "2 rows in alembic_version: delete all but",
    "DELETE FROM alembic_version": "holds no games of the bot",
    "UPDATE alembic_version SET version_num = 'mine'": "has an unknown schema \\('mine'\\): restore another backup",
    "UPDATE alembic_version SET version_num = '9999'": "belongs to a newer version of the bot. Install",
    "UPDATE alembic_version SET version_num = '0001'": "cannot be used",
    "INSERT INTO member VALUES ('x', 7, 7, 0, 0)": "a row refers to one that is gone",
} | {
    BEAT.replace("{}", beat): f"is no time \\('{beat}'\\): delete the row"
    for beat in ("abc", "nan", "inf", "-1", "1e300")
}
"""An operator's change of a backup, and the words that refuse it."""


@pytest.mark.parametrize(("edit", "words"), EDITED.items(), ids=range(len(EDITED)))
def test_an_edited_backup_replaces_no_games(sqlite_url: str, file: Path, saved: Path, edit: str, words: str) -> None:
    def files() -> dict[str, bytes]:
        found = (each for each in file.parent.iterdir() if each.is_file() and each.suffix != ".lock")
        return {each.name: each.read_bytes() for each in found}

    note(sqlite_url, "kept")
    backup(sqlite_url, saved)
    with closing(sqlite3.connect(saved)) as connection, connection:
        connection.execute(edit)
    before = files()
    with pytest.raises(OperatorError, match=words):
        restore(saved, sqlite_url, force=True)
    assert files() == before


@pytest.mark.parametrize("edit", [each for each in EDITED if any(word in each for word in ("DROP", "9999", "abc"))])
@pytest.mark.usefixtures("programs")
def test_an_edited_dump_replaces_nothing(
    postgresql: PostgresServer, postgresql_url: str, saved: Path, edit: str
) -> None:
    note(postgresql_url, "kept")
    with postgresql.fresh() as edited:
        execute(edited, edit)
        backup(edited, saved, force=True)
    with pytest.raises(OperatorError, match=EDITED[edit]):
        restore(saved, postgresql_url, force=True)
    assert noted(postgresql_url) == ["kept"]


@pytest.mark.usefixtures("programs")
def test_a_dump_is_restored_over_a_newer_schema(postgresql: PostgresServer, postgresql_url: str, saved: Path) -> None:
    note(postgresql_url, "kept")
    assert backup(postgresql_url, saved) == HEAD
    assert saved.stat().st_mode & 0o777 == 0o600
    with postgresql.fresh(migrated=False) as elsewhere:
        assert restore(saved, elsewhere) == HEAD
        assert noted(elsewhere) == ["kept"]
        note(elsewhere, "since")
        with pytest.raises(OperatorError, match="not empty: --force"):
            restore(saved, elsewhere)
        execute(elsewhere, "CREATE TABLE of_tomorrow (id serial)", "UPDATE alembic_version SET version_num = '9999'")
        restore(saved, elsewhere, force=True)
        assert noted(elsewhere) == ["kept"]
        execute(elsewhere, "CREATE TABLE of_tomorrow (id serial)")
        engine = connect(elsewhere)
        assert schema.is_current(engine)
        engine.dispose()


@pytest.mark.usefixtures("programs")
def test_a_server_in_use_is_not_replaced_even_by_force(postgresql_url: str, saved: Path) -> None:
    backup(postgresql_url, saved)
    engine = connect(postgresql_url)
    with engine.connect(), pytest.raises(OperatorError, match=r"a worker uses the database \(1 connections\)"):
        restore(saved, postgresql_url, force=True)
    engine.dispose()


def test_a_password_is_not_in_the_list_of_processes(
    postgresql: PostgresServer, postgresql_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen, saved = tmp_path / "seen", tmp_path / "saved.dump"
    for name in ("pg_dump", "pg_restore", "psql"):
        (tmp_path / name).write_text(WITNESS)
        (tmp_path / name).chmod(0o700)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setenv("REAL", str(postgresql.programs))
    monkeypatch.setenv("WITNESS", str(seen))
    secret = make_url(postgresql_url).set(password=PASSWORD).render_as_string(hide_password=False)
    backup(secret, saved)
    with postgresql.fresh(migrated=False) as elsewhere:
        restore(saved, make_url(elsewhere).set(password=PASSWORD).render_as_string(hide_password=False))
    told = seen.read_text()
    assert all(name in told for name in ("/pg_dump ", "/pg_restore ", "/psql "))
    assert PASSWORD not in told
    assert "p%40ss" not in told
    assert {line for line in told.splitlines() if line.isdecimal()} == {"600"}


def test_without_pg_dump_it_tells_a_cure(postgresql_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(OperatorError, match="pg_dump is missing: install PostgreSQL's client programs"):
        backup(postgresql_url, tmp_path / "saved.dump")
    assert list(tmp_path.iterdir()) == []


# Moving a live installation from one database to another, in both directions


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
    copy_database(here, there, tell=said.append, **{"sleep": lambda _: None} | more)
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
    create = "CREATE TABLE of_a_feature (id INTEGER PRIMARY KEY, word VARCHAR NOT NULL)"

    def migrated(engine: Engine, upgrade: Callable[[Engine], None] = schema.upgrade) -> None:
        upgrade(engine)
        execute(there, create)

    execute(here, create, "INSERT INTO of_a_feature VALUES (1, 'one'), (2, 'two')")
    monkeypatch.setattr(schema, "upgrade", migrated)
    assert any("of_a_feature" in line for line in move(here, there))
    new = connect(there)
    with new.connect() as connection:
        rows = connection.execute(text("SELECT * FROM of_a_feature ORDER BY id")).all()
    assert rows == [(1, "one"), (2, "two")]
    new.dispose()


@BOTH_WAYS
async def test_a_game_begun_before_the_move_is_played_on_after_it(here: str, there: str) -> None:
    before = GroupHarness(Database(here), rules=Rules(starting_dice=2, palifico=False))
    await before.start_game("Ana", "Bo", "Cy")
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


def test_each_table_is_counted_and_compared(here: str, there: str, monkeypatch: pytest.MonkeyPatch) -> None:
    store(here, *(Player(channel="telegram", address=n, name="Ana\0") for n in range(25)))
    monkeypatch.setattr(copying, "PROGRESS_SECONDS", 0.0)
    monkeypatch.setattr(copying, "BATCH", 10)
    said = move(here, there)
    told = [line.split() for line in said if line.startswith("player ")]
    assert told[:2] == [["player", "10", "of", "25"], ["player", "20", "of", "25"]]
    assert any(line.startswith("player ") and " 25 rows, checksum " in line for line in said)
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
    schema.migrate(there)
    store(there, Player(channel="telegram", address=1, name="Ana"))
    with pytest.raises(OperatorError, match="not empty, there are rows in player"):
        move(here, there)
    execute(there, "DELETE FROM player", "CREATE TABLE holidays (x INTEGER)")
    with pytest.raises(OperatorError, match=r"other tables \(holidays\)"):
        move(here, there)


def test_a_file_that_a_bot_works_with_is_refused(here: str, there: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("telegram_bot.storage.process_lock.LOCK_TIMEOUT_SECONDS", 0.1)
    with single_process_lock(here), pytest.raises(OperatorError, match="another perudo-bot works with"):
        move(here, there)
    move(here, there)


@pytest.mark.parametrize("direction", ["to sqlite"])
def test_a_server_that_a_bot_works_with_is_refused(here: str, there: str) -> None:
    last_used(here, 0, LONG_AGO)
    beats = iter([10])
    with pytest.raises(OperatorError, match="a bot runs on the database: stop it"):
        move(here, there, now=lambda: LONG_AGO + 9, sleep=lambda _: last_used(here, 0, LONG_AGO + next(beats)))
    slept: list[float] = []
    move(here, there, now=lambda: LONG_AGO + 19, sleep=slept.append)
    assert sum(slept) >= 20, "one that was stopped a moment ago is told from one that runs"


def test_a_source_that_is_not_there_or_older_is_refused(tmp_path: Path, there: str) -> None:
    with pytest.raises(OperatorError, match=r"gone\.db is not there"):
        move(f"sqlite:///{tmp_path}/gone.db", there)
    assert not (tmp_path / "gone.db").exists()
    execute(f"sqlite:///{tmp_path}/old.db", "CREATE TABLE alembic_version (version_num VARCHAR)")
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
    if line.startswith("inbox ") and int(line.split()[1]) >= 20:
        print("in the middle", flush=True)
        sys.stdin.read()

copying.PROGRESS_SECONDS, copying.BATCH = 0, 10
copying.copy_database(sys.argv[1], sys.argv[2], tell=tell)
"""


@BOTH_WAYS
def test_a_copy_that_is_killed_leaves_nothing_and_can_be_repeated(here: str, there: str) -> None:
    store(here, *(InboxEntry(source="x", cause=str(n), received_at=1.0) for n in range(30)))
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
    assert len(stored(there)["inbox"]) == 30
