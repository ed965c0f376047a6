"""A seat is a person's: own links, people who want a seat back, and pages that another device has replaced."""

import sqlalchemy as sa
from alembic import op

revision = "0038"
down_revision = "0037"


def upgrade() -> None:
    with op.batch_alter_table("web_entry") as batch:
        batch.add_column(sa.Column("seat_key", sa.String(), nullable=True))
        batch.add_column(sa.Column("claimed", sa.Integer(), nullable=True))
        batch.add_column(sa.Column("votes", sa.JSON(), server_default="{}", nullable=False))
        batch.create_index("ix_web_entry_seat_key", ["seat_key"])
    with op.batch_alter_table("web_session") as batch:
        batch.add_column(sa.Column("replaced", sa.Boolean(), server_default=sa.false(), nullable=False))
