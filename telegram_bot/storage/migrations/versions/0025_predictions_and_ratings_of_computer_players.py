"""predictions of calls by whoever watches; ratings of computer players, by level and character."""

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "prediction",
        sa.Column("table_id", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("step", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("call", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["table_id"], ["game_table.id"], name=op.f("fk_prediction_table_id_game_table")),
        sa.ForeignKeyConstraint(["player_id"], ["player.id"], name=op.f("fk_prediction_player_id_player")),
        sa.PrimaryKeyConstraint("table_id", "player_id", "step", name=op.f("pk_prediction")),
    )
    op.create_index(op.f("ix_prediction_player_id"), "prediction", ["player_id"])
    op.create_table(
        "computer_statistics",
        sa.Column("level", sa.String(), nullable=False),
        sa.Column("character", sa.String(), nullable=False),
        sa.Column("mu", sa.Float(53), nullable=False),
        sa.Column("sigma", sa.Float(53), nullable=False),
        sa.Column("games", sa.Integer(), nullable=False),
        sa.Column("wins", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("level", "character", name=op.f("pk_computer_statistics")),
    )
    with op.batch_alter_table("seat_result", schema=None) as batch_op:
        batch_op.add_column(sa.Column("level", sa.String(), nullable=True))
        batch_op.add_column(sa.Column("character", sa.String(), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("seat_result", schema=None) as batch_op:
        batch_op.drop_column("character")
        batch_op.drop_column("level")
    op.drop_table("computer_statistics")
    op.drop_table("prediction")
