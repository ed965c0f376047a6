"""A tournament's tables show only dice that their players have seen."""

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"


def upgrade() -> None:
    op.add_column("tournament_table", sa.Column("dice", sa.JSON(), nullable=True))
