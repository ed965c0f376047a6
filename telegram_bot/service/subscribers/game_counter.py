"""Count games and rounds of the whole installation, for `/metrics` and doctor."""

from __future__ import annotations

from typing import Final

from sqlalchemy import bindparam
from sqlalchemy.dialects import postgresql, sqlite
from sqlmodel import SQLModel

from perudo_core import Revealed, RoundConceded
from telegram_bot.service.unit_of_work import CommittedStep, UnitOfWork
from telegram_bot.tables.events import GameStarted
from telegram_bot.tables.model import Status

SHARDS: Final = 16
"""The number of rows over which the counts are spread by table, so that transactions of several tables rarely wait."""


class GameCounter:
    """Counts games that began, games that have a winner, and rounds that came to an end."""

    def step_committed(self, uow: UnitOfWork, committed: CommittedStep) -> None:
        """Add the counts of the step in one statement; most steps add nothing."""
        counted = count(committed)
        if any(counted.values()):
            shard = (committed.row.id or 0) % SHARDS
            uow.session.execute(_ADD[uow.session.get_bind().dialect.name], {"the_shard": shard, **counted})


def count(committed: CommittedStep) -> dict[str, int]:
    """What one step adds to each count. A round that ended because somebody left is not counted."""
    step, before = committed.step, committed.before
    was_finished = before is not None and before.status is Status.FINISHED
    return {
        "games_started": sum(isinstance(event, GameStarted) for event in step.events),
        "games_finished": int(step.table.status is Status.FINISHED and not was_finished),
        "rounds_played": sum(isinstance(event, Revealed | RoundConceded) for event in step.game_events),
    }


_TALLY: Final = SQLModel.metadata.tables["game_tally"]
_COUNTS: Final = [column for column in _TALLY.columns if not column.primary_key]
_ADD: Final = {
    dialect: insert(_TALLY)
    .values({"shard": bindparam("the_shard"), **{column.name: bindparam(column.name) for column in _COUNTS}})
    .on_conflict_do_update(
        index_elements=["shard"], set_={column.name: column + bindparam(column.name) for column in _COUNTS}
    )
    for dialect, insert in (("sqlite", sqlite.insert), ("postgresql", postgresql.insert))
}
"""Built once: building a statement takes longer than executing it."""
