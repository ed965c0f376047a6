"""Addresses that stand for something of Telegram: `tg://user`, `tg://emoji`, `tg://time`, and the entities of links."""

import re
from collections.abc import Callable
from contextlib import suppress

from telegram_sandbox.model import Json
from telegram_sandbox.text.links import checked_link

FindPerson = Callable[[int], Json | None]

_OWN = re.compile(r"tg:(?://)?(user|emoji|time)/?\?([^#]*)", re.IGNORECASE)
_NUMBER = re.compile(r"-?[1-9][0-9]{0,18}")
_LATEST = 2**31


def link(url: str, find_person: FindPerson) -> Json | None:
    """Return the entity for a link, or None where Telegram silently drops it."""
    if (number := _number(_parameters("user", url.lower()).get("id"))) and number > 0:
        user = find_person(number)
        return {"type": "text_mention", "user": user} if user else None
    with suppress(ValueError):
        return {"type": "text_link", "url": checked_link(url)}
    return None


def image(url: str) -> Json | None:
    """Return the entity for the address of a custom emoji or a moment, None for any other one."""
    if number := _number(_parameters("emoji", url).get("id")):
        return {"type": "custom_emoji", "custom_emoji_id": str(number)}
    given = _parameters("time", url)
    unix = _number(given.get("unix"))
    with suppress(ValueError):
        return moment(unix, given.get("format", "")) if unix and 0 < unix < _LATEST else None
    return None


def moment(unix: int, wish: str) -> Json:
    """Return the entity of a date and time, which each reader sees in their own time zone.

    Raises:
        ValueError: there is no such format.
    """
    if not re.fullmatch("[rR]|[tTdDwW]*", wish):
        raise ValueError("Invalid date format used")
    parts = [next((each for each in kind if each in wish), "") for kind in ("rR", "wW", "dD", "tT")]
    form = "".join(parts).replace("R", "r").replace("W", "w")
    return {"type": "date_time", "unix_time": unix, "date_time_format": form}


def _parameters(host: str, url: str) -> dict[str, str]:
    found = _OWN.match(url)
    if found is None or found[1].lower() != host:
        return {}
    given = [one.partition("=") for one in found[2].split("&")]
    return {name: value for name, _, value in reversed(given)}


def _number(text: str | None) -> int | None:
    return int(text) if text and _NUMBER.fullmatch(text) else None
