"""Record all screens for the audit, and pass each event to the game that it concerns."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from test_support.chaos.evidence import Shown
from test_support.screen_recorder import Answer, Json, Message, ScreenRecorder

if TYPE_CHECKING:
    from collections.abc import Iterable

NOT_COUNTED: Final = ("getUpdates",)
TITLE: Final = re.compile(r"🎲 (.+) · round \d+")

Hear = Callable[[Message], None]


@dataclass(slots=True)
class Tally:
    """Counts of the calls to the Bot API and of their errors."""

    calls: int = 0
    errors: Counter[str] = field(default_factory=Counter)
    against_schema: list[str] = field(default_factory=list)


class Screens(ScreenRecorder):
    """The stream of events of hundreds of games; each game gets only its own events."""

    def __init__(self) -> None:
        super().__init__()
        self.shown: list[Shown] = []
        self.tally = Tally()
        self.by_chat: dict[int, Hear] = {}
        self.by_title: dict[str, Hear] = {}
        self._waiting: dict[str, asyncio.Future[Answer]] = {}

    def record(self, event: Json) -> None:
        """Record one event of the stream."""
        match event["kind"]:
            case "message" | "edited":
                self.cursor = event["cursor"]
                self._see(event["message"], fresh=event["kind"] == "message")
            case "call":
                self.cursor = event["cursor"]
                self._count(event["call"])
            case "alert" | "answered":
                super().record(event)
                waiting = self._waiting.pop(event["query_id"], None)
                if waiting is not None and not waiting.done():
                    waiting.set_result(self.answers[event["query_id"]])
            case _:
                super().record(event)

    def _see(self, shown: Json, *, fresh: bool) -> None:
        if shown["from"]["id"] != self.bot:
            return
        message = self._message(shown)
        self.messages[message.key] = message
        person = message.to or (message.chat if message.chat > 0 else None)
        self.shown.append(Shown(self.cursor, message.chat, person, message.key, message.text, fresh))
        hear = self.by_chat.get(message.chat)
        if hear is None and (title := TITLE.match(message.text)):
            hear = self.by_title.get(title[1])
        if hear is not None:
            hear(message)

    def _count(self, call: Json) -> None:
        if call["method"] in NOT_COUNTED:
            return
        self.tally.calls += 1
        if call["error"]:
            self.tally.errors[f"{call['method']}: {re.sub(r'[0-9]+', 'N', call['error'])}"] += 1
        if not call["schema_ok"]:
            self.tally.against_schema.append(f"{call['method']} {call['params']}: {call['schema_error']}")

    async def answers_to(self, queries: Iterable[str], within: float) -> list[Answer | None]:
        """The answers to some taps within a time; None for a tap without an answer."""
        waiting = [self._answer(query) for query in queries]
        await asyncio.wait(waiting, timeout=within)
        return [each.result() if each.done() else None for each in waiting]

    def _answer(self, query: str) -> asyncio.Future[Answer]:
        known = self.answers.get(query)
        found: asyncio.Future[Answer] = self._waiting.setdefault(query, asyncio.get_running_loop().create_future())
        if known is not None and not found.done():
            found.set_result(known)
            del self._waiting[query]
        return found
