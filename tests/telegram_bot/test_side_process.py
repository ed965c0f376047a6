"""A process next to the bot: it answers, hangs, dies, knows no secret, and does not outlive the bot."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from typing import Final

import psutil
import pytest

from telegram_bot.side_process import BusyError, FunctionFailedError, SideProcess, TooSlowError
from test_support.documents import ROOT
from test_support.side_functions import act, refuse

PATIENCE: Final = 250.0
"""In seconds: on a busy machine the process starts late."""
BOT: Final = """import asyncio
from telegram_bot.side_process import SideProcess
from test_support.side_functions import act
async def main():
    print((await SideProcess(act, seconds=250, idle_seconds=250).ask()).decode(), flush=True)
    await asyncio.sleep(250)
asyncio.run(main())
"""


@pytest.fixture
async def side() -> AsyncIterator[SideProcess[[str]]]:
    process = SideProcess(act, seconds=PATIENCE, idle_seconds=PATIENCE)
    yield process
    await process.close()
    assert process.pid is None


async def pid_of(side: SideProcess[[str]]) -> int:
    return int(await side.ask(""))


async def test_one_process_answers_all_questions_and_ends_when_it_is_closed(side: SideProcess[[str]]) -> None:
    first, second = await asyncio.gather(pid_of(side), pid_of(side))
    assert first == second == side.pid != os.getpid()
    await side.close()
    assert not psutil.pid_exists(first)
    with pytest.raises(BusyError):
        await side.ask("")


async def test_what_a_library_prints_is_no_answer(side: SideProcess[[str]]) -> None:
    assert int(await side.ask("print")) == side.pid


async def test_it_sees_no_secret_and_is_behind_the_bot(
    side: SideProcess[[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PERUDO_TOKEN", "123456:secret")
    environment, niceness = json.loads(await side.ask("environment"))
    assert "PERUDO_TOKEN" not in environment
    assert niceness == min(os.nice(0) + 10, 19)


@pytest.mark.parametrize(("function", "why"), [(act, "^ValueError$"), (refuse, "^a reason$")])
async def test_an_error_tells_its_name_and_the_process_goes_on(function: Callable[[str], bytes], why: str) -> None:
    side = SideProcess(function, seconds=PATIENCE, idle_seconds=PATIENCE)
    try:
        for _ in range(2):
            with pytest.raises(FunctionFailedError, match=why):
                await side.ask("fail")
        assert side.pid is not None
    finally:
        await side.close()


async def test_an_answer_that_takes_too_long_costs_the_process_its_life(side: SideProcess[[str]]) -> None:
    before = await pid_of(side)
    side._seconds = 0.01
    with pytest.raises(TooSlowError):
        await side.ask("hang")
    assert not psutil.pid_exists(before)
    side._seconds = PATIENCE
    assert await pid_of(side) != before


async def test_a_question_that_nobody_waits_for_is_given_up(side: SideProcess[[str]]) -> None:
    before = await pid_of(side)
    hanging = asyncio.create_task(side.ask("hang"))
    waiting = asyncio.create_task(pid_of(side))
    await asyncio.sleep(0)
    hanging.cancel()
    assert await waiting != before


async def test_more_than_may_wait_are_refused_and_who_waits_too_long_as_well(side: SideProcess[[str]]) -> None:
    side._most_waiting, side._seconds = 1, 0.01
    async with side._turn:  # as long as a question is being answered
        side._inside += 1
        waiting = asyncio.create_task(side.ask(""))
        await asyncio.sleep(0)
        with pytest.raises(BusyError):
            await side.ask("")
        with pytest.raises(TooSlowError):
            await waiting
        side._inside -= 1
    assert side.pid is None, "no process was begun or killed for it"


async def test_after_a_crash_a_new_process_begins_and_after_several_only_later(side: SideProcess[[str]]) -> None:
    with pytest.raises(BusyError):
        await side.ask("die")
    assert await pid_of(side)
    for wish in ("die", "die", ""):
        with pytest.raises(BusyError):
            await side.ask(wish)
    side._not_before = 0.0
    assert await pid_of(side)


async def test_an_idle_process_ends_and_the_next_question_starts_it_again(side: SideProcess[[str]]) -> None:
    side._idle_seconds = 0.01
    before = await pid_of(side)
    assert side._idle is not None
    await side._idle
    assert not psutil.pid_exists(before)
    side._idle_seconds = 0.0
    once = await pid_of(side)
    assert once != before
    assert not psutil.pid_exists(once), "without idle seconds it ends with the answer"


def test_a_process_that_hangs_does_not_outlive_a_killed_bot() -> None:
    """A stopped process cannot see the end of its input, as if a library hung; Linux ends it (docs/voice.md)."""
    with subprocess.Popen(  # noqa: S603 - this test's own words
        [sys.executable, "-c", BOT], cwd=ROOT, stdout=subprocess.PIPE, encoding="utf-8"
    ) as bot:
        assert bot.stdout is not None
        child = psutil.Process(int(bot.stdout.readline()))
        child.suspend()
        bot.kill()
    child.wait(PATIENCE)
