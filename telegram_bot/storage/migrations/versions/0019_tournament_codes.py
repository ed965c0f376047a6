"""A tournament has a code, by which phones join."""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"


def upgrade() -> None:
    op.add_column("tournament", sa.Column("code", sa.String(), nullable=True))
    op.create_index("ix_tournament_code", "tournament", ["code"], unique=True)
