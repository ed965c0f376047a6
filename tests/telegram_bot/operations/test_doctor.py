"""`perudo-bot doctor` against a real Bot API server, the sandbox, and real databases, healthy and broken."""

import asyncio
import json
import os
import re
import shutil
import socket
import sys
import time
from collections import namedtuple
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from freezegun import freeze_time
from sqlalchemy import make_url
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from telegram_bot import sandbox_launcher
from telegram_bot.channels.telegram.channel import make_bot
from telegram_bot.channels.telegram.inline_mode import InlineMode
from telegram_bot.channels.telegram.webhook import WebhookReceiver
from telegram_bot.confinement import landlock_version
from telegram_bot.ingress.engine_process import EngineProcess
from telegram_bot.ingress.inbox import InboxWorker
from telegram_bot.intents.envelope import Envelope
from telegram_bot.notices import OutdatedNotice
from telegram_bot.operations.doctor import CheckResult, _secrets, as_text, engines, examine, telegram, web_seat
from telegram_bot.operations.doctor import database as practice
from telegram_bot.operations.web_server import WebServer
from telegram_bot.sandbox_launcher import free_port
from telegram_bot.settings import Settings
from telegram_bot.settings.sections import FeatureSettings, WebSeatSettings, WebSettings
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import LAST_BACKUP, InboxEntry, KeyValue, LaneName, OutboxEntry
from telegram_sandbox import RunningSandbox, SandboxSettings, running_sandbox
from test_support.documents import ROOT
from test_support.key_values import noted
from test_support.open_database import copy_migrated_database
from test_support.web_world import WebWorld
from tests.telegram_bot.conftest import BOTH_DATABASES, GroupHarness
from tests.telegram_bot.operations.test_backup import execute, store
from tests.telegram_bot.test_cli import CommandLine, perudo_bot

__all__ = ["perudo_bot"]

STRANGER = "123456:a-token-that-nobody-knows-anything-about"


@pytest.fixture
async def sandbox() -> AsyncIterator[RunningSandbox]:
    async with running_sandbox(replace(sandbox_launcher.SETTINGS, port=0)) as running:
        yield running


def settings_for(sandbox: RunningSandbox, folder: Path, **changes: Any) -> Settings:
    usual = {"token": sandbox.token, "api_base_url": sandbox.bot_base_url}
    return Settings.model_validate(usual | {"database_url": f"sqlite:///{folder}/perudo.db"} | changes)


async def diagnosis(settings: Settings, *, remove_webhook: bool = False) -> dict[str, CheckResult]:
    return {finding.check: finding for finding in await examine(settings, remove_webhook=remove_webhook)}


async def test_each_engine_is_asked_for_a_call(tmp_path: Path) -> None:
    commands = {
        "odds": f"{sys.executable} {ROOT / 'perudo_core' / 'examples' / 'odds_engine.py'}",
        "silent": f"{sys.executable} -c pass",
        "lost": str(tmp_path / "nowhere"),
        "hidden": f"sh -c 'exec {tmp_path}/engine'",
    }
    (tmp_path / "engine").touch(mode=0o700)
    settings = Settings(token=STRANGER, engines={"seconds": 5, "commands": commands})
    odds, silent, lost, hidden = await engines.examine(settings)
    assert odds.ok, odds.says
    assert re.fullmatch(r"odds starts and calls in \d+\.\d s", odds.says)
    assert not silent.ok
    assert silent.says == "silent gives no call, so the bot would play its turns: it ended with status 0"
    assert silent.mend.endswith(f"arena 'engine:{commands['silent']}' regular --games 20")
    assert lost.says.endswith("it ended with status 1")
    assert "standard error: FileNotFoundError: [Errno 2] No such file or directory" in lost.mend
    assert str(tmp_path) not in hidden.mend.partition("It may read these folders alone: ")[2].partition("\n")[0]
    if landlock_version():
        assert "Permission denied" in hidden.mend


async def test_a_late_engine_is_told_apart_from_one_that_starts_late() -> None:
    late = EngineProcess("late", f"{sys.executable} -c 'import time; time.sleep(600)'", seconds=0.3)
    found = await engines._asked("late", late, "late")
    assert found.says.endswith("no answer in time (it was told 0.0 of 0.3 s; its start took the others)")


