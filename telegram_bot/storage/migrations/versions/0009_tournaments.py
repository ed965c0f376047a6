"""Tournaments, the people who take part, and their tables."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "tournament",
        sa.Column("id", sa.Integer(), primary_key=True),
        _reference("chat", nullable=False, index=True),
        sa.Column("live", sa.Boolean(), nullable=False),
        sa.Column("phase", sa.String(), nullable=False),
        sa.Column("stage", sa.Integer(), nullable=False),
        sa.Column("computers", sa.Boolean(), nullable=False),
        sa.Column("rules", sa.JSON(), nullable=False),
        sa.Column("changed_at", sa.Float(), nullable=False),
    )
    live = {"sqlite_where": sa.text("live"), "postgresql_where": sa.text("live")}
    op.create_index("uq_tournament_live_chat", "tournament", ["chat_id"], unique=True, **live)
    op.create_table(
        "tournament_entrant",
        _reference("tournament", primary_key=True),
        _reference("player", primary_key=True, index=True),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("table_id", sa.Integer(), nullable=True),
        sa.Column("out", sa.Boolean(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=True),
    )
    op.create_table(
        "tournament_table",
        sa.Column("table_id", sa.Integer(), sa.ForeignKey("game_table.id", ondelete="CASCADE"), primary_key=True),
        _reference("tournament", nullable=False, index=True),
        sa.Column("stage", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("over", sa.Boolean(), nullable=False),
    )


def _reference(table: str, **more: bool) -> sa.Column[int]:
    return sa.Column(f"{table}_id", sa.Integer(), sa.ForeignKey(f"{table}.id", ondelete="CASCADE"), **more)
