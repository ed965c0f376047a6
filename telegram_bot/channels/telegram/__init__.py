"""Telegram: updates -> intents; notices -> Bot API (keyboards, ephemeral messages, private chats, alerts)."""

import os

# Waits are timedeltas: otherwise python-telegram-bot warns at every one that it will change its mind.
os.environ.setdefault("PTB_TIMEDELTA", "true")
