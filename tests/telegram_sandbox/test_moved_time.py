"""Time that a test moves: the sandbox, the loop of a bot in this process, `time` and `datetime` follow."""

import asyncio
import calendar
import queue
import socket
import threading
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any

import pytest
from aiogram import Bot, Dispatcher
from aiogram.client.session.aiohttp import AiohttpSession
from aiogram.client.telegram import TelegramAPIServer
from aiogram.types import ChatMemberUpdated, Message
from telegram.ext import CommandHandler

from telegram_sandbox import Chat, RunningSandbox, SandboxSettings, User, moved_time, running_sandbox, waiting_tasks
from tests.telegram_sandbox.conftest import in_vain
from tests.telegram_sandbox.real_bots import bot_of_ptb

Patch = pytest.MonkeyPatch


@asynccontextmanager
async def bot_of_aiogram(sandbox: RunningSandbox, answer: Any, hears: str = "message") -> AsyncIterator[Bot]:
    session = AiohttpSession(api=TelegramAPIServer.from_base(sandbox.bot_url))
    bot, dispatcher = Bot(sandbox.token, session=session), Dispatcher()
    dispatcher.observers[hears].register(answer)
    polling = asyncio.create_task(dispatcher.start_polling(bot, handle_signals=False))
    await sandbox.bot_is_ready()
    yield bot
    await dispatcher.stop_polling()
    await polling


async def test_what_was_before_time_passed_is_no_news(telegram_sandbox: RunningSandbox, telegram_user: User) -> None:
    async def answer(message: Message) -> None:
        for minutes in (1, 2):
            await asyncio.sleep(60)
            await message.answer(f"{minutes} min, {datetime.now(UTC).timestamp() - message.date.timestamp():.0f} s")

    async with bot_of_aiogram(telegram_sandbox, answer):
        await telegram_user.send("/start")
        await telegram_sandbox.advance(59)
        assert len(telegram_user.messages()) == 1
        await telegram_user.hears_nothing(within=0)
        await telegram_sandbox.advance(61)
        await telegram_user.sees("2 min")
        await telegram_sandbox.advance(60)
        await in_vain(telegram_user.sees("2 min", within=0), "there is no '2 min'")
        heard = [str(one.text) for one in telegram_user.messages()[1:]]
    assert [one.split(",")[0] for one in heard] == ["1 min", "2 min"]
    assert [round(int(one.split()[2]) / 60) for one in heard] == [1, 2]


async def test_a_bot_of_aiogram_hears_of_the_first_change_of_membership(
    telegram_sandbox: RunningSandbox, telegram_user: User, telegram_group: Chat
) -> None:
    async def welcome(joined: ChatMemberUpdated) -> None:
        await joined.answer(f"Hello, {joined.new_chat_member.user.first_name}!")

    telegram_sandbox.set_bot_status(telegram_group, "administrator")
    async with bot_of_aiogram(telegram_sandbox, welcome, "chat_member"):
        await telegram_sandbox.add_person("Lee").join(telegram_group)
        await telegram_user.sees("Hello, Lee!", telegram_group)


async def test_a_task_whose_moment_is_a_rounding_after_a_timer_waits_once(telegram_sandbox: RunningSandbox) -> None:
    """Asyncio runs a timer up to a nanosecond early; by a clock that stands still the task would ask again for ever."""
    await telegram_sandbox.advance(1)
    loop, waits = asyncio.get_running_loop(), 0
    moment = loop.time() + 60
    loop.call_at(moment, bool)

    async def wait() -> None:
        nonlocal waits
        while (left := moment + 1e-10 - loop.time()) > 0 and waits < 99:
            waits += 1
            await asyncio.sleep(left)

    waiting = asyncio.create_task(wait())
    await telegram_sandbox.advance(120)
    await waiting
    assert waits == 1


async def test_hours_are_not_asked_for_every_ten_seconds(telegram_sandbox: RunningSandbox, telegram_user: User) -> None:
    """The requests for updates that would run out like the one before are left out, and no timer is late for that."""
    hours, on_the_hour = list[float](), list[datetime]()

    async def tell(context: Any) -> None:
        hours.append(round((time.time() - began) / 3600, 1))
        await context.bot.send_message(telegram_user.id, f"Hour {len(hours)}")

    async def ring(_: Any) -> None:
        on_the_hour.append(datetime.now(UTC))

    async def start(_: Any, context: Any) -> None:
        context.job_queue.run_repeating(tell, 3600)
        context.job_queue.run_custom(ring, {"trigger": "cron", "minute": 0})

    async with bot_of_ptb(telegram_sandbox, CommandHandler("start", start)):
        await telegram_user.send("/start")
        began = time.time()
        await telegram_sandbox.advance(6 * 3600 + 10)
        assert hours == list(range(1, 7))
        assert {(each.minute, each.second) for each in on_the_hour} == {(0, 0)}
        assert len({each.hour for each in on_the_hour}) in (6, 7)
        assert len(telegram_sandbox.world.calls.named("getUpdates")) < 6 * 3600 / 10 / 20


