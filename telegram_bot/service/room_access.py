"""The stored permissions of a room: the answer of the host, or of a link, to each person; and the keys of its links."""

import secrets
from collections.abc import Iterable

from sqlalchemy import delete, update
from sqlmodel import Session, col

from telegram_bot.storage.web_models import EntryAnswer, WebEntry, WebRoom


def new_key() -> str:
    """Return a new key for a link."""
    return secrets.token_urlsafe(16)


def set_answer(session: Session, chat: int, player: int, answer: EntryAnswer, now: float) -> None:
    """Store the answer to a person at a room."""
    entry = session.get(WebEntry, (chat, player))
    if entry is None:
        session.add(WebEntry(chat_id=chat, player_id=player, answer=answer, at=now))
    else:
        entry.answer, entry.at = answer, now


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
