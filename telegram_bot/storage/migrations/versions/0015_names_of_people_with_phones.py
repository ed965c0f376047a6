"""names of people with phones, and the question whether to close a table."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("player", schema=None) as batch_op:
        batch_op.add_column(sa.Column("nameless", sa.Boolean(), nullable=False, server_default=sa.false()))
    with op.batch_alter_table("phone", schema=None) as batch_op:
        batch_op.add_column(sa.Column("closing_until", sa.Float(), nullable=False, server_default="0"))
        batch_op.drop_column("name")
    # Until now whoever told no name was called "Phone 7", in their language: they are asked for it at their next JOIN.
    op.execute("UPDATE player SET nameless = true WHERE channel = 'sms' AND name LIKE '% ' || CAST(address AS VARCHAR)")


def downgrade() -> None:
    with op.batch_alter_table("phone", schema=None) as batch_op:
        batch_op.add_column(sa.Column("name", sa.String(), nullable=False, server_default=""))
        batch_op.drop_column("closing_until")
    with op.batch_alter_table("player", schema=None) as batch_op:
        batch_op.drop_column("nameless")
