"""The names of slots: each slot of a table contains one message, which is edited or replaced.

Only this module knows how a name is written. Features choose names of their own.
"""

from typing import Final

from sqlalchemy import or_
from sqlmodel import col

from telegram_bot.storage.models import SentMessage

TABLES_CHAT: Final = 0
"""The reader that is no player: the table's chat."""

LOBBY_SLOT: Final = "lobby"
OVER_SLOT: Final = "over"
CLOSED_SLOT: Final = "closed"
_ROUND: Final = "deal:"
_BOARD: Final = "hand:"
_ANSWER: Final = "answer:"
_REVEAL: Final = "reveal:"
PAUSED_SLOT: Final = "paused"

OF_A_TABLE: Final = col(SentMessage.table_id) > 0
"""The condition of messages of tables: a feature's message that belongs to none has a number below zero."""
OF_A_ROUND: Final = col(SentMessage.slot).startswith(_ROUND)
"""The condition of rounds' messages in the tables' chats."""
OF_A_GAME: Final = or_(OF_A_ROUND, col(SentMessage.slot).startswith(_BOARD))
"""The condition of these messages, and of the players' own boards."""
SLIP_SLOT: Final = "slip"
"""The slot of the answer to a call that the rules forbid."""
OF_AN_ANSWER: Final = or_(
    col(SentMessage.slot) == SLIP_SLOT, col(SentMessage.slot).startswith(_ANSWER) & col(SentMessage.keyboard)
)
"""The condition of what is said until the next call: that a call is forbidden, and answers with keys for a call, below
other messages than the player's board."""


def deal_slot(deal: int) -> str:
    """Return the slot of a round's message, by the round's `Table.deals`."""
    return f"{_ROUND}{deal}"


def deal_of(slot: str | None) -> int | None:
    """Return the round whose message a slot contains, or None for another slot."""
    return int(slot.removeprefix(_ROUND)) if slot is not None and slot.startswith(_ROUND) else None


def menu_slot(host: int) -> str:
    """Return the slot of the lobby in a host's private chat."""
    return f"{LOBBY_SLOT}:{host}"


def hand_slot(player: int) -> str:
    """Return the slot of a player's newest private message."""
    return f"{_BOARD}{player}"


def reader_of_keys(slot: str) -> int | None:
    """Return the player whose board or menu a slot contains, or None for another slot."""
    begin, _, player = slot.partition(":")
    return int(player) if f"{begin}:" in (_BOARD, f"{LOBBY_SLOT}:") and player else None


def answer_slot(player: int) -> str:
    """Return the slot of the newest answer to a player, in words or as a hint, that has keys for a call."""
    return f"{_ANSWER}{player}"


def answered_in(slot: str) -> int | None:
    """Return the player whom an `answer_slot` answers, or None for another slot."""
    return int(slot.removeprefix(_ANSWER)) if slot.startswith(_ANSWER) else None


def note_slot(player: int) -> str:
    """Return the slot of the message that a player's time is nearly up, or that others play for them."""
    return f"note:{player}"


def chat_note_slot(player: int) -> str:
    """Return the slot of the message in the table's chat that a player's time is nearly up."""
    return f"note:-{player}"


def reveal_slot(player: int) -> str:
    """Return the slot of the end of a round in a player's private chat."""
    return f"{_REVEAL}{player}"


def is_of_a_reveal(slot: str) -> bool:
    """Return True for the end of a round in a private chat: a new message leaves the old one as it is."""
    return slot.startswith(_REVEAL)
