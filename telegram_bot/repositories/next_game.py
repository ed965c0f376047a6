"""Each group's list of people who want a message when a lobby opens."""

from typing import Final

from sqlalchemy import func, update
from sqlmodel import col, select

from telegram_bot.notices import Mention
from telegram_bot.repositories.membership import players_who_left
from telegram_bot.repositories.repositories import Repositories, in_quiet_hours
from telegram_bot.storage.models import Chat, DirectMessages, GameTable, NextGameRequest, Player
from telegram_bot.tables.model import Table

PAUSE_SECONDS: Final = 3600
"""How long a person is not told of another lobby in the same group."""


def join_or_leave_list(repositories: Repositories, chat: Chat, player: Player) -> bool:
    """Put a person on the group's list, or remove a listed one; return whether they are on it now."""
    if leave_list(repositories, chat.id, player):
        return False
    repositories.session.add(NextGameRequest(chat_id=chat.id, player_id=player.id))
    repositories.session.flush()
    return True


def leave_list(repositories: Repositories, chat: int, player: Player) -> bool:
    """Remove a person from the list of a group (by its row's id); return whether they were on it."""
    row = repositories.session.get(NextGameRequest, (chat, player.id))
    if row is None:
        return False
    repositories.session.delete(row)
    repositories.session.flush()
    return True


def people_to_tell(repositories: Repositories, chat: Chat, opened: Table) -> list[Player]:
    """Return the listed people to tell in private of a new lobby.

    The lobby's message mentions people without an open private chat. People in the lobby, people who have left the
    group, people in their quiet hours, and people whom the bot has told within the hour are left out.
    """
    reached, now = [], repositories.now
    gone = players_who_left(repositories, chat)
    asked = select(NextGameRequest, Player).join(Player, col(Player.id) == col(NextGameRequest.player_id))
    here = asked.where(NextGameRequest.chat_id == chat.id).order_by(col(NextGameRequest.player_id))
    for request, player in repositories.session.exec(here).all():
        knows = opened.seat_of(player.id) is not None or request.told_at > now - PAUSE_SECONDS
        if knows or player.id in gone or in_quiet_hours(player, now):
            continue
        request.told_at = now
        if player.direct == DirectMessages.OPEN:
            reached.append(player)
        else:
            request.table_id = opened.id
    repositories.session.flush()
    return reached


def count_waiting(repositories: Repositories, chat: Chat, finished: Table) -> int:
    """Count the people who wait for their first lobby here and did not play the last game."""
    query = select(func.count()).where(
        NextGameRequest.chat_id == chat.id,
        NextGameRequest.told_at == 0,
        col(NextGameRequest.player_id).not_in([seat.player for seat in finished.seats]),
    )
    return repositories.session.exec(query).one()


def mentioned_in(repositories: Repositories, row: GameTable, table: Table) -> tuple[Mention, ...]:
    """Return the people whom the message of a lobby mentions, until they take a seat."""
    people = select(Player).join(NextGameRequest, col(NextGameRequest.player_id) == col(Player.id))
    here = NextGameRequest.chat_id == row.chat_id, NextGameRequest.table_id == row.id
    waiting = repositories.session.exec(people.where(*here).order_by(col(Player.id)))
    return tuple(
        Mention(name=player.name, address=player.address) for player in waiting if table.seat_of(player.id) is None
    )


def end_mentions(repositories: Repositories, table: int) -> None:
    """End all mentions: a new message would notify these people again."""
    mentions = update(NextGameRequest).where(col(NextGameRequest.table_id) == table)
    repositories.session.execute(mentions.values(table_id=None))
