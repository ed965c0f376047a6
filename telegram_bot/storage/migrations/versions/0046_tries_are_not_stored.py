"""A try to show a surface has no row: what is not sent is compared again."""

from alembic import op

revision = "0046"
down_revision = "0045"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("DELETE FROM outbox WHERE surface AND status IN ('pending', 'sending')")
    op.drop_column("outbox", "surface")
    op.drop_column("outbox", "again")
