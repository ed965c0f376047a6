"""Time that a test moves: an hour passes for this process without waiting.

The event loop of the test, that of the sandbox, and the modules `time` and `datetime` move together, from one timer to
the next. Before each step both loops rest, and no task waits for a thread or a service: all that the timer before has
caused has happened.
"""

import asyncio
import ctypes
import gc
import heapq
import math
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, tzinfo
from typing import Any, Final
from unittest import mock

from telegram_sandbox.call_log import CallLog
from telegram_sandbox.update_queue import UpdateQueue
from telegram_sandbox.waiting_tasks import WaitingTasks

REST_SECONDS: Final = 0.001
"""How long no callback, connection or thread has news for a loop that rests, in real time."""
PATIENCE_SECONDS: Final = 60.0
"""Only a busy machine needs so many."""
LEAST_SECONDS: Final = 1e-6
"""Sums of seconds are no more exact."""

LONGEST_LEAP_SECONDS: Final = 600.0
"""A bot that looks at a clock between two requests for updates may be so late."""

_METHODS: Final[dict[str, Any]] = gc.get_referents(datetime.__dict__)[0]
"""The methods of a class that is written in C: no assignment changes one, and modules have imported the class."""


class MovedTime:
    """The clocks of this process, which are ahead of the machine's, and stop between the timers of an `advance`."""

    def __init__(self) -> None:
        self._usual = time.time, time.monotonic
        self._stopped: tuple[float, float] | None = None
        """The seconds that the usual clocks showed when an `advance` began."""
        self._ahead = 0.0
        self._waiting_tasks = WaitingTasks()
        self._patches: ExitStack | None = None

    async def advance(
        self, seconds: float, sandbox_loop: asyncio.AbstractEventLoop, updates: UpdateQueue, calls: CallLog
    ) -> None:
        """Let time pass for this loop and the sandbox's, one timer after the other.

        Requests for updates that would all run out like the one before are left out.
        """
        if self._patches is None:
            self._usual = time.time, time.monotonic
            self._patches = ExitStack()
            self._patches.enter_context(clocks(lambda: self._shown(0), lambda: self._shown(1)))
        self._stopped = began = self._usual[0](), self._usual[1]()
        until = time.monotonic() + seconds
        before: list[asyncio.TimerHandle] = []
        calls_then = math.inf
        try:
            while True:
                timers = await self._timers_at_rest(sandbox_loop)
                if calls.total == calls_then + 1 and updates.asked_until > time.monotonic():
                    await self._leap(timers, before, updates.asked_until, until, sandbox_loop)
                timer = min((timer.when() for timer in timers), default=math.inf)
                if timer - until >= LEAST_SECONDS:
                    break
                due = [each for each in timers if each.when() - timer < LEAST_SECONDS]
                before, calls_then = (
                    timers,
                    calls.total if [updates.asked_until] == [t.when() for t in due] else math.inf,
                )
                self._move_to(max(each.when() for each in due))  # asyncio runs a timer up to a nanosecond early
            self._move_to(until)
            await self._timers_at_rest(sandbox_loop)
        finally:
            self._ahead -= self._usual[1]() - began[1]  # so that the clocks continue where they have stopped
            self._stopped = None

    async def _timers_at_rest(self, sandbox_loop: asyncio.AbstractEventLoop) -> list[asyncio.TimerHandle]:
        """Wait until this loop and the sandbox's have nothing to do, and return the timers of both."""
        here: Any = asyncio.get_running_loop()
        while True:
            timers = await _timers_when_idle()
            if sandbox_loop is not here:
                # This loop stands still meanwhile: what the sandbox sends is then found in the connections.
                other = asyncio.run_coroutine_threadsafe(_timers_when_idle(), sandbox_loop)
                timers += other.result(2 * PATIENCE_SECONDS)
            left = self._waiting_tasks.real_seconds_left(timers)
            if not _has_work(here, left) and not left:
                return timers

    async def _leap(
        self,
        timers: list[asyncio.TimerHandle],
        before: list[asyncio.TimerHandle],
        poll: float,
        until: float,
        sandbox_loop: asyncio.AbstractEventLoop,
    ) -> None:
        """Leave out requests for updates: the last step was one that ran out, and the bot's next, and nothing else."""
        known = {id(timer) for timer in before}
        others = {id(timer): timer.when() for timer in timers if id(timer) in known and not _keeps_connections(timer)}
        now = time.monotonic()
        seconds = (min(*others.values(), until, now + LONGEST_LEAP_SECONDS) - poll) // (poll - now) * (poll - now)
        if seconds <= 0:
            return

        async def postpone() -> None:
            loop: Any = asyncio.get_running_loop()
            for timer in loop._scheduled:  # noqa: SLF001 - asyncio moves no timer
                if id(timer) not in others:
                    timer._when += seconds  # noqa: SLF001
            heapq.heapify(loop._scheduled)  # noqa: SLF001

        if sandbox_loop is not asyncio.get_running_loop():
            asyncio.run_coroutine_threadsafe(postpone(), sandbox_loop).result(PATIENCE_SECONDS)
        await postpone()
        self._move_to(now + seconds)

    def end(self) -> None:
        """Let the clocks show the machine's time again."""
        if self._patches is not None:
            self._patches.close()

    def _move_to(self, moment: float) -> None:
        self._ahead += max(0.0, moment - time.monotonic())
        while time.monotonic() < moment:  # else a task that waits for the moment asks for it again and again
            self._ahead = math.nextafter(self._ahead, math.inf)

    def _shown(self, clock: int) -> float:
        return self._ahead + (self._usual[clock]() if self._stopped is None else self._stopped[clock])


