"""What Telegram can do, for the service."""

from __future__ import annotations

from typing import Final

from telegram_bot.service.channel_traits import ChannelTraits

TRAITS: Final = ChannelTraits("telegram", plays_voice=True)
