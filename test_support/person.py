"""A person with a phone, who sees only their own screens."""

import asyncio
import re

from telegram_sandbox import Chat, Tap, User
from test_support.screen_recorder import PATIENCE, Message, ScreenRecorder

SECOND_TAP_SECONDS = 0.8
"""The pause of a person before the second tap, which does not count if it comes in the same moment."""


class Person:
    """Someone with a phone, who sees their own chats, writes and taps. Without a chat it is the private one."""

    def __init__(self, recorder: ScreenRecorder, user: User) -> None:
        self.recorder, self.user = recorder, user
        self.name, self.id = user.name, user.id

    def __repr__(self) -> str:
        return self.name

    # Seeing

    def screen(self, chat: Chat | None = None) -> list[Message]:
        """Return the bot's current messages of a chat, the newest last."""
        shown = self.recorder.chats[self.id if chat is None else chat.id].values()
        return [m for m in shown if self.id in m.audience and m.key in self.user.world.messages]

    def newest(self, pattern: str, chat: Chat | None = None, since: int = 0, button: str = "") -> Message | None:
        """Return the newest message that matches the pattern and has such a button, if one is asked for."""
        news = (message for message in reversed(self.screen(chat)) if message.changed > since)
        found = (message for message in news if not button or message.button(button))
        return next((message for message in found if re.search(pattern, message.text)), None)

    async def sees(
        self, pattern: str, chat: Chat | None = None, *, since: int = 0, within: float = PATIENCE, button: str = ""
    ) -> Message:
        """Wait for the message that `newest` finds."""
        place = "the private chat" if chat is None else chat.title
        what = f"{self.name} to see {button or pattern!r} in {place}"
        return await self.recorder.until(lambda: self.newest(pattern, chat, since, button), what, within)

    # Acting

    async def say(self, text: str, chat: Chat | None = None, *, reply_to: Message | None = None) -> None:
        await self.user.send(text, chat, reply_to=reply_to and self.user.world.messages[reply_to.key])

    async def press(self, message: Message, data: str) -> Tap:
        """Send a tap without waiting for the answer.

        As in an app, the tap is sent even if the message has changed since, and may also carry forged data.
        """
        chat, whisper = self.user.world.chats[message.chat_id], message.ephemeral_message_id
        return await self.user.tap_button(
            data, chat, message_id=message.message_id, ephemeral_message_id=whisper, forged=True
        )

    async def answer_to(self, tap: Tap, within: float = PATIENCE) -> str:
        """Wait for the toast or alert, which may be empty."""
        what = f"an answer to {self.name}'s tap"
        return await self.recorder.until(lambda: (tap.text or "") if tap.answered else None, what, within)

    async def tap(self, label: str, chat: Chat | None = None, *, on: Message | None = None) -> str:
        """Tap a button by its label, and read the toast or alert."""
        message = on or await self.sees("", chat, button=label)
        button = message.button(label)
        assert button is not None, f"no button {label!r} under {message.text!r}"
        return await self.call(message, button["callback_data"])

    async def call(self, message: Message, data: str) -> str:
        """Tap a button and read the answer; tap again if it asks whether the person is sure."""
        answer = await self.answer_to(await self.press(message, data))
        if "once more" not in answer:
            return answer
        await asyncio.sleep(SECOND_TAP_SECONDS)
        return await self.answer_to(await self.press(message, data))
