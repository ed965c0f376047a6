"""A tournament knows the table that the big screen shows."""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"


def upgrade() -> None:
    op.add_column("tournament", sa.Column("televised", sa.Integer(), nullable=True))
