"""Stored predictions of the next call, and the best spectators of a finished game."""

from typing import Final

from sqlmodel import Session, col, select

from telegram_bot.features.predictions.calls import PredictedCall
from telegram_bot.features.predictions.notices import Prophet, ProphetsNotice
from telegram_bot.features.predictions.scores import Prediction, scores
from telegram_bot.features.predictions.tables import CallPrediction
from telegram_bot.service.repositories import actions_of
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.models import GameTable, Player
from telegram_bot.tables.model import Table

LEAST_PREDICTIONS: Final = 3
"""A spectator with fewer predictions in a game may only be lucky."""
PROPHETS: Final = 3
"""The maximum number of spectators that the end of a game names."""


def store_prediction(session: Session, table: int, player: int, step: int, call: PredictedCall) -> None:
    """Store a spectator's prediction for a step, replacing an earlier one."""
    row = session.get(CallPrediction, (table, player, step))
    if row is None:
        session.add(CallPrediction(table_id=table, player_id=player, step=step, call=call))
    else:
        row.call = call
    session.flush()


def prophets_of(uow: UnitOfWork, _: GameTable, table: Table) -> ProphetsNotice | None:
    """Return the best spectators of a game, or None after too few predictions, or with hidden spectators only."""
    session = uow.session
    rows = session.exec(select(CallPrediction).where(CallPrediction.table_id == table.id)).all()
    if len(rows) < LEAST_PREDICTIONS:
        return None
    actions = [action for action, _, _ in actions_of(session, table.id)]
    known = set(PredictedCall)
    made = [Prediction(row.player_id, row.step, PredictedCall(row.call)) for row in rows if row.call in known]
    found = [score for score in scores(made, actions) if score.made >= LEAST_PREDICTIONS]
    players = session.exec(
        select(Player).where(col(Player.id).in_([score.player for score in found]), ~col(Player.hidden))
    )
    names = {player.id: player.name for player in players}
    named = [
        Prophet(name=names[score.player], right=score.right, made=score.made)
        for score in found
        if score.player in names
    ]
    return ProphetsNotice(prophets=tuple(named[:PROPHETS])) if named else None
