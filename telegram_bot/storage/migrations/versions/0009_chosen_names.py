"""A person's chosen name stays: the messenger's name does not replace it."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("player", sa.Column("named", sa.Boolean(), nullable=False, server_default=sa.false()))
