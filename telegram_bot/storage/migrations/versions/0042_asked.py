"""A message that is shown says for which turn it asks; the outbox had said so, for the turns that run."""

import sqlalchemy as sa
from alembic import op

revision = "0042"
down_revision = "0041"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("sent_message", sa.Column("asked", sa.JSON(), nullable=True))
    table = sa.table("game_table", *map(sa.column, ("id", "live")), sa.column("state", sa.JSON()))
    outbox = sa.table("outbox", *map(sa.column, ("table_id", "turn", "slot", "surface", "status", "done_at")))
    message = sa.table("sent_message", *map(sa.column, ("table_id", "slot")), sa.column("asked", sa.JSON()))
    connection = op.get_bind()
    for number, state in connection.execute(sa.select(table.c.id, table.c.state).where(table.c.live)).all():
        since = (state.get("running") or {}).get("since") or 0
        asked = sa.and_(outbox.c.table_id == number, outbox.c.turn == state.get("step"), outbox.c.done_at >= since)
        sent = sa.and_(asked, outbox.c.surface, outbox.c.status == "sent")
        shown = sa.select(outbox.c.slot, sa.func.min(outbox.c.done_at)).where(sent).group_by(outbox.c.slot)
        for slot, at in connection.execute(shown).all():
            here = message.update().where(message.c.table_id == number, message.c.slot == slot)
            connection.execute(here.values(asked=[state["step"], since, at]))
