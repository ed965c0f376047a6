"""many workers."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

DEAD = "done_at IS NOT NULL AND error IS NOT NULL"
PAUSED = "paused_until > 0"


def upgrade() -> None:
    with op.batch_alter_table("inbox", schema=None) as batch_op:
        batch_op.create_index("ix_inbox_dead", ["id"], sqlite_where=sa.text(DEAD), postgresql_where=sa.text(DEAD))
    with op.batch_alter_table("lane", schema=None) as batch_op:
        batch_op.create_index(
            "ix_lane_paused", ["paused_until"], sqlite_where=sa.text(PAUSED), postgresql_where=sa.text(PAUSED)
        )
    # Until now what succeeded in the end kept the error of an earlier try.
    op.execute("UPDATE inbox SET error = NULL WHERE done_at IS NOT NULL AND attempts < 3")


def downgrade() -> None:
    with op.batch_alter_table("lane", schema=None) as batch_op:
        batch_op.drop_index("ix_lane_paused")
    with op.batch_alter_table("inbox", schema=None) as batch_op:
        batch_op.drop_index("ix_inbox_dead")
