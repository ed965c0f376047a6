"""`perudo-bot doctor` against a real Bot API server, the sandbox, and real databases."""

import asyncio
import json
import re
import sys
import time
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from shutil import copyfile
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from telegram_bot import sandbox_launcher
from telegram_bot.confinement import landlock_version
from telegram_bot.ingress.engine_process import EngineProcess
from telegram_bot.operations.doctor import CheckResult, _secrets, as_text, engines, examine
from telegram_bot.settings import Settings
from telegram_bot.settings.sections import FeatureSettings
from telegram_sandbox import RunningSandbox, SandboxSettings, running_sandbox
from test_support.documents import ROOT
from tests.telegram_bot.test_cli import CommandLine, perudo_bot

__all__ = ["perudo_bot"]

STRANGER = "123456:a-token-that-nobody-knows-anything-about"


@pytest.fixture
async def sandbox() -> AsyncIterator[RunningSandbox]:
    async with running_sandbox(replace(sandbox_launcher.SETTINGS, port=0)) as running:
        yield running


def settings_for(sandbox: RunningSandbox, folder: Path, **changes: Any) -> Settings:
    values = {
        "token": sandbox.token,
        "api_base_url": sandbox.bot_base_url,
        "database_url": f"sqlite:///{folder}/perudo.db",
    }
    return Settings.model_validate(values | changes)


def names_in(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


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
    assert re.fullmatch(r"odds starts and calls in \d\.\d s", odds.says)
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


async def test_a_token_that_is_missing_or_that_telegram_does_not_know_and_a_server_that_does_not_answer(
    sandbox: RunningSandbox, tmp_path: Path
) -> None:
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
    assert re.match(rf"this machine is (3599|3600) s {words} Telegram: ", found["clock"].says)
    assert "set-ntp" in found["clock"].mend


async def test_a_database_that_is_not_there_is_not_made_by_looking(sandbox: RunningSandbox, tmp_path: Path) -> None:
    findings = await examine(settings_for(sandbox, tmp_path))
    told, mend = as_text([finding for finding in findings if finding.check == "database"]).splitlines()[:2]
    assert told.startswith("✗ database  ")
    assert told.endswith("perudo.db is not there yet")
    assert mend.startswith("            → Before the first start: perudo-bot run makes it, or perudo-bot migrate. ")
    assert names_in(tmp_path) == []


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
    sandbox: RunningSandbox, tmp_path: Path, migrated_file: Path, perudo_bot: CommandLine
) -> None:
    async def doctor(*options: str) -> tuple[int, str]:
        variables = {"PERUDO_TOKEN": sandbox.token, "PERUDO_API_BASE_URL": sandbox.bot_base_url}
        told = await asyncio.to_thread(perudo_bot, "doctor", *options, **variables)
        return told.returncode, told.stdout

    status, output = await doctor("--json")
    checks = ("token", "server", "privacy", "inline", "webhook", "clock", "voice", "database", "disk")
    assert {finding["check"]: finding["ok"] for finding in json.loads(output)} == {
        check: check != "database" for check in checks
    }
    assert status == 1
    copyfile(migrated_file, tmp_path / "perudo.db")
    (tmp_path / ".env").touch(0o600)
    (tmp_path / ".env").write_text("PERUDO_TABLE__AWAY_SECONDS=5\n")
    status, output = await doctor()
    assert "settings  table.away_seconds (in PERUDO_TABLE__AWAY_SECONDS) has no effect any more" in output
    assert (status, output.splitlines()[-1]) == (0, "Everything is in place.")