@contextmanager
def clocks(wall: Callable[[], float], monotonic: Callable[[], float]) -> Iterator[None]:
    """Let the modules `time` and `datetime` show these seconds for the length of a `with`, in the whole process.

    A function that was imported by itself, `from time import time`, keeps the real time.
    """

    def now(cls: type[datetime], tz: tzinfo | None = None) -> datetime:
        return cls.fromtimestamp(time.time(), tz)

    def utcnow(cls: type[datetime]) -> datetime:
        return cls.fromtimestamp(time.time(), UTC).replace(tzinfo=None)

    localtime, asctime, strftime = time.localtime, time.asctime, time.strftime

    def of_now(function: Callable[[float], Any]) -> Callable[..., Any]:
        return lambda seconds=None: function(wall() if seconds is None else seconds)

    functions: dict[str, Any] = {
        **{name: of_now(getattr(time, name)) for name in ("localtime", "gmtime", "ctime")},
        "asctime": lambda *when: asctime(*when or [localtime(wall())]),
        "strftime": lambda form, *when: strftime(form, *when or [localtime(wall())]),
        "time": wall,
        "time_ns": lambda: int(wall() * 1e9),
        "monotonic": monotonic,
        "monotonic_ns": lambda: int(monotonic() * 1e9),
    }
    if clock_gettime := getattr(time, "clock_gettime", None):  # Windows has none
        moved = {time.CLOCK_REALTIME: wall, time.CLOCK_MONOTONIC: monotonic}
        functions["clock_gettime"] = lambda clock: moved[clock]() if clock in moved else clock_gettime(clock)
    usual = {name: _METHODS[name] for name in ("now", "utcnow")}
    with mock.patch.multiple(time, **functions):
        _set_methods(now=classmethod(now), utcnow=classmethod(utcnow))
        try:
            yield
        finally:
            _set_methods(**usual)


def _set_methods(**methods: Any) -> None:
    _METHODS.update(methods)
    ctypes.pythonapi.PyType_Modified(ctypes.py_object(datetime))  # else the interpreter keeps calling the former ones


def _keeps_connections(timer: Any) -> bool:
    """Return whether `aiohttp` looks with this timer for connections that nobody has used."""
    return getattr(timer._callback, "__name__", "") == "_weakref_handle"  # noqa: SLF001


async def _timers_when_idle() -> list[asyncio.TimerHandle]:
    """Wait until the running loop has nothing to do before its next timer, and return its timers."""
    loop: Any = asyncio.get_running_loop()
    if not hasattr(loop, "_selector"):
        raise RuntimeError(f"time moves in asyncio's own event loop, not in {type(loop).__name__}")
    late = time.perf_counter() + PATIENCE_SECONDS
    while time.perf_counter() < late:
        await asyncio.sleep(0)
        if not _has_work(loop, REST_SECONDS):
            return [timer for timer in loop._scheduled if not timer.cancelled()]  # noqa: SLF001
    raise RuntimeError(f"no rest within {PATIENCE_SECONDS} s: does the bot ask for updates without a timeout?")


def _has_work(loop: Any, within: float) -> bool:
    """Return whether a callback is ready, or a connection or thread has news within these real seconds."""
    return bool(loop._ready or loop._selector.select(within))  # noqa: SLF001 - asyncio shows neither
