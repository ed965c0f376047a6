"""messages that are pictures, and who wants them."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for table in ("player", "chat"):
        with op.batch_alter_table(table, schema=None) as batch_op:
            batch_op.add_column(sa.Column("pictures", sa.Boolean(), nullable=True))
    with op.batch_alter_table("sent_message", schema=None) as batch_op:
        batch_op.add_column(sa.Column("picture", sa.Boolean(), nullable=False, server_default=sa.false()))


def downgrade() -> None:
    with op.batch_alter_table("sent_message", schema=None) as batch_op:
        batch_op.drop_column("picture")
    for table in ("player", "chat"):
        with op.batch_alter_table(table, schema=None) as batch_op:
            batch_op.drop_column("pictures")
