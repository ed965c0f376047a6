"""The fixtures of the pytest plugin, and the sandbox where `aiogram` is not installed."""

import ast
import subprocess
import sys
from importlib.metadata import PackageNotFoundError

import httpx
import pytest

from telegram_sandbox import RunningSandbox, SandboxSettings, StartError, User, running_sandbox, schema
from tests.telegram_sandbox.conftest import Play, in_vain


async def test_without_aiogram_the_sandbox_answers_and_judges_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "aiogram", None)
    async with running_sandbox() as sandbox, httpx.AsyncClient(base_url=sandbox.url, timeout=60) as client:
        play = Play(sandbox, client)
        assert (await play.send(no_such_parameter=1))["text"] == "hello"
        assert await play.refused("sendMessage", chat_id=play.group) == (400, "Bad Request: message text is empty")
        assert len(sandbox.world.calls.schema_failures) == 1, "the refused call alone"


@pytest.mark.parametrize("version", [None, "3.7.0"])
async def test_a_judge_who_is_away_or_too_old_is_told(version: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    def found(name: str) -> str:
        if version is None:
            raise PackageNotFoundError(name)
        return version

    monkeypatch.setattr(schema, "version", found)
    with pytest.raises(StartError, match=r"pip install 'telegram-sandbox\[schema\]'"):
        async with running_sandbox(SandboxSettings(port=0, judge=True)):
            pass


def test_the_plugin_imports_nothing_until_a_test_asks_for_a_fixture() -> None:
    code = "import sys, pytest; a = {*sys.modules}; import telegram_sandbox.pytest_plugin; print({*sys.modules} - a)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)  # noqa: S603
    assert ast.literal_eval(run.stdout) == {"telegram_sandbox", "telegram_sandbox.pytest_plugin"}


async def test_a_bot_is_ready_when_it_asks_for_updates_and_not_when_it_skips_them(play: Play) -> None:
    await play.ok("getMe")
    with pytest.raises(AssertionError, match=r"asked for no updates within 0.0 s; it has called \['getMe'\]"):
        await play.sandbox.bot_is_ready(within=0.0)
    await play.ok("getUpdates", offset=-1)
    await in_vain(play.sandbox.bot_is_ready(within=0.0), r"'getUpdates'\]")
    await play.ok("getUpdates")
    await play.sandbox.bot_is_ready()
    await play.act("POST", "/reset")
    await play.ok("setWebhook", url="http://127.0.0.1:9/")
    await play.sandbox.bot_is_ready()


def test_without_async_a_bot_that_stands_still_is_told(telegram_sandbox: RunningSandbox, telegram_user: User) -> None:
    telegram_user.blocking.send("/start")
    with pytest.raises(AssertionError, match=r"; 1 update waits for the bot, .*stands still during a test without"):
        telegram_user.blocking.sees("Hello", within=0.05)
    with pytest.raises(AssertionError, match="it has called nothing"):
        telegram_sandbox.wait_for_bot(within=0.0)


async def test_waiting_in_a_thread_with_an_event_loop_is_refused(play: Play, telegram_user: User) -> None:
    for user in (play.user("Ana"), telegram_user):
        with pytest.raises(RuntimeError, match="await the user's own method"):
            user.blocking.send("/start")


class TestOwnSettings:
    @pytest.fixture(params=[{}, {"flood_limits": True}], ids=["unnamed", "named"])
    def telegram_sandbox_settings(self, request: pytest.FixtureRequest) -> SandboxSettings:
        return SandboxSettings(port=0, **request.param)

    def test_flood_limits_are_there_if_they_are_named_and_the_user_is_the_ana_that_is_there(
        self, telegram_sandbox: RunningSandbox, telegram_user: User, request: pytest.FixtureRequest
    ) -> None:
        assert telegram_sandbox.world.flood_limits.enabled == ("[named]" in request.node.name)
        assert [person.name for person in telegram_sandbox.world.active_people()] == ["Ana", "Bo", "Cy", "Dee"]
        assert telegram_user.name == "Ana"
