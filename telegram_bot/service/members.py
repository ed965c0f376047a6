"""What is known of one person in one group: whether they left it, whether ephemeral messages reach them there."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import delete, update
from sqlmodel import col, select

from telegram_bot.service.intents import Place
from telegram_bot.service.unit_of_work import Work
from telegram_bot.storage.models import Chat, Member, Player, Sitting

DEAF_SECONDS = 3600
"""How long a refused ephemeral message is taken for an answer."""


def left(work: Work, place: Place, player: Player) -> None:
    """Remember that a person who has played is not in the group any more."""
    assert player.id is not None  # noqa: S101 - flushed
    if work.session.exec(select(Sitting.table_id).where(Sitting.player_id == player.id).limit(1)).first() is None:
        return
    _member(work, place.channel, place.address, player.id).gone = True


def came(work: Work, place: Place, addresses: Iterable[int]) -> None:
    """Remember that people are in the group again."""
    players = select(Player.id).where(Player.channel == place.channel, col(Player.address).in_(tuple(addresses)))
    work.session.execute(
        update(Member)
        .where(
            col(Member.channel) == place.channel,
            col(Member.address) == place.address,
            col(Member.player_id).in_(players),
        )
        .values(gone=False)
    )


def gone_from(work: Work, chat: Chat) -> frozenset[int]:
    """Players who are known to have left the group."""
    query = select(Member.player_id).where(
        Member.channel == chat.channel, Member.address == chat.address, col(Member.gone)
    )
    return frozenset(work.session.exec(query))


def make_deaf(work: Work, channel: str, address: int, player: int) -> None:
    """Try no ephemeral messages with this person in this group for a while."""
    _member(work, channel, address, player).deaf_until = work.now + DEAF_SECONDS


def deaf_in(work: Work, chat: Chat) -> frozenset[int]:
    """Players whom ephemeral messages do not reach in the group at the moment."""
    query = select(Member.player_id).where(
        Member.channel == chat.channel, Member.address == chat.address, col(Member.deaf_until) > work.now
    )
    return frozenset(work.session.exec(query))


def move(work: Work, channel: str, old: int, new: int) -> None:
    """Follow a group to its new address; what is known of somebody there already is newer."""
    at_new = select(Member.player_id).where(Member.channel == channel, Member.address == new)
    here = (col(Member.channel) == channel, col(Member.address) == old)
    work.session.execute(delete(Member).where(*here, col(Member.player_id).in_(at_new)))
    work.session.execute(update(Member).where(*here).values(address=new))


def _member(work: Work, channel: str, address: int, player: int) -> Member:
    row = work.session.get(Member, (channel, address, player))
    if row is None:
        row = Member(channel=channel, address=address, player_id=player)
        work.session.add(row)
    return row
