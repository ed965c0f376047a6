"""Calls that are asked twice: the second tap counts, unless it comes in the same moment as the first."""

from __future__ import annotations

from typing import Final

from telegram_bot.tables.events import Step
from telegram_bot.tables.model import FirstTap, Table

SOONEST_SECONDS: Final = 0.7
"""A second tap that comes sooner is a finger that slipped twice."""
LATEST_SECONDS: Final = 30.0


def confirm(table: Table, player: int, call: str, *, now: float) -> Step | None:
    """None: this is the second tap, and the call counts. Else the table that remembers the first tap."""
    first = FirstTap(player=player, call=call, step=table.step, at=now)
    others = tuple(tap for tap in table.first_taps if tap.step == table.step and tap.player != player)
    for tap in table.first_taps:
        if (tap.player, tap.call, tap.step) == (player, call, table.step) and now - tap.at <= LATEST_SECONDS:
            return Step(table) if now - tap.at < SOONEST_SECONDS else None
    return Step(table.replace(first_taps=(*others, first)))
