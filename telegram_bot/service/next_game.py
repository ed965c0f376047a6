"""Spectators who want one message when the next lobby opens."""

from typing import Final

from sqlalchemy import bindparam, delete, func
from sqlmodel import col, select

from telegram_bot.notices import Mention
from telegram_bot.service.repositories import Repositories
from telegram_bot.storage.models import Chat, DirectMessages, GameTable, NextGameRequest, Player
from telegram_bot.tables.model import Table

_MENTIONED: Final = (
    select(Player)
    .join(NextGameRequest, col(NextGameRequest.player_id) == col(Player.id))
    .where(NextGameRequest.chat_id == bindparam("chat"), NextGameRequest.table_id == bindparam("table"))
    .order_by(col(Player.id))
)
_ASKED: Final = (
    select(NextGameRequest, Player)
    .join(Player, col(Player.id) == col(NextGameRequest.player_id))
    .where(NextGameRequest.chat_id == bindparam("chat"), col(NextGameRequest.table_id).is_(None))
    .order_by(col(NextGameRequest.player_id))
)
_END_MENTIONS: Final = delete(NextGameRequest).where(col(NextGameRequest.table_id) == bindparam("table"))


def request_next_game(repositories: Repositories, chat: Chat, player: Player) -> None:
    """Store the person's request."""
    row = repositories.session.get(NextGameRequest, (chat.id, player.id))
    if row is None:
        repositories.session.add(NextGameRequest(chat_id=chat.id, player_id=player.id))
    else:
        row.table_id = None
    repositories.session.flush()


def take_requests(repositories: Repositories, chat: Chat, opened: Table) -> list[Player]:
    """Return the people to tell in private of a new lobby; their requests are done.

    Requests of people without an open private chat remain, marked with the lobby: its message mentions them. People in
    the lobby know of it.
    """
    reached = []
    for request, player in repositories.session.exec(_ASKED, params={"chat": chat.id}).all():
        if opened.seat_of(request.player_id) is None and player.direct != DirectMessages.OPEN:
            request.table_id = opened.id
            continue
        repositories.session.delete(request)
        if opened.seat_of(request.player_id) is None:
            reached.append(player)
    repositories.session.flush()
    return reached


def count_waiting(repositories: Repositories, chat: Chat, finished: Table) -> int:
    """Count the people who wait for the next lobby here and did not play the last game."""
    query = select(func.count()).where(
        NextGameRequest.chat_id == chat.id,
        col(NextGameRequest.player_id).not_in([seat.player for seat in finished.seats]),
    )
    return repositories.session.exec(query).one()


def mentioned_in(repositories: Repositories, row: GameTable, table: Table) -> tuple[Mention, ...]:
    """Return the people whom the message of a lobby mentions, until they take a seat."""
    waiting = repositories.session.exec(_MENTIONED, params={"chat": row.chat_id, "table": row.id})
    return tuple(
        Mention(name=player.name, address=player.address) for player in waiting if table.seat_of(player.id) is None
    )


def end_mentions(repositories: Repositories, table: int) -> None:
    """End all mentions: a new message would notify these people again."""
    repositories.session.connection().execute(_END_MENTIONS, {"table": table})
