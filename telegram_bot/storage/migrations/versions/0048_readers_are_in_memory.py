"""The readers of a table are in the memory of the process that plays: after a start, all that are live are compared."""

from alembic import op

revision = "0048"
down_revision = "0047"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.drop_table("reader")
