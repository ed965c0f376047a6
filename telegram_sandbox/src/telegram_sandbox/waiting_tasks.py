"""Tells a bot that has nothing to do from one that waits for a thread, a database or a service.

An event loop at rest shows no difference. But a task that has nothing to do waits at the same place in its code each
time. A place is new until a task has waited there for some real time in vain.
"""

import asyncio
import gc
import time
from collections.abc import Iterator
from types import AsyncGeneratorType, CodeType, CoroutineType, GeneratorType
from typing import Any, Final

FIRST_PATIENCE_SECONDS: Final = 0.1
"""A task that waits so long in real time when a test first moves the time has nothing to do."""
PATIENCE_SECONDS: Final = 2.0
"""The same for a task that waits later, at a new place."""
MOST_WAITS: Final = 10
"""So many times longer a task may wait that has an answer again and again."""

_ATTRIBUTES: Final[dict[type, tuple[str, str]]] = {
    CoroutineType: ("cr_frame", "cr_await"),
    GeneratorType: ("gi_frame", "gi_yieldfrom"),
    AsyncGeneratorType: ("ag_frame", "ag_await"),
}
"""By kind: the names of a function's frame, and of the one that it awaits."""
_Place = tuple[tuple[CodeType, int], ...]


class WaitingTasks:
    """The tasks of an event loop, and the places where they wait for nothing that will come by itself."""

    def __init__(self) -> None:
        self._idle: set[_Place] = set()
        self._since: dict[asyncio.Future[Any], float] = {}
        """When each wait was first seen, in real time."""
        self._began: float | None = None
        """When the loop last moved its time."""
        self._patience = FIRST_PATIENCE_SECONDS

    def real_seconds_left(self, timers: list[asyncio.TimerHandle]) -> float:
        """Return how long the running loop, which rests, still waits for news; 0 if no task expects any."""
        now = time.perf_counter()
        self._began = now if self._began is None else self._began
        waits = dict(_waits(timers))
        self._since = {waiter: self._since.get(waiter, now) for waiter in waits}
        end = self._began + MOST_WAITS * self._patience
        left = {one: min(since + self._patience, end) - now for one, since in self._since.items()}
        self._idle |= {waits[one] for one, seconds in left.items() if seconds <= 0}
        longest = max((seconds for one, seconds in left.items() if waits[one] not in self._idle), default=0.0)
        if not longest:
            self._began, self._patience = None, PATIENCE_SECONDS
        return longest


def _waits(timers: list[asyncio.TimerHandle]) -> Iterator[tuple[asyncio.Future[Any], _Place]]:
    """Yield what each other task of the running loop waits for, and where, unless a timer or a task ends it."""
    timed = {id(argument) for timer in timers for argument in timer._args or ()}  # noqa: SLF001
    for task in asyncio.all_tasks() - {asyncio.current_task()}:
        waiter = task._fut_waiter  # type: ignore[attr-defined] # noqa: SLF001 - asyncio shows neither
        parts = getattr(waiter, "_children", [waiter])  # of `asyncio.gather`
        if any(part is not None and not isinstance(part, asyncio.Task) and id(part) not in timed for part in parts):
            yield waiter, tuple(_chain(task.get_coro()))


def _chain(waiting: Any) -> Iterator[tuple[CodeType, int]]:
    """Yield the functions that await each other, each with its place in the code."""
    while waiting is not None:
        if type(waiting) in _ATTRIBUTES:
            frame, waiting = (getattr(waiting, name) for name in _ATTRIBUTES[type(waiting)])
            if frame is not None:
                yield frame.f_code, frame.f_lasti
        else:  # such as the iterator of a class with `__await__`, which hides its coroutine
            waiting = next((each for each in gc.get_referents(waiting) if type(each) in _ATTRIBUTES), None)
