"""Parts of the league in waiting notices become notices of their feature."""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"

OUTBOX = sa.table("outbox", sa.column("id"), sa.column("status"), sa.column("notice", sa.JSON()))
ANSWERS = {
    "statistics/never_played": "They haven't played here yet. Invite them!",
    "statistics/hidden": "They keep their games to themselves.",
    "statistics/in_group": "Each group has a league of its own. Send /league in your group.",
}


def upgrade() -> None:
    connection = op.get_bind()
    unsent = OUTBOX.c.status.in_(("pending", "sending", "held"))
    for row in connection.execute(sa.select(OUTBOX).where(unsent)).all():
        if not isinstance(row.notice, dict) or not isinstance(row.notice.get("notice"), dict):
            continue
        old = row.notice["notice"]
        told = {"told": renewed(old["told"])} if isinstance(old.get("told"), dict) else {}
        new = renewed(old) | told
        connection.execute(OUTBOX.update().where(OUTBOX.c.id == row.id).values(notice=row.notice | {"notice": new}))


def renewed(old: dict[str, Any]) -> dict[str, Any]:
    """A notice."""
    match old.get("kind"):
        case "game_over":
            new = dict(old)
            evening = {"achievements": new.pop("achievements", ()), "evening": new.pop("evening", ())}
            parts = [{"kind": "evening", **evening}] if any(evening.values()) else []
            return new | {"parts": [*parts, *old.get("parts", ())]}
        case "started":
            new = dict(old)
            memories = new.pop("memories", ())
            return new | {"parts": [{"kind": "memories", "memories": memories}] if memories else []}
        case "rejection" if old["reason"] in ANSWERS:
            return {"kind": "answer", "sentence": ANSWERS[old["reason"]]}
        case _:
            return old
