"""Answers that wait in the outbox become notices of their features: to requests for a story, and for a daily hand."""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"

OUTBOX = sa.table("outbox", *map(sa.column, ("id", "status", "table_id")), sa.column("notice", sa.JSON()))


def upgrade() -> None:
    connection = op.get_bind()
    unsent = OUTBOX.c.status.in_(("pending", "sending", "held"))
    for row in connection.execute(sa.select(OUTBOX).where(unsent)).all():
        old = row.notice.get("notice") if isinstance(row.notice, dict) else None
        if not isinstance(old, dict) or old.get("kind") != "confirmation":
            continue
        new: dict[str, Any]
        done = str(old.get("done"))
        if done == "no_daily_hand":
            new = {"kind": "answer", "sentence": "The hand of the day isn't ready yet. Ask again in a minute."}
        elif done.startswith("story_"):
            new = {"kind": "story_answer", "table": row.table_id or 0, "answer": done.removeprefix("story_")}
        else:
            continue
        connection.execute(OUTBOX.update().where(OUTBOX.c.id == row.id).values(notice=row.notice | {"notice": new}))
