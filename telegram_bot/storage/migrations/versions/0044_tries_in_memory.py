"""The failed tries of a notice are counted in memory."""

from alembic import op

revision = "0044"
down_revision = "0043"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.drop_column("outbox", "attempts")
