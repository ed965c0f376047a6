"""Columns of the outbox say how a notice is sent; fill them in for the notices of release 1.0."""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

URGENT = {"call", "reveal", "game_over", "reminder", "bids", "resumed", "paused"}
BY_TURNS = {"outdated", "bids", "lobby", "help", "rules", "settings", "rejection", "confirmation"} | {
    *("record", "story", "host", "round_over", "reaction", "spoken")
}
OUTBOX = sa.table(
    "outbox",
    *map(sa.column, ("id", "status", "slot", "urgency", "urgency_as_new", "overtaking", "dropped_by", "left_out")),
    *map(sa.column, ("after_crash", "awaited", "follows_round")),
    sa.column("notice", sa.JSON()),
)


def upgrade() -> None:
    for name in ("urgency", "urgency_as_new"):
        op.add_column("outbox", sa.Column(name, sa.Integer(), nullable=False, server_default="2"))
    for name, usual in (
        ("overtaking", "never"),
        ("dropped_by", "nothing"),
        ("left_out", "never"),
        ("after_crash", "left"),
    ):
        op.add_column("outbox", sa.Column(name, sa.String(), nullable=False, server_default=usual))
    op.add_column("outbox", sa.Column("awaited", sa.String()))
    op.add_column("outbox", sa.Column("follows_round", sa.Boolean(), nullable=False, server_default=sa.false()))
    connection = op.get_bind()
    unsent = OUTBOX.c.status.in_(("pending", "sending", "held"))
    rows = connection.execute(sa.select(OUTBOX.c.id, OUTBOX.c.slot, OUTBOX.c.notice).where(unsent)).all()
    for row in rows:
        if isinstance(row.notice, dict) and isinstance(row.notice.get("notice"), dict):
            filled = policy_of(row.notice, row.notice["notice"], row.slot)
            connection.execute(OUTBOX.update().where(OUTBOX.c.id == row.id).values(filled))


def policy_of(envelope: dict[str, Any], notice: dict[str, Any], slot: str | None) -> dict[str, Any]:
    """How release 1.0 sent a notice."""
    kind, in_slot = notice.get("kind"), slot is not None
    urgency, overtaking, dropped_by, left_out = 2, "by_turns" if kind in BY_TURNS else "never", "nothing", "never"
    match kind:
        case "hand":
            view = notice.get("view", {})
            edits = envelope.get("mode") == "edit_existing"
            urgency, overtaking = 2 if edits else 0 if view.get("on_turn") else 1, "asks"
            dropped_by = "next_turn" if view.get("table", {}).get("bids") else "rounds_end"
        case "table":
            urgency, overtaking = (0, "asks") if notice.get("shared") else (2, "by_turns")
            dropped_by = "its_slot"
        case "reveal" | "game_over":
            overtaking = "ends_round"
        case "call":
            left_out = "if_reveal_is_due"
        case "round_over" if not notice.get("shared"):
            left_out = "in_groups"
        case "reaction":
            left_out = "in_a_hurry"
        case "spoken":
            left_out = "in_a_busy_group"
    if kind in URGENT or envelope.get("reply_handle") is not None:
        urgency = 0
    again = kind in ("hand", "table", "record", "story") or (kind == "reveal" and in_slot)
    awaited = "probe" if kind == "resumed" else kind if kind in ("call", "reveal") and in_slot else None
    own_message = kind in ("hand", "table", "reveal", "call")
    return {
        "urgency": urgency,
        "urgency_as_new": 0 if kind == "table" else urgency,
        "overtaking": overtaking,
        "dropped_by": dropped_by,
        "left_out": left_out,
        "after_crash": "sent_again" if again else "left",
        "awaited": awaited,
        "follows_round": envelope.get("receiver") is None and not own_message,
    }
