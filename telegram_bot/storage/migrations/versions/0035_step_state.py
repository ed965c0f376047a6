"""A table keeps together what the next call forgets."""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0035"
down_revision = "0034"

TABLES = (
    sa.table("game_table", sa.column("id"), sa.column("state", sa.JSON())),
    sa.table("round_end", sa.column("table_id"), sa.column("deal"), sa.column("before", sa.JSON())),
)
FLAGS = {
    "spoken": "spoken",
    "shared_at": "shared",
    "ephemeral_sent_at": "ephemeral_sent",
    "waited_for_note": "waited_for_note",
}
LISTS = ("first_taps", "help_given")


def upgrade() -> None:
    connection = op.get_bind()
    for table in TABLES:
        *key, state = table.c
        for *numbers, stored in connection.execute(sa.select(table)).all():
            if stored is not None:
                here = [column == number for column, number in zip(key, numbers, strict=True)]
                connection.execute(table.update().where(*here).values({state: with_step_state(stored)}))


def with_step_state(old: dict[str, Any]) -> dict[str, Any]:
    """A table. Notes of an earlier step had no effect any more."""
    new = {name: value for name, value in old.items() if name not in ("timed_out", *FLAGS, *LISTS)}
    noted = {name: [each for each in old.get(name, ()) if each["step"] == old["step"]] for name in LISTS}
    return new | {
        "this_step": {
            "timed_out": old.get("timed_out"),
            **{flag: old.get(name) == old["step"] for name, flag in FLAGS.items()},
            **{name: [{key: each[key] for key in each if key != "step"} for each in noted[name]] for name in LISTS},
        }
    }
