"""Write and parse the callback data of buttons: at most 64 bytes, no secrets, everything checked after a tap.

The data names the table and, if the request counts at one step of the game only, that step. The rest follows from the
request's class.
"""

import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import parse_qs, urlsplit

from telegram_bot.intents.request import Request
from telegram_bot.notices.base import start_link
from telegram_bot.service.handlers.game_requests import CallCalza, CallDudo, MakeBid
from telegram_bot.service.handlers.settings import Choose
from telegram_bot.service.requests import read_button, write_button
from telegram_bot.words.catalogue import LANGUAGES

LONGEST: Final = 64
"""In bytes."""
_SHAPE: Final = re.compile(
    r"(?P<area>[lgp]):(?P<table>\d{1,15})(?::(?P<step>\d{1,9}))?:(?P<asked>[a-z_]+(?:=[^:=\s]*)?)", re.ASCII
)


@dataclass(frozen=True, slots=True)
class ParsedTap:
    """The request of a tapped button."""

    request: Request
    table: int | None
    step: int | None


def data_of(request: Request, table: int | None = None, step: int | None = None) -> str:
    """Return the data of a button for this request at a step of a table's game.

    Raises:
        ValueError: no button can make the request, or the data is too long.
    """
    if request.bound_to_step and step is None:
        raise ValueError(f"{request} counts at one step only")
    head = "p:0" if table is None else f"g:{table}:{step}" if request.bound_to_step else f"l:{table}"
    data = f"{head}:{write_button(request)}"
    if len(data.encode()) > LONGEST:
        raise ValueError(f"{data} is longer than {LONGEST} bytes")
    return data


def parse_callback(data: str | None) -> ParsedTap | None:
    """Return the request in a button's data, or None if no button of the bot has this data.

    The data is untrusted.
    """
    found = _SHAPE.fullmatch(data) if data and len(data.encode(errors="replace")) <= LONGEST else None
    if found is None or (found["area"] == "g") != (found["step"] is not None):
        return None
    at_table = found["area"] != "p"
    request = read_button(found["asked"], at_table=at_table)
    if request is None or (request.bound_to_step and found["step"] is None):
        return None
    if isinstance(request, Choose) and request.name == "chosen_language" and request.value not in (None, *LANGUAGES):
        return None
    return ParsedTap(
        request, int(found["table"]) if at_table else None, int(found["step"]) if request.bound_to_step else None
    )


# The id of an inline result with a call is a game button's data. The message that the result posts names its player and
# chat, but not the result. Therefore the sign at its beginning is a link to the bot with the same data. The data
# contains only what the message shows.

_CALLS: Final = (MakeBid, CallDudo, CallCalza)
_TO_LINK: Final = str.maketrans(":=", "-_")
"""A start parameter consists of letters, digits, - and _."""


def parse_result_id(name: str | None) -> ParsedTap | None:
    """Return the call in a result's id, or None if it contains none."""
    tap = parse_callback(name)
    return tap if tap is not None and isinstance(tap.request, _CALLS) else None


def call_link(bot: str, name: str) -> str:
    """Return the link that contains a call. The link opens the private chat with the bot."""
    return start_link(bot, name.translate(_TO_LINK))


def name_in_link(url: str) -> str:
    """Return the name that `call_link` wrote into a link, or "" if none can be read; other links name no call."""
    try:
        (carried, *_) = parse_qs(urlsplit(url).query).get("start", [""])
    except ValueError:
        return ""
    return carried.replace("-", ":").replace("_", "=")
