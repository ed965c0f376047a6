"""many workers."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

DEAD = "done_at IS NOT NULL AND error IS NOT NULL"
OVER = "NOT live"
PAUSED = "paused_until > 0"


def upgrade() -> None:
    with op.batch_alter_table("chat", schema=None) as batch_op:
        batch_op.add_column(sa.Column("lost_at", sa.Float(), nullable=True))
    op.create_table(
        "member",
        sa.Column("channel", sa.String(), nullable=False),
        sa.Column("address", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("gone", sa.Boolean(), nullable=False),
        sa.Column("deaf_until", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(["player_id"], ["player.id"], name=op.f("fk_member_player_id_player")),
        sa.PrimaryKeyConstraint("channel", "address", "player_id", name=op.f("pk_member")),
    )
    with op.batch_alter_table("member", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_member_player_id"), ["player_id"], unique=False)
    with op.batch_alter_table("outbox", schema=None) as batch_op:
        batch_op.add_column(sa.Column("turn", sa.Integer(), nullable=True))
    with op.batch_alter_table("lane", schema=None) as batch_op:
        batch_op.add_column(sa.Column("chat_arrival", sa.Float(), server_default="0", nullable=False))
        batch_op.add_column(sa.Column("group_arrival", sa.Float(), server_default="0", nullable=False))
    with op.batch_alter_table("game_table", schema=None) as batch_op:
        batch_op.create_index(
            "ix_game_table_over", ["updated_at"], sqlite_where=sa.text(OVER), postgresql_where=sa.text(OVER)
        )
    # A chat's own limits stand with its lane now.
    op.execute("DELETE FROM rate")
    with op.batch_alter_table("inbox", schema=None) as batch_op:
        batch_op.add_column(sa.Column("claimed_until", sa.Float(), server_default="0", nullable=False))
        batch_op.create_index("ix_inbox_dead", ["id"], sqlite_where=sa.text(DEAD), postgresql_where=sa.text(DEAD))
    with op.batch_alter_table("lane", schema=None) as batch_op:
        batch_op.create_index(
            "ix_lane_paused", ["paused_until"], sqlite_where=sa.text(PAUSED), postgresql_where=sa.text(PAUSED)
        )
    # Until now what succeeded in the end kept the error of an earlier try.
    op.execute("UPDATE inbox SET error = NULL WHERE done_at IS NOT NULL AND attempts < 3")


def downgrade() -> None:
    with op.batch_alter_table("game_table", schema=None) as batch_op:
        batch_op.drop_index("ix_game_table_over")
    with op.batch_alter_table("lane", schema=None) as batch_op:
        batch_op.drop_index("ix_lane_paused")
    with op.batch_alter_table("inbox", schema=None) as batch_op:
        batch_op.drop_index("ix_inbox_dead")
        batch_op.drop_column("claimed_until")
    with op.batch_alter_table("lane", schema=None) as batch_op:
        batch_op.drop_column("group_arrival")
        batch_op.drop_column("chat_arrival")
    with op.batch_alter_table("outbox", schema=None) as batch_op:
        batch_op.drop_column("turn")
    op.drop_table("member")
    with op.batch_alter_table("chat", schema=None) as batch_op:
        batch_op.drop_column("lost_at")
