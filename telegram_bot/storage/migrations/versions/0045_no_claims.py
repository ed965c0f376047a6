"""No process claims an update: one plays."""

from alembic import op

revision = "0045"
down_revision = "0044"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.drop_column("inbox", "claimed_until")
