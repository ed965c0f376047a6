"""games and rounds are counted; the row of nobody goes."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "game_tally",
        sa.Column("shard", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("games_started", sa.BigInteger(), nullable=False),
        sa.Column("games_finished", sa.BigInteger(), nullable=False),
        sa.Column("rounds_played", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("shard", name=op.f("pk_game_tally")),
    )
    # Chat updates that name nobody used to be kept under the address 0, which is no person's.
    op.execute(
        "DELETE FROM player WHERE channel = 'telegram' AND address = 0"
        " AND id NOT IN (SELECT player_id FROM sitting) AND id NOT IN (SELECT player_id FROM member)"
        " AND id NOT IN (SELECT player_id FROM link_code)"
    )


def downgrade() -> None:
    op.drop_table("game_tally")
