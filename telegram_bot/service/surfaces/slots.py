"""The names of surfaces: each slot of a table contains one message, which is edited or replaced."""

from typing import Final

from telegram_bot.service.repositories import BOARD_SLOTS, ROUND_SLOTS

LOBBY_SLOT: Final = "lobby"
OVER_SLOT: Final = "over"
CLOSED_SLOT: Final = "closed"
REVEAL_SLOTS: Final = "reveal:"
"""The beginning of the slots for ends of rounds in private chats: a new message leaves the old one as it is."""
SLOTS_OF_CHATS: Final = (LOBBY_SLOT, OVER_SLOT, CLOSED_SLOT)
"""The slots of a table's chat that contain no round."""


def unprefixed(slot: str) -> str:
    """Return the name of a slot without the channel of a page that shows it outside the table's chat."""
    _, _, name = slot.partition(":")
    return name if ":" in name or name in SLOTS_OF_CHATS else slot


def deal_slot(deal: int) -> str:
    """Return the slot of a round's message, by the round's `Table.deals`."""
    return f"{ROUND_SLOTS}{deal}"


def menu_slot(host: int) -> str:
    """Return the slot of the lobby in a host's private chat."""
    return f"{LOBBY_SLOT}:{host}"


def hand_slot(player: int) -> str:
    """Return the slot of a player's newest private message."""
    return f"{BOARD_SLOTS}{player}"


def reveal_slot(player: int) -> str:
    """Return the slot of the end of a round in a player's private chat."""
    return f"{REVEAL_SLOTS}{player}"
