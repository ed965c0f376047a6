"""voice notes: who was told that they are not heard, and groups that need no tap for a bid that was heard surely."""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("player", schema=None) as batch_op:
        batch_op.add_column(sa.Column("told_of_voice", sa.Boolean(), nullable=False, server_default=sa.false()))
    with op.batch_alter_table("chat", schema=None) as batch_op:
        batch_op.add_column(sa.Column("trusts_voice", sa.Boolean(), nullable=False, server_default=sa.false()))
        batch_op.add_column(sa.Column("told_of_voice", sa.Boolean(), nullable=False, server_default=sa.false()))


def downgrade() -> None:
    with op.batch_alter_table("chat", schema=None) as batch_op:
        batch_op.drop_column("told_of_voice")
        batch_op.drop_column("trusts_voice")
    with op.batch_alter_table("player", schema=None) as batch_op:
        batch_op.drop_column("told_of_voice")
