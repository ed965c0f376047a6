"""Readers of tables: their messages are compared with those that they should see.

The rows of their waiting messages are closed, and these readers are due. The messages of running tables get the keys
that they would have, so that no one is sent a message that they have read.
"""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0031"
down_revision = "0030"

AFTER_ALL_TURNS = 10**6
TABLES_CHAT = 0
DECORATIONS = ("reaction", "opened_reveal")


def upgrade() -> None:
    op.create_table(
        "reader",
        sa.Column("table_id", sa.Integer(), sa.ForeignKey("game_table.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("player_id", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("lane", sa.String(), nullable=False),
        sa.Column("due_at", sa.Float(), nullable=True),
        sa.Column("since", sa.Float(), nullable=True),
        sa.Column("marks", sa.Integer(), nullable=False),
        sa.Column("turn", sa.Integer(), nullable=True),
        sa.Column("asked_again", sa.Integer(), nullable=False),
        sa.Column("given_up", sa.JSON(), nullable=False),
    )
    due = sa.text("due_at IS NOT NULL")
    op.create_index("ix_reader_due", "reader", ["lane", "due_at"], sqlite_where=due, postgresql_where=due)
    op.add_column("outbox", sa.Column("surface", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.add_column("sent_message", sa.Column("key", sa.JSON(), nullable=False, server_default="[]"))
    op.add_column("sent_message", sa.Column("frozen", sa.Boolean(), nullable=False, server_default=sa.false()))
    waiting = _close_what_waits()
    _give_keys(waiting)


def _close_what_waits() -> dict[tuple[int, str], tuple[str, str]]:
    """Make the readers of waiting messages due; return the kind of notice and the mode of each message by its slot."""
    rows = op.get_bind().execute(
        sa.text(
            "SELECT id, lane, table_id, slot, turn, created_at, notice FROM outbox WHERE table_id > 0"
            " AND slot IS NOT NULL AND lane LIKE 'telegram:%' AND notice IS NOT NULL"
            " AND status IN ('pending', 'sending', 'held') ORDER BY id"
        ).columns(notice=sa.JSON())
    )
    waiting: dict[tuple[int, str], tuple[str, str]] = {}
    readers: dict[tuple[int, int], dict[str, Any]] = {}
    closed = []
    for row in rows:
        reader = _reader_of(row)
        kind, mode = row.notice["notice"]["kind"], row.notice["mode"]
        if reader is None or kind in DECORATIONS or mode == "target":
            continue
        closed.append({"row": row.id})
        first = waiting.get((row.table_id, row.slot), ("", ""))
        waiting[row.table_id, row.slot] = kind, "replace" if "replace" in (first[1], mode) else mode
        due = readers.setdefault((row.table_id, reader), {"since": row.created_at, "turn": None})
        due |= {"lane": row.lane} | ({} if row.turn is None else {"turn": row.turn})
    for (table, player), values in readers.items():
        op.get_bind().execute(
            sa.text(
                "INSERT INTO reader (table_id, player_id, lane, due_at, since, marks, turn, asked_again, given_up)"
                " VALUES (:table, :player, :lane, :since, :since, 1, :turn, 0, '{}')"
            ),
            {"table": table, "player": player, **values},
        )
    if closed:
        close = "UPDATE outbox SET status = 'superseded', notice = NULL, done_at = created_at WHERE id = :row"
        op.get_bind().execute(sa.text(close), closed)
    return waiting


def _reader_of(row: Any) -> int | None:
    """Return the reader of a message: a player in their own chat, or the table's chat."""
    slot: str = row.slot
    if slot in ("lobby", "over", "closed") or slot.startswith("deal:"):
        return TABLES_CHAT
    name, _, player = slot.partition(":")
    return int(player) if name in ("hand", "reveal") and not row.lane.startswith("telegram:-") else None


def _give_keys(waiting: dict[tuple[int, str], tuple[str, str]]) -> None:
    messages = op.get_bind().execute(
        sa.text(
            "SELECT sent_message.table_id, sent_message.slot, game_table.state FROM sent_message"
            " JOIN game_table ON game_table.id = sent_message.table_id WHERE game_table.live"
        ).columns(state=sa.JSON())
    )
    keys = [
        {"in_table": row.table_id, "in_slot": row.slot, "shown": key, "stays": frozen}
        for row in messages
        for key, frozen in [_key(row.slot, row.state, waiting.get((row.table_id, row.slot)))]
    ]
    if keys:
        columns = sa.column("key", sa.JSON()), sa.column("frozen", sa.Boolean())
        message = sa.table("sent_message", sa.column("table_id"), sa.column("slot"), *columns)
        here = message.c.table_id == sa.bindparam("in_table"), message.c.slot == sa.bindparam("in_slot")
        shown = {"key": sa.bindparam("shown", type_=sa.JSON()), "frozen": sa.bindparam("stays")}
        op.get_bind().execute(message.update().where(*here).values(shown), keys)


def _key(slot: str, state: dict[str, Any], waiting: tuple[str, str] | None) -> tuple[list[int], bool]:
    """Return the key of a message and whether it is history. `waiting`: what would have edited or replaced it."""
    kind, mode = waiting or ("", "")
    deals, name = state["deals"], slot.partition(":")[0]
    if name == "deal":
        is_over = slot != f"deal:{deals}" or kind in ("call", "reveal")
        return [int(is_over and mode != "replace")], is_over and waiting is None
    if name == "reveal":
        return [deals - 1 - (waiting is not None)], True
    if name == "hand":
        return _key_of_board(slot, state, is_old=mode == "replace")
    return [0], name == "lobby" and state["status"] == "playing" and waiting is None


def _key_of_board(slot: str, state: dict[str, Any], *, is_old: bool) -> tuple[list[int], bool]:
    """Return the key of a player's board. `is_old`: the board of the running round waits to replace it."""
    if is_old:
        return [0, state["deals"] - 1, 0], False
    player = int(slot.partition(":")[2])
    seat = next((seat for seat, sitting in enumerate(state["seats"]) if sitting["player"] == player), None)
    if state["game"] is not None and seat is not None and seat in state["game"]["eliminated"]:
        return [0, AFTER_ALL_TURNS], True
    return [0, state["deals"], 0], False
