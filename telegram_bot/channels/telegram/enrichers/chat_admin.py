"""Look up whether somebody who wants to stop a table is an admin of the group."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from pydantic import JsonValue

from telegram_bot.channels.telegram.sender import TelegramSender
from telegram_bot.service.intents import Intent, Stop


class ChatAdmin:
    """Tells whether the person is an admin of the chat, for `Stop`."""

    name: Final = "chat_admin"
    seconds: Final = 4.0

    def __init__(self, sender: TelegramSender) -> None:
        self.sender = sender

    def is_needed_for(self, intent: Intent) -> bool:
        """Whether the intent stops a group's table; in a private chat nobody is an admin."""
        return intent.where is not None and isinstance(intent.what, Stop)

    async def look_up(self, intent: Intent) -> JsonValue:
        """Ask Telegram about the person."""
        return None if intent.where is None else await self.sender.is_admin(intent.where.address, intent.who.address)

    def add_fact(self, intent: Intent, fact: JsonValue) -> Intent:
        """The wish to stop, by an admin or not; if that is unknown, all but the host are asked to try again."""
        assert isinstance(intent.what, Stop)  # noqa: S101 - `is_needed_for`
        return replace(intent, what=replace(intent.what, is_admin=fact if isinstance(fact, bool) else None))
