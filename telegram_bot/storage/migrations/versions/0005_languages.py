"""languages."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for table in ("player", "chat"):
        with op.batch_alter_table(table, schema=None) as batch_op:
            batch_op.add_column(sa.Column("chosen_language", sa.String(), nullable=True))


def downgrade() -> None:
    for table in ("chat", "player"):
        with op.batch_alter_table(table, schema=None) as batch_op:
            batch_op.drop_column("chosen_language")
