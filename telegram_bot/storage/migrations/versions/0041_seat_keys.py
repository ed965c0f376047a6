"""An own link has a time, and so has the page that it opens; of a claim its number is stored."""

import sqlalchemy as sa
from alembic import op

revision = "0041"
down_revision = "0040"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("web_entry") as batch:
        batch.add_column(sa.Column("seat_key_at", sa.Float(), server_default="0", nullable=False))
        batch.add_column(sa.Column("number", sa.Integer(), server_default="0", nullable=False))
    with op.batch_alter_table("web_session") as batch:
        batch.add_column(sa.Column("linked_at", sa.Float(), nullable=True))
