"""questions to phones, and when people and places were last seen."""

import time

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("phone", schema=None) as batch_op:
        batch_op.add_column(sa.Column("question", sa.JSON(), nullable=True))
        batch_op.drop_column("closing_until")
        batch_op.drop_column("leaving_until")
        batch_op.drop_column("leaving_table")
    for table in ("player", "chat"):
        with op.batch_alter_table(table, schema=None) as batch_op:
            batch_op.add_column(sa.Column("seen_at", sa.Float(), nullable=False, server_default="0"))
        # Nobody knows when: who is there is kept as long as somebody who comes today.
        op.get_bind().execute(sa.text(f"UPDATE {table} SET seen_at = :now"), {"now": time.time()})  # noqa: S608


def downgrade() -> None:
    for table in ("chat", "player"):
        with op.batch_alter_table(table, schema=None) as batch_op:
            batch_op.drop_column("seen_at")
    with op.batch_alter_table("phone", schema=None) as batch_op:
        batch_op.add_column(sa.Column("leaving_table", sa.Integer(), nullable=True))
        batch_op.add_column(sa.Column("leaving_until", sa.Float(), nullable=False, server_default="0"))
        batch_op.add_column(sa.Column("closing_until", sa.Float(), nullable=False, server_default="0"))
        batch_op.drop_column("question")