async def rows_of_a_database() -> None:
    """Three statements, each in a thread that belongs to the connection, as `aiosqlite` has it."""
    loop, asked = asyncio.get_running_loop(), queue.SimpleQueue[asyncio.Future[None]]()

    def connection() -> None:
        for _ in range(3):
            threading.Event().wait(0.005)
            loop.call_soon_threadsafe(asked.get().set_result, None)

    threading.Thread(target=connection).start()
    for _ in range(3):
        answer = loop.create_future()
        asked.put(answer)
        await answer


async def work_in_a_thread() -> None:
    await asyncio.to_thread(threading.Event().wait, 0.02)


async def a_service() -> None:
    """A server outside of all event loops, which answers late."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            connection, _ = server.accept()
            threading.Event().wait(0.05)
            connection.sendall(b"done")
            connection.close()

        threading.Thread(target=serve).start()
        reader, writer = await asyncio.open_connection(*server.getsockname())
        assert await reader.read() == b"done"
        writer.close()


@pytest.mark.parametrize("work", [rows_of_a_database, work_in_a_thread, a_service])
async def test_a_job_takes_no_time_while_it_waits_for_a_thread_or_a_service(
    telegram_sandbox: RunningSandbox, telegram_user: User, work: Callable[[], Any]
) -> None:
    took: list[float] = []

    async def job(context: Any) -> None:
        began = time.time()
        await work()
        await context.bot.send_message(telegram_user.id, "done")
        took.append(time.time() - began)

    await telegram_user.send("/start")
    async with bot_of_ptb(telegram_sandbox) as application:
        application.job_queue.run_repeating(job, 60)
        await telegram_sandbox.advance(181)
    assert took == [0, 0, 0]


async def test_an_endless_wait_delays_once(telegram_sandbox: RunningSandbox, monkeypatch: Patch) -> None:
    begun: list[asyncio.Task[Any]] = []

    async def begin_workers() -> None:
        while True:
            await asyncio.gather(asyncio.sleep(60), asyncio.sleep(30))
            begun.append(asyncio.create_task(asyncio.Event().wait()))

    tasks = [asyncio.create_task(begin_workers())]
    monkeypatch.setattr(waiting_tasks, "PATIENCE_SECONDS", 0.1)
    await telegram_sandbox.advance(61)
    monkeypatch.setattr(waiting_tasks, "PATIENCE_SECONDS", 1e6)
    await telegram_sandbox.advance(600)
    assert len(begun) == 11
    for each in tasks + begun:
        each.cancel()


async def test_all_clocks_move_together_and_are_right_again_afterwards() -> None:
    functions = time.time, time.time_ns, time.monotonic, time.monotonic_ns, datetime.now, datetime.today
    began, thread = datetime.now(UTC), list[float]()
    async with running_sandbox(SandboxSettings(port=0)) as sandbox:
        await sandbox.advance(86_400)
        await sandbox.advance(0)
        threading.Thread(target=lambda: thread.append(time.time())).start()
        clocks = [
            datetime.now(UTC).timestamp(),
            datetime.now().timestamp(),  # noqa: DTZ005 - that is the question
            datetime.today().timestamp(),  # noqa: DTZ002
            datetime.now(tz=UTC).timestamp(),
            time.time(),
            time.time_ns() / 1e9,
            sandbox.world.clock.now(),
            time.mktime(time.localtime()),
            calendar.timegm(time.gmtime()),
            float(time.strftime("%s")),
            time.mktime(time.strptime(time.ctime())),
            time.mktime(time.strptime(time.asctime())),
            time.clock_gettime(time.CLOCK_REALTIME),
            *thread,
        ]
        assert (time.gmtime(0).tm_year, time.strftime("%Y", time.gmtime(0))) == (1970, "1970")
        assert round(time.clock_gettime(time.CLOCK_MONOTONIC) - time.monotonic()) == 0
    assert [round(each - began.timestamp(), -2) for each in clocks] == [86_400.0] * len(clocks)
    assert (time.time, time.time_ns, time.monotonic, time.monotonic_ns, datetime.now, datetime.today) == functions
    assert (datetime.now(UTC) - began).total_seconds() < 3600


async def test_an_answer_on_its_way_is_waited_for(telegram_sandbox: RunningSandbox, telegram_user: User) -> None:
    """The sandbox's own timers fire as well, such as that of a call that it delays."""

    async def answer(message: Message) -> None:
        telegram_sandbox.add_fault("stall_before", "sendMessage", seconds=30)
        await message.answer("late")

    async with bot_of_aiogram(telegram_sandbox, answer):
        await telegram_user.send("/start")
        await telegram_sandbox.advance(29)
        assert len(telegram_user.messages()) == 1
        await telegram_sandbox.advance(31)
        assert telegram_user.messages()[-1].text == "late"


async def test_a_restless_bot_and_a_foreign_loop(telegram_sandbox: RunningSandbox, monkeypatch: Patch) -> None:
    async def spin() -> None:
        while True:  # noqa: ASYNC110 - a bot that is written badly
            await asyncio.sleep(0)

    monkeypatch.setattr(moved_time, "PATIENCE_SECONDS", 0.1)
    spinning = asyncio.create_task(spin())
    with pytest.raises(RuntimeError, match=r"no rest within 0\.1 s"):
        await telegram_sandbox.advance(1)
    spinning.cancel()
    monkeypatch.setattr(asyncio, "get_running_loop", object)
    with pytest.raises(RuntimeError, match="asyncio's own event loop, not in object"):
        await telegram_sandbox.advance(1)
