"""A tournament's host stays the host while they do something, on the list or not."""

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"


def upgrade() -> None:
    op.add_column("tournament", sa.Column("host_id", sa.Integer(), nullable=True))
    op.add_column("tournament", sa.Column("host_at", sa.Float(), nullable=False, server_default="0"))
    op.execute("UPDATE tournament SET host_at = changed_at")
