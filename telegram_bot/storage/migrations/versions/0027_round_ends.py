"""The ends of rounds are stored as facts; those whose dice a chat has not seen yet are in notices that wait."""

import json

import sqlalchemy as sa
from alembic import op

revision = "0027"
down_revision = "0026"


def upgrade() -> None:
    op.create_table(
        "round_end",
        sa.Column("table_id", sa.Integer(), sa.ForeignKey("game_table.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("deal", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("at", sa.Float(), nullable=False),
        sa.Column("cups_at", sa.Float(), nullable=False),
        sa.Column("dice_at", sa.Float(), nullable=False),
        sa.Column("seen_at", sa.Float(), nullable=True),
        sa.Column("view", sa.JSON(), nullable=False),
        sa.Column("before", sa.JSON(), nullable=True),
        sa.Column("awake", sa.JSON(), nullable=False),
        sa.Column("shared", sa.Boolean(), nullable=False),
        sa.Column("over", sa.JSON(), nullable=True),
        sa.Column("parts", sa.JSON(), nullable=False),
    )
    unseen = sa.text("seen_at IS NULL")
    op.create_index("ix_round_end_unseen", "round_end", ["table_id"], sqlite_where=unseen, postgresql_where=unseen)
    op.add_column("game_table", sa.Column("started_parts", sa.JSON(), nullable=True))
    _store_unseen_ends()


def _store_unseen_ends() -> None:
    """Store the ends whose notices wait: their tables must not answer before the dice are seen."""
    connection = op.get_bind()
    waiting = connection.execute(
        sa.text(
            "SELECT outbox.table_id, outbox.slot, outbox.created_at, outbox.not_before, outbox.notice, game_table.state"
            " FROM outbox JOIN game_table ON game_table.id = outbox.table_id"
            " WHERE outbox.status IN ('pending', 'sending') AND outbox.awaited = 'reveal' ORDER BY outbox.id"
        ).columns(notice=sa.JSON(), state=sa.JSON())
    )
    columns = ("table_id", "deal", "at", "cups_at", "dice_at", "view", "awake", "shared", "parts")
    found = {}
    for table, slot, created_at, not_before, envelope, state in waiting.all():
        deal, notice = int(slot.rpartition(":")[2]), envelope["notice"]
        last = deal >= state["deals"] - (state["status"] == "playing")
        dice_at = max(not_before, state["reveal_at"]) if last else not_before
        shown = json.dumps(notice["view"] | {"reaction": None})
        values = (table, deal, created_at, not_before, dice_at, shown, "[]", notice.get("shared", False), "[]")
        found[table, deal] = dict(zip(columns, values, strict=True))
    if found:
        names = ", ".join(f":{name}" for name in columns)
        add = sa.text(f"INSERT INTO round_end ({', '.join(columns)}) VALUES ({names})")  # noqa: S608 - constant names
        connection.execute(add, list(found.values()))
