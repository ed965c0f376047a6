"""An event loop whose time jumps to the next timer."""

import asyncio
import threading
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from random import Random
from typing import Any

import pytest

from telegram_sandbox.virtual_time import START, NothingHappensError, Process, VirtualLoop, run


def test_a_day_passes_at_once_every_clock_follows_and_is_real_again_afterwards(virtual_loop: VirtualLoop) -> None:
    async def wait() -> None:
        loop, began = asyncio.get_running_loop(), time.monotonic()
        for _ in range(1000):
            await asyncio.sleep(0)
        assert time.monotonic() == began, "time stands still while a callback can run"
        await asyncio.sleep(86_400)
        clocks = time.time(), time.time_ns() / 1e9, time.monotonic() - began, loop.time()
        assert clocks == (START + 86_400, START + 86_400, 86_400, 86_400)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(30):
                await asyncio.sleep(60)
        time.sleep(7)  # noqa: ASYNC251 - that is the question
        assert time.time() == START + 86_437

    virtual_loop.run(wait())
    real = time.perf_counter()
    before = time.time, time.monotonic, time.sleep
    run(wait())
    assert (time.time, time.monotonic, time.sleep) == before
    assert time.perf_counter() - real < 3600


@pytest.mark.parametrize("executor", [None, ThreadPoolExecutor(1)])
def test_work_for_threads_runs_in_the_loop(executor: ThreadPoolExecutor | None) -> None:
    def fail() -> None:
        raise ValueError("no")

    async def work() -> int:
        loop = asyncio.get_running_loop()
        with pytest.raises(ValueError, match="no"):
            await loop.run_in_executor(executor, fail)
        assert await asyncio.to_thread(threading.get_ident) == threading.get_ident()
        return await loop.run_in_executor(executor, threading.get_ident)

    assert run(work()) == threading.get_ident()


def test_two_runs_are_the_same() -> None:
    async def talk(seed: int) -> list[tuple[float, int]]:
        rng, seen, news = Random(seed), list[tuple[float, int]](), asyncio.Queue[int]()

        async def speak(number: int) -> None:
            for _ in range(20):
                await asyncio.sleep(rng.uniform(0, 10))
                await asyncio.to_thread(news.put_nowait, number)

        async def hear() -> None:
            while True:
                seen.append((time.time(), await news.get()))

        hearing = asyncio.create_task(hear())
        await asyncio.gather(*map(speak, range(5)))
        hearing.cancel()
        return seen

    assert run(talk(1)) == run(talk(1)) != run(talk(2))


def test_tasks_that_are_left_are_cancelled_and_named_where_nothing_can_happen() -> None:
    ended = []

    async def stay() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("tidied up")

    async def leave() -> None:
        asyncio.create_task(stay())  # noqa: RUF006 - nobody waits for it
        await asyncio.sleep(1)

    run(leave())
    assert ended == ["tidied up"]

    async def wait() -> None:
        asyncio.current_task().set_name("a bot without updates")  # type: ignore[union-attr]
        await asyncio.Event().wait()

    with pytest.raises(NothingHappensError, match="these tasks wait: a bot without updates"):
        run(wait())


def in_a_loop(play: Callable[[VirtualLoop], Coroutine[Any, Any, None]]) -> Callable[[VirtualLoop], None]:

    def test(virtual_loop: VirtualLoop) -> None:
        virtual_loop.run(play(virtual_loop))

    return test


class Program:
    def __init__(self, process: Process) -> None:
        self.ticks: list[float] = []
        self.process = process

    async def main(self) -> None:
        child = asyncio.create_task(self.child())
        asyncio.get_running_loop().call_later(10.5, self.tick)
        try:
            while True:
                await asyncio.sleep(1)
                await asyncio.to_thread(self.tick)
        finally:
            child.cancel()

    async def child(self) -> None:
        while True:
            await asyncio.sleep(5.25)
            self.tick()

    def tick(self) -> None:
        self.ticks.append(time.monotonic())


@in_a_loop
async def test_a_killed_process_runs_no_further_line_and_hears_nothing_of_what_others_do(loop: VirtualLoop) -> None:
    ran = []

    async def late() -> None:
        ran.append("a line")

    program = Program(loop.process("bot"))
    program.process.run(program.main())
    await asyncio.sleep(5.5)
    program.process.kill()
    program.process.run(late())
    await asyncio.sleep(60)
    assert program.ticks == [1, 2, 3, 4, 5, 5.25]
    assert not program.process.alive
    assert ran == []
    told, heard = asyncio.Event(), list[str]()

    async def listen() -> None:
        try:
            await told.wait()
            heard.append("told")
        finally:
            heard.append("tidied up")

    dead, living = loop.process("dead"), loop.process("living")
    dead.run(listen())
    living.run(listen())
    await asyncio.sleep(1)
    dead.kill()
    told.set()
    await asyncio.sleep(1)
    assert heard == ["told", "tidied up"]


@in_a_loop
async def test_a_frozen_process_continues_late_in_its_order_and_cancels_a_timer_in_time(loop: VirtualLoop) -> None:
    program = Program(loop.process("bot"))
    program.process.run(program.main())
    await asyncio.sleep(2.5)
    program.process.freeze()
    await asyncio.sleep(60)
    assert program.ticks == [1, 2]
    program.process.thaw()
    await asyncio.sleep(1.25)
    assert program.ticks[2:] == [62.5, 62.5, 62.5, 63.5], "its sleep, its timer and its child, then the next sleep"
    fired: list[str] = []

    async def wait() -> None:
        timer = loop.call_later(10, fired.append, "timer")
        loop.call_later(5, timer.cancel)
        await asyncio.sleep(70)

    process = loop.process("bot")
    waiting = process.run(wait())
    await asyncio.sleep(1)
    process.freeze()
    await asyncio.sleep(60)
    process.thaw()
    await waiting
    assert fired == []


@in_a_loop
async def test_each_process_has_the_clock_of_its_machine(loop: VirtualLoop) -> None:
    async def read() -> tuple[float, float]:
        await asyncio.sleep(1)
        return time.time(), time.monotonic()

    late = loop.process("late")
    late.clock_offset = -3600
    assert await late.run(read()) == (START + 1 - 3600, 1)
    assert await read() == (START + 2, 2)
