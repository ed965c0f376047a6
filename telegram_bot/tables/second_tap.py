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
    first = table.first_tap
    if first is None or (first.player, first.call, first.step) != (player, call, table.step):
        return Step(table.replace(first_tap=FirstTap(player=player, call=call, step=table.step, at=now)))
    since = now - first.at
    if since < SOONEST_SECONDS:
        return Step(table)
    if since > LATEST_SECONDS:
        return Step(table.replace(first_tap=first.model_copy(update={"at": now})))
    return None
