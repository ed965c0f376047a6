"""A table counts the changes of its lobby by others than the host, and how often its message was asked for again."""

import sqlalchemy as sa
from alembic import op

revision = "0029"
down_revision = "0028"


def upgrade() -> None:
    for name in ("others_changes", "reposts"):
        op.add_column("game_table", sa.Column(name, sa.Integer(), nullable=False, server_default="0"))
