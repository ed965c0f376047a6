"""Guesses are about a round and no longer about a step; features add parts to the message with the dice.

The guesses of running games are deleted: they named a kind of call.
"""

import sqlalchemy as sa
from alembic import op

revision = "0034"
down_revision = "0033"

LATE = {"kind": "rejection", "reason": "game/stale"}


def upgrade() -> None:
    op.drop_table("prediction")
    op.create_table(
        "prediction",
        sa.Column("table_id", sa.Integer(), sa.ForeignKey("game_table.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("player_id", sa.Integer(), sa.ForeignKey("player.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("deal", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("guess", sa.String(), nullable=False),
        sa.Column("knew", sa.Boolean(), nullable=True),
        sa.Column("haunts", sa.Integer(), nullable=True),
    )
    op.create_index("ix_prediction_player_id", "prediction", ["player_id"])
    op.add_column("round_end", sa.Column("reveal_parts", sa.JSON(), nullable=False, server_default="[]"))
    _answer_waiting_guesses()


def _answer_waiting_guesses() -> None:
    """Let the waiting answer to a guess say that it was too late."""
    outbox = sa.table("outbox", sa.column("id"), sa.column("status"), sa.column("notice", sa.JSON()))
    unsent = outbox.c.status.in_(("pending", "sending", "held"))
    for row in op.get_bind().execute(sa.select(outbox).where(unsent)).all():
        notice = row.notice.get("notice") if isinstance(row.notice, dict) else None
        if isinstance(notice, dict) and notice.get("kind") == "prediction_answer":
            late = outbox.update().where(outbox.c.id == row.id).values(notice=row.notice | {"notice": LATE})
            op.get_bind().execute(late)
