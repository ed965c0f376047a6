"""Answers to requests for a hint that wait in the outbox become notices of their feature."""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"

OUTBOX = sa.table("outbox", *map(sa.column, ("id", "status")), sa.column("notice", sa.JSON()))
ANSWERS = {"hint_sent": "💡 The hint is in our private chat.", "no_advice": "No idea this time. Trust your gut!"}


def upgrade() -> None:
    connection = op.get_bind()
    unsent = OUTBOX.c.status.in_(("pending", "sending", "held"))
    for row in connection.execute(sa.select(OUTBOX).where(unsent)).all():
        old = row.notice.get("notice") if isinstance(row.notice, dict) else None
        if isinstance(old, dict) and old.get("kind") == "confirmation" and old.get("done") in ANSWERS:
            new = row.notice | {"notice": {"kind": "answer", "sentence": ANSWERS[old["done"]]}}
            connection.execute(OUTBOX.update().where(OUTBOX.c.id == row.id).values(notice=new))
