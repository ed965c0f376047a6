"""A table stores whether its options keep the game out of leagues, and a view of it whether one person practises.

Until now both looked for the option that allows hints.
"""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"

TABLES = sa.table("game_table", sa.column("id"), sa.column("state", sa.JSON()))
OUTBOX = sa.table("outbox", sa.column("id"), sa.column("status"), sa.column("notice", sa.JSON()))


def upgrade() -> None:
    connection = op.get_bind()
    for row in connection.execute(sa.select(TABLES)).all():
        if allows_hints(row.state):
            state = row.state | {"unrated": True}
            connection.execute(TABLES.update().where(TABLES.c.id == row.id).values(state=state))
    unsent = OUTBOX.c.status.in_(("pending", "sending", "held"))
    for row in connection.execute(sa.select(OUTBOX).where(unsent)).all():
        new = with_practice(row.notice)
        if new != row.notice:
            connection.execute(OUTBOX.update().where(OUTBOX.c.id == row.id).values(notice=new))


def allows_hints(table: dict[str, Any]) -> bool:
    """Whether a table, or the view of one, has the option."""
    return bool(table.get("options", {}).get("hints") == "on")


def with_practice(value: Any) -> Any:
    """A notice, or a part of one."""
    if isinstance(value, list):
        return [with_practice(each) for each in value]
    if not isinstance(value, dict):
        return value
    new = {name: with_practice(each) for name, each in value.items() if name != "coached"}
    return new | {"practice": value["coached"] and not allows_hints(value)} if "coached" in value else new
