"""End work that computes for too long in its thread: an error is raised there, as any error of the work itself.

A thread of this module, the watcher, reads the CPU time of the threads that work: a wait for a lock of the database, or
for a busy machine, takes none. Only the work is interrupted, never the commit after it: the watcher takes the thread's
entry while it interrupts the thread, and `compute` returns only with the entry.
"""

import ctypes
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeVar

T = TypeVar("T")

LOOK_SECONDS: Final = 0.5
"""The pause between two looks at the threads."""


class ComputesTooLongError(Exception):
    """The work has computed for too long."""


@dataclass(slots=True)
class _Work:
    clock: int
    """The clock of the thread's CPU time."""
    seconds: float
    until: float
    """By that clock."""
    interrupted: bool = False

    def is_late(self) -> bool:
        try:
            return time.clock_gettime(self.clock) > self.until
        except OSError:  # the thread has ended, or is one of the process before a fork
            return False


_working: Final = dict[int, _Work]()
"""By thread. The one that takes an entry out, the thread itself or the watcher, has the right to go on."""
_watcher = threading.Thread()
_can_measure: Final = hasattr(time, "pthread_getcpuclockid")
"""False on macOS and Windows, where no work is ended."""


def compute(work: Callable[[], T], seconds: float) -> T:
    """Return the result of `work`, which may compute for so long; then it is interrupted.

    Raises:
        ComputesTooLongError: the work took longer, and did not catch the error.
    """
    if not _can_measure:
        return work()
    thread = threading.get_ident()
    clock = time.pthread_getcpuclockid(thread)
    mine = _working[thread] = _Work(clock, seconds, time.clock_gettime(clock) + seconds)
    _begin_watching()
    try:
        return work()
    finally:
        _leave(thread, mine)


def _leave(thread: int, mine: _Work) -> None:
    """Take the entry out; an error that has not come yet comes here, and the work has ended well."""
    while True:
        try:
            if _working.pop(thread, None) is None:  # the watcher has it, and is about to interrupt this thread
                time.sleep(0.001)
                continue
            for _ in range(3 if mine.interrupted else 0):  # Python raises it at the jump of a loop
                pass
        except ComputesTooLongError:
            _working.setdefault(thread, mine)
        else:
            return


def _begin_watching() -> None:
    global _watcher  # noqa: PLW0603 - one for the process; a fork ends it
    if not _watcher.is_alive():
        _watcher = threading.Thread(target=_watch, name="computing limit", daemon=True)
        _watcher.start()


def _watch() -> None:
    while True:
        threading.Event().wait(LOOK_SECONDS)  # `time.sleep` follows another clock in some tests
        for thread, work in list(_working.items()):
            if not work.is_late() or (taken := _working.pop(thread, None)) is None:
                continue
            if taken is work:
                work.until += work.seconds  # in case the work catches the error and goes on
                work.interrupted = True
                _interrupt(thread)
            _working[thread] = taken


def _interrupt(thread: int) -> None:
    """Have Python raise the error in a thread as soon as it runs its code.

    Python could also take it back, but would then stop at each jump and call of every thread from there on.
    """
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(ComputesTooLongError))
