"""The checks of `perudo-bot doctor` for an existing database, healthy and broken, and for the pages' visitors."""

import os
import re
import shutil
import time
from collections import namedtuple
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from freezegun import freeze_time
from sqlalchemy import make_url

from telegram_bot.intents.envelope import Envelope
from telegram_bot.notices import OutdatedNotice
from telegram_bot.operations.doctor import CheckResult, web_seat
from telegram_bot.operations.doctor import database as practice
from telegram_bot.operations.web_server import WebServer
from telegram_bot.settings import Settings
from telegram_bot.settings.sections import WebSeatSettings
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import LAST_BACKUP, InboxEntry, KeyValue, LaneName, OutboxEntry
from test_support.key_values import noted
from test_support.web_world import WebWorld
from tests.telegram_bot.conftest import BOTH_DATABASES
from tests.telegram_bot.operations.test_backup import execute
from tests.telegram_bot.storage.test_copy_database import store

Usage = namedtuple("Usage", ["total", "used", "free"])  # noqa: PYI024 - as shutil's


def diagnosis(url: str) -> dict[str, CheckResult]:
    return {finding.check: finding for finding in practice.examine(url)}


def test_a_file_with_room_round_it_is_well(sqlite_url: str) -> None:
    found = diagnosis(sqlite_url)
    assert list(found) == ["database", "speed", "waiting", "games", "backup", "disk"]
    assert [check for check, finding in found.items() if not finding.ok] == ["backup"]
    assert re.search(r"GiB are free where perudo.db is kept; perudo.db has \d+\.\d MiB", found["disk"].says)
    assert re.search(r"is up to date, and the user \w+ can write to it$", found["database"].says)
    assert found["waiting"].says == "nothing has waited for long; open tables: 0"


@pytest.mark.parametrize("name", ["", "perudo.db.lock"])
def test_a_folder_or_a_lock_of_another_user_stops_the_bot(name: str) -> None:
    with TemporaryDirectory() as scratch:
        folder = Path(scratch)
        (folder / "perudo.db.lock").touch(0o400)
        folder.chmod(0o777 if name else 0o555)
        before = os.geteuid()
        if before == 0:
            os.seteuid(65534)
        try:
            found = diagnosis(f"sqlite:///{folder}/perudo.db")["database"]
        finally:
            os.seteuid(before)
            folder.chmod(0o700)
        assert (found.ok, found.says) == (False, f"{folder / name} cannot be written to (Permission denied)")
        assert "folder of its own" in found.mend


def test_a_full_disk(sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _folder: Usage(10**10, 10**10 - 10**8, 10**8))
    found = diagnosis(sqlite_url)["disk"]
    assert (found.ok, found.says.partition(";")[0]) == (False, "0.1 GiB are free where perudo.db is kept")
    assert found.mend.startswith("Make room")


