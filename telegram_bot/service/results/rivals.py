"""What computer players remember of the people at their table: facts of the last game that they finished together."""

from collections import Counter
from typing import Final

from sqlmodel import Session, col, select

from perudo_core import Bid, Dudo
from telegram_bot.service.notices import RivalMemory
from telegram_bot.service.repositories import load_table
from telegram_bot.service.results.game_results import played_game
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.models import GameTable
from telegram_bot.storage.statistics_models import GameResult
from telegram_bot.tables.model import Table

MOST_GAMES: Final = 5
"""How many of the last games of a place they remember."""
MOST_TOLD: Final = 2


def memories_of(uow: UnitOfWork, table: Table, chat: int) -> tuple[RivalMemory, ...]:
    """How often people doubted a computer player of that name when they last played here; who hides is left out.

    Nothing follows from dice: calls are heard by everybody.
    """
    rivals = {seat.name for seat in table.seats if seat.computer is not None}
    people = {seat.player: seat.name for seat in table.seats if seat.player > 0}
    if not rivals or not people:
        return ()
    query = (
        select(GameTable)
        .join(GameResult, col(GameResult.table_id) == col(GameTable.id))
        .where(GameResult.chat_id == chat)
        .order_by(col(GameResult.id).desc())
        .limit(MOST_GAMES)
    )
    last: dict[tuple[int, str], int] = {}
    for row in uow.session.exec(query):
        before = load_table(row)
        doubts = _doubts(uow.session, before)
        for seat in before.seats:
            for rival in before.seats:
                if seat.player in people and rival.computer is not None and rival.name in rivals:
                    last.setdefault((seat.player, rival.name), doubts[seat.player, rival.name])
    hidden = {player.id for player in uow.players_by_id(people).values() if player.hidden}
    told = [
        RivalMemory(rival=rival, name=people[player], doubts=times)
        for (player, rival), times in sorted(last.items(), key=lambda met: -met[1])
        if times and player not in hidden
    ]
    return tuple(told[:MOST_TOLD])


def _doubts(session: Session, table: Table) -> Counter[tuple[int, str]]:
    """How often each player doubted a bid of each other in a finished game; not what the bot did for them."""
    found: Counter[tuple[int, str]] = Counter()
    bidder = None
    for action, automatic in played_game(session, table)[0]:
        if isinstance(action, Bid):
            bidder = action.seat
        elif isinstance(action, Dudo) and bidder is not None and not automatic:
            found[table.seats[action.seat].player, table.seats[bidder].name] += 1
    return found
