"""Attachments without a file, in the fields of the Bot API."""

import random

from telegram_sandbox.model import Json, StoredMessage

DICE = {"🎲": 6, "🎯": 6, "🎳": 6, "🏀": 5, "⚽": 5, "🎰": 64}
"""The highest value of each emoji that is animated with a random value."""

LIVE_FIELDS = ("live_period", "heading", "proximity_alert_radius")


def dice(emoji: str) -> Json:
    """Return an emoji with a random value.

    Raises:
        KeyError: it is no emoji of `DICE`.
    """
    return {"dice": {"emoji": emoji, "value": random.randint(1, DICE[emoji])}}  # noqa: S311 - decides no secret


def venue(latitude: float, longitude: float, title: str, address: str) -> Json:
    """Return a place with a name and an address."""
    location = {"latitude": latitude, "longitude": longitude}
    return {"venue": {"location": location, "title": title, "address": address}, "location": location}


def is_live(message: StoredMessage, now: float) -> bool:
    """Return whether a message has a location that may still move."""
    location = (message.attachment or {}).get("location", {})
    return now < message.date + int(location.get("live_period", 0))


def shown(message: StoredMessage, now: float) -> Json:
    """Return the attachment of a message; a live location that is over is a place like any other."""
    found = message.attachment or {}
    if "location" in found and not is_live(message, now):
        place = {name: value for name, value in found["location"].items() if name not in LIVE_FIELDS}
        return found | {"location": place}
    return found
