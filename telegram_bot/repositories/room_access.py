"""The stored permissions of a room: the answer of the host, or of a link, to each person; and the keys of its links."""

import secrets
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import Final, TypeAlias

from sqlalchemy import ColumnElement, SQLColumnExpression, delete, literal, select, update
from sqlmodel import Session, col

from telegram_bot.registry import Registry
from telegram_bot.storage.models import Chat
from telegram_bot.storage.web_models import EntryAnswer, WebEntry, WebRoom, WebSession

MOST_ASKING: Final = 10
"""The maximum number of people who wait for a host's answer."""
LEAST_WAIT_SECONDS: Final = 120.0
"""After this time a further person takes the place of the person who has waited longest."""


@dataclass(frozen=True, slots=True)
class JoinList:
    """A list of a feature that people join in a room, with or without a table there."""

    chat: int
    code: str
    host: int | None


FindLists: TypeAlias = Callable[[Session, Collection[int] | str], Iterable[JoinList]]
LISTS: Final = Registry[str, FindLists]("the lists that people join in rooms")
"""Functions that return the running lists of rooms, by the rooms' chats or by one list's code."""


def lists_in(session: Session, rooms: Collection[int] | str) -> dict[int, JoinList]:
    """Return the running lists by room: those of some rooms, or the one with a code."""
    return {found.chat: found for find in LISTS.values() for found in find(session, rooms)} if rooms else {}


def hosts_of(listed: JoinList | None, host: int | None, *, live: bool) -> frozenset[int]:
    """Return the hosts of a room: that of its newest table, and that of its list.

    `live`: whether the table is not over; while there is a list, the host of a table that is over has no rights.
    """
    hosts = {host if live or listed is None else None, None if listed is None else listed.host}
    return frozenset(each for each in hosts if each is not None)


def is_let_in(session: Session, chat: Chat, player: int) -> bool:
    """Return True if the host, or the link, has let the person into the chat's room this evening."""
    entry = session.get(WebEntry, (chat.id, player))
    return entry is not None and entry.answer == EntryAnswer.ADMITTED and entry.at >= chat.plays_since


def has_screen(session: Session, chat: int, now: float) -> bool:
    """Return True if a television shows a chat's room."""
    return session.scalar(select(is_on_screen(literal(chat), now))) or False


def is_on_screen(chat: SQLColumnExpression[int], now: float) -> ColumnElement[bool]:
    """Return the condition that a television shows a chat's room."""
    shows = (
        col(WebSession.chat_id) == chat,
        col(WebSession.player_id).is_(None),
        col(WebSession.open_until) > now,
        col(WebSession.admitted_at) >= col(Chat.plays_since),
    )
    return select(col(WebSession.id)).join(Chat, col(Chat.id) == col(WebSession.chat_id)).where(*shows).exists()


def new_key() -> str:
    """Return a new key for a link."""
    return secrets.token_urlsafe(16)


def set_answer(session: Session, chat: int, player: int, answer: EntryAnswer, now: float) -> None:
    """Store the answer to a person at a room."""
    entry = session.get(WebEntry, (chat, player))
    if entry is None:
        session.add(WebEntry(chat_id=chat, player_id=player, answer=answer, at=now))
    elif entry.answer == answer == EntryAnswer.ADMITTED:  # they may get a seat at the next deal
        entry.at = now
    else:
        entry.answer, entry.at, entry.claimed, entry.votes = answer, now, None, {}


def let_member_in(session: Session, chat: int, player: int, now: float) -> None:
    """Let a person in who has shown that they are in the group, unless a host has removed them."""
    entry = session.get(WebEntry, (chat, player))
    if entry is None or entry.answer != EntryAnswer.KICKED:
        set_answer(session, chat, player, EntryAnswer.ADMITTED, now)


def send_away(session: Session, chat: int, player: int, now: float) -> None:
    """End a kicked person's permission to read the room; the links that they know end too."""
    set_answer(session, chat, player, EntryAnswer.KICKED, now)
    _renew_keys(session, [chat])


def forget_right(session: Session, chats: Iterable[int], player: int) -> None:
    """End the permission of a person who has left a group to read its rooms; the links that they know end too."""
    chats = tuple(chats)
    came_in = col(WebEntry.answer).in_((EntryAnswer.ADMITTED, EntryAnswer.ASKED))
    session.exec(delete(WebEntry).where(col(WebEntry.chat_id).in_(chats), col(WebEntry.player_id) == player, came_in))
    _renew_keys(session, chats)


def _renew_keys(session: Session, chats: Iterable[int]) -> None:
    for chat in chats:
        keys = {"key": new_key(), "screen_key": new_key()}
        session.exec(update(WebRoom).where(col(WebRoom.chat_id) == chat).values(keys))
