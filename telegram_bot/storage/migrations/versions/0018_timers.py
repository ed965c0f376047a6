"""A table stores its timers, those of features among them, by name."""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"

TABLES = sa.table("game_table", sa.column("id"), sa.column("state", sa.JSON()))
NAMES = {"interrupt_at": "interruptions", "review_at": "review"}


def upgrade() -> None:
    connection = op.get_bind()
    for row in connection.execute(sa.select(TABLES)).all():
        connection.execute(TABLES.update().where(TABLES.c.id == row.id).values(state=with_timers(row.state)))


def with_timers(old: dict[str, Any]) -> dict[str, Any]:
    """A table."""
    new = {name: value for name, value in old.items() if name != "review_round"}
    times = {timer: new.pop(name, None) for name, timer in NAMES.items()}
    return new | {"timers": {timer: at for timer, at in times.items() if at is not None}}
