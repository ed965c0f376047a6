"""In every row a table stores its clock, suspension and claims as values of their own, and a notice its key."""

from collections.abc import Mapping
from typing import Any, Final

import sqlalchemy as sa
from alembic import op

revision = "0040"
down_revision = "0039"
branch_labels = None
depends_on = None

TABLES: Final = (
    sa.table("game_table", sa.column("id"), sa.column("state", sa.JSON())),
    sa.table("round_end", sa.column("table_id"), sa.column("deal"), sa.column("before", sa.JSON())),
)
FLAT: Final = {
    "running": {"clock_since": "since", "clock_ends": "ends"}
    | {name: name for name in ("reminder_at", "retell_at", "think_at")},
    "suspension": {"suspended_at": "since", "probe_at": "probe_at"},
    "this_step": {"claims": "claims", "claims_close": "claims_close"},
}
OUTBOX: Final = sa.table("outbox", sa.column("id"), sa.column("notice", sa.JSON(none_as_null=True)))
KEYS: Final = {"edit": [], "newest": [], "replace": [0]}


def upgrade() -> None:
    connection = op.get_bind()
    for row in connection.execute(sa.select(OUTBOX).where(OUTBOX.c.notice.is_not(None))).all():
        if isinstance(row.notice, dict) and "mode" in row.notice:
            connection.execute(OUTBOX.update().where(OUTBOX.c.id == row.id).values(notice=with_key(row.notice)))
    for table in TABLES:
        *key, state = table.c
        for *numbers, stored in connection.execute(sa.select(table)).all():
            if stored is not None and "clock_ends" in stored:
                here = [column == number for column, number in zip(key, numbers, strict=True)]
                connection.execute(table.update().where(*here).values({state: with_parts(stored)}))


def with_key(old: Mapping[str, Any]) -> dict[str, Any]:
    """A waiting notice, which said by its mode whether it edits a message."""
    new = {name: value for name, value in old.items() if name != "mode"}
    return new | {"key": KEYS.get(old["mode"]), "edit_only": old["mode"] == "edit_existing"}


def with_parts(old: Mapping[str, Any]) -> dict[str, Any]:
    """A table whose fields were flat. A part without a value is the usual one."""
    new = dict(old)
    for part, names in FLAT.items():
        flat = {name: new.pop(flat, None) for flat, name in names.items()}
        if found := {name: value for name, value in flat.items() if value is not None}:
            new[part] = (new.get(part) or {}) | found
    return new
