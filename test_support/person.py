"""A person with a phone, who sees only their own screens."""

import asyncio
import re
from typing import TYPE_CHECKING, Any

from test_support.screen_recorder import PATIENCE, Answer, Group, Json, Message

if TYPE_CHECKING:
    from test_support.world import World

SECOND_TAP_SECONDS = 0.8
"""The pause of a person before the second tap, which does not count if it comes in the same moment."""


class Person:
    """Someone with a phone, who sees their own chats, writes and taps."""

    def __init__(self, world: "World", number: int, name: str) -> None:
        self.world = world
        self.id = number
        self.name = name

    def __repr__(self) -> str:
        return self.name

    # Seeing

    def screen(self, chat: Group | None = None) -> list[Message]:
        """Return the current messages of a chat (by default the private one), the newest last."""
        number = self.id if chat is None else chat.id
        topic = None if chat is None else chat.topic
        shown = self.world.recorder.chats[number].values()
        return [m for m in shown if self.id in m.audience and (topic is None or m.topic == topic)]

    def history(self) -> list[Message]:
        """Return everything this person was ever shown, version by version."""
        return [m for m in self.world.recorder.versions if self.id in m.audience]

    def newest(self, pattern: str, chat: Group | None = None, since: int = 0) -> Message | None:
        """Return the bot's newest message that matches the pattern."""
        for message in reversed(self.screen(chat)):
            from_bot = message.sender == self.world.recorder.bot
            if from_bot and message.changed > since and re.search(pattern, message.text):
                return message
        return None

    async def sees(
        self, pattern: str, chat: Group | None = None, *, since: int = 0, within: float = PATIENCE
    ) -> Message:
        """Wait until a message of the bot matches the pattern."""
        place = "the private chat" if chat is None else chat.title
        what = f"{self.name} to see {pattern!r} in {place}"
        return await self.world.recorder.until(lambda: self.newest(pattern, chat, since), what, within)

    async def sees_button(
        self, label: str, chat: Group | None = None, *, since: int = 0, within: float = PATIENCE
    ) -> Message:
        """Wait until a message of the bot has this button."""

        def look() -> Message | None:
            newest_first = reversed(self.screen(chat))
            return next((m for m in newest_first if m.changed > since and m.button(label)), None)

        place = "the private chat" if chat is None else chat.title
        return await self.world.recorder.until(look, f"{self.name} to see the button {label!r} in {place}", within)

    # Acting

    async def say(self, text: str, chat: Group | None = None, *, reply_to: Message | None = None, **more: Any) -> Json:
        """Write in a group, or by default in the private chat."""
        return await self.world.act("POST", "/messages", **self._to(chat, reply_to), text=text, **more)

    async def speak(self, note: bytes, chat: Group | None = None, *, reply_to: Message | None = None) -> None:
        """Send a voice note to a group, or by default to the private chat."""
        place = self._to(chat, reply_to)
        await self.world.upload("/media", "note.oga", note, **place, kind="voice", duration=1)

    def _to(self, chat: Group | None, reply_to: Message | None = None) -> Json:
        """Return the fields of a message to a chat, or to the private one."""
        place: Json = {"from": self.id, "chat_id": self.id if chat is None else chat.id}
        if reply_to is not None:
            place["reply_to"] = reply_to.number
        if chat is not None and chat.topic is not None:
            place["thread_id"] = chat.topic
        return place

    async def start(self, payload: str = "") -> None:
        """Press Start in the private chat."""
        await self.say(f"/start {payload}".strip())

    async def press(self, message: Message, data: str) -> str:
        """Send a tap without waiting for the answer.

        As in an app, the tap is sent even if the message has changed since, and may also carry forged data.
        """
        where = {"ephemeral_message_id": message.whisper} if message.whisper else {"message_id": message.number}
        tapped = await self.world.act(
            "POST", "/taps", **{"from": self.id, "chat_id": message.chat, "data": data, "forged": True}, **where
        )
        return str(tapped["query_id"])

    async def answer_to(self, query: str, within: float = PATIENCE) -> Answer:
        answers = self.world.recorder.answers
        return await self.world.recorder.until(lambda: answers.get(query), f"an answer to {self.name}'s tap", within)

    async def tap(
        self, label: str, chat: Group | None = None, *, on: Message | None = None, within: float = PATIENCE
    ) -> str:
        """Tap a button by its label, and read the toast or alert."""
        message = on or await self.sees_button(label, chat, within=within)
        button = message.button(label)
        assert button is not None, f"no button {label!r} under {message.words}"
        assert button.data is not None, f"{label!r} is a link"
        return (await self.call(message, button.data, within)).text

    async def call(self, message: Message, data: str, within: float = PATIENCE) -> Answer:
        """Tap a button and read the answer; tap again if it asks whether the person is sure."""
        answer = await self.answer_to(await self.press(message, data), within)
        if "once more" not in answer.text:
            return answer
        await asyncio.sleep(SECOND_TAP_SECONDS)
        return await self.answer_to(await self.press(message, data), within)

    async def type_inline(self, text: str, chat: Group | None = None, *, offset: str = "") -> Json:
        """Type the bot's name and this text, and wait for the list over the text field."""
        body = self._to(chat) | {"query": text, "offset": offset}
        query = str((await self.world.act("POST", "/inline/queries", **body))["query_id"])
        answers = self.world.recorder.inline
        return await self.world.recorder.until(lambda: answers.get(query), f"the list for {self.name}'s {text!r}")

    async def choose(self, shown: Json, title: str, chat: Group | None = None) -> Json:
        """Choose the first result whose title contains this; its message is posted in the chat."""
        result = next((one for one in shown["results"] if title in one["title"]), None)
        assert result is not None, f"no {title!r} among {[one['title'] for one in shown['results']]}"
        body = self._to(chat) | {"query_id": shown["query_id"], "result_id": result["id"]}
        return await self.world.act("POST", "/inline/choices", **body)

    async def block(self, *, blocked: bool = True) -> None:
        await self.world.act("PATCH", f"/people/{self.id}", blocked_bot=blocked)
