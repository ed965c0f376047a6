"""Ephemeral hands in groups are kept up to date, as boards are.

The rows of waiting hands are closed, and their readers are due. The messages of running tables get the keys that they
would have, so that no one is sent a message that they have read. No notice drops another one any more.
"""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0032"
down_revision = "0031"


def upgrade() -> None:
    _give_keys(_close_what_waits())
    op.drop_column("outbox", "dropped_by")


def _close_what_waits() -> dict[tuple[int, str], str]:
    """Make the readers of waiting hands due; return the mode of each hand by its slot."""
    rows = op.get_bind().execute(
        sa.text(
            "SELECT id, lane, table_id, slot, turn, created_at, notice FROM outbox WHERE table_id > 0"
            " AND slot LIKE 'hand:%' AND lane LIKE 'telegram:-%' AND notice IS NOT NULL AND NOT surface"
            " AND status IN ('pending', 'sending', 'held') ORDER BY id"
        ).columns(notice=sa.JSON())
    )
    waiting: dict[tuple[int, str], str] = {}
    for row in rows.all():
        mode, which = row.notice["mode"], (row.table_id, row.slot)
        if mode == "target":
            continue
        waiting[which] = "replace" if "replace" in (waiting.get(which), mode) else mode
        player = int(row.slot.partition(":")[2])
        op.get_bind().execute(
            sa.text(
                "INSERT INTO reader (table_id, player_id, lane, due_at, since, marks, turn, asked_again, given_up)"
                " VALUES (:table, :player, :lane, :since, :since, 1, :turn, 0, '{}')"
                " ON CONFLICT (table_id, player_id) DO UPDATE SET lane = excluded.lane, due_at = excluded.due_at,"
                " since = coalesce(reader.since, excluded.since), marks = reader.marks + 1,"
                " turn = coalesce(excluded.turn, reader.turn)"
            ),
            {"table": row.table_id, "player": player, "lane": row.lane, "since": row.created_at, "turn": row.turn},
        )
        close = "UPDATE outbox SET status = 'superseded', notice = NULL, done_at = created_at WHERE id = :row"
        op.get_bind().execute(sa.text(close), {"row": row.id})
    return waiting


def _give_keys(waiting: dict[tuple[int, str], str]) -> None:
    messages = op.get_bind().execute(
        sa.text(
            "SELECT sent_message.table_id, sent_message.slot, game_table.state, reader.asked_again FROM sent_message"
            " JOIN game_table ON game_table.id = sent_message.table_id"
            " LEFT JOIN reader ON reader.table_id = sent_message.table_id"
            " AND 'hand:' || reader.player_id = sent_message.slot"
            " WHERE game_table.live AND sent_message.receiver IS NOT NULL AND sent_message.slot LIKE 'hand:%'"
        ).columns(state=sa.JSON())
    )
    message = sa.table("sent_message", sa.Column("table_id"), sa.Column("slot"), sa.Column("key", sa.JSON()))
    for row in messages.all():
        here = message.c.table_id == row.table_id, message.c.slot == row.slot
        key = [row.asked_again or 0, *_key(row.slot, row.state, waiting.get((row.table_id, row.slot)))]
        op.get_bind().execute(message.update().where(*here).values(key=key))


def _key(slot: str, state: dict[str, Any], waiting: str | None) -> list[int]:
    """Return the key of a hand: a hand with bids has that of a turn. `waiting`: the mode of what would change it."""
    if waiting == "replace":
        return [state["deals"] - 1, 0]
    turn = None if state["game"] is None else state["game"]["turn"]
    is_asked = turn is not None and slot == f"hand:{state['seats'][turn]['player']}"
    return [state["deals"], state["step"] if is_asked or waiting is not None else 0]
