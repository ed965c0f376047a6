"""Bad days to order: errors and silences that a test wants from the Bot API."""

import asyncio
from collections import deque
from dataclasses import dataclass
from typing import Literal

from telegram_bot.sandbox.errors import ApiError

FaultKind = Literal["refuse", "stall_before", "stall_after"]


@dataclass(frozen=True, slots=True)
class Fault:
    """What goes wrong with one call.

    `refuse` answers with an error and does nothing. `stall_before` is silent first: a client that hangs up meanwhile
    was not served. `stall_after` is silent afterwards: such a client was served and does not know it.
    """

    method: str
    kind: FaultKind
    code: int = 500
    description: str = "Internal Server Error"
    retry_after: int | None = None
    seconds: float = 0.0

    def refusal(self) -> ApiError:
        """The error that `refuse` answers with."""
        parameters = {"retry_after": self.retry_after} if self.retry_after is not None else None
        return ApiError(self.code, self.description, parameters)


class Faults:
    """The faults that wait for their calls, each for one."""

    def __init__(self) -> None:
        self._waiting: deque[Fault] = deque()
        self._closed = asyncio.Event()

    def add(self, fault: Fault, times: int) -> None:
        """Let the next calls of the method go wrong; the method `*` is any but getUpdates."""
        self._waiting.extend([fault] * times)

    def clear(self) -> None:
        """Let everything go well."""
        self._waiting.clear()

    def take(self, method: str) -> Fault | None:
        """The fault for this call, if there is one."""
        name = method.lower()
        for fault in self._waiting:
            if fault.method.lower() == name or (fault.method == "*" and name != "getupdates"):
                self._waiting.remove(fault)
                return fault
        return None

    async def silence(self, seconds: float) -> None:
        """Say nothing for a while, but not for longer than the server runs."""
        try:
            await asyncio.wait_for(self._closed.wait(), seconds)
        except TimeoutError:
            return

    def close(self) -> None:
        """End every silence: the server stops."""
        self._closed.set()
