"""what a phone texted before."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("phone", schema=None) as batch_op:
        batch_op.add_column(sa.Column("resumed_at", sa.Float(), nullable=True))
        batch_op.add_column(sa.Column("keywords", sa.JSON(), nullable=True))
        batch_op.add_column(sa.Column("last_text", sa.String(), nullable=False, server_default=""))
        batch_op.add_column(sa.Column("same_count", sa.Integer(), nullable=False, server_default="0"))
        batch_op.add_column(sa.Column("same_at", sa.Float(), nullable=False, server_default="0"))


def downgrade() -> None:
    with op.batch_alter_table("phone", schema=None) as batch_op:
        batch_op.drop_column("same_at")
        batch_op.drop_column("same_count")
        batch_op.drop_column("last_text")
        batch_op.drop_column("keywords")
        batch_op.drop_column("resumed_at")
