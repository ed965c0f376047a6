"""players choose a text for every bid no longer."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # The answer that explained the choice has no words any more.
    op.execute(sa.text("""DELETE FROM outbox WHERE CAST(notice AS TEXT) LIKE '%"verbose_how"%'"""))
    op.drop_column("player", "verbose")
