"""Record what the bot shows to people: every version of every message, and its answers to taps."""

import asyncio
import time
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, fields
from itertools import takewhile
from pathlib import Path
from typing import Any, TypeVar

from telegram_sandbox import StoredMessage, Tap
from telegram_sandbox import World as Messenger

T = TypeVar("T")
Json = dict[str, Any]

PATIENCE = 120.0
"""In seconds. Only a busy machine needs so many: a test that passes on an idle one does not wait so long."""


@dataclass(slots=True, kw_only=True)
class Message(StoredMessage):
    """One version of a message of the bot, as its readers see it."""

    text: str = ""
    first: int
    """The number of the first version, in the order of all versions of all messages."""
    changed: int
    """The number of this one."""
    audience: frozenset[int]
    at: float

    @property
    def buttons(self) -> list[Json]:
        return [button for row in (self.reply_markup or {}).get("inline_keyboard", ()) for button in row]

    def button(self, label: str) -> Json | None:
        return next((button for button in self.buttons if label in button["text"]), None)


class ScreenRecorder:
    """Everything that the bot showed on any screen, in order."""

    def __init__(self, messenger: Messenger, log: Path) -> None:
        self.messenger, self.log = messenger, log
        self.versions: list[Message] = []
        self.chats: defaultdict[int, dict[str, Message]] = defaultdict(dict)
        """The newest version of each message by its key, also of deleted ones."""
        self.answers: dict[str, tuple[Tap, float]] = {}
        """The answered taps, each with the time of the answer."""
        self._changes = 0
        self._changed = asyncio.Event()
        messenger.observers.append(self._look)

    def _look(self) -> None:
        news = takewhile(lambda each: each[0] > self._changes, reversed(self.messenger.bots_news))
        for _, message in reversed([*news]):
            if message.sender_id == self.messenger.settings.bot_id:
                self._record(message)
        self._changes = self.messenger.changes
        for tap in self.messenger.taps.values():
            if tap.answered:
                self.answers.setdefault(tap.id, (tap, time.time()))
        self._changed.set()

    def _record(self, message: StoredMessage) -> None:
        shown = {each.name: getattr(message, each.name) for each in fields(message)}
        # Tests say what people read, who see a space where a line may not be broken.
        shown["text"] = (message.text or "").replace("\N{NO-BREAK SPACE}", " ")
        reader, chat, number = message.seen_by, self.chats[message.chat_id], len(self.versions) + 1
        audience = frozenset((reader,) if reader else self.messenger.chats[message.chat_id].members)
        first = chat[message.key].first if message.key in chat else number
        version = Message(**shown, first=first, changed=number, audience=audience, at=time.time())
        self.versions.append(version)
        chat[message.key] = version

    async def until(self, check: Callable[[], T | None], what: str, within: float = PATIENCE) -> T:
        """Wait until `check` returns a value other than None."""
        try:
            async with asyncio.timeout(within):
                while (found := check()) is None or found is False:
                    self._changed.clear()
                    with suppress(TimeoutError):
                        await asyncio.wait_for(self._changed.wait(), 0.25)
                return found
        except TimeoutError:
            last = "\n".join(f"  {m.chat_id} -> {m.seen_by or 'all'}: {m.text!r}" for m in self.versions[-12:])
            calls = "\n".join(f"  {call}" for call in self.messenger.calls.since(self.messenger.calls.total - 8))
            story = f"last shown:\n{last}\nlast calls:\n{calls}\nthe bot's log:\n{self.log.read_text()[-3000:]}"
            raise AssertionError(f"waited {within} s for {what}\n{story}") from None
