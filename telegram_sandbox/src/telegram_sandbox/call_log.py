"""The log of Bot API calls, with the mistakes that `aiogram`'s models find in request and answer."""

from collections import deque
from dataclasses import dataclass, fields, replace
from typing import Any

from telegram_sandbox.errors import TOO_MANY_REQUESTS
from telegram_sandbox.event_log import EventLog


@dataclass(frozen=True, slots=True)
class Call:
    """One request to the Bot API.

    `schema_ok` is false when `aiogram`'s models find a mistake in the request or the answer. Telegram itself is more
    lenient and ignores unknown fields.
    """

    time: float
    method: str
    params: dict[str, Any]
    error: str | None = None
    error_code: int | None = None
    schema_error: str | None = None
    ignored: tuple[str, ...] = ()
    """The parameters that had no effect."""
    by_webhook: bool = False
    """Whether it was the webhook's answer to an update: the bot does not learn its result."""
    ms: float = 0.0
    n: int = 0

    @property
    def ok(self) -> bool:
        """Whether the call was not refused."""
        return self.error is None

    @property
    def schema_ok(self) -> bool:
        """Whether the models found no error."""
        return self.schema_error is None

    def __str__(self) -> str:
        """Return the method, whether it was a webhook's answer, and why it was refused or what had no effect."""
        name = f"{self.method} by the webhook's answer" if self.by_webhook else self.method
        ignored = f" without effect of {', '.join(self.ignored)}" if self.ignored else ""
        return f"{name}: {self.error}" if self.error else name + ignored

    def as_json(self) -> dict[str, Any]:
        """Return the call for the page; its parameters are shared, not copied."""
        shown = {one.name: getattr(self, one.name) for one in fields(self)}
        return shown | {"ok": self.ok, "schema_ok": self.schema_ok, "ms": round(self.ms, 2)}


class CallLog:
    """The last calls; schema failures and flood refusals are kept apart."""

    def __init__(self, remembered: int, events: EventLog) -> None:
        self._calls: deque[Call] = deque(maxlen=remembered)
        self._events = events
        self.total = 0
        self._remembered = remembered
        self.schema_failures: list[Call] = []
        self.flood_refusals: list[Call] = []

    def add(self, call: Call) -> None:
        """Log one call and show it on the page."""
        self.total += 1
        call = replace(call, n=self.total)
        self._calls.append(call)
        if not call.schema_ok:
            self.schema_failures.append(call)
        if call.error_code == TOO_MANY_REQUESTS:
            self.flood_refusals.append(call)
        for kept in self.schema_failures, self.flood_refusals:
            del kept[: -self._remembered]
        self._events.emit_lazily("call", call=call.as_json)

    def listing(self) -> list[dict[str, Any]]:
        """Return the remembered calls, oldest first."""
        return [call.as_json() for call in self._calls]

    def since(self, number: int) -> list[Call]:
        """Return the remembered calls after this one, oldest first."""
        return [call for call in self._calls if call.n > number]

    def named(self, method: str) -> list[Call]:
        """Return the remembered calls of one method, oldest first."""
        return [call for call in self._calls if call.method.lower() == method.lower()]
