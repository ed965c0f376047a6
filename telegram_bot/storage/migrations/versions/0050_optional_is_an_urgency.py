"""A notice that a busy group does without has an urgency of its own."""

import sqlalchemy as sa
from alembic import op

revision = "0050"
down_revision = "0049"
branch_labels = None
depends_on = None


def upgrade() -> None:
    outbox = sa.table("outbox", sa.column("urgency", sa.Integer), sa.column("passing", sa.Boolean))
    op.execute(outbox.update().where(outbox.c.passing).values(urgency=5))
    op.drop_column("outbox", "passing")
