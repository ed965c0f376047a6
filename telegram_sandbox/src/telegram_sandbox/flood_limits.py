"""Telegram's flood limits: they count sent and edited messages, and slow down repeated requests for updates."""

import math
from collections import defaultdict, deque
from collections.abc import Iterator

from telegram_sandbox.clock import Clock
from telegram_sandbox.errors import too_many_requests
from telegram_sandbox.model import Chat
from telegram_sandbox.settings import SandboxSettings

SECOND = 1.0
MINUTE = 60.0
SAME_OFFSET_SECONDS = 3
"""A request for updates with the offset of one within so many seconds waits for as long, if there is nothing."""
SAME_OFFSET_AT_ONCE = 0.5
"""Within this time it gets one update only."""
# A sender that spaces its calls by exactly one window must not be refused for the network's jitter.
TOLERANCE = 0.95


class FloodLimits:
    """Counts the bot's messages and edits in sliding windows, and refuses those above a limit.

    A chat takes `chat_burst` messages in as many seconds, at once or spread. A refused call is not counted.
    """

    def __init__(self, settings: SandboxSettings, clock: Clock) -> None:
        self.enabled = settings.flood_limits is not False
        self._settings = settings
        self._clock = clock
        self._polled = (-1, 0.0)
        """The offset of the last request for updates, and its time."""
        self._next_webhook = 0.0
        self._sent: dict[tuple[str, int], deque[float]] = defaultdict(deque)

    def charge(self, chat: Chat) -> None:
        """Count one message or edit in this chat.

        Raises:
            ApiError: 429, when it is one too many.
        """
        if not self.enabled:
            return
        now = self._clock.now()
        wait = max(self._wait(scope, now, limit, window) for scope, limit, window in self._scopes(chat))
        if wait > 0:
            raise too_many_requests(max(1, math.ceil(wait)))
        for scope, _, _ in self._scopes(chat):
            self._sent[scope].append(now)

    def charge_webhook(self) -> None:
        """Count one `setWebhook`.

        Raises:
            ApiError: 429, a second after the last one or earlier.
        """
        now = self._clock.now()
        if self.enabled and now < self._next_webhook:
            raise too_many_requests(1)
        self._next_webhook = now + SECOND

    def of_poll(self, offset: int, limit: int, seconds: int) -> tuple[int, int]:
        """Return the most updates of a request, and its wait, which the offset of the last request changes."""
        now, (last, began) = self._clock.now(), self._polled
        self._polled = offset, now
        if not self.enabled or offset != last:
            return limit, seconds
        waits = SAME_OFFSET_SECONDS if seconds < SAME_OFFSET_SECONDS and now < began + SAME_OFFSET_SECONDS else seconds
        return 1 if now < began + SAME_OFFSET_AT_ONCE else limit, waits

    def _scopes(self, chat: Chat) -> Iterator[tuple[tuple[str, int], int, float]]:
        yield ("bot", 0), self._settings.bot_messages_per_second, SECOND
        burst = self._settings.chat_burst
        yield ("chat", chat.id), burst, burst / self._settings.chat_messages_per_second * SECOND
        if chat.is_group:
            yield ("group", chat.id), self._settings.group_messages_per_minute, MINUTE

    def _wait(self, scope: tuple[str, int], now: float, limit: int, window: float) -> float:
        sent = self._sent[scope]
        while sent and sent[0] <= now - window * TOLERANCE:
            sent.popleft()
        if len(sent) < limit:
            return 0.0
        return sent[len(sent) - limit] + window - now
