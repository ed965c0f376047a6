"""One urgency decides the order of notices: six columns of the outbox become three."""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0037"
down_revision = "0036"

ASKS, ENDS, _, TOLD, IDLE = range(5)
URGENCIES = {
    **dict.fromkeys(("table", "hand", "bids", "reminder"), ASKS),
    **dict.fromkeys(("call", "reveal", "game_over", "paused", "resumed"), ENDS),
    **dict.fromkeys(("opened_reveal", "guest", "tournament_entrants"), IDLE),
}
OUTBOX = sa.table(
    "outbox",
    *map(sa.column, ("id", "status", "slot", "urgency", "passing", "supersedable")),
    sa.column("notice", sa.JSON()),
)


def upgrade() -> None:
    for name in ("passing", "again"):
        op.add_column("outbox", sa.Column(name, sa.Boolean(), nullable=False, server_default=sa.false()))
    op.execute("UPDATE outbox SET again = (after_crash = 'sent_again')")
    connection = op.get_bind()
    unsent = OUTBOX.c.status.in_(("pending", "sending", "held"))
    for row in connection.execute(sa.select(OUTBOX).where(unsent)).all():
        envelope = row.notice if isinstance(row.notice, dict) else {}
        if isinstance(envelope.get("notice"), dict):
            said = columns_of(envelope, envelope["notice"], row.slot)
            connection.execute(OUTBOX.update().where(OUTBOX.c.id == row.id).values(said))
    for name in ("urgency_as_new", "overtaking", "left_out", "after_crash", "follows_round"):
        op.drop_column("outbox", name)


def columns_of(envelope: dict[str, Any], notice: dict[str, Any], slot: str | None) -> dict[str, Any]:
    """Return how a waiting notice is sent from now on."""
    kind = notice.get("kind")
    is_calm = kind == "round_over" and not notice.get("shared")
    urgency = IDLE if is_calm else URGENCIES.get(str(kind), TOLD)
    if envelope.get("reply_handle") is not None:
        urgency = ASKS
    return {
        "urgency": urgency,
        "passing": kind in ("reaction", "spoken"),
        "supersedable": slot is not None and envelope.get("mode") != "edit_existing",
    }
