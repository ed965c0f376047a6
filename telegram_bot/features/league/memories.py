"""The memories of computer players about people at their table: public facts of the last game that both finished."""

from collections import Counter
from typing import Final

from sqlmodel import Session, col, select

from perudo_core import Bid, Dudo
from telegram_bot.features.league.notices import MemoriesNotice, RivalMemory
from telegram_bot.service.repositories import load_table
from telegram_bot.service.results.game_results import played_game
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.models import GameTable
from telegram_bot.storage.statistics_models import GameResult
from telegram_bot.tables.model import Table

MOST_GAMES: Final = 5
"""The number of a place's last games that they remember."""
MOST_TOLD: Final = 2


def memories_of(uow: UnitOfWork, row: GameTable, table: Table) -> MemoriesNotice | None:
    """Return how often these people doubted these computer players in their last game here, or None if they never did.

    Hidden players are left out. The memory contains public calls only, no dice.
    """
    rivals = {seat.name for seat in table.seats if seat.computer is not None}
    people = {seat.player: seat.name for seat in table.seats if seat.player > 0}
    if not rivals or not people:
        return None
    query = (
        select(GameTable)
        .join(GameResult, col(GameResult.table_id) == col(GameTable.id))
        .where(GameResult.chat_id == row.chat_id)
        .order_by(col(GameResult.id).desc())
        .limit(MOST_GAMES)
    )
    last: dict[tuple[int, str], int] = {}
    for played in uow.session.exec(query):
        before = load_table(played)
        doubts = _doubts(uow.session, before)
        for seat in before.seats:
            for rival in before.seats:
                if (
                    seat.player in people
                    and not seat.changed_hands
                    and rival.computer is not None
                    and rival.name in rivals
                ):
                    last.setdefault((seat.player, rival.name), doubts[seat.player, rival.name])
    hidden = {player.id for player in uow.players_by_id(people).values() if player.hidden}
    memories = [
        RivalMemory(rival=rival, name=people[player], doubts=times)
        for (player, rival), times in sorted(last.items(), key=lambda met: -met[1])
        if times and player not in hidden
    ]
    return MemoriesNotice(memories=tuple(memories[:MOST_TOLD])) if memories else None


def _doubts(session: Session, table: Table) -> Counter[tuple[int, str]]:
    """Return how often each player doubted a bid of each other in a finished game, without the bot's calls for them."""
    found: Counter[tuple[int, str]] = Counter()
    bidder = None
    for action, automatic in played_game(session, table)[0]:
        if isinstance(action, Bid):
            bidder = action.seat
        elif isinstance(action, Dudo) and bidder is not None and not automatic:
            found[table.seats[action.seat].player, table.seats[bidder].name] += 1
    return found
