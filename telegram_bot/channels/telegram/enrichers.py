"""Look up facts for a step that only Telegram or another process knows."""

from dataclasses import replace
from typing import Final

from pydantic import JsonValue

from telegram_bot.channels.telegram.heard_notes import HeardNotes, VoiceRecognition
from telegram_bot.channels.telegram.sender import TelegramSender
from telegram_bot.ingress.enrichers import Enricher, look_ups_of_features
from telegram_bot.intents.intents import ForAdmins, Intent
from telegram_bot.service.handlers.lobby_requests import OpenLobby
from telegram_bot.service.service import Service


def all_enrichers(sender: TelegramSender, service: Service, hearing: VoiceRecognition | None) -> tuple[Enricher, ...]:
    """Return all enrichers. `hearing`: the recognition of voice notes, or None if it is off."""
    return (
        ChatAdmin(sender),
        EphemeralPermission(sender),
        HeardNotes(service, hearing),
        *look_ups_of_features(service),
    )


class ChatAdmin:
    """Looks up whether the person is an admin of the group, for requests that admins may make."""

    name: Final = "chat_admin"
    intent_type: Final = ForAdmins
    seconds: Final = 4.0

    def __init__(self, sender: TelegramSender) -> None:
        self.sender = sender

    async def look_up(self, intent: Intent) -> JsonValue:
        """Ask Telegram about the person; a private chat has no admins."""
        assert isinstance(intent.request, ForAdmins)  # noqa: S101 - `intent_type`
        group = intent.request.group_in(intent.where)
        return group is not None and await self.sender.is_admin(group, intent.who.address)

    def add_fact(self, intent: Intent, fact: JsonValue) -> Intent:
        """Return the request, by an admin or not.

        If that is unknown, all but the host are asked to try again.
        """
        assert isinstance(intent.request, ForAdmins)  # noqa: S101 - `intent_type`
        return replace(intent, request=replace(intent.request, is_admin=fact if isinstance(fact, bool) else None))


class EphemeralPermission:
    """Looks up whether the bot may send ephemeral messages at any time, for `OpenLobby`."""

    name: Final = "ephemeral_permission"
    intent_type: Final = OpenLobby
    seconds: Final = 4.0

    def __init__(self, sender: TelegramSender) -> None:
        self.sender = sender

    async def look_up(self, intent: Intent) -> JsonValue:
        """Ask Telegram about the bot itself."""
        return None if intent.where is None else await self.sender.can_send_ephemeral(intent.where.address)

    def add_fact(self, intent: Intent, fact: JsonValue) -> Intent:
        """Return the request for a lobby; if the permission is unknown, the group's last known one is used."""
        return replace(intent, request=OpenLobby(fact if isinstance(fact, bool) else None))
