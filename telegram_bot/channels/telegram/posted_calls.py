"""Name a call in the id of an inline result, and find it again in the message that the result posts.

The message tells who posted it and where, but not which result it was. So the sign at its beginning is a link to the
bot which carries the same name: table, step of the game, and call. All of it is public as soon as it is posted.
"""

from __future__ import annotations

from typing import Final
from urllib.parse import parse_qs, urlsplit

from telegram import Message, MessageEntity

from telegram_bot.channels.telegram import callback_data
from telegram_bot.channels.telegram.callback_data import ParsedTap
from telegram_bot.service.intents import CallCalza, CallDudo, MakeBid

_CALLS: Final = (MakeBid, CallDudo, CallCalza)
_TO_LINK: Final = str.maketrans(":=", "-_")
"""A start parameter consists of letters, digits, - and _."""


def call_link(bot: str, name: str) -> str:
    """The link that carries a call; whoever follows it opens the private chat with the bot."""
    return f"https://t.me/{bot}?start={name.translate(_TO_LINK)}"


def parse_result_id(name: str | None) -> ParsedTap | None:
    """The call that a result's id names; None if it names none."""
    tap = callback_data.parse_callback(name)
    return tap if tap is not None and isinstance(tap.what, _CALLS) else None


def posted_call(message: Message) -> ParsedTap | None:
    """The call that a message posted by way of the bot carries; None if it plays nothing."""
    for entity in message.entities:
        if entity.type == MessageEntity.TEXT_LINK and entity.offset == 0 and entity.url is not None:
            return parse_result_id(name_in_link(entity.url))
    return None


def name_in_link(url: str) -> str:
    """The name that `call_link` wrote into a link; anything else names no call."""
    (carried, *_) = parse_qs(urlsplit(url).query).get("start", [""])
    return carried.replace("-", ":").replace("_", "=")
