"""What must not be told before a table's chat has been shown the reveal, and for how long it waits for that."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import bindparam, null, update
from sqlmodel import Session, SQLModel

from telegram_bot.storage.models import GameTable, NoticeStatus
from telegram_bot.storage.statements import Statement

PATIENCE_SECONDS: Final = 5.0
"""For how long after its time a reveal that has not been sent keeps the players' private messages waiting."""


@dataclass(frozen=True, slots=True)
class RevealHold:
    """Private notices wait for a reveal in the table's chat."""

    at: float
    """When the dice are shown."""
    lane: str
    """The lane of the table's chat, which keeps the order by itself."""
    notice: int | None = None
    """The reveal; None: an earlier step has put it into the outbox."""

    def apply(self, lane: str, not_before: float, now: float) -> dict[str, Any]:
        """How a notice in a lane waits, as arguments of `UnitOfWork.enqueue`."""
        if lane == self.lane:
            return {"planned_at": self.at, "not_before": not_before}
        if self.notice is None:
            return {"planned_at": self.at, "not_before": max(not_before, self.at)}
        last = self.at + PATIENCE_SECONDS
        if not_before > now:  # the reader's quiet hours
            return {"planned_at": self.at, "not_before": max(not_before, last)}
        return {"planned_at": self.at, "not_before": last, "waits_for": self.notice}


def hold_of(row: GameTable, lane: str, now: float) -> RevealHold | None:
    """What holds private notices about a table: the dice of its last round have not been shown yet."""
    at = float(row.state.get("reveal_at", 0))
    return RevealHold(at, lane) if at > now else None


def release_after(session: Session, reveal: int) -> set[str]:
    """Let what waits for a reveal be sent: it has been shown, or never will be. Return the lanes."""
    return {lane for (lane,) in _RELEASE.all(session, {"the_reveal": reveal})}


_OUTBOX: Final = SQLModel.metadata.tables["outbox"]
_RELEASE: Final = Statement(
    update(_OUTBOX)
    .where(_OUTBOX.c.waits_for == bindparam("the_reveal"), _OUTBOX.c.status == NoticeStatus.PENDING)
    .values(waits_for=null(), not_before=0)
    .returning(_OUTBOX.c.lane)
)
"""Built once: building a statement takes longer than executing it."""
