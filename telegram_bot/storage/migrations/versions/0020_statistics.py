"""results of games, sums of players, achievements; who is hidden."""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None

BIG_KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
COUNTS = ("bids", "bluffs", "dudos", "dudos_right", "calzas", "calzas_right")


def upgrade() -> None:
    op.create_table(
        "game_result",
        sa.Column("id", BIG_KEY, autoincrement=True, nullable=False),
        sa.Column("table_id", sa.Integer(), nullable=True),
        sa.Column("chat_id", sa.Integer(), nullable=False),
        sa.Column("ended_at", sa.Float(), nullable=False),
        sa.Column("counted", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["table_id"], ["game_table.id"], name=op.f("fk_game_result_table_id_game_table")),
        sa.ForeignKeyConstraint(["chat_id"], ["chat.id"], name=op.f("fk_game_result_chat_id_chat")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_game_result")),
        sa.UniqueConstraint("table_id", name=op.f("uq_game_result_table_id")),
    )
    op.create_index("ix_game_result_chat_id_ended_at", "game_result", ["chat_id", "ended_at"])
    op.create_table(
        "seat_result",
        sa.Column("result_id", BIG_KEY, autoincrement=False, nullable=False),
        sa.Column("seat", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=True),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        *(sa.Column(name, sa.Integer(), nullable=False) for name in COUNTS),
        sa.Column("mu", sa.Float(53), nullable=False),
        sa.Column("sigma", sa.Float(53), nullable=False),
        sa.ForeignKeyConstraint(["result_id"], ["game_result.id"], name=op.f("fk_seat_result_result_id_game_result")),
        sa.ForeignKeyConstraint(["player_id"], ["player.id"], name=op.f("fk_seat_result_player_id_player")),
        sa.PrimaryKeyConstraint("result_id", "seat", name=op.f("pk_seat_result")),
    )
    op.create_index(op.f("ix_seat_result_player_id"), "seat_result", ["player_id"])
    op.create_table(
        "player_statistics",
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("mu", sa.Float(53), nullable=False),
        sa.Column("sigma", sa.Float(53), nullable=False),
        *(
            sa.Column(name, sa.Integer(), nullable=False)
            for name in ("games", "wins", "streak", "best_streak", "drought", "last_places", *COUNTS)
        ),
        sa.ForeignKeyConstraint(["player_id"], ["player.id"], name=op.f("fk_player_statistics_player_id_player")),
        sa.PrimaryKeyConstraint("player_id", name=op.f("pk_player_statistics")),
    )
    op.create_table(
        "award",
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("result_id", BIG_KEY, nullable=False),
        sa.Column("told", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["player_id"], ["player.id"], name=op.f("fk_award_player_id_player")),
        sa.PrimaryKeyConstraint("player_id", "name", name=op.f("pk_award")),
    )
    op.create_index(op.f("ix_award_result_id"), "award", ["result_id"])
    with op.batch_alter_table("player", schema=None) as batch_op:
        batch_op.add_column(sa.Column("hidden", sa.Boolean(), nullable=False, server_default=sa.text("false")))


def downgrade() -> None:
    with op.batch_alter_table("player", schema=None) as batch_op:
        batch_op.drop_column("hidden")
    for table in ("award", "player_statistics", "seat_result", "game_result"):
        op.drop_table(table)
