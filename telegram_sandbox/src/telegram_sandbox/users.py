"""People of a sandbox for a bot's tests: they write, tap buttons, and wait for what the bot shows them."""

import asyncio
import re
from collections.abc import Callable
from typing import TypeVar

from telegram_sandbox import inline_mode, user_actions
from telegram_sandbox.errors import ControlError
from telegram_sandbox.model import Chat, InlineAnswer, InlineQuery, Json, Person, StoredMessage, Tap
from telegram_sandbox.user_actions import MessageDraft
from telegram_sandbox.world import Shown, World

PATIENCE_SECONDS = 5.0
SHOWN_IN_ERRORS = 5

T = TypeVar("T")


class User:
    """One person of the sandbox. Where no chat is given, their private chat with the bot is meant."""

    def __init__(self, world: World, person: Person) -> None:
        self._world = world
        self._person = person
        self._news: list[StoredMessage] = []
        self._changed = asyncio.Event()
        self._queries: dict[int, InlineQuery] = {}
        world.observers.append(self._observe)

    @property
    def id(self) -> int:
        """The person's Telegram id."""
        return self._person.id

    @property
    def name(self) -> str:
        """The person's first name."""
        return self._person.name

    async def send(
        self, text: str, chat: Chat | None = None, *, reply_to: StoredMessage | None = None
    ) -> StoredMessage:
        """Write a message.

        Raises:
            ControlError: when this person cannot write there.
        """
        self._news.clear()
        draft = MessageDraft(text=text, reply_to=reply_to.message_id if reply_to else None)
        return user_actions.send_message(self._world, self._person, self._chat(chat), draft)

    async def tap(self, label: str, chat: Chat | None = None, *, within: float = PATIENCE_SECONDS) -> Tap:
        """Tap the newest button with this label and wait for the bot's answer (`text`, `show_alert`, `url`).

        Raises:
            ControlError: when this person sees no such button.
            AssertionError: when the bot does not answer in time.
        """
        where = self._chat(chat)
        message, button = self._button(label, where)
        self._news.clear()
        tap = user_actions.tap_button(
            self._world,
            self._person,
            where,
            str(button.get("callback_data", "")),
            message_id=message.message_id,
            ephemeral_message_id=message.ephemeral_message_id,
        )
        return await self._until(lambda: tap if tap.answered else None, f"{label!r} is not answered", where, within)

    async def sees(self, pattern: str, chat: Chat | None = None, *, within: float = PATIENCE_SECONDS) -> StoredMessage:
        """Wait for a message of the bot that matches, sent or edited since this person last wrote or tapped.

        Raises:
            AssertionError: when there is none in time; it tells what this person sees instead.
        """
        where = self._chat(chat)

        def newest() -> StoredMessage | None:
            found = (
                one for one in reversed(self._news) if one.chat_id == where.id and re.search(pattern, one.text or "")
            )
            return next(found, None)

        return await self._until(newest, f"there is no {pattern!r}", where, within)

    async def type_inline(
        self, text: str, chat: Chat | None = None, *, offset: str = "", within: float = PATIENCE_SECONDS
    ) -> InlineAnswer:
        """Type the bot's name and this text in a chat's text field, and wait for the list of results.

        Raises:
            ControlError: when the bot has no inline mode, or this person cannot write there.
            AssertionError: when the bot does not answer in time.
        """
        where = self._chat(chat)
        query = inline_mode.ask(self._world, self._person, where, text, offset)
        self._queries[where.id] = query
        return await self._until(lambda: query.answer, f"the query {text!r} is not answered", where, within)

    async def switch_inline(
        self, label: str, chat: Chat | None = None, *, into: Chat | None = None, within: float = PATIENCE_SECONDS
    ) -> InlineAnswer:
        """Tap the newest button with this label, which fills the text field, and wait for the list of results.

        `into` is the chat that this person chooses where the button asks for one.

        Raises:
            ControlError: when this person sees no such button.
            AssertionError: when the bot does not answer in time.
        """
        _, button = self._button(label, self._chat(chat))
        if "switch_inline_query_current_chat" in button:
            return await self.type_inline(button["switch_inline_query_current_chat"], chat, within=within)
        chosen = button.get("switch_inline_query_chosen_chat")
        text = button.get("switch_inline_query") if chosen is None else chosen.get("query", "")
        if text is None:
            raise ControlError(f"the button {label!r} does not fill the text field")
        if into is None or not _may_be_chosen(into, chosen):
            raise ControlError(f"the button {label!r} asks for another chat")
        return await self.type_inline(text, into, within=within)

    async def choose(
        self, title: str, chat: Chat | None = None, *, reply_to: StoredMessage | None = None
    ) -> StoredMessage:
        """Choose the result with this title from the list that is shown in a chat: its message is posted there.

        Raises:
            ControlError: when no such result is shown.
        """
        where = self._chat(chat)
        query = self._queries.get(where.id)
        results = query.answer.results if query and query.answer else ()
        result_id = next((result.id for result in results if result.title == title), None)
        if query is None or result_id is None:
            raise ControlError(f"{self.name} sees no result {title!r}, only {[result.title for result in results]}")
        del self._queries[where.id]
        self._news.clear()
        replied_to = reply_to.message_id if reply_to else None
        return inline_mode.choose(self._world, self._person, where, query.id, result_id, reply_to=replied_to)

    def messages(self, chat: Chat | None = None) -> list[StoredMessage]:
        """Every message that this person sees in a chat, oldest first."""
        where = self._chat(chat)
        shown = (one for one in self._world.messages.values() if not one.lost)
        return [one for one in shown if one.chat_id == where.id and self._is_shown(one)]

    def _chat(self, chat: Chat | None) -> Chat:
        return self._world.chats[self.id] if chat is None else chat

    def _is_shown(self, message: StoredMessage) -> bool:
        chat = self._world.chats[message.chat_id]
        return self.id in chat.members and (message.seen_by is None or self.id in (message.seen_by, message.sender_id))

    def _button(self, label: str, chat: Chat) -> tuple[StoredMessage, Json]:
        for message in reversed(self.messages(chat)):
            for row in (message.reply_markup or {}).get("inline_keyboard", []):
                for button in row:
                    if button["text"] == label:
                        return message, button
        raise ControlError(f"{self.name} sees no button {label!r}")

    def _observe(self, kind: str, what: Shown) -> None:
        if isinstance(what, StoredMessage) and self._is_from_bot(kind, what) and self._is_shown(what):
            self._news.append(what)
        self._changed.set()

    def _is_from_bot(self, kind: str, message: StoredMessage) -> bool:
        """The bot's own messages, and what it makes of those that were posted via it."""
        return message.sender_id == self._world.settings.bot_id or (message.via_bot and kind == "edited")

    async def _until(self, found: Callable[[], T | None], what: str, chat: Chat, within: float) -> T:
        try:
            async with asyncio.timeout(within):
                while (value := found()) is None:
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            seen = [one.text or one.service_text for one in self.messages(chat)][-SHOWN_IN_ERRORS:]
            raise AssertionError(f"{what} for {self.name} within {within} s; the last messages are {seen}") from None
        return value


def _may_be_chosen(chat: Chat, allowed: Json | None) -> bool:
    """Whether a button lets its query go to a chat; None allows any."""
    return allowed is None or bool(allowed.get("allow_group_chats" if chat.is_group else "allow_bot_chats"))