@pytest.mark.usefixtures("sqlite_url")
async def test_the_features_that_are_off_are_named(sandbox: RunningSandbox, tmp_path: Path) -> None:
    settings = settings_for(sandbox, tmp_path)
    assert "features" not in await diagnosis(settings)
    off = settings.model_copy(update={"features": FeatureSettings(off=("chess", "go"))})
    assert (await diagnosis(off))["features"].says == "off: chess, go"


@pytest.mark.parametrize(("mode", "mend"), [(0o600, []), (0o644, ["chmod 600 .env"])])
def test_secrets_that_all_can_read_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: int, mend: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(".env").touch(mode)
    Path(".env").chmod(mode)
    assert [each.mend for each in _secrets()] == mend


@pytest.mark.usefixtures("sqlite_url")
async def test_all_is_well(sandbox: RunningSandbox, tmp_path: Path) -> None:
    findings = await examine(settings_for(sandbox, tmp_path))
    checks = [
        "token", "server", "privacy", "inline", "webhook", "clock", "voice", "database", "speed", "waiting", "games",
        "disk",
    ]  # fmt: skip
    assert [finding.check for finding in findings if finding.ok] == checks
    assert as_text(findings).startswith("✓ token     @perudo_sandbox_bot answers\n")
    assert re.fullmatch(r"127\.0\.0\.1:\d+ knows Bot API \d+\.\d or newer", findings[1].says)
    assert as_text(findings).endswith("\n\nEverything is in place.")


async def test_a_missing_or_unknown_token_and_a_silent_server_are_told(sandbox: RunningSandbox, tmp_path: Path) -> None:
    found = await diagnosis(settings_for(sandbox, tmp_path, token=""))
    mend = "Send /newbot to @BotFather; set PERUDO_TOKEN to it."
    assert found["token"] == CheckResult("token", ok=False, says="none is set", mend=mend)
    assert [found[check].ok for check in ("privacy", "webhook", "clock")] == [None, None, None]
    unknown = (await diagnosis(settings_for(sandbox, tmp_path, token=STRANGER)))["token"]
    assert (unknown.ok, unknown.says) == (False, "Telegram does not accept it (401 Unauthorized)")
    assert "/mybots" in unknown.mend
    silent = (await diagnosis(settings_for(sandbox, tmp_path, api_base_url="http://127.0.0.1:9/bot")))["token"]
    assert silent.ok is False
    assert silent.says.startswith("127.0.0.1:9 cannot be asked (")
    assert sandbox.token not in silent.says


async def test_privacy_mode_and_inline_mode_are_told_of_and_how_to_switch_them(tmp_path: Path) -> None:
    for usual in (True, False):
        telegram = SandboxSettings(port=0, privacy_mode=usual, inline_mode=usual)
        async with running_sandbox(telegram) as sandbox:
            found = await diagnosis(settings_for(sandbox, tmp_path))
        assert found["token"].ok
        assert found["privacy"].ok is usual
        assert ("/setprivacy" in found["privacy"].mend) is not usual
        assert found["inline"].ok, "the bot plays either way"
        assert ("inline mode is on" in found["inline"].says) is usual
        assert ("/setinline," in found["inline"].mend and "/setinlinefeedback" in found["inline"].mend) is not usual


async def test_a_webhook_left_by_somebody_else_can_be_removed(sandbox: RunningSandbox, tmp_path: Path) -> None:
    async with httpx.AsyncClient(timeout=60) as client:
        address = f"{sandbox.bot_base_url}{sandbox.token}/setWebhook"
        assert (await client.post(address, json={"url": "http://127.0.0.1:9/hook"})).json()["ok"]
    settings = settings_for(sandbox, tmp_path)

    left = (await diagnosis(settings))["webhook"]
    assert left.ok is False
    assert left.says == "everything is sent to 127.0.0.1:9, so the bot would hear nothing"
    assert "perudo-bot doctor --remove-webhook" in left.mend

    assert (await diagnosis(settings, remove_webhook=True))["webhook"].ok
    assert (await diagnosis(settings))["webhook"].says == "none is set, so the bot can ask for its news"


