"""The Telegram channel: updates become intents, notices become Bot API calls."""

import os
import warnings
from typing import Final

from telegram_bot.intents.channel_traits import ChannelTraits

# Durations are timedeltas: otherwise python-telegram-bot warns each time that a later version will change them.
os.environ.setdefault("PTB_TIMEDELTA", "true")

# `Polling` requests updates as JSON, and explains why.
warnings.filterwarnings("ignore", r"Please use 'Bot\.")

TRAITS: Final = ChannelTraits("telegram", plays_voice=True)
"""The capabilities of Telegram, for the service."""
NAME: Final = TRAITS.name


def is_group(address: int) -> bool:
    """Return True for a group: its number is below zero, that of a person above."""
    return address < 0
