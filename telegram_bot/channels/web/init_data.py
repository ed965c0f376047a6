"""Verify the user of a Mini App by Telegram's signature."""

import hmac
import json
from dataclasses import dataclass
from hashlib import sha256
from typing import Final
from urllib.parse import parse_qsl

from telegram_bot.intents.intents import Person

OLDEST_SECONDS: Final = 86400
"""Desktop clients use the same data for a day. Afterwards the bot's own session remains."""
_AHEAD_SECONDS: Final = 300


class InitDataError(Exception):
    """Telegram has not signed the data for this bot, or too long ago."""

    def __init__(self, *, is_old: bool = False) -> None:
        super().__init__("old" if is_old else "not signed")
        self.is_old = is_old


@dataclass(frozen=True, slots=True)
class Launch:
    """The launch of a Mini App, as Telegram has signed it."""

    person: Person
    start_param: str = ""
    """The end of the link that opened it; empty without a link."""
    chat_instance: str = ""
    """Telegram's second number of the chat with that link; taps in the chat have it too."""


def read_init_data(data: str, token: str, now: float) -> Launch:
    """Return the person and the chat that Telegram names in a Mini App's initData.

    Raises:
        InitDataError: the data is forged, damaged or a day old.
    """
    try:
        pairs = parse_qsl(data, keep_blank_values=True, strict_parsing=True, max_num_fields=50)
        fields = dict(pairs)
        signature = fields.pop("hash")
        if len(pairs) != len(fields) + 1 or not token:
            raise InitDataError
        signed = "\n".join(f"{name}={value}" for name, value in sorted(fields.items()))
        key = hmac.new(b"WebAppData", token.encode(), sha256).digest()
        if not hmac.compare_digest(hmac.new(key, signed.encode(), sha256).hexdigest().encode(), signature.encode()):
            raise InitDataError
        if not now - OLDEST_SECONDS <= int(fields["auth_date"]) <= now + _AHEAD_SECONDS:
            raise InitDataError(is_old=True)
        user = json.loads(fields["user"])
        name = f"{user['first_name']} {user.get('last_name', '')}"
        person = Person("telegram", int(user["id"]), name, user.get("username"), user.get("language_code"))
        return Launch(person, fields.get("start_param", ""), fields.get("chat_instance", ""))
    except (LookupError, ValueError, TypeError, AttributeError, UnicodeError):
        raise InitDataError from None
