"""Find and delete one person's statistics."""

from __future__ import annotations

from sqlalchemy import delete, func, update
from sqlmodel import Session, col, select

from telegram_bot.storage.statistics_models import Award, CallPrediction, PlayerStatistics, SeatResult


def count_results(session: Session, player: int) -> int:
    """The number of games whose results name the person."""
    return session.exec(select(func.count()).select_from(SeatResult).where(SeatResult.player_id == player)).one()


def count_predictions(session: Session, player: int) -> int:
    """The number of calls that the person has predicted."""
    return session.exec(
        select(func.count()).select_from(CallPrediction).where(CallPrediction.player_id == player)
    ).one()


def forget_results(session: Session, player: int) -> None:
    """Delete a person's statistics and predictions.

    A nameless place and rating stay in each game: the others' ratings need them.
    """
    session.exec(delete(CallPrediction).where(col(CallPrediction.player_id) == player))
    session.exec(delete(Award).where(col(Award.player_id) == player))
    session.exec(delete(PlayerStatistics).where(col(PlayerStatistics.player_id) == player))
    nobody = {"player_id": None, "bids": 0, "bluffs": 0, "dudos": 0, "dudos_right": 0, "calzas": 0, "calzas_right": 0}
    session.exec(update(SeatResult).where(col(SeatResult.player_id) == player).values(nobody))
