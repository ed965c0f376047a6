"""`perudo-bot backup` and `restore`, on real databases and with PostgreSQL's own programs."""

import os
import shutil
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import make_url, text
from sqlmodel import Session

from telegram_bot.cli import main
from telegram_bot.errors import OperatorError
from telegram_bot.intents.intents import OutageEnded
from telegram_bot.operations.backup import backup, check, restore
from telegram_bot.storage import schema
from telegram_bot.storage.database import Database, connect, sqlite_file
from telegram_bot.storage.models import HEARTBEAT, RESTORED, GameTable, KeyValue
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


def last_used(url: str, seconds_ago: float) -> None:
    engine = connect(url)
    with Session(engine) as session:
        session.merge(KeyValue(key=HEARTBEAT, value=repr(time.time() - seconds_ago)))
        session.commit()
    engine.dispose()


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
def test_an_edited_backup_is_refused_before_the_games_are_replaced(
    sqlite_url: str, file: Path, saved: Path, edit: str, words: str
) -> None:
    def files() -> dict[str, bytes]:
        return {
            each.name: each.read_bytes() for each in file.parent.iterdir() if each.is_file() and each.suffix != ".lock"
        }

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
def test_an_edited_dump_is_refused_before_the_games_are_replaced(
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
def test_a_dump_is_restored_also_over_a_newer_schema(
    postgresql: PostgresServer, postgresql_url: str, saved: Path
) -> None:
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


def test_without_pg_dump_it_says_what_helps(
    postgresql_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(OperatorError, match="pg_dump is missing: install PostgreSQL's client programs"):
        backup(postgresql_url, tmp_path / "saved.dump")
    assert list(tmp_path.iterdir()) == []
