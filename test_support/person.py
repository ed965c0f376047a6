"""A person with a phone, who sees only their own screens."""

import asyncio
import re
from typing import TYPE_CHECKING

from telegram_sandbox import Chat, InlineAnswer
from test_support.screen_recorder import PATIENCE, Answer, Message

if TYPE_CHECKING:
    from test_support.world import World

SECOND_TAP_SECONDS = 0.8
"""The pause of a person before the second tap, which does not count if it comes in the same moment."""


class Person:
    """Someone with a phone, who sees their own chats, writes and taps. Without a chat it is the private one."""

    def __init__(self, world: "World", name: str) -> None:
        self.world, self.name = world, name
        self.user = world.sandbox.user(name)
        self.id = self.user.id

    def __repr__(self) -> str:
        return self.name

    # Seeing

    def screen(self, chat: Chat | None = None) -> list[Message]:
        """Return the current messages of a chat, the newest last."""
        shown = self.world.recorder.chats[self.id if chat is None else chat.id].values()
        return [m for m in shown if self.id in m.audience]

    def history(self) -> list[Message]:
        return [m for m in self.world.recorder.versions if self.id in m.audience]

    def newest(self, pattern: str, chat: Chat | None = None, since: int = 0, button: str = "") -> Message | None:
        """Return the bot's newest message that matches the pattern and has such a button, if one is asked for."""
        for message in reversed(self.screen(chat)):
            from_bot = message.sender == self.world.recorder.bot
            has_button = not button or message.button(button)
            if from_bot and message.changed > since and has_button and re.search(pattern, message.text):
                return message
        return None

    async def sees(
        self, pattern: str, chat: Chat | None = None, *, since: int = 0, within: float = PATIENCE, button: str = ""
    ) -> Message:
        """Wait for the message that `newest` finds."""
        place = "the private chat" if chat is None else chat.title
        what = f"{self.name} to see {button or pattern!r} in {place}"
        return await self.world.recorder.until(lambda: self.newest(pattern, chat, since, button), what, within)

    # Acting

    async def say(self, text: str, chat: Chat | None = None, *, reply_to: Message | None = None) -> None:
        answered = None if reply_to is None else self.world.sandbox.world.messages[reply_to.key]
        await self.user.send(text, chat, reply_to=answered)

    async def speak(self, note: bytes) -> None:
        await self.user.send_voice(note)

    async def start(self) -> None:
        await self.say("/start")

    async def press(self, message: Message, data: str) -> str:
        """Send a tap without waiting for the answer.

        As in an app, the tap is sent even if the message has changed since, and may also carry forged data.
        """
        chat = self.world.sandbox.world.chats[message.chat]
        where = {"ephemeral_message_id": message.whisper} if message.whisper else {"message_id": message.number}
        return (await self.user.tap_button(data, chat, forged=True, **where)).id

    async def answer_to(self, query: str, within: float = PATIENCE) -> Answer:
        answers = self.world.recorder.answers
        return await self.world.recorder.until(lambda: answers.get(query), f"an answer to {self.name}'s tap", within)

    async def tap(
        self, label: str, chat: Chat | None = None, *, on: Message | None = None, within: float = PATIENCE
    ) -> str:
        """Tap a button by its label, and read the toast or alert."""
        message = on or await self.sees("", chat, button=label, within=within)
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

    async def type_inline(self, text: str, chat: Chat | None = None) -> InlineAnswer:
        return await self.user.type_inline(text, chat, within=PATIENCE)