@BOTH_DATABASES
def test_a_database_far_away(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(practice, "MAX_QUERY_SECONDS", 0.0)
    found = diagnosis(database_url)["speed"]
    assert found.ok is False
    assert "each tap would wait for it" in found.says


@BOTH_DATABASES
def test_what_waits_too_long_and_what_was_set_aside(database_url: str) -> None:
    now = time.time()
    notice = Envelope(channel="telegram", chat=5, language="en", notice=OutdatedNotice()).model_dump(mode="json")
    store(
        database_url,
        InboxEntry(source="telegram", cause="1", received_at=now - 500),
        InboxEntry(source="telegram", cause="2", received_at=now - 500, done_at=now, error="KeyError", attempts=3),
        OutboxEntry(lane=LaneName("telegram", 5), notice=notice, created_at=now - 300),
        OutboxEntry(lane=LaneName("telegram", 5), notice=notice, created_at=now),
    )
    found = diagnosis(database_url)
    assert found["waiting"].ok is False
    assert found["waiting"].says.startswith("updates not acted on: 1, the oldest for 50")
    assert "; notices not sent: 2, the oldest for 30" in found["waiting"].says
    assert found["waiting"].mend.startswith("If no worker runs, start one")
    assert found["setaside"].ok is False
    assert found["setaside"].says == "updates that could not be read, or failed again and again: 1"


@BOTH_DATABASES
def test_the_last_backup_is_missing_fresh_or_too_old(database_url: str) -> None:
    assert diagnosis(database_url)["backup"].ok is None
    store(database_url, KeyValue(key=LAST_BACKUP, value=repr(time.time() - 30 * 3600)))
    found = diagnosis(database_url)["backup"]
    assert (found.ok, found.says) == (True, "the last backup is 30 hours old")
    execute(database_url, f"UPDATE note SET value = '{time.time() - 3 * 86400}' WHERE key = '{LAST_BACKUP}'")  # noqa: S608
    found = diagnosis(database_url)["backup"]
    assert (found.ok, found.says) == (False, "the last backup is 3 days old")


def test_a_server_that_would_lose_moves_in_a_power_cut(postgresql_url: str) -> None:
    found = diagnosis(postgresql_url)
    assert found["safety"].ok is False
    assert found["safety"].says.endswith("fsync, full_page_writes off")
    assert found["safety"].mend.splitlines()[0] == "ALTER SYSTEM SET fsync = on; SELECT pg_reload_conf();"
    well = ["database", "speed", "time", "room", "waiting", "games"]
    assert [check for check, finding in found.items() if finding.ok] == well
    assert "of 300 connections are in use, and the database holds " in found["room"].says


def test_a_server_without_room_for_another_worker(postgresql_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(practice, "SPARE_CONNECTIONS", 300)
    found = diagnosis(postgresql_url)["room"]
    assert (found.ok, found.mend) == (False, "Raise max_connections in postgresql.conf, or run fewer workers.")


@pytest.mark.parametrize(("seconds", "words"), [(-100, "behind"), (100, "ahead of")])
def test_workers_and_database_must_agree_about_the_time(postgresql_url: str, seconds: int, words: str) -> None:
    with freeze_time(datetime.fromtimestamp(time.time() + seconds, UTC)):
        found = diagnosis(postgresql_url)["time"]
    assert found.ok is False
    assert re.match(rf"this machine is (9\d|10\d) s {words} the database: ", found.says)


@BOTH_DATABASES
def test_a_database_of_a_newer_version(database_url: str) -> None:
    execute(database_url, "UPDATE alembic_version SET version_num = '9999'")
    found = diagnosis(database_url)["database"]
    assert (found.ok, found.says.endswith("belongs to a newer version of the bot")) == (False, True)
    assert found.mend.startswith("Install that version")


@BOTH_DATABASES
def test_what_the_doctor_writes_is_rolled_back(database_url: str) -> None:
    before = noted(database_url)
    assert diagnosis(database_url)["database"].ok
    assert noted(database_url) == before


def test_a_database_that_takes_no_moves_is_not_in_place(sqlite_url: str) -> None:
    """The database can be read, and is up to date; only a write shows the problem."""
    table = KeyValue.__tablename__
    refuse = f"CREATE TRIGGER full BEFORE INSERT ON {table} BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END"
    execute(sqlite_url, refuse)
    found = diagnosis(sqlite_url)
    assert (found["database"].ok, "disk is full" in found["database"].says) == (False, True)
    assert "may the user" in found["database"].mend
    assert "perudo.db has" in found["disk"].says


def test_a_server_that_only_reads_is_not_in_place(postgresql_url: str) -> None:
    name = make_url(postgresql_url).database
    execute(postgresql_url, f"ALTER DATABASE {name} SET default_transaction_read_only = on")
    found = diagnosis(postgresql_url)["database"]
    assert (found.ok, "read-only transaction" in found.says) == (False, True)
    assert found.mend == "DATABASE_URL must name the primary server, and a user who may write."


@pytest.mark.parametrize(
    ("behind_proxy", "ok", "said"),
    [(True, False, "believes a visitor's own X-Forwarded-For"), (False, True, "comes from 127.0.0.1")],
)
async def test_a_port_that_is_open_without_a_proxy_believes_no_header(
    database: Database, *, behind_proxy: bool, ok: bool, said: str
) -> None:
    world = WebWorld(database, seat=WebSeatSettings(url="http://127.0.0.1", behind_proxy=behind_proxy))
    server = WebServer("127.0.0.1", 0, world.channel.routes(world.inbox), {})
    await server.start()
    seat = WebSeatSettings(url=f"http://127.0.0.1:{server.port}")
    (found,) = await web_seat.examine(Settings(token="", web_seat=seat))
    await server.stop()
    assert found.ok is ok, found
    assert said in found.says
    (found,) = await web_seat.examine(Settings(token="", web_seat=seat))
    assert found.ok is None, "the bot does not run"


@pytest.mark.parametrize(
    ("network", "own", "ok"),
    [
        ("8.8.8.8", "8.8.8.8", True),
        ("8.8.8.8", "192.168.1.2", True),
        ("192.168.1.1", "192.168.1.2", None),
        ("10.0.0.2", "8.8.8.8", False),
        ("104.16.0.1", "8.8.8.8", False),
        ("2606:4700:1:2::/64", "2606:4700:1:2::/64", True),
        ("?", "192.168.1.2", False),
    ],
)
def test_a_proxy_that_hides_its_visitors_is_named(network: str, own: str, ok: bool | None) -> None:
    assert web_seat.judge("https://perudo.example", network, own).ok is ok
