"""Admission to rooms: the answer to each person, links that end with the evening, a key for the big screen."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("chat", sa.Column("plays_since", sa.Float(), nullable=False, server_default="0"))
    # The evening of a running table began with this table. Codes of older tables end.
    began = "(SELECT created_at FROM game_table WHERE chat_id = chat.id AND live)"
    op.execute(sa.text(f"UPDATE chat SET plays_since = COALESCE({began}, 0)"))  # noqa: S608 - no words from outside
    op.create_table(
        "web_entry",
        sa.Column("chat_id", sa.Integer(), sa.ForeignKey("chat.id"), primary_key=True),
        sa.Column("player_id", sa.Integer(), sa.ForeignKey("player.id"), primary_key=True, index=True),
        sa.Column("answer", sa.String(), nullable=False),
        sa.Column("at", sa.Float(), nullable=False),
    )
    op.execute(
        sa.text(
            "INSERT INTO web_entry (chat_id, player_id, answer, at)"
            " SELECT chat_id, player_id, 'admitted', MAX(seen_at) FROM web_session"
            " WHERE admitted AND chat_id IS NOT NULL AND player_id IS NOT NULL GROUP BY chat_id, player_id"
        )
    )
    op.drop_column("web_session", "admitted")
    op.add_column("web_session", sa.Column("admitted_at", sa.Float(), nullable=False, server_default="0"))
    # Links without a date are disabled: their evening is unknown.
    op.drop_table("web_room")
    op.create_table(
        "web_room",
        sa.Column("chat_id", sa.Integer(), sa.ForeignKey("chat.id"), primary_key=True),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("screen_key", sa.String(), nullable=False),
        sa.Column("made_at", sa.Float(), nullable=False),
        sa.Column("locked", sa.Boolean(), nullable=False),
        sa.Column("door_changed", sa.Boolean(), nullable=False),
        sa.Column("host_told", sa.JSON(), nullable=False),
        sa.Column("host_told_at", sa.Float(), nullable=False),
        sa.Column("times_told", sa.Integer(), nullable=False),
    )
