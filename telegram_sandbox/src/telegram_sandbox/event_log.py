"""The log of events that pages and tests follow as a stream."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from itertools import islice

from telegram_sandbox.model import Json

KEEP_ALIVE_SECONDS = 15.0


class EventLog:
    """A numbered, bounded list of events that can be followed from any number on."""

    def __init__(self, remembered: int, *, only_if_followed: bool = False) -> None:
        self.cursor = 0
        self._only_if_followed = only_if_followed
        self._followers = 0
        self._events: deque[Json] = deque(maxlen=remembered)
        self._changed = asyncio.Event()
        self._closed = False

    def emit(self, kind: str, **payload: object) -> None:
        """Append one event and wake those who follow."""
        self.cursor += 1
        self._events.append({"cursor": self.cursor, "kind": kind, **payload})
        self._wake()

    def emit_lazily(self, kind: str, **payload: Callable[[], object]) -> None:
        """Append one event, whose payload is computed only if a follower can read it."""
        if self._followers > 0 or not self._only_if_followed:
            self.emit(kind, **{name: make() for name, make in payload.items()})
        else:
            self.cursor += 1
            self._events.clear()

    def close(self) -> None:
        """End every stream: the server stops."""
        self._closed = True
        self._wake()

    async def follow(self, cursor: int) -> AsyncIterator[Json | None]:
        """Yield all events after `cursor`, or None after a time without events.

        A follower who missed more than is remembered gets one `reset`: fetch the state again.
        """
        self._followers += 1
        try:
            async for event in self._read(cursor):
                yield event
        finally:
            self._followers -= 1

    async def _read(self, cursor: int) -> AsyncIterator[Json | None]:
        while not self._closed:
            changed = self._changed
            first = self._events[0]["cursor"] if self._events else self.cursor + 1
            if cursor > self.cursor or cursor < first - 1:
                cursor = self.cursor
                yield {"cursor": cursor, "kind": "reset"}
            # From the end: the list may be long, and only few events are new.
            for event in reversed(list(islice(reversed(self._events), self.cursor - cursor))):
                cursor = event["cursor"]
                yield event
            if cursor == self.cursor and not self._closed:
                try:
                    await asyncio.wait_for(changed.wait(), KEEP_ALIVE_SECONDS)
                except TimeoutError:
                    yield None

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()
