"""people with phones."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "link_code",
        sa.Column("code", sa.String(), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("expires_at", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(["player_id"], ["player.id"], name=op.f("fk_link_code_player_id_player")),
        sa.PrimaryKeyConstraint("code", name=op.f("pk_link_code")),
        sa.UniqueConstraint("player_id", name=op.f("uq_link_code_player_id")),
    )
    with op.batch_alter_table("player", schema=None) as batch_op:
        batch_op.add_column(sa.Column("phone", sa.Integer(), nullable=True))
        batch_op.add_column(sa.Column("verbose", sa.Boolean(), nullable=False, server_default=sa.false()))
        batch_op.add_column(sa.Column("quiet", sa.JSON(), nullable=True))
        batch_op.add_column(sa.Column("awake_until", sa.Float(), server_default="0", nullable=False))
        batch_op.create_unique_constraint(batch_op.f("uq_player_phone"), ["phone"])


def downgrade() -> None:
    with op.batch_alter_table("player", schema=None) as batch_op:
        batch_op.drop_constraint(batch_op.f("uq_player_phone"), type_="unique")
        batch_op.drop_column("awake_until")
        batch_op.drop_column("quiet")
        batch_op.drop_column("verbose")
        batch_op.drop_column("phone")

    op.drop_table("link_code")
