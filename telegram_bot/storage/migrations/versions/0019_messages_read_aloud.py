"""messages that are read aloud."""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for table in ("player", "chat"):
        with op.batch_alter_table(table, schema=None) as batch_op:
            batch_op.add_column(sa.Column("aloud", sa.Boolean(), nullable=False, server_default=sa.false()))


def downgrade() -> None:
    for table in ("chat", "player"):
        with op.batch_alter_table(table, schema=None) as batch_op:
            batch_op.drop_column("aloud")
