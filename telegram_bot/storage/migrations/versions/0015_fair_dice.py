"""Answers about fair dice that wait, and the check at the end of a game, become notices of their feature."""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"

OUTBOX = sa.table("outbox", sa.column("id"), sa.column("status"), sa.column("notice", sa.JSON()))
ANSWERS = ("sealed", "stirred", "record_above")


def upgrade() -> None:
    connection = op.get_bind()
    unsent = OUTBOX.c.status.in_(("pending", "sending", "held"))
    for row in connection.execute(sa.select(OUTBOX).where(unsent)).all():
        if not isinstance(row.notice, dict) or not isinstance(row.notice.get("notice"), dict):
            continue
        old = row.notice["notice"]
        told = {"told": renewed(old["told"])} if isinstance(old.get("told"), dict) else {}
        new = renewed(old) | told
        connection.execute(OUTBOX.update().where(OUTBOX.c.id == row.id).values(notice=row.notice | {"notice": new}))


def renewed(old: dict[str, Any]) -> dict[str, Any]:
    """A notice."""
    new = dict(old)
    match old.get("kind"):
        case "confirmation":
            seal, done = new.pop("seal", ""), str(old.get("done"))
            if done not in ANSWERS:
                return new
            return {"kind": "fair_dice_answer", "answer": done, "seal": seal, "sign": old.get("title", "")}
        case "game_over":
            passed, new["view"] = new.pop("dice_checked", False), dict(old["view"])
            stirs, secret = new["view"].pop("stirs", ()), new["view"].get("secret")
            if not stirs or secret is None or old.get("seat") is not None:
                return new
            check = {"kind": "dice_check", "passed": passed, "secret": secret, "stirs": stirs}
            return new | {"parts": [*old.get("parts", ()), check]}
        case _:
            return new
