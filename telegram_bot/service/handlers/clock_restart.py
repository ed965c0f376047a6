"""Restart the turn clocks after an outage, some tables at a time.

`outages` notes in the database that clocks are to begin anew; the note is also how far it has come, so that it happens
once for all workers, and goes on where a killed one stopped.
"""

from __future__ import annotations

import json
import logging
from dataclasses import asdict, dataclass, replace

from sqlmodel import col, select

from telegram_bot.service.records import load_table
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.models import GameTable, KeyValue
from telegram_bot.tables.turn_clock import restart_after_outage

log = logging.getLogger(__name__)

RESTART = "restart"
"""The key of the stored progress."""
PAGE = 25
"""The number of tables in one transaction: few, so that updates are handled in between."""


@dataclass(frozen=True, slots=True)
class ClockRestart:
    """The turn clocks to restart: all, or those that ended between `since` and `began`; after table `after`."""

    began: float
    since: float
    whole: bool
    after: int | None
    """None: done."""
    last: int

    @classmethod
    def from_note(cls, value: str) -> ClockRestart:
        """Read the stored progress."""
        return cls(**json.loads(value))

    def to_note(self) -> str:
        """The progress as text."""
        return json.dumps(asdict(self))


def restart_page(uow: UnitOfWork) -> bool:
    """Restart the turn clocks of the next few tables; False: another worker is doing it, or nothing is left to do."""
    locked = select(KeyValue).where(KeyValue.key == RESTART).with_for_update(skip_locked=True)
    note = uow.session.exec(locked).one_or_none()
    restart = None if note is None else ClockRestart.from_note(note.value)
    if note is None or restart is None or restart.after is None:
        return False
    query = (
        select(GameTable.id)
        .where(col(GameTable.live), col(GameTable.due_at).is_not(None))
        .where(col(GameTable.id) > restart.after, col(GameTable.id) <= restart.last)
        .order_by(col(GameTable.id))
        .limit(PAGE)
    )
    if not restart.whole:
        query = query.where(col(GameTable.due_at) >= restart.since, col(GameTable.due_at) <= restart.began)
    tables = [table for table in uow.session.exec(query) if table is not None]
    for table in tables:
        try:
            with uow.session.begin_nested():
                _restart_clocks(uow, table)
        except Exception as error:  # noqa: BLE001 - a table that cannot be read keeps no other one waiting
            log.error("the clock of table %s was not begun anew: %s", table, type(error).__name__)  # noqa: TRY400
    done = len(tables) < PAGE
    note.value = replace(restart, after=None if done else tables[-1]).to_note()
    return True


def _restart_clocks(uow: UnitOfWork, table: int) -> None:
    row = uow.lock_table(table)
    if row is None or not row.live:
        return
    before = load_table(row)
    uow.commit_step(row, before, restart_after_outage(before, now=uow.now, timings=uow.timings))
