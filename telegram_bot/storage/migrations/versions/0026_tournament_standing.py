"""People wait for the host of a tournament's list, or are removed from it; a forgotten person hosts none."""

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"


def upgrade() -> None:
    op.add_column("tournament_entrant", sa.Column("standing", sa.String(), nullable=False, server_default="in"))
    op.add_column("tournament_entrant", sa.Column("asked_at", sa.Float(), nullable=False, server_default="0"))
    op.execute("UPDATE tournament SET host_id = (SELECT id FROM player WHERE player.id = host_id)")
    with op.batch_alter_table("tournament") as batch:
        batch.create_foreign_key("fk_tournament_host_id_player", "player", ["host_id"], ["id"], ondelete="SET NULL")
