"""Tasks beside the event loop's work, of which one with the same key runs at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Hashable, Iterator
from typing import Any


class KeyedTasks:
    """Runs tasks, each under a key that says what it is about."""

    def __init__(self) -> None:
        self._running: dict[asyncio.Task[None], Hashable] = {}

    def __len__(self) -> int:
        return len(self._running)

    def __iter__(self) -> Iterator[asyncio.Task[None]]:
        return iter(tuple(self._running))

    def begin(self, key: Hashable, work: Callable[[], Coroutine[Any, Any, None]], *, name: str) -> None:
        """Start a task, unless one with this key is under way."""
        if key in self._running.values():
            return
        task = asyncio.create_task(work(), name=name)
        self._running[task] = key
        task.add_done_callback(self._running.pop)

    async def cancel(self) -> None:
        """Give up all tasks, and wait until they have ended."""
        tasks = tuple(self)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
