"""phones."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "phone",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("number", sa.String(), nullable=False),
        sa.Column("number_hash", sa.String(), nullable=False),
        sa.Column("region", sa.String(), nullable=False),
        sa.Column("zone", sa.String(), nullable=False),
        sa.Column("gateway", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("language", sa.String(), nullable=True),
        sa.Column("spoken", sa.String(), nullable=True),
        sa.Column("created_at", sa.Float(), nullable=False),
        sa.Column("heard_at", sa.Float(), nullable=False),
        sa.Column("agreed_at", sa.Float(), nullable=True),
        sa.Column("opted_out_at", sa.Float(), nullable=True),
        sa.Column("hinted_at", sa.Float(), nullable=True),
        sa.Column("heard_since", sa.Float(), nullable=False),
        sa.Column("heard_count", sa.Integer(), nullable=False),
        sa.Column("leaving_table", sa.Integer(), nullable=True),
        sa.Column("leaving_until", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_phone")),
        sa.UniqueConstraint("number_hash", name=op.f("uq_phone_number_hash")),
    )
    op.create_table(
        "text_sent",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("gateway", sa.String(), nullable=False),
        sa.Column("message", sa.String(), nullable=False),
        sa.Column("phone_id", sa.Integer(), nullable=False),
        sa.Column("table_id", sa.Integer(), nullable=True),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("at", sa.Float(), nullable=False),
        sa.Column("segments", sa.Integer(), nullable=False),
        sa.Column("cost", sa.Integer(), nullable=False),
        sa.Column("fate", sa.String(), nullable=False),
        sa.Column("error", sa.String(), nullable=True),
        sa.ForeignKeyConstraint(
            ["phone_id"], ["phone.id"], name=op.f("fk_text_sent_phone_id_phone"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_text_sent")),
        sa.UniqueConstraint("gateway", "message", name=op.f("uq_text_sent_gateway")),
    )
    with op.batch_alter_table("text_sent", schema=None) as batch_op:
        batch_op.create_index("ix_text_sent_at", ["at"], unique=False)
        batch_op.create_index(batch_op.f("ix_text_sent_phone_id"), ["phone_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_text_sent_table_id"), ["table_id"], unique=False)
    op.create_table(
        "text_tally",
        sa.Column("day", sa.String(), nullable=False),
        sa.Column("scope", sa.String(), nullable=False),
        sa.Column("texts", sa.Integer(), nullable=False),
        sa.Column("cost", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("day", "scope", name=op.f("pk_text_tally")),
    )


def downgrade() -> None:
    op.drop_table("text_tally")
    with op.batch_alter_table("text_sent", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_text_sent_table_id"))
        batch_op.drop_index(batch_op.f("ix_text_sent_phone_id"))
        batch_op.drop_index("ix_text_sent_at")

    op.drop_table("text_sent")
    op.drop_table("phone")
