"""The face that a player has chosen."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("player", sa.Column("face", sa.String(), nullable=True))
