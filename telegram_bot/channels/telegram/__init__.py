"""The Telegram channel: updates become intents, notices become Bot API calls."""

import os

# Durations are timedeltas: without this python-telegram-bot warns at each that a later version will change them.
os.environ.setdefault("PTB_TIMEDELTA", "true")
