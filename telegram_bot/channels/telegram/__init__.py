"""The Telegram channel: updates become intents, notices become Bot API calls."""

import os
import warnings

# Durations are timedeltas: without this python-telegram-bot warns at each that a later version will change them.
os.environ.setdefault("PTB_TIMEDELTA", "true")

# `http_client.call` takes methods that `Bot` has too, and says why.
warnings.filterwarnings("ignore", r"Please use 'Bot\.")
