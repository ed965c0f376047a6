"""A host's menu is kept up to date, and a table's message is shown again by its key.

Keys of all surfaces now begin with the number of times that a reader asked again. A waiting menu is closed, and its
reader is due.
"""

import sqlalchemy as sa
from alembic import op

revision = "0033"
down_revision = "0032"


def upgrade() -> None:
    _close_waiting_menus()
    _begin_keys_with_zero()
    op.drop_column("game_table", "reposts")


def _close_waiting_menus() -> None:
    """Make the readers of waiting menus due: one that waits as a new message is asked for again."""
    query = sa.text(
        "SELECT outbox.id, lane, table_id, slot, outbox.created_at, notice FROM outbox"
        " JOIN game_table ON game_table.id = outbox.table_id WHERE game_table.status = 'lobby'"
        " AND slot LIKE 'lobby:%' AND lane LIKE 'telegram:%' AND notice IS NOT NULL"
        " AND outbox.status IN ('pending', 'sending', 'held')"
    ).columns(notice=sa.JSON())
    for row in op.get_bind().execute(query).all():
        mark = sa.text(
            "INSERT INTO reader (table_id, player_id, lane, due_at, since, marks, turn, asked_again, given_up)"
            " VALUES (:table, :player, :lane, :since, :since, 1, NULL, :again, '{}')"
            " ON CONFLICT (table_id, player_id) DO UPDATE SET due_at = excluded.due_at, marks = reader.marks + 1,"
            " asked_again = reader.asked_again + excluded.asked_again"
        )
        reader = {"table": row.table_id, "player": int(row.slot.partition(":")[2]), "lane": row.lane}
        again = int(row.notice["mode"] == "replace")
        op.get_bind().execute(mark, reader | {"since": row.created_at, "again": again})
        close = "UPDATE outbox SET status = 'superseded', notice = NULL, done_at = created_at WHERE id = :row"
        op.get_bind().execute(sa.text(close), {"row": row.id})


def _begin_keys_with_zero() -> None:
    as_json = "CAST({} AS JSON)" if op.get_bind().dialect.name == "postgresql" else "{}"
    prefixed = as_json.format("'[0, ' || substr(CAST(key AS TEXT), 2)")
    op.execute(
        f"UPDATE sent_message SET key = {prefixed} WHERE slot NOT LIKE '%hand:%' AND CAST(key AS TEXT) <> '[]'"  # noqa: S608
    )
    first = as_json.format("'[0, 0]'")
    op.execute(f"UPDATE sent_message SET key = {first} WHERE slot LIKE '%lobby:%' AND CAST(key AS TEXT) = '[]'")  # noqa: S608
    op.execute("UPDATE reader SET asked_again = 0 WHERE player_id <= 0")
