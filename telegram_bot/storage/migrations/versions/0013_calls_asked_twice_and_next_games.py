"""calls that are asked twice, and people who want to be told of the next game."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("player", schema=None) as batch_op:
        batch_op.add_column(sa.Column("asks_twice", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.create_table(
        "next_game_wish",
        sa.Column("chat_id", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("table_id", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["chat_id"], ["chat.id"], name=op.f("fk_next_game_wish_chat_id_chat")),
        sa.ForeignKeyConstraint(["player_id"], ["player.id"], name=op.f("fk_next_game_wish_player_id_player")),
        sa.PrimaryKeyConstraint("chat_id", "player_id", name=op.f("pk_next_game_wish")),
    )
    with op.batch_alter_table("next_game_wish", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_next_game_wish_player_id"), ["player_id"], unique=False)


def downgrade() -> None:
    op.drop_table("next_game_wish")
    with op.batch_alter_table("player", schema=None) as batch_op:
        batch_op.drop_column("asks_twice")
