"""A big screen shows a code by which a host brings their table to it."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("web_session", sa.Column("pairing_code", sa.String(), nullable=True))
    op.add_column("web_session", sa.Column("pairing_ends", sa.Float(), nullable=False, server_default="0"))
    op.create_index("ix_web_session_pairing_code", "web_session", ["pairing_code"], unique=True)
