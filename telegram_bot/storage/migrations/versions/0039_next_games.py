"""The wish for the next game becomes a list: the time of each person's last message."""

import sqlalchemy as sa
from alembic import op

revision = "0039"
down_revision = "0038"


def upgrade() -> None:
    with op.batch_alter_table("next_game_request") as batch:
        batch.add_column(sa.Column("told_at", sa.Float(), server_default="0", nullable=False))
