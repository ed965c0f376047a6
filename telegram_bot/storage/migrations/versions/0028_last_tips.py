"""A person's last tip is stored with the table and the step at which they were given it."""

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = "0027"


def upgrade() -> None:
    op.add_column("player", sa.Column("last_tip", sa.JSON(), nullable=True))
