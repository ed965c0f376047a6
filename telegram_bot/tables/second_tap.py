"""Calls that are asked twice: the second tap counts, unless it comes in the same moment as the first.

So it is with a call that was heard in a voice note and read aloud to the player, who says that it is right.
"""

from __future__ import annotations

from typing import Final

from telegram_bot.tables.events import TableChange
from telegram_bot.tables.model import FirstTap, Table

SOONEST_SECONDS: Final = 0.7
"""A second tap that comes sooner is a finger that slipped twice."""
LATEST_SECONDS: Final = 30.0
LATEST_HEARD_SECONDS: Final = 120.0
"""Whoever listens to what was heard and answers by voice takes longer."""
_HEARD: Final = "heard:"


def remember(table: Table, player: int, call: str, *, now: float) -> Table:
    """The table that remembers which call was heard from a player, and nothing that they tapped before."""
    others = tuple(tap for tap in table.first_taps if tap.step == table.step and tap.player != player)
    return table.replace(first_taps=(*others, FirstTap(player=player, call=_HEARD + call, step=table.step, at=now)))


def remembered(table: Table, player: int, *, now: float) -> str | None:
    """The call that was heard from a player and can still be confirmed; None if there is none."""
    for tap in table.first_taps:
        if (tap.player, tap.step) == (player, table.step) and now - tap.at <= LATEST_HEARD_SECONDS:
            return tap.call.removeprefix(_HEARD) if tap.call.startswith(_HEARD) else None
    return None


def confirm(table: Table, player: int, call: str, *, now: float) -> TableChange | None:
    """None: this is the second tap, and the call counts. Else the table that remembers the first tap."""
    first = FirstTap(player=player, call=call, step=table.step, at=now)
    others = tuple(tap for tap in table.first_taps if tap.step == table.step and tap.player != player)
    for tap in table.first_taps:
        if (tap.player, tap.call, tap.step) == (player, call, table.step) and now - tap.at <= LATEST_SECONDS:
            return TableChange(table) if now - tap.at < SOONEST_SECONDS else None
    return TableChange(table.replace(first_taps=(*others, first)))
