"""the first release."""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

BIG_KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def where(condition: str) -> dict[str, Any]:
    """An index of the rows for which the condition is true."""
    return {"sqlite_where": sa.text(condition), "postgresql_where": sa.text(condition)}


def upgrade() -> None:
    # Constraints and indexes without a name get the one of `models.NAMING`.
    op.create_table(
        "chat",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("channel", sa.String(), nullable=False),
        sa.Column("address", sa.BigInteger(), nullable=False),
        sa.Column("topic", sa.BigInteger(), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("language", sa.String()),
        sa.Column("chosen_language", sa.String()),
        sa.Column("dice_style", sa.String(), nullable=False),
        sa.Column("pictures", sa.Boolean()),
        sa.Column("animations", sa.Boolean(), nullable=False),
        sa.Column("aloud", sa.Boolean(), nullable=False),
        sa.Column("ephemeral", sa.Boolean()),
        sa.Column("ephemeral_replies", sa.Boolean(), nullable=False),
        sa.Column("trusts_voice", sa.Boolean(), nullable=False),
        sa.Column("told_of_voice", sa.Boolean(), nullable=False),
        sa.Column("watched", sa.Boolean(), nullable=False),
        sa.Column("lost_at", sa.Float()),
        sa.Column("rules", sa.JSON()),
        sa.Column("clock", sa.JSON()),
        sa.Column("seen_at", sa.Float(), nullable=False),
        sa.UniqueConstraint("channel", "address", "topic"),
    )
    op.create_table(
        "computer_statistics",
        sa.Column("level", sa.String(), primary_key=True),
        sa.Column("character", sa.String(), primary_key=True),
        sa.Column("mu", sa.Float(53), nullable=False),
        sa.Column("sigma", sa.Float(53), nullable=False),
        sa.Column("games", sa.Integer(), nullable=False),
        sa.Column("wins", sa.Integer(), nullable=False),
    )
    op.create_table(
        "game_tally",
        sa.Column("shard", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("games_started", sa.BigInteger(), nullable=False),
        sa.Column("games_finished", sa.BigInteger(), nullable=False),
        sa.Column("rounds_played", sa.BigInteger(), nullable=False),
    )
    op.create_table(
        "inbox",
        sa.Column("id", BIG_KEY, primary_key=True),
        sa.Column("source", sa.String(), nullable=False),
        sa.Column("cause", sa.String(), nullable=False),
        sa.Column("payload", sa.JSON()),
        sa.Column("facts", sa.JSON()),
        sa.Column("received_at", sa.Float(), nullable=False),
        sa.Column("done_at", sa.Float()),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("error", sa.String()),
        sa.Column("claimed_until", sa.Float(), nullable=False),
        sa.UniqueConstraint("source", "cause"),
        sa.Index("ix_inbox_dead", "id", **where("done_at IS NOT NULL AND error IS NOT NULL")),
        sa.Index("ix_inbox_open", "id", **where("done_at IS NULL")),
    )
    op.create_table(
        "lane",
        sa.Column("name", sa.String(), primary_key=True),
        sa.Column("holder", sa.String()),
        sa.Column("leased_until", sa.Float(), nullable=False),
        sa.Column("paused_until", sa.Float(), nullable=False),
        sa.Column("chat_arrival", sa.Float(), nullable=False),
        sa.Column("recent_sends", sa.JSON(), nullable=False),
        sa.Index("ix_lane_paused", "paused_until", **where("paused_until > 0")),
    )
    op.create_table(
        "note",
        sa.Column("key", sa.String(), primary_key=True),
        sa.Column("value", sa.String(), nullable=False),
    )
    op.create_table(
        "outbox",
        sa.Column("id", BIG_KEY, primary_key=True),
        sa.Column("lane", sa.String(), nullable=False),
        sa.Column("table_id", sa.Integer(), index=True),
        sa.Column("turn", sa.Integer()),
        sa.Column("slot", sa.String()),
        sa.Column("supersedable", sa.Boolean(), nullable=False),
        sa.Column("notice", sa.JSON()),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("not_before", sa.Float(), nullable=False),
        sa.Column("created_at", sa.Float(), nullable=False),
        sa.Column("expires_at", sa.Float()),
        sa.Column("waits_for", sa.BigInteger()),
        sa.Column("done_at", sa.Float()),
        sa.Column("error", sa.String()),
        sa.Index("ix_outbox_open", "lane", "id", **where("status IN ('pending', 'sending')")),
        sa.Index("ix_outbox_waits_for", "waits_for", **where("waits_for IS NOT NULL")),
    )
    op.create_table(
        "phone",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("number", sa.String(), nullable=False),
        sa.Column("number_hash", sa.String(), nullable=False, unique=True),
        sa.Column("region", sa.String(), nullable=False),
        sa.Column("zone", sa.String(), nullable=False),
        sa.Column("gateway", sa.String(), nullable=False),
        sa.Column("language", sa.String()),
        sa.Column("spoken", sa.String()),
        sa.Column("created_at", sa.Float(), nullable=False),
        sa.Column("heard_at", sa.Float(), nullable=False),
        sa.Column("agreed_at", sa.Float()),
        sa.Column("opted_out_at", sa.Float()),
        sa.Column("hinted_at", sa.Float()),
        sa.Column("heard_since", sa.Float(), nullable=False),
        sa.Column("heard_count", sa.Integer(), nullable=False),
        sa.Column("resumed_at", sa.Float()),
        sa.Column("keywords", sa.JSON()),
        sa.Column("last_text", sa.String(), nullable=False),
        sa.Column("same_count", sa.Integer(), nullable=False),
        sa.Column("same_at", sa.Float(), nullable=False),
        sa.Column("question", sa.JSON()),
    )
    op.create_table(
        "player",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("channel", sa.String(), nullable=False),
        sa.Column("address", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("username", sa.String()),
        sa.Column("language", sa.String()),
        sa.Column("chosen_language", sa.String()),
        sa.Column("dice_style", sa.String(), nullable=False),
        sa.Column("pictures", sa.Boolean()),
        sa.Column("view", sa.String(), nullable=False),
        sa.Column("direct", sa.String(), nullable=False),
        sa.Column("focus", sa.Integer()),
        sa.Column("phone", sa.Integer(), unique=True),
        sa.Column("verbose", sa.Boolean(), nullable=False),
        sa.Column("quiet", sa.JSON()),
        sa.Column("awake_until", sa.Float(), nullable=False),
        sa.Column("nameless", sa.Boolean(), nullable=False),
        sa.Column("told_of_voice", sa.Boolean(), nullable=False),
        sa.Column("asks_twice", sa.Boolean(), nullable=False),
        sa.Column("aloud", sa.Boolean(), nullable=False),
        sa.Column("seen_at", sa.Float(), nullable=False),
        sa.Column("hidden", sa.Boolean(), nullable=False),
        sa.Column("guest", sa.Boolean(), nullable=False),
        sa.Column("window_open", sa.Boolean(), nullable=False),
        sa.UniqueConstraint("channel", "address"),
    )
    op.create_table(
        "rate",
        sa.Column("key", sa.String(), primary_key=True),
        sa.Column("arrival", sa.Float(), nullable=False),
    )
    op.create_table(
        "sent_message",
        sa.Column("table_id", sa.Integer(), primary_key=True),
        sa.Column("slot", sa.String(), primary_key=True),
        sa.Column("chat", sa.BigInteger(), nullable=False),
        sa.Column("message", sa.BigInteger(), nullable=False),
        sa.Column("receiver", sa.BigInteger()),
        sa.Column("keyboard", sa.Boolean(), nullable=False),
        sa.Column("followed", sa.Boolean(), nullable=False),
        sa.Column("picture", sa.Boolean(), nullable=False),
        sa.Column("digest", sa.String()),
        sa.Index("ix_sent_message_message", "chat", "message"),
    )
    op.create_table(
        "web_card",
        sa.Column("address", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("table_id", sa.Integer(), primary_key=True),
        sa.Column("slot", sa.String(), primary_key=True),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("notice", sa.JSON(), nullable=False),
        sa.Index("ix_web_card_seq", "seq"),
    )
    op.create_table(
        "web_room",
        sa.Column("chat_id", sa.Integer(), sa.ForeignKey("chat.id"), primary_key=True),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("locked", sa.Boolean(), nullable=False),
    )
    op.create_table(
        "web_session",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("token_hash", sa.String(), nullable=False, unique=True),
        sa.Column("player_id", sa.Integer(), sa.ForeignKey("player.id"), index=True),
        sa.Column("chat_id", sa.Integer(), sa.ForeignKey("chat.id"), index=True),
        sa.Column("admitted", sa.Boolean(), nullable=False),
        sa.Column("language", sa.String(), nullable=False),
        sa.Column("seen_at", sa.Float(), nullable=False),
        sa.Column("open_until", sa.Float(), nullable=False),
        sa.Index("ix_web_session_open", "open_until", **where("open_until > 0")),
    )
    op.create_table(
        "text_tally",
        sa.Column("day", sa.String(), primary_key=True),
        sa.Column("scope", sa.String(), primary_key=True),
        sa.Column("texts", sa.Integer(), nullable=False),
        sa.Column("cost", sa.BigInteger(), nullable=False),
    )
    op.create_table(
        "award",
        sa.Column("player_id", sa.Integer(), sa.ForeignKey("player.id"), primary_key=True),
        sa.Column("name", sa.String(), primary_key=True),
        sa.Column("result_id", BIG_KEY, nullable=False, index=True),
        sa.Column("told", sa.Boolean(), nullable=False),
    )
    op.create_table(
        "game_table",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("code", sa.String(), nullable=False, unique=True),
        sa.Column("chat_id", sa.Integer(), sa.ForeignKey("chat.id"), nullable=False, index=True),
        sa.Column("live", sa.Boolean(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("state", sa.JSON(), nullable=False),
        sa.Column("due_at", sa.Float(), index=True),
        sa.Column("page", sa.String()),
        sa.Column("created_at", sa.Float(), nullable=False),
        sa.Column("updated_at", sa.Float(), nullable=False),
        sa.Index("ix_game_table_over", "updated_at", **where("NOT live")),
        sa.Index("uq_game_table_live_chat", "chat_id", unique=True, **where("live")),
    )
    op.create_table(
        "daily_decision",
        sa.Column("player_id", sa.Integer(), sa.ForeignKey("player.id"), primary_key=True),
        sa.Column("day", sa.Integer(), primary_key=True, autoincrement=False, index=True),
        sa.Column("call", sa.String(), nullable=False),
        sa.Column("streak", sa.Integer(), nullable=False),
    )
    op.create_table(
        "link_code",
        sa.Column("code", sa.String(), primary_key=True),
        sa.Column("player_id", sa.Integer(), sa.ForeignKey("player.id"), nullable=False, unique=True),
        sa.Column("expires_at", sa.Float(), nullable=False),
    )
    op.create_table(
        "member",
        sa.Column("channel", sa.String(), primary_key=True),
        sa.Column("address", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("player_id", sa.Integer(), sa.ForeignKey("player.id"), primary_key=True, index=True),
        sa.Column("gone", sa.Boolean(), nullable=False),
        sa.Column("unreachable_until", sa.Float(), nullable=False),
    )
    op.create_table(
        "next_game_request",
        sa.Column("chat_id", sa.Integer(), sa.ForeignKey("chat.id"), primary_key=True),
        sa.Column("player_id", sa.Integer(), sa.ForeignKey("player.id"), primary_key=True, index=True),
        sa.Column("table_id", sa.Integer()),
    )
    op.create_table(
        "player_statistics",
        sa.Column("player_id", sa.Integer(), sa.ForeignKey("player.id"), primary_key=True),
        sa.Column("mu", sa.Float(53), nullable=False),
        sa.Column("sigma", sa.Float(53), nullable=False),
        sa.Column("games", sa.Integer(), nullable=False),
        sa.Column("wins", sa.Integer(), nullable=False),
        sa.Column("streak", sa.Integer(), nullable=False),
        sa.Column("best_streak", sa.Integer(), nullable=False),
        sa.Column("drought", sa.Integer(), nullable=False),
        sa.Column("last_places", sa.Integer(), nullable=False),
        sa.Column("bids", sa.Integer(), nullable=False),
        sa.Column("bluffs", sa.Integer(), nullable=False),
        sa.Column("dudos", sa.Integer(), nullable=False),
        sa.Column("dudos_right", sa.Integer(), nullable=False),
        sa.Column("calzas", sa.Integer(), nullable=False),
        sa.Column("calzas_right", sa.Integer(), nullable=False),
    )
    op.create_table(
        "text_sent",
        sa.Column("id", BIG_KEY, primary_key=True),
        sa.Column("gateway", sa.String(), nullable=False),
        sa.Column("message", sa.String(), nullable=False),
        sa.Column("phone_id", sa.Integer(), sa.ForeignKey("phone.id", ondelete="CASCADE"), nullable=False, index=True),
        sa.Column("table_id", sa.Integer(), index=True),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("at", sa.Float(), nullable=False),
        sa.Column("segments", sa.Integer(), nullable=False),
        sa.Column("cost", sa.Integer(), nullable=False),
        sa.Column("fate", sa.String(), nullable=False),
        sa.Column("error", sa.String()),
        sa.UniqueConstraint("gateway", "message"),
        sa.Index("ix_text_sent_at", "at"),
    )
    op.create_table(
        "game_action",
        sa.Column("table_id", sa.Integer(), sa.ForeignKey("game_table.id"), primary_key=True),
        sa.Column("number", sa.Integer(), primary_key=True),
        sa.Column("at", sa.Float(), nullable=False),
        sa.Column("cause", sa.String(), nullable=False),
        sa.Column("action", sa.JSON(), nullable=False),
    )
    op.create_table(
        "game_result",
        sa.Column("id", BIG_KEY, primary_key=True),
        sa.Column("table_id", sa.Integer(), sa.ForeignKey("game_table.id"), unique=True),
        sa.Column("chat_id", sa.Integer(), sa.ForeignKey("chat.id"), nullable=False),
        sa.Column("ended_at", sa.Float(), nullable=False),
        sa.Column("counted", sa.Boolean(), nullable=False),
        sa.Index("ix_game_result_chat_id_ended_at", "chat_id", "ended_at"),
    )
    op.create_table(
        "prediction",
        sa.Column("table_id", sa.Integer(), sa.ForeignKey("game_table.id"), primary_key=True),
        sa.Column("player_id", sa.Integer(), sa.ForeignKey("player.id"), primary_key=True, index=True),
        sa.Column("step", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("call", sa.String(), nullable=False),
    )
    op.create_table(
        "sitting",
        sa.Column("table_id", sa.Integer(), sa.ForeignKey("game_table.id"), primary_key=True),
        sa.Column("player_id", sa.Integer(), sa.ForeignKey("player.id"), primary_key=True, index=True),
        sa.Column("live", sa.Boolean(), nullable=False),
    )
    op.create_table(
        "seat_result",
        sa.Column("result_id", BIG_KEY, sa.ForeignKey("game_result.id"), primary_key=True, autoincrement=False),
        sa.Column("seat", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("player_id", sa.Integer(), sa.ForeignKey("player.id"), index=True),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("level", sa.String()),
        sa.Column("character", sa.String()),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("bids", sa.Integer(), nullable=False),
        sa.Column("bluffs", sa.Integer(), nullable=False),
        sa.Column("dudos", sa.Integer(), nullable=False),
        sa.Column("dudos_right", sa.Integer(), nullable=False),
        sa.Column("calzas", sa.Integer(), nullable=False),
        sa.Column("calzas_right", sa.Integer(), nullable=False),
        sa.Column("mu", sa.Float(53), nullable=False),
        sa.Column("sigma", sa.Float(53), nullable=False),
    )
