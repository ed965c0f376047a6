"""All enrichers of the Telegram channel."""

from __future__ import annotations

from telegram_bot.channels.telegram.enrichers.chat_admin import ChatAdmin
from telegram_bot.channels.telegram.enrichers.coach_advice import CoachAdvice
from telegram_bot.channels.telegram.enrichers.ephemeral_permission import EphemeralPermission
from telegram_bot.channels.telegram.enrichers.heard_note import HeardNotes, Hearing
from telegram_bot.channels.telegram.sender import TelegramSender
from telegram_bot.ingress.enrichers import Enricher
from telegram_bot.ingress.game_stories import GameStories
from telegram_bot.service.service import Service


def all_enrichers(sender: TelegramSender, service: Service, hearing: Hearing | None) -> tuple[Enricher, ...]:
    """Each enricher, once. `hearing`: how voice notes are listened to; None: they are not."""
    return (
        ChatAdmin(sender),
        EphemeralPermission(sender),
        HeardNotes(sender, service, hearing),
        GameStories(service),
        CoachAdvice(service),
    )
