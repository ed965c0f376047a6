"""Virtual time for tests: an event loop whose time jumps to the next timer, so that an hour passes without waiting.

`time.time`, `time.monotonic`, `time.sleep` and `datetime.now` follow the loop while a `with virtual_time()` lasts. Work
for a thread runs in the loop itself, so the order of everything follows from the program, and two runs are the same. A
bot and its sandbox fit into one loop; a process or thread outside it does not, because the loop does not wait for it.
"""

import asyncio
import sys
import time
import warnings
from collections.abc import Callable, Coroutine, Generator, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager, suppress
from contextvars import Context, ContextVar, copy_context
from selectors import DefaultSelector, SelectorKey
from typing import Any, Final, TypeVar, TypeVarTuple
from unittest import mock
from weakref import WeakSet

from telegram_sandbox.moved_time import clocks

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

__all__ = ["START", "NothingHappensError", "Process", "VirtualLoop", "run", "virtual_time"]

START: Final = 1_700_049_600.0
"""Wednesday, 15 November 2023, noon in London."""


class NothingHappensError(RuntimeError):
    """No callback is ready and no timer is set, so the loop would wait for ever."""


class Process:
    """A program of several that share a loop. It can die and freeze at any moment, and has a clock of its own.

    The process owns every task and timer that begins inside `run`, also indirectly.
    """

    def __init__(self, loop: "VirtualLoop", name: str) -> None:
        self.name = name
        self.clock_offset = 0.0
        """The seconds by which the clock of its machine is wrong: `time.time` adds them."""
        self._loop = loop
        self._tasks: WeakSet[asyncio.Task[Any]] = WeakSet()
        self._alive = True
        self._frozen = False
        self._kept: list[Callable[[], None]] = []
        """The callbacks that were due while it was frozen."""

    @property
    def alive(self) -> bool:
        """Whether it was not killed."""
        return self._alive

    def run(self, work: Coroutine[Any, Any, T], *, name: str | None = None) -> asyncio.Task[T]:
        """Begin a task of this process."""
        context = copy_context()
        context.run(_current.set, self)
        return self._loop.create_task(work, name=name or self.name, context=context)

    def kill(self) -> None:
        """End it at this moment, as SIGKILL does: no further line of it runs, not even to tidy up."""
        self._alive = False
        self._kept.clear()
        self._loop.bury(list(self._tasks))

    def freeze(self) -> None:
        """Stop it, as SIGSTOP does, while time passes for the others."""
        self._frozen = True

    def thaw(self) -> None:
        """Let it continue: what was due meanwhile happens now, in order."""
        self._frozen = False
        kept, self._kept = self._kept, []
        for callback in kept:
            self._loop.call_soon(callback)

    def guarded(
        self,
        schedule: Callable[..., asyncio.Handle],
        callback: Callable[[*Ts], object],
        args: tuple[*Ts],
        context: Context,
    ) -> asyncio.Handle:
        """Schedule a callback that does not run after a kill, and waits while this process is frozen."""

        def run() -> None:
            if self._frozen:
                self._kept.append(resume)
            elif self._alive:
                callback(*args)

        def resume() -> None:
            if not handle.cancelled():
                context.run(run)

        handle = schedule(run, context=context)
        return handle

    def owns(self, task: asyncio.Task[Any]) -> None:
        """Note that a task belongs to this process. One that begins after its death never runs."""
        if self._alive:
            self._tasks.add(task)
        else:
            self._loop.bury([task])


