"""Waiting notices about the predictions of spectators become notices of their feature."""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"

TABLES = sa.table("game_table", sa.column("id"), sa.column("state", sa.JSON()))
OUTBOX = sa.table("outbox", *map(sa.column, ("id", "status", "table_id")), sa.column("notice", sa.JSON()))
ANSWERS = {"predicted": "stored", "prediction/late": "late", "prediction/player": "playing"}


def upgrade() -> None:
    connection = op.get_bind()
    unsent = OUTBOX.c.status.in_(("pending", "sending", "held"))
    for row in connection.execute(sa.select(OUTBOX).where(unsent)).all():
        if not isinstance(row.notice, dict) or not isinstance(row.notice.get("notice"), dict):
            continue
        state = connection.execute(sa.select(TABLES.c.state).where(TABLES.c.id == row.table_id)).scalar()
        new = renewed(row.notice["notice"], state["options"] if state else {})
        connection.execute(OUTBOX.update().where(OUTBOX.c.id == row.id).values(notice=row.notice | {"notice": new}))


def renewed(old: Any, options: dict[str, str]) -> Any:
    """A notice or a part of it; the views of a game contain the options of its lobby."""
    if isinstance(old, list):
        return [renewed(each, options) for each in old]
    if not isinstance(old, dict):
        return old
    if old.get("done") == "predicted" or old.get("reason") in ANSWERS:
        answer = ANSWERS[old.get("reason") or "predicted"]
        return {"kind": "prediction_answer", "answer": answer, "call": old.get("predicted") or "raise"}
    new = {name: renewed(value, options) for name, value in old.items()}
    if "predictable" in new:
        del new["predictable"]
        new["options"] = options
    if new.get("kind") == "game_over" and (prophets := new.pop("prophets", ())):
        new["parts"] = [{"kind": "prophets", "prophets": prophets}]
    if new.get("kind") == "confirmation":
        new.pop("predicted", None)
    return new
