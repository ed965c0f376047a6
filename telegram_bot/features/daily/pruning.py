"""Delete hands and decisions of long ago."""

from typing import Final

from sqlmodel import Session, col, delete

from telegram_bot.features.daily.hand import day_at
from telegram_bot.features.daily.requests import hand_key
from telegram_bot.features.daily.tables import DailyDecision
from telegram_bot.storage.models import KeyValue

KEPT_DAYS: Final = 30


def prune(session: Session, now: float) -> None:
    """Delete hands and decisions older than `KEPT_DAYS`; the secret from which hands follow remains."""
    last = day_at(now) - KEPT_DAYS
    session.exec(delete(DailyDecision).where(col(DailyDecision.day) < last))
    kept = [hand_key(last + day) for day in range(KEPT_DAYS + 1)]
    dealt = col(KeyValue.key).startswith(hand_key(""), autoescape=True)
    session.exec(delete(KeyValue).where(dealt, col(KeyValue.key).not_in(kept)))
