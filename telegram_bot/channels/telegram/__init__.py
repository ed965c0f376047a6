"""The Telegram channel: updates become intents, notices become Bot API calls."""

import os
import warnings
from typing import Final

from telegram_bot.service.channel_traits import ChannelTraits

# Durations are timedeltas: without this python-telegram-bot warns at each that a later version will change them.
os.environ.setdefault("PTB_TIMEDELTA", "true")

# `Polling` asks for updates as JSON, and says why.
warnings.filterwarnings("ignore", r"Please use 'Bot\.")

TRAITS: Final = ChannelTraits("telegram", plays_voice=True)
"""What Telegram can do, for the service."""
NAME: Final = TRAITS.name
