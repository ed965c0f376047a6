"""Whether pages show a chat's room follows from the rows of pages."""

from alembic import op

revision = "0049"
down_revision = "0048"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.drop_column("chat", "watched")
