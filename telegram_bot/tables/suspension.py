"""Tables in a place where the bot cannot write: their clocks stand, their players are free, nothing is lost."""

from __future__ import annotations

from telegram_bot.tables.events import ProbeDue, TableChange, TableResumed
from telegram_bot.tables.model import Status, Table, Timings
from telegram_bot.tables.play import start_clock

FIRST_PROBE_SECONDS = 60
LONGEST_PROBE_SECONDS = 3600


def suspend(table: Table, *, now: float, timings: Timings) -> TableChange:
    """Stop every clock until the bot can write again; a table that nobody resumes closes after a long time."""
    if table.suspended_at is not None or table.status not in (Status.LOBBY, Status.PLAYING):
        return TableChange(table)
    return TableChange(
        table.replace(
            suspended_at=now,
            probe_at=now + FIRST_PROBE_SECONDS,
            idle_at=now + timings.paused_idle_seconds,
            clock_ends=None,
            reminder_at=None,
            retell_at=None,
            claims_close=None,
        )
    )


def probe(table: Table, *, now: float) -> TableChange:
    """Ask whether the bot can write again, and less and less often."""
    if table.suspended_at is None:
        return TableChange(table)
    pause = min(max(now - table.suspended_at, FIRST_PROBE_SECONDS), LONGEST_PROBE_SECONDS)
    return TableChange(table.replace(probe_at=now + pause), (ProbeDue(),))


def resume(table: Table, *, now: float, timings: Timings) -> TableChange:
    """Go on where the table stood, with a whole new clock for the player on turn."""
    if table.suspended_at is None:
        return TableChange(table)
    back = table.replace(suspended_at=None, probe_at=None, idle_at=None)
    if back.status is Status.LOBBY:
        return TableChange(back.replace(idle_at=now + timings.lobby_idle_seconds), (TableResumed(),))
    fresh = start_clock(back, now=now, timings=timings)
    claims_close = now + timings.claim_window_seconds if table.claims else None
    going = fresh.table.replace(claims=table.claims, claims_close=claims_close)
    return TableChange(going, (TableResumed(), *fresh.events))
