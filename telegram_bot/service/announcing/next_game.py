"""People who watch a game and want to be told, once, when the next lobby opens there."""

from sqlalchemy import delete, func, update
from sqlmodel import col, select

from telegram_bot.service.notices import Mention
from telegram_bot.service.repositories import Repositories
from telegram_bot.storage.models import Chat, DirectMessages, GameTable, NextGameRequest, Player
from telegram_bot.tables.model import Table


def request_next_game(repositories: Repositories, chat: Chat, player: Player) -> None:
    """Remember that the person wants to be told."""
    row = repositories.session.get(NextGameRequest, (chat.id, player.id))
    if row is None:
        repositories.session.add(NextGameRequest(chat_id=chat.id, player_id=player.id))
    else:
        row.table_id = None
    repositories.session.flush()


def take_requests(repositories: Repositories, chat: Chat, opened: Table) -> list[Player]:
    """The people to tell in private of a lobby that has just opened; their requests are done.

    People whose private chat is not open stay, marked with the lobby: its message mentions them. Whoever sits in the
    lobby knows of it.
    """
    query = (
        select(NextGameRequest, Player)
        .join(Player, col(Player.id) == col(NextGameRequest.player_id))
        .where(NextGameRequest.chat_id == chat.id, col(NextGameRequest.table_id).is_(None))
        .order_by(col(NextGameRequest.player_id))
    )
    told = []
    for request, player in repositories.session.exec(query).all():
        if opened.seat_of(request.player_id) is None and player.direct != DirectMessages.OPEN:
            request.table_id = opened.id
            continue
        repositories.session.delete(request)
        if opened.seat_of(request.player_id) is None:
            told.append(player)
    repositories.session.flush()
    return told


def count_waiting(repositories: Repositories, chat: Chat, finished: Table) -> int:
    """How many people wait for the next lobby here who did not play the last game."""
    query = select(func.count()).where(
        NextGameRequest.chat_id == chat.id,
        col(NextGameRequest.player_id).not_in([seat.player for seat in finished.seats]),
    )
    return repositories.session.exec(query).one()


def mentioned_in(repositories: Repositories, row: GameTable, table: Table) -> tuple[Mention, ...]:
    """The people whom the message of a lobby mentions, until they sit there."""
    query = (
        select(Player)
        .join(NextGameRequest, col(NextGameRequest.player_id) == col(Player.id))
        .where(NextGameRequest.chat_id == row.chat_id, NextGameRequest.table_id == row.id)
        .order_by(col(Player.id))
    )
    return tuple(
        Mention(name=player.name, address=player.address)
        for player in repositories.session.exec(query)
        if table.seat_of(player.id) is None
    )


def end_mentions(repositories: Repositories, table: int) -> None:
    """Mention nobody any more: a new message would notify them again."""
    repositories.session.execute(delete(NextGameRequest).where(col(NextGameRequest.table_id) == table))


def move_requests(repositories: Repositories, old: Chat, new: Chat) -> None:
    """Move the requests of a chat's row to the row that it is merged into; one that exists there stays."""
    there = select(NextGameRequest.player_id).where(NextGameRequest.chat_id == new.id)
    here = col(NextGameRequest.chat_id) == old.id
    repositories.session.execute(delete(NextGameRequest).where(here, col(NextGameRequest.player_id).in_(there)))
    repositories.session.execute(update(NextGameRequest).where(here).values(chat_id=new.id))
