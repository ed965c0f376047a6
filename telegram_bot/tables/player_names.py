"""Find a player of a table by name."""

from __future__ import annotations

import unicodedata

from telegram_bot.tables.events import RejectedError, RejectionReason
from telegram_bot.tables.model import COMPUTER_MARK, Table


def player_named(table: Table, name: str) -> int:
    """Who is meant by a name, by its beginning, or by a place in the list; nobody where it could be several."""
    if name.isdecimal():
        found = table.seats[int(name) - 1 : int(name)] if int(name) else ()
    else:
        whole = [seat for seat in table.seats if _plain(seat.name) == _plain(name)]
        found = tuple(whole or [seat for seat in table.seats if _plain(seat.name).startswith(_plain(name))])
    if len(found) != 1:
        raise RejectedError(RejectionReason.NOBODY)
    return found[0].player


def _plain(name: str) -> str:
    """A name as it is compared: without capitals and accents."""
    parted = unicodedata.normalize("NFKD", name.removeprefix(COMPUTER_MARK).casefold())
    return " ".join("".join(letter for letter in parted if not unicodedata.combining(letter)).split())
