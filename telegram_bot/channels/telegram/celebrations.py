"""Telegram's reactions and message effects for what is celebrated."""

from __future__ import annotations

import logging
from typing import Final

from telegram import Bot
from telegram.error import RetryAfter, TelegramError

from telegram_bot.channels.telegram.http_client import call
from telegram_bot.service.notices import Celebration

log = logging.getLogger(__name__)

CONFETTI: Final = "5046509860389126442"
"""The effect 🎉, one of those that need no subscription. Telegram shows effects in private chats only."""
PATIENCE_SECONDS: Final = 2.0
"""How long the chat's next message waits for the answer to a reaction."""
REACTIONS: Final = {Celebration.WIN: "🏆", Celebration.EXACT_CALZA: "🔥", Celebration.ELIMINATION: "😱"}
"""Each is one of the emoji that Telegram lets bots react with."""


async def react(bot: Bot, chat: int, message: int, celebration: Celebration) -> None:
    """React to a message. A refused reaction is no error: a group may forbid reactions.

    Raises:
        RetryAfter: Telegram asks for a pause, which concerns other messages too.
    """
    reaction = [{"type": "emoji", "emoji": REACTIONS[celebration]}]
    parameters: dict[str, object] = {"chat_id": chat, "message_id": message, "reaction": reaction}
    try:
        await call(bot, "setMessageReaction", parameters, read_timeout=PATIENCE_SECONDS)
    except RetryAfter:
        raise
    except TelegramError as error:
        log.info("a reaction was refused: %s", type(error).__name__)