_current: ContextVar[Process | None] = ContextVar("_current", default=None)


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop whose time stands still while a callback can run, and jumps to the next timer when none can."""

    def __init__(self, start: float = START) -> None:
        """`start`: `time.time` at the beginning, in seconds since 1970."""
        self._start = start
        self._now = 0.0
        self._buried: list[asyncio.Task[Any]] = []
        super().__init__(_Selector(self))

    def time(self) -> float:
        """Return the virtual seconds since the beginning."""
        return self._now

    def wall_time(self) -> float:
        """Return the seconds since 1970, by the clock of the process that asks."""
        process = _current.get()
        return self._start + self._now + (0.0 if process is None else process.clock_offset)

    def advance(self, seconds: float) -> None:
        """Let time pass without running anything, as work does that blocks the loop."""
        self._now += max(0.0, seconds)

    def run(self, main: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine to its end, then cancel the tasks that are left, and close the loop.

        Raises:
            NothingHappensError: the coroutine waits for something that cannot happen any more.
        """
        asyncio.set_event_loop(self)
        try:
            return self.run_until_complete(main)
        finally:
            asyncio.set_event_loop(None)
            try:
                if left := [task for task in asyncio.all_tasks(self) if task not in self._buried]:
                    for task in left:
                        task.cancel()
                    self.run_until_complete(asyncio.gather(*left, return_exceptions=True))
                if not self._buried:  # else an iteration of a dead process would be closed in the middle of its step
                    self.run_until_complete(self.shutdown_asyncgens())
            finally:
                self.close()

    def close(self) -> None:
        """Close the loop. Only now the tasks of dead processes end, with lines that fail without a loop."""
        super().close()
        usual, sys.unraisablehook = sys.unraisablehook, lambda _: None
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                while self._buried:
                    with suppress(BaseException):
                        self._buried.pop().get_coro().close()
        finally:
            sys.unraisablehook = usual

    def process(self, name: str) -> Process:
        """Return a new process of this loop, which does nothing yet."""
        return Process(self, name)

    def bury(self, tasks: list[asyncio.Task[Any]]) -> None:
        """Keep the tasks of a dead process until the end: a task that is forgotten would run its `finally`."""
        for task in tasks:
            task._log_destroy_pending = False  # type: ignore[attr-defined] # noqa: SLF001 - asyncio's own way to say it
        self._buried += tasks

    # Called by asyncio

    def call_soon(
        self, callback: Callable[[*Ts], object], *args: *Ts, context: Context | None = None
    ) -> asyncio.Handle:
        """Run a callback in the next iteration, unless its process is dead."""
        context = copy_context() if context is None else context
        if (process := context.get(_current)) is None:
            return super().call_soon(callback, *args, context=context)
        return process.guarded(super().call_soon, callback, args, context)

    def call_soon_threadsafe(
        self, callback: Callable[[*Ts], object], *args: *Ts, context: Context | None = None
    ) -> asyncio.Handle:
        """Run a callback in the next iteration, unless its process is dead."""
        context = copy_context() if context is None else context
        if (process := context.get(_current)) is None:
            return super().call_soon_threadsafe(callback, *args, context=context)
        return process.guarded(super().call_soon_threadsafe, callback, args, context)

    def call_at(
        self, when: float, callback: Callable[[*Ts], object], *args: *Ts, context: Context | None = None
    ) -> asyncio.TimerHandle:
        """Run a callback at a time, unless its process is dead by then."""
        context = copy_context() if context is None else context
        if (process := context.get(_current)) is None:
            return super().call_at(when, callback, *args, context=context)

        def schedule(run: Callable[[], None], context: Context) -> asyncio.TimerHandle:
            return super(VirtualLoop, self).call_at(when, run, context=context)

        handle = process.guarded(schedule, callback, args, context)
        assert isinstance(handle, asyncio.TimerHandle)  # noqa: S101 - it is what `schedule` returns
        return handle

    def create_task(
        self,
        coro: Generator[Any, None, T] | Coroutine[Any, Any, T],
        *,
        name: object = None,
        context: Context | None = None,
        **options: Any,
    ) -> asyncio.Task[T]:
        """Begin a task of the current process, or of the context's."""
        process = _current.get() if context is None else context.get(_current)
        task: asyncio.Task[T] = super().create_task(coro, name=name, context=context, **options)
        if process is not None:
            process.owns(task)
        return task

    def run_in_executor(self, _executor: Executor | None, func: Callable[[*Ts], T], *args: *Ts) -> asyncio.Future[T]:
        """Run a function in the next iteration, in this thread, whichever executor is asked for."""
        future: asyncio.Future[T] = self.create_future()

        def work() -> None:
            if future.cancelled():
                return
            try:
                future.set_result(func(*args))
            except Exception as error:  # noqa: BLE001 - the caller gets it
                future.set_exception(error)

        self.call_soon(work)
        return future


class _Selector(DefaultSelector):
    def __init__(self, loop: VirtualLoop) -> None:
        super().__init__()
        self._loop = loop

    def select(self, timeout: float | None = None) -> list[tuple[SelectorKey, int]]:
        """Return the files that are ready, or let time pass."""
        ready = super().select(0)
        if ready or timeout == 0:
            return ready
        if timeout is None:
            waiting = sorted(task.get_name() for task in asyncio.all_tasks(self._loop))
            raise NothingHappensError(f"nothing can happen any more, and these tasks wait: {', '.join(waiting)}")
        self._loop.advance(max(timeout, 1e-9))  # less would be lost in the sum
        return []


@contextmanager
def virtual_time(start: float = START) -> Iterator[VirtualLoop]:
    """Yield a loop that the modules `time` and `datetime` follow for the length of a `with`."""
    loop = VirtualLoop(start)
    try:
        with clocks(loop.wall_time, loop.time), mock.patch.object(time, "sleep", loop.advance):
            yield loop
    finally:
        if not loop.is_closed():
            loop.close()


def run(main: Coroutine[Any, Any, T], *, start: float = START) -> T:
    """Run a coroutine in virtual time, as `asyncio.run` does in real time.

    Raises:
        NothingHappensError: the coroutine waits for something that cannot happen any more.
    """
    with virtual_time(start) as loop:
        return loop.run(main)
