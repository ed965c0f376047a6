"""Tournaments, the people who take part, and their tables."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "tournament",
        sa.Column("id", sa.Integer(), primary_key=True),
        _reference("chat"),
        sa.Column("live", sa.Boolean(), nullable=False),
        sa.Column("phase", sa.String(), nullable=False),
        sa.Column("stage", sa.Integer(), nullable=False),
        sa.Column("computers", sa.Boolean(), nullable=False),
        sa.Column("rules", sa.JSON(), nullable=False),
        sa.Column("changed_at", sa.Float(), nullable=False),
    )
    live = sa.text("live")
    op.create_index(
        "uq_tournament_live_chat", "tournament", ["chat_id"], unique=True, sqlite_where=live, postgresql_where=live
    )
    op.create_table(
        "tournament_entrant",
        _reference("tournament", is_key=True, index=False),
        _reference("player", is_key=True),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("table_id", sa.Integer(), nullable=True),
        sa.Column("out", sa.Boolean(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=True),
    )
    op.create_table(
        "tournament_table",
        sa.Column("table_id", sa.Integer(), sa.ForeignKey("game_table.id", ondelete="CASCADE"), primary_key=True),
        _reference("tournament"),
        sa.Column("stage", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("over", sa.Boolean(), nullable=False),
    )


def _reference(table: str, *, is_key: bool = False, index: bool = True) -> sa.Column[int]:
    refers = sa.ForeignKey(f"{table}.id", ondelete="CASCADE")
    return sa.Column(f"{table}_id", sa.Integer(), refers, primary_key=is_key, nullable=False, index=index)
