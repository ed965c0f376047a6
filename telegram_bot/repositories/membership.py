"""The membership of a person in a group: whether they left, and whether ephemeral messages reach them."""

from collections.abc import Iterable

from sqlalchemy import delete, update
from sqlmodel import col, select

from telegram_bot.intents.intents import Person, Place
from telegram_bot.repositories.repositories import REMATCH_SECONDS, Repositories
from telegram_bot.repositories.room_access import forget_right
from telegram_bot.storage.models import Chat, GameTable, Member, Player

EPHEMERAL_RETRY_SECONDS = 3600
"""How long no ephemeral message is tried after a refusal."""


def mark_left(repositories: Repositories, place: Place, person: Person) -> None:
    """Store that a person has left the group; their permission to read it on web pages ends.

    A person whom the bot has never met is stored only while people play there, if web pages are served.
    """
    here = (col(Chat.channel) == place.channel, col(Chat.address) == place.address)
    player = repositories.find_player(person.channel, person.address)
    if player is None:
        goes_on = col(GameTable.live) | (col(GameTable.updated_at) > repositories.now - REMATCH_SECONDS)
        tables = select(GameTable.id).join(Chat, col(Chat.id) == col(GameTable.chat_id)).where(*here, goes_on)
        has_pages = repositories.channels.rooms is not None and person.address != 0
        if not has_pages or repositories.session.exec(tables.limit(1)).first() is None:
            return
        player = repositories.ensure_player(person)
    _member(repositories, place.channel, place.address, player.id).gone = True
    forget_right(repositories.session, repositories.session.exec(select(Chat.id).where(*here)), player.id)


def mark_joined(repositories: Repositories, place: Place, addresses: Iterable[int]) -> None:
    """Store that people are in the group again."""
    players = select(Player.id).where(Player.channel == place.channel, col(Player.address).in_(tuple(addresses)))
    repositories.session.execute(
        update(Member)
        .where(
            col(Member.channel) == place.channel,
            col(Member.address) == place.address,
            col(Member.player_id).in_(players),
        )
        .values(gone=False)
    )


def players_who_left(repositories: Repositories, chat: Chat) -> frozenset[int]:
    """Return the players who have left the group, as far as known."""
    query = select(Member.player_id).where(
        Member.channel == chat.channel, Member.address == chat.address, col(Member.gone)
    )
    return frozenset(repositories.session.exec(query))


def mark_ephemeral_unreachable(repositories: Repositories, channel: str, address: int, player: int) -> None:
    """Stop ephemeral messages to this person in this group for a while."""
    _member(repositories, channel, address, player).unreachable_until = repositories.now + EPHEMERAL_RETRY_SECONDS


def ephemeral_unreachable_in(repositories: Repositories, chat: Chat) -> frozenset[int]:
    """Return the players whom ephemeral messages do not reach in the group at the moment."""
    query = select(Member.player_id).where(
        Member.channel == chat.channel, Member.address == chat.address, col(Member.unreachable_until) > repositories.now
    )
    return frozenset(repositories.session.exec(query))


def move_members(repositories: Repositories, channel: str, old: int, new: int) -> None:
    """Move the rows of a group to its new address. An existing row there is newer and remains."""
    at_new = select(Member.player_id).where(Member.channel == channel, Member.address == new)
    here = (col(Member.channel) == channel, col(Member.address) == old)
    repositories.session.execute(delete(Member).where(*here, col(Member.player_id).in_(at_new)))
    repositories.session.execute(update(Member).where(*here).values(address=new))


def _member(repositories: Repositories, channel: str, address: int, player: int) -> Member:
    row = repositories.session.get(Member, (channel, address, player))
    if row is None:
        row = Member(channel=channel, address=address, player_id=player)
        repositories.session.add(row)
    return row