@pytest.mark.parametrize(("seconds", "words"), [(-3600, "behind"), (3600, "ahead of")])
async def test_the_clocks_differ(
    sandbox: RunningSandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seconds: int, words: str
) -> None:
    own_clock = SimpleNamespace(time=lambda: time.time() + seconds)
    monkeypatch.setattr("telegram_bot.operations.doctor.telegram.time", own_clock)
    found = await diagnosis(settings_for(sandbox, tmp_path))
    assert found["clock"].ok is False
    assert re.match(rf"this machine is (3[56]\d\d) s {words} Telegram: ", found["clock"].says)
    assert "set-ntp" in found["clock"].mend


async def test_a_database_that_is_not_there_is_not_made_by_looking(sandbox: RunningSandbox, tmp_path: Path) -> None:
    findings = await examine(settings_for(sandbox, tmp_path))
    told, mend = as_text([finding for finding in findings if finding.check == "database"]).splitlines()[:2]
    assert told.startswith("✗ database  ")
    assert told.endswith("perudo.db is not there yet")
    assert mend.startswith("            → Before the first start: perudo-bot run makes it, or perudo-bot migrate. ")
    assert [*Path.iterdir(tmp_path)] == []


@pytest.mark.usefixtures("sqlite_url")
async def test_a_database_of_an_older_version_is_not_looked_into(
    sandbox: RunningSandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("telegram_bot.storage.schema.is_current", lambda _engine: False)
    found = await diagnosis(settings_for(sandbox, tmp_path))
    assert found["database"].ok is False
    assert found["database"].says.endswith("perudo.db is not up to date")
    assert found["database"].mend == "perudo-bot backup FILE, then: perudo-bot migrate"
    assert "waiting" not in found


async def test_the_command_fails_until_everything_is_in_place_as_people_and_programs_read(
    sandbox: RunningSandbox, tmp_path: Path, perudo_bot: CommandLine
) -> None:
    async def doctor(*options: str) -> tuple[int, str]:
        variables = {"PERUDO_TOKEN": sandbox.token, "PERUDO_API_BASE_URL": sandbox.bot_base_url}
        told = await asyncio.to_thread(perudo_bot, "doctor", *options, **variables)
        return told.returncode, told.stdout

    status, output = await doctor("--json")
    checks = ("token", "server", "privacy", "inline", "webhook", "clock", "voice", "database", "disk")
    found = {finding["check"]: finding["ok"] for finding in json.loads(output)}
    assert found == {check: check != "database" for check in checks}
    assert status == 1
    copy_migrated_database(tmp_path / "perudo.db")
    (tmp_path / ".env").touch(0o600)
    (tmp_path / ".env").write_text("PERUDO_TABLE__AWAY_SECONDS=5\n")
    status, output = await doctor()
    assert "settings  table.away_seconds (in PERUDO_TABLE__AWAY_SECONDS) has no effect any more" in output
    assert (status, output.splitlines()[-1]) == (0, "Everything is in place.")


PUBLIC = "https://bot.example.org/telegram"
TOKEN = "123456789:AA-a-token-for-the-example-only-0123"


def settings_at(sandbox: RunningSandbox, folder: Path, url: str, **more: Any) -> Settings:
    return settings_for(sandbox, folder, webhook={"url": url}, **more)


@asynccontextmanager
async def bot_at(harness: GroupHarness, settings: Settings, port: int) -> AsyncIterator[None]:
    """The bot's web server with its webhook, of which it has told Telegram."""
    async with make_bot(settings) as bot:
        inline, secret = InlineMode(bot, harness.service), settings.webhook_secret()
        webhook = WebhookReceiver(bot, harness.service, settings.webhook, secret, inline)
        routes = webhook.routes(InboxWorker(harness.service, lambda _lanes: None, []))
        server = WebServer("127.0.0.1", port, routes, {})
        await server.start()
        await webhook._look()
        yield
        await server.stop()


async def test_a_bot_that_is_reached_and_asks_for_its_secret(
    harness: GroupHarness,
    sandbox: RunningSandbox,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level("INFO")
    port = free_port()
    url = f"http://127.0.0.1:{port}/telegram"
    before = await diagnosis(settings_at(sandbox, tmp_path, url))
    assert (before["webhook"].ok, before["webhook"].mend) == (False, "Start the bot: it tells Telegram.")
    assert before["reach"].ok is None
    assert before["reach"].mend.startswith("Does the proxy run")
    async with bot_at(harness, settings_at(sandbox, tmp_path, url), port):
        found = await diagnosis(settings_at(sandbox, tmp_path, url))
        assert [check for check, finding in found.items() if not finding.ok] == ["backup"], found
        assert found["webhook"].says.startswith(f"Telegram delivers to 127.0.0.1:{port}")
        assert found["reach"].says == f"the bot answers at 127.0.0.1:{port}, and asks for the secret"
        settings = settings_at(sandbox, tmp_path, url, web={"port": port})
        (own,) = await telegram.examine_port(settings)
        assert (own.ok, own.says) == (True, f"the bot listens on 127.0.0.1, port {port}")
        elsewhere = await diagnosis(settings_at(sandbox, tmp_path, f"http://127.0.0.1:{port}/other"))
        assert elsewhere["webhook"].says == f"Telegram delivers to another address, at 127.0.0.1:{port}"
        says = f"127.0.0.1:{port} answers 404 instead of the bot"
        assert (elsewhere["reach"].ok, elsewhere["reach"].says) == (False, says)
        monkeypatch.setattr(Settings, "webhook_secret", lambda _: "another-secret")
        other_secret = await diagnosis(settings_at(sandbox, tmp_path, url))
        mend = "Start every worker with the same token."
        assert (other_secret["reach"].ok, other_secret["reach"].mend) == (False, mend)
    assert caplog.text.count("a request to the webhook is refused") == 1, "its own requests leave no line"


async def test_the_port_is_free_or_anothers(sandbox: RunningSandbox, tmp_path: Path) -> None:
    port = free_port()
    url = f"http://127.0.0.1:{port}/telegram"
    settings = settings_at(sandbox, tmp_path, url, web={"port": port})
    (found,) = await telegram.examine_port(settings)
    assert (found.ok, "is free for the bot" in found.says) == (True, True)
    with socket.create_server(("127.0.0.1", port)) as other:
        other.settimeout(0)
        (found,) = await telegram.examine_port(settings)
        assert (found.ok, found.says) == (False, f"another program has port {port} on 127.0.0.1")
        assert "web.port" in found.mend
    elsewhere = settings.model_copy(update={"web": WebSettings(host="192.0.2.7", port=port)})
    (found,) = await telegram.examine_port(elsewhere)
    assert (found.ok, "web.host" in found.mend) == (False, True)
    assert await telegram.examine_port(settings_at(sandbox, tmp_path, "")) == []


async def test_telegram_tells_what_went_wrong(sandbox: RunningSandbox, tmp_path: Path) -> None:
    url = f"http://127.0.0.1:{free_port()}/telegram"
    async with httpx.AsyncClient(timeout=60) as client:
        await client.post(f"{sandbox.bot_base_url}{sandbox.token}/setWebhook", json={"url": url})
    await sandbox.user("Ana").send("/start")
    settings = settings_at(sandbox, tmp_path, url)
    async with asyncio.timeout(60):
        while "could not deliver" not in (found := (await diagnosis(settings))["webhook"]).says:  # noqa: ASYNC110 - nothing tells
            await asyncio.sleep(0.1)
    assert found.ok is False
    assert found.says.endswith("; waiting there: 1")
    assert found.mend == "Does the proxy run, and does the firewall let Telegram in?"


async def test_somebody_else_at_the_address(sandbox: RunningSandbox, tmp_path: Path) -> None:
    async def welcome(_request: Request) -> Response:
        return PlainTextResponse("everyone is welcome")

    server = WebServer("127.0.0.1", 0, [Route("/telegram", welcome, methods=["POST"])], {})
    await server.start()
    try:
        found = await diagnosis(settings_at(sandbox, tmp_path, f"http://127.0.0.1:{server.port}/telegram"))
    finally:
        await server.stop()
    assert found["reach"].ok is False
    assert found["reach"].says.endswith("lets in whoever comes: that is not this bot")


def test_a_process_that_stands_by_needs_another_database() -> None:
    (found,) = telegram.webhook_workers(Settings.model_validate({"webhook": {"url": PUBLIC}}))
    assert found.says == "games are kept in SQLite: one process may run"
    assert "docs/operating/moving.md" in found.mend
    elsewhere = Settings.model_validate({"webhook": {"url": PUBLIC}, "database_url": "postgresql://a:b@c/d"})
    assert list(telegram.webhook_workers(elsewhere)) == []


def with_address(url: str) -> Settings:
    return Settings.model_validate({"token": TOKEN, "webhook": {"url": url}})


@pytest.mark.parametrize(
    ("url", "words"),
    [
        (PUBLIC, ""),
        ("https://bot.example.org:8443/x", ""),
        ("https://bot.example.org:88/", ""),
        ("https://8.8.8.8/telegram", ""),
        ("http://bot.example.org/telegram", "https only"),
        ("https://bot.example.org:8080/telegram", "443, 80, 88, 8443 only, not to 8080"),
        ("https://localhost/telegram", "localhost cannot be reached from outside"),
        ("https://192.168.1.5/telegram", "192.168.1.5 cannot be reached from outside"),
        ("https://worker-1/telegram", "worker-1 cannot be reached from outside"),
    ],
)
def test_an_address_that_telegram_does_not_take_is_told_and_an_own_server_takes_any(url: str, words: str) -> None:
    found = list(telegram.webhook_address(with_address(url)))
    assert [each.ok for each in found] == ([False] if words else [])
    assert all(words in each.says for each in found)
    own = with_address(url).model_copy(update={"api_base_url": "http://127.0.0.1:8081/bot"})
    assert list(telegram.webhook_address(own)) == []


def told(**info: Any) -> CheckResult:
    return telegram.webhook_as_telegram_sees_it(with_address(PUBLIC), {"url": PUBLIC, **info})


@pytest.mark.parametrize(
    ("why", "cure"),
    [
        ("Wrong response from the webhook: 403 Forbidden", "the same token"),
        ("Wrong response from the webhook: 404 Not Found", "forward the path"),
        ("Wrong response from the webhook: 502 Bad Gateway", "Is a worker running"),
        ("SSL error {error:0A000086:SSL routines::certificate verify failed}", "certificate for this name"),
        ("Failed to resolve host: Name or service not known", "A or AAAA"),
        ("Connection timed out", "firewall"),
        ("Connection refused", "firewall"),
        ("something new", "docs/operating/webhook.md"),
    ],
)
def test_each_failure_has_its_cure(why: str, cure: str) -> None:
    found = told(last_error_date=time.time() - 30, last_error_message=why, pending_update_count=7)
    assert found.ok is False
    assert why in found.says
    assert cure in found.mend


@freeze_time()
def test_a_failure_that_is_over_is_told_and_needs_no_mending() -> None:
    found = told(last_error_date=time.time() - 30, last_error_message="Connection refused", pending_update_count=0)
    assert found.ok
    assert "its last failure was 30 s ago (Connection refused)" in found.says
    assert "failure" not in told(last_error_date=time.time() - 9000, last_error_message="x").says


def test_more_waits_than_is_taken() -> None:
    assert told(pending_update_count=500).ok is False
    assert told(pending_update_count=50).ok


Usage = namedtuple("Usage", ["total", "used", "free"])  # noqa: PYI024 - as shutil's


def database_checks(url: str) -> dict[str, CheckResult]:
    return {finding.check: finding for finding in practice.examine(url)}


def test_a_file_with_room_round_it_is_well(sqlite_url: str) -> None:
    found = database_checks(sqlite_url)
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
            found = database_checks(f"sqlite:///{folder}/perudo.db")["database"]
        finally:
            os.seteuid(before)
            folder.chmod(0o700)
        assert (found.ok, found.says) == (False, f"{folder / name} cannot be written to (Permission denied)")
        assert "folder of its own" in found.mend


def test_a_full_disk(sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _folder: Usage(10**10, 10**10 - 10**8, 10**8))
    found = database_checks(sqlite_url)["disk"]
    assert (found.ok, found.says.partition(";")[0]) == (False, "0.1 GiB are free where perudo.db is kept")
    assert found.mend.startswith("Make room")


@BOTH_DATABASES
def test_a_database_far_away(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(practice, "MAX_QUERY_SECONDS", 0.0)
    found = database_checks(database_url)["speed"]
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
    found = database_checks(database_url)
    assert found["waiting"].ok is False
    assert found["waiting"].says.startswith("updates not acted on: 1, the oldest for 50")
    assert "; notices not sent: 2, the oldest for 30" in found["waiting"].says
    assert found["waiting"].mend.startswith("If no worker runs, start one")
    assert found["setaside"].ok is False
    assert found["setaside"].says == "updates that could not be read, or failed again and again: 1"


@BOTH_DATABASES
def test_the_last_backup_is_missing_fresh_or_too_old(database_url: str) -> None:
    assert database_checks(database_url)["backup"].ok is None
    store(database_url, KeyValue(key=LAST_BACKUP, value=repr(time.time() - 30 * 3600)))
    found = database_checks(database_url)["backup"]
    assert (found.ok, found.says) == (True, "the last backup is 30 hours old")
    execute(database_url, f"UPDATE note SET value = '{time.time() - 3 * 86400}' WHERE key = '{LAST_BACKUP}'")  # noqa: S608
    found = database_checks(database_url)["backup"]
    assert (found.ok, found.says) == (False, "the last backup is 3 days old")


def test_a_server_that_would_lose_moves_in_a_power_cut(postgresql_url: str) -> None:
    found = database_checks(postgresql_url)
    assert found["safety"].ok is False
    assert found["safety"].says.endswith("fsync, full_page_writes off")
    assert found["safety"].mend.splitlines()[0] == "ALTER SYSTEM SET fsync = on; SELECT pg_reload_conf();"
    well = ["database", "speed", "time", "room", "waiting", "games"]
    assert [check for check, finding in found.items() if finding.ok] == well
    assert "of 300 connections are in use, and the database holds " in found["room"].says


def test_a_server_without_room_for_another_worker(postgresql_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(practice, "SPARE_CONNECTIONS", 300)
    found = database_checks(postgresql_url)["room"]
    assert (found.ok, found.mend) == (False, "Raise max_connections in postgresql.conf, or run fewer workers.")


@pytest.mark.parametrize(("seconds", "words"), [(-10_000, "behind"), (10_000, "ahead of")])
def test_workers_and_database_must_agree_about_the_time(postgresql_url: str, seconds: int, words: str) -> None:
    with freeze_time(datetime.fromtimestamp(time.time() + seconds, UTC)):
        found = database_checks(postgresql_url)["time"]
    assert found.ok is False
    assert re.match(rf"this machine is (9\d{{3}}|10\d{{3}}) s {words} the database: ", found.says)


@BOTH_DATABASES
def test_a_database_of_a_newer_version(database_url: str) -> None:
    execute(database_url, "UPDATE alembic_version SET version_num = '9999'")
    found = database_checks(database_url)["database"]
    assert (found.ok, found.says.endswith("belongs to a newer version of the bot")) == (False, True)
    assert found.mend.startswith("Install that version")


@BOTH_DATABASES
def test_what_the_doctor_writes_is_rolled_back(database_url: str) -> None:
    before = noted(database_url)
    assert database_checks(database_url)["database"].ok
    assert noted(database_url) == before


def test_a_database_that_takes_no_moves_is_not_in_place(sqlite_url: str) -> None:
    """The database can be read, and is up to date; only a write shows the problem."""
    table = KeyValue.__tablename__
    refuse = f"CREATE TRIGGER full BEFORE INSERT ON {table} BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END"
    execute(sqlite_url, refuse)
    found = database_checks(sqlite_url)
    assert (found["database"].ok, "disk is full" in found["database"].says) == (False, True)
    assert "may the user" in found["database"].mend
    assert "perudo.db has" in found["disk"].says


def test_a_server_that_only_reads_is_not_in_place(postgresql_url: str) -> None:
    name = make_url(postgresql_url).database
    execute(postgresql_url, f"ALTER DATABASE {name} SET default_transaction_read_only = on")
    found = database_checks(postgresql_url)["database"]
    assert (found.ok, "read-only transaction" in found.says) == (False, True)
    assert found.mend == "DATABASE_URL must name the primary server, and a user who may write."


@pytest.mark.parametrize(
    ("behind_proxy", "ok", "said"),
    [(True, False, "believes a visitor's own X-Forwarded-For"), (False, True, "comes from 127.0.0.1")],
)
async def test_an_open_port_believes_no_header(database: Database, *, behind_proxy: bool, ok: bool, said: str) -> None:
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
