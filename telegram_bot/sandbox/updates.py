"""The updates that wait for the bot: kept until confirmed, one reader at a time."""

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from telegram_bot.sandbox.errors import conflict

if TYPE_CHECKING:
    from telegram_bot.sandbox.clock import Clock
    from telegram_bot.sandbox.state import Json

FIRST_UPDATE_ID = 730_000_001
MOST_UPDATES = 100
LONGEST_POLL_SECONDS = 50
NOT_BY_DEFAULT = frozenset({"chat_member", "message_reaction", "message_reaction_count"})

TERMINATED = "terminated by other getUpdates request; make sure that only one bot instance is running"
WEBHOOK_ACTIVE = "can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first"


@dataclass(frozen=True, slots=True)
class Pending:
    """One update and the moment after which nobody wants it."""

    update: "Json"
    expires: float

    @property
    def id(self) -> int:
        """Telegram's number for it."""
        number: int = self.update["update_id"]
        return number


class UpdateQueue:
    """Updates in the order in which they happened."""

    def __init__(self, clock: "Clock", judge: "Callable[[Json], None]") -> None:
        self._clock = clock
        self._judge = judge
        self._next_id = FIRST_UPDATE_ID
        self._pending: deque[Pending] = deque()
        self._allowed: frozenset[str] | None = None
        self._changed = asyncio.Event()
        self._reader = 0
        self._interruption = TERMINATED
        self._closed = False

    def __len__(self) -> int:
        self._expire()
        return len(self._pending)

    @property
    def allowed(self) -> list[str] | None:
        """The kinds that the bot asked for, None where it never said."""
        return None if self._allowed is None else sorted(self._allowed)

    def allow(self, kinds: list[str] | None) -> None:
        """Deliver only these kinds from now on; an empty list means Telegram's default."""
        if kinds is not None:
            self._allowed = frozenset(kinds) or None

    def add(self, kind: str, body: "Json", *, lives: float) -> None:
        """Queue one update, unless the bot does not want its kind."""
        wanted = kind in self._allowed if self._allowed is not None else kind not in NOT_BY_DEFAULT
        if not wanted:
            return
        update: Json = {"update_id": self._next_id, kind: body}
        self._judge(update)
        self._next_id += 1
        self._pending.append(Pending(update, self._clock.now() + lives))
        self.wake()

    def confirm(self, offset: int) -> None:
        """Forget every update before `offset`; a negative one keeps that many of the last."""
        if offset < 0:
            while len(self._pending) > -offset:
                self._pending.popleft()
            return
        while self._pending and self._pending[0].id < offset:
            self._pending.popleft()

    def clear(self) -> None:
        """Forget every update."""
        self._pending.clear()

    def head(self, limit: int) -> "list[Json]":
        """The oldest updates, still unconfirmed."""
        self._expire()
        return [pending.update for pending in list(self._pending)[:limit]]

    async def poll(self, offset: int, limit: int, seconds: float) -> "list[Any]":
        """Wait up to `seconds` for updates from `offset` on.

        Raises:
            ApiError: 409, when another poll takes this one's place.
        """
        self.interrupt(TERMINATED)
        mine = self._reader
        self.confirm(offset)
        loop = asyncio.get_running_loop()
        until = loop.time() + min(max(seconds, 0), LONGEST_POLL_SECONDS)
        while True:
            if mine != self._reader:
                raise conflict(self._interruption)
            updates = self.head(limit)
            remaining = until - loop.time()
            if updates or remaining <= 0 or self._closed:
                return updates
            try:
                await asyncio.wait_for(self.wait(), remaining)
            except TimeoutError:
                continue

    def interrupt(self, reason: str) -> None:
        """End the poll that waits now, if there is one, with 409."""
        self._interruption = reason
        self._reader += 1
        self.wake()

    def close(self) -> None:
        """End every poll: the server stops."""
        self._closed = True
        self.wake()

    async def wait(self) -> None:
        """Until something has changed."""
        await self._changed.wait()

    def wake(self) -> None:
        """Let whoever waits look again."""
        self._changed.set()
        self._changed = asyncio.Event()

    def _expire(self) -> None:
        now = self._clock.now()
        if any(pending.expires <= now for pending in self._pending):
            self._pending = deque(pending for pending in self._pending if pending.expires > now)
