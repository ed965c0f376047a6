"""All enrichers of the Telegram channel."""

from __future__ import annotations

from telegram_bot.channels.telegram.enrichers.chat_admin import ChatAdmin
from telegram_bot.channels.telegram.enrichers.ephemeral_permission import EphemeralPermission
from telegram_bot.channels.telegram.sender import TelegramSender
from telegram_bot.ingress.enrichers import Enricher


def all_enrichers(sender: TelegramSender) -> tuple[Enricher, ...]:
    """Each enricher, once."""
    return (
        ChatAdmin(sender),
        EphemeralPermission(sender),
    )
