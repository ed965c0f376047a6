"""A message says itself that it becomes a new one; a turn is what its messages ask; pages compute their cards."""

from typing import Any, Final

import sqlalchemy as sa
from alembic import op

revision = "0047"
down_revision = "0046"
branch_labels = None
depends_on = None

SENT: Final = sa.table(
    "sent_message", sa.column("table_id", sa.Integer), sa.column("slot", sa.String), sa.column("key", sa.JSON)
)
NO_DEAL: Final = 10**6
"""In the key of the end of a game."""


def upgrade() -> None:
    op.add_column("sent_message", sa.Column("again", sa.Boolean(), nullable=False, server_default=sa.false()))
    found = op.get_bind().execute(sa.select(SENT)).all()
    keys = [{"of": row.table_id, "into": row.slot, "now": row.key[1:]} for row in found if _is_counted(row)]
    if keys:
        here = SENT.c.table_id == sa.bindparam("of"), SENT.c.slot == sa.bindparam("into")
        op.get_bind().execute(sa.update(SENT).where(*here).values(key=sa.bindparam("now", type_=sa.JSON)), keys)
    for name in ("turn", "asked_again", "given_up"):
        op.drop_column("reader", name)
    # Streams compute these cards, and no reader stands for pages. A card that is left would hide a newer one.
    op.execute("DELETE FROM web_card WHERE slot IN ('table', 'hand', 'over', 'end')")
    op.execute("DELETE FROM reader WHERE player_id = -1")


def _is_counted(row: Any) -> bool:
    """Whether the first number of a key says how often its reader has asked again: texts have no such number."""
    of_a_text = row.slot.startswith("hand:") and len(row.key) == len(("deals", "step")) and row.key[1] < NO_DEAL
    of_a_surface = row.slot.split(":")[0] in ("lobby", "deal", "over", "closed", "hand", "reveal", "web")
    return of_a_surface and len(row.key) > 1 and not of_a_text
