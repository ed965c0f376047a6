"""A person and a group store the features' switches by name, and the settings show all switches in one place."""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"

OUTBOX = sa.table("outbox", sa.column("id"), sa.column("status"), sa.column("notice", sa.JSON()))
USUAL = {"asks_twice": False, "tips": True, "trusts_voice": None, "animations": None, "aloud": None}


def upgrade() -> None:
    connection = op.get_bind()
    for name in ("player", "chat"):
        op.add_column(name, sa.Column("switched_on", sa.JSON(), nullable=False, server_default="[]"))
        rows = sa.table(name, sa.column("aloud", sa.Boolean()), sa.column("switched_on", sa.JSON()))
        connection.execute(rows.update().where(rows.c.aloud).values(switched_on=["aloud"]))
        op.drop_column(name, "aloud")
    unsent = OUTBOX.c.status.in_(("pending", "sending", "held"))
    for row in connection.execute(sa.select(OUTBOX).where(unsent)).all():
        old = row.notice.get("notice") if isinstance(row.notice, dict) else None
        if isinstance(old, dict) and old.get("kind") == "settings":
            new = row.notice | {"notice": with_switches(old)}
            connection.execute(OUTBOX.update().where(OUTBOX.c.id == row.id).values(notice=new))


def with_switches(old: dict[str, Any]) -> dict[str, Any]:
    """The settings of a person or a group."""
    new = dict(old)
    values = {name: new.pop(name, usual) for name, usual in USUAL.items()}
    if not new["private"]:
        values |= {"asks_twice": None, "tips": None}
    return new | {"switches": {name: value for name, value in values.items() if value is not None}}
