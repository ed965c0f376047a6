"""Tables have no number of missed turns that the bot plays: it plays all turns of a player who is away."""

from typing import Final

import sqlalchemy as sa
from alembic import op

revision = "0051"
down_revision = "0050"
branch_labels = None
depends_on = None

TABLES: Final = sa.table("game_table", sa.column("id"), sa.column("state", sa.JSON()))
ENDS: Final = sa.table("round_end", sa.column("table_id"), sa.column("deal"), sa.column("before", sa.JSON()))
STORED: Final = ((TABLES, TABLES.c.state, (TABLES.c.id,)), (ENDS, ENDS.c.before, (ENDS.c.table_id, ENDS.c.deal)))
"""The columns with states of tables, and the keys of their rows."""


def upgrade() -> None:
    connection = op.get_bind()
    for table, column, keys in STORED:
        for state, *key in connection.execute(sa.select(column, *keys).where(column.is_not(None))).all():
            if state and "misses_played" in state:
                del state["misses_played"]
                same = sa.and_(*(each == value for each, value in zip(keys, key, strict=True)))
                connection.execute(table.update().where(same).values({column: state}))
