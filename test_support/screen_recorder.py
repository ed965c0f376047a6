"""Record what people are shown: every version of every message on every screen."""

import asyncio
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from telegram_sandbox import World as Messenger

T = TypeVar("T")
Json = dict[str, Any]

PATIENCE = 120.0
"""In seconds. Only a busy machine needs so many: a test that passes on an idle one does not wait so long."""


@dataclass(frozen=True, slots=True)
class Button:
    """One button as a person sees it; the data is what their app sends when they tap."""

    text: str
    data: str | None
    url: str | None
    style: str | None


@dataclass(frozen=True, slots=True)
class Message:
    """One version of a message on a screen."""

    key: str
    chat: int
    number: int
    whisper: int | None
    sender: int
    to: int | None
    text: str
    photo: str | None
    """Where the page finds the photo; `text` is its caption."""
    service: str | None
    silent: bool
    buttons: tuple[tuple[Button, ...], ...]
    first: int
    """When the message appeared, as a number in the order of all events."""
    changed: int
    audience: frozenset[int]
    at: float

    @property
    def flat(self) -> Iterator[Button]:
        return (button for row in self.buttons for button in row)

    def button(self, label: str) -> Button | None:
        return next((button for button in self.flat if label in button.text), None)

    @property
    def words(self) -> str:
        return self.text.replace("\n", " | ")


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a tap: nothing, a toast, or an alert."""

    text: str
    alert: bool
    at: float


class ScreenRecorder:
    """Everything that appeared on any screen, in order, from the sandbox's stream of events."""

    def __init__(self, messenger: Messenger, log: Path) -> None:
        self.messenger, self.log = messenger, log
        self.cursor = messenger.events.cursor
        self.bot = messenger.settings.bot_id
        self.messages: dict[str, Message] = {}
        self.chats: defaultdict[int, dict[str, Message]] = defaultdict(dict)
        self.versions: list[Message] = []
        self.answers: dict[str, Answer] = {}
        self.told: list[tuple[int, Answer]] = []
        self.calls: list[Json] = []
        self.watching = asyncio.create_task(self._watch())
        self._changed = asyncio.Event()

    async def _watch(self) -> None:
        async for event in self.messenger.events.follow(self.cursor):
            if event is not None:
                self.record(event)

    def record(self, event: Json) -> None:
        self.cursor = event["cursor"]
        match event["kind"]:
            case "message" | "edited":
                message = self._message(event["message"])
                self.messages[message.key] = self.chats[message.chat][message.key] = message
                self.versions.append(message)
            case "deleted":
                self.messages.pop(event["key"], None)
                self.chats[event["chat_id"]].pop(event["key"], None)
            case "alert" | "answered":
                answer = Answer(event.get("text") or "", bool(event.get("show_alert")), time.time())
                self.answers[event["query_id"]] = answer
                self.told.append((event["user_id"], answer))
            case "call":
                self.calls.append(event["call"])
            case "reset":
                raise AssertionError("the stream lost events")
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()

    def _message(self, shown: Json) -> Message:
        before = self.messages.get(shown["key"])
        rows = (shown["reply_markup"] or {}).get("inline_keyboard", [])
        to = shown["to"]
        return Message(
            key=shown["key"],
            chat=shown["chat_id"],
            number=shown["message_id"],
            whisper=shown["ephemeral_message_id"],
            sender=shown["from"]["id"],
            to=to,
            # Tests say what people read, who see a space where a line may not be broken.
            text=(shown["text"] or shown["caption"] or "").replace("\N{NO-BREAK SPACE}", " "),
            photo=shown["photo"],
            service=shown["service"],
            silent=shown["silent"],
            buttons=tuple(
                tuple(Button(b["text"], b.get("callback_data"), b.get("url"), b.get("style")) for b in row)
                for row in rows
            ),
            first=before.first if before else self.cursor,
            changed=self.cursor,
            audience=frozenset((to,)) if to else frozenset(self.messenger.chats[shown["chat_id"]].members),
            at=time.time(),
        )

    async def until(self, check: Callable[[], T | None], what: str, within: float = PATIENCE) -> T:
        """Wait until `check` returns a value other than None."""
        try:
            async with asyncio.timeout(within):
                while True:
                    if self.watching.done():
                        self.watching.result()
                    changed = self._changed
                    found = check()
                    if found is not None and found is not False:
                        return found
                    with suppress(TimeoutError):
                        await asyncio.wait_for(changed.wait(), 0.25)
        except TimeoutError:
            last = "\n".join(f"  {m.chat} -> {m.to or 'all'}: {m.words}" for m in self.versions[-12:])
            calls = "\n".join(f"  {c['method']} {c['error'] or ''}" for c in self.calls[-8:])
            story = f"last shown:\n{last}\nlast calls:\n{calls}\nthe bot's log:\n{self.log.read_text()[-3000:]}"
            raise AssertionError(f"waited {within} s for {what}\n{story}") from None
