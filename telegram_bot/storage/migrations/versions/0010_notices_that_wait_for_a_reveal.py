"""a notice may wait for another one; what was written after a message is known."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("outbox", sa.Column("waits_for", sa.BigInteger(), nullable=True))
    op.create_index(
        "ix_outbox_waits_for",
        "outbox",
        ["waits_for"],
        sqlite_where=sa.text("waits_for IS NOT NULL"),
        postgresql_where=sa.text("waits_for IS NOT NULL"),
    )
    op.add_column("sent_message", sa.Column("followed", sa.Boolean(), nullable=False, server_default=sa.false()))


def downgrade() -> None:
    with op.batch_alter_table("sent_message", schema=None) as batch_op:
        batch_op.drop_column("followed")
    op.drop_index("ix_outbox_waits_for", table_name="outbox")
    with op.batch_alter_table("outbox", schema=None) as batch_op:
        batch_op.drop_column("waits_for")
