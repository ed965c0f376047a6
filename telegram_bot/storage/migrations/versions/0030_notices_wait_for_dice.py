"""A notice that would give a result away waits for the dice of a round, in place of the notice that shows them."""

import sqlalchemy as sa
from alembic import op

revision = "0030"
down_revision = "0029"


def upgrade() -> None:
    op.add_column("outbox", sa.Column("after_deal", sa.Integer(), nullable=True))
    op.execute(
        "UPDATE outbox SET after_deal = (SELECT CAST(substr(reveal.slot, 6) AS INTEGER) FROM outbox AS reveal"
        " WHERE reveal.id = outbox.waits_for AND reveal.awaited = 'reveal' AND reveal.slot LIKE 'deal:%')"
        " WHERE status IN ('pending', 'sending', 'held') AND waits_for IS NOT NULL"
    )
    op.drop_index("ix_outbox_waits_for", "outbox")
    op.drop_column("outbox", "waits_for")
