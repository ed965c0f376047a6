"""Delete tournaments of long ago."""

from typing import Final

from sqlmodel import Session, col, delete, select

from telegram_bot.features.tournament.tables import Tournament
from telegram_bot.storage.models import SentMessage

KEPT_SECONDS: Final = 30 * 86400


def prune(session: Session, now: float) -> None:
    """Delete tournaments without a change for `KEPT_SECONDS`, and the references to their messages."""
    old = list(session.exec(select(Tournament.id).where(Tournament.changed_at < now - KEPT_SECONDS)))
    session.exec(delete(SentMessage).where(col(SentMessage.table_id).in_([-number for number in old])))
    session.exec(delete(Tournament).where(col(Tournament.id).in_(old)))
