"""A table stores the host's choices that are no rules in one place, without usual values."""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"

TABLES = sa.table("game_table", sa.column("id"), sa.column("state", sa.JSON()))
OUTBOX = sa.table("outbox", sa.column("id"), sa.column("status"), sa.column("notice", sa.JSON()))


def upgrade() -> None:
    connection = op.get_bind()
    for row in connection.execute(sa.select(TABLES)).all():
        connection.execute(TABLES.update().where(TABLES.c.id == row.id).values(state=with_options(row.state)))
    unsent = OUTBOX.c.status.in_(("pending", "sending", "held"))
    for row in connection.execute(sa.select(OUTBOX).where(unsent)).all():
        old = row.notice.get("notice") if isinstance(row.notice, dict) else None
        if not isinstance(old, dict):
            continue
        if old.get("kind") in ("lobby", "started"):
            new = old | {"view": with_options(old["view"])}
        elif old.get("kind") == "confirmation":
            new = with_value(old)
        else:
            continue
        connection.execute(OUTBOX.update().where(OUTBOX.c.id == row.id).values(notice=row.notice | {"notice": new}))


def with_options(old: dict[str, Any]) -> dict[str, Any]:
    """A table, or the view of a lobby."""
    new = dict(old)
    hints, predictions = new.pop("hints", False), new.pop("predictions", "once_out")
    chosen = {"hints": "on" if hints else "off", "predictions": predictions}
    usual = {"hints": "off", "predictions": "once_out"}
    return new | {"options": {name: value for name, value in chosen.items() if value != usual[name]}}


def with_value(old: dict[str, Any]) -> dict[str, Any]:
    """A confirmation, perhaps of a choice in the lobby."""
    new = dict(old)
    hints, predictions = new.pop("hints", False), new.pop("predictions", None)
    match new.get("option"):
        case "hints":
            return new | {"value": "on" if hints else "off"}
        case "predictions":
            return new | {"value": predictions}
        case _:
            return new
