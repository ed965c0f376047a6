"""A turn begins when the dice of the round before are shown: a table no longer stores that time twice."""

import sqlalchemy as sa
from alembic import op

revision = "0036"
down_revision = "0035"

TABLES = (
    sa.table("game_table", sa.column("id"), sa.column("state", sa.JSON())),
    sa.table("round_end", sa.column("table_id"), sa.column("deal"), sa.column("before", sa.JSON())),
)


def upgrade() -> None:
    connection = op.get_bind()
    for table in TABLES:
        *key, state = table.c
        for *numbers, stored in connection.execute(sa.select(table)).all():
            if stored is not None:
                here = [column == number for column, number in zip(key, numbers, strict=True)]
                new = {name: value for name, value in stored.items() if name != "reveal_at"}
                connection.execute(table.update().where(*here).values({state: new}))
