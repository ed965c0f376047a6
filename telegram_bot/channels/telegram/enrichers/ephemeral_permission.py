"""Look up whether the bot may send ephemeral messages in the group where somebody opens a lobby."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from pydantic import JsonValue

from telegram_bot.channels.telegram.sender import TelegramSender
from telegram_bot.service.intents import Intent, OpenLobby


class EphemeralPermission:
    """Tells whether the bot may send ephemeral messages at any time, for `OpenLobby`."""

    name: Final = "ephemeral_permission"
    seconds: Final = 4.0

    def __init__(self, sender: TelegramSender) -> None:
        self.sender = sender

    def is_needed_for(self, intent: Intent) -> bool:
        """Whether the intent opens a lobby in a group."""
        return intent.where is not None and isinstance(intent.what, OpenLobby)

    async def look_up(self, intent: Intent) -> JsonValue:
        """Ask Telegram about the bot itself."""
        return None if intent.where is None else await self.sender.can_send_ephemeral(intent.where.address)

    def add_fact(self, intent: Intent, fact: JsonValue) -> Intent:
        """The wish for a lobby; if the permission is unknown, what was known of the group before is used."""
        return replace(intent, what=OpenLobby(fact if isinstance(fact, bool) else None))
