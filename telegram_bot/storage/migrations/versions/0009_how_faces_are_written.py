"""how faces are written."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for table in ("player", "chat"):
        with op.batch_alter_table(table, schema=None) as batch_op:
            batch_op.add_column(sa.Column("dice_style", sa.String(), nullable=False, server_default="keycaps"))


def downgrade() -> None:
    for table in ("chat", "player"):
        with op.batch_alter_table(table, schema=None) as batch_op:
            batch_op.drop_column("dice_style")
