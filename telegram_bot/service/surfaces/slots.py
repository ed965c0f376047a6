"""The names of surfaces: each slot of a table contains one message, which is edited or replaced."""

from typing import Final

from telegram_bot.tables.model import Table

LOBBY_SLOT: Final = "lobby"
OVER_SLOT: Final = "over"
CLOSED_SLOT: Final = "closed"


def deal_slot(table: Table) -> str:
    """Return the slot of the running round's message."""
    return f"deal:{table.deals}"


def hand_slot(player: int) -> str:
    """Return the slot of a player's newest private message."""
    return f"hand:{player}"


def reveal_slot(player: int) -> str:
    """Return the slot of the end of a round in a player's private chat."""
    return f"reveal:{player}"
