"""Tips for new players: whether a player wants them, and which ones they have been told."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("player", sa.Column("tips", sa.Boolean(), nullable=False, server_default=sa.true()))
    op.add_column("player", sa.Column("tips_told", sa.JSON(), nullable=False, server_default="[]"))
