"""The process that plays counts its sends in memory: no chat has a row with its limits."""

import sqlalchemy as sa
from alembic import op

revision = "0043"
down_revision = "0042"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.drop_table("lane")
    rate = sa.table("rate", sa.column("key"))
    op.execute(rate.delete().where(rate.c.key.endswith(":bot", autoescape=True)))
