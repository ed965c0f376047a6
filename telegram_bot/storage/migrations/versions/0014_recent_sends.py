"""recent sends of a group."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("lane", schema=None) as batch_op:
        batch_op.add_column(sa.Column("recent_sends", sa.JSON(), nullable=False, server_default="[]"))
        batch_op.drop_column("group_arrival")


def downgrade() -> None:
    with op.batch_alter_table("lane", schema=None) as batch_op:
        batch_op.add_column(sa.Column("group_arrival", sa.Float(), nullable=False, server_default="0"))
        batch_op.drop_column("recent_sends")
