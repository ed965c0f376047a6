"""Faults on demand: Bot API calls that are refused, stalled, cut off or lost because a test asks for it."""

import asyncio
from dataclasses import dataclass
from http.client import responses
from random import Random
from typing import Any, Literal

from telegram_sandbox.errors import TOO_MANY_REQUESTS, ApiError, too_many_requests

FaultKind = Literal["refuse", "stall_before", "stall_after", "reset_before", "reset_after", "lose"]
UNTOUCHED_BY_ANY = "getupdates"


@dataclass(frozen=True, slots=True)
class Fault:
    """The failure of one call.

    `refuse` answers with an error and does nothing. `stall_before` waits first: a client that disconnects meanwhile
    was not served. `stall_after` waits afterwards: such a client was served and does not know it, and one that
    waits gets a slow answer. `reset_before` and `reset_after` cut the connection, before and after the call has had its
    effect. `lose` accepts a message for one member of a group and never shows it.
    """

    kind: FaultKind
    method: str = "*"
    chat_id: int | None = None
    code: int = 500
    description: str | None = None
    retry_after: int | None = None
    seconds: float = 0.0

    def concerns(self, method: str, params: dict[str, Any]) -> bool:
        """Return whether the fault applies to a call."""
        name = method.lower()
        if self.method.lower() != name and (self.method != "*" or name == UNTOUCHED_BY_ANY):
            return False
        if self.kind == "lose" and not ("ephemeral_message_parameters" in params or "receiver_user_id" in params):
            return False
        return self.chat_id is None or str(params.get("chat_id")) == str(self.chat_id)

    def refusal(self) -> ApiError:
        """Return the error that `refuse` answers with."""
        if self.code == TOO_MANY_REQUESTS:
            return too_many_requests(self.retry_after or 1, self.description)
        return ApiError(self.code, self.description or responses.get(self.code, "Error"))


@dataclass(slots=True)
class FaultRule:
    """A fault for the next `left` calls (until it is deleted if `left` is None), or for some of them by chance."""

    number: int
    fault: Fault
    left: int | None
    probability: float = 1.0
    applied: int = 0


class Faults:
    """The faults that tests have asked for; the oldest that concerns a call is applied."""

    def __init__(self) -> None:
        self.rules: dict[int, FaultRule] = {}
        self._made = 0
        self.rng = Random()  # noqa: S311 - which calls fail is no secret
        self._closed = asyncio.Event()

    def add(self, fault: Fault, times: int | None, probability: float = 1.0) -> FaultRule:
        """Make the next `times` calls fail, each with this probability."""
        self._made += 1
        rule = FaultRule(self._made, fault, times, probability)
        self.rules[rule.number] = rule
        return rule

    def take(self, method: str, params: dict[str, Any]) -> Fault | None:
        """Return the fault for this call, if there is one."""
        for rule in self.rules.values():
            if not rule.fault.concerns(method, params):
                continue
            if rule.probability < 1 and self.rng.random() >= rule.probability:
                continue
            rule.applied += 1
            if rule.left is not None:
                rule.left -= 1
                if rule.left == 0:
                    del self.rules[rule.number]
            return rule.fault
        return None

    async def wait(self, seconds: float) -> None:
        """Wait, but not for longer than the server runs."""
        try:
            await asyncio.wait_for(self._closed.wait(), seconds)
        except TimeoutError:
            return

    def close(self) -> None:
        """End every wait: the server stops."""
        self._closed.set()
