"""The finished games of an evening, and the bids by voice note in them."""

from collections.abc import Iterator
from typing import Final

from sqlmodel import col, select

from telegram_bot.repositories.repositories import load_table
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.models import GameTable, RoundEnd
from telegram_bot.tables.model import Status, Table
from telegram_bot.tables.result_views import RevealView

MOST_GAMES: Final = 6
"""The number of games, the newest of the evening, that one step replays."""


def finished_games(uow: UnitOfWork, row: GameTable) -> Iterator[Table]:
    """Yield the games of the evening until a finished game, the newest first."""
    query = (
        select(GameTable)
        .where(
            GameTable.chat_id == row.chat_id,
            col(GameTable.id) <= row.id,
            GameTable.status == Status.FINISHED,
            GameTable.created_at >= min(uow.chat_of(row).plays_since, row.created_at),
        )
        .order_by(col(GameTable.id).desc())
        .limit(MOST_GAMES)
    )
    yield from map(load_table, uow.session.exec(query))


def was_spoken(uow: UnitOfWork, table: int, seat: int, quantity: int, face: int) -> bool:
    """Return True if a bid of a game was made by a voice note that its player lets others hear of."""
    views = (
        RevealView.model_validate(view)
        for view in uow.session.exec(select(RoundEnd.view).where(RoundEnd.table_id == table))
    )
    bids = (view.bids[number] for view in views for number, _ in view.spoken)
    return any((bid.seat, bid.quantity, bid.face) == (seat, quantity, face) for bid in bids)
