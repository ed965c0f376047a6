"""Store which message fills a slot of a table, so that it can be edited. Each function is part of a transaction."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import bindparam, delete, select, true, tuple_, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.sql.dml import UpdateBase
from sqlmodel import Session, SQLModel

from telegram_bot.service.notices import MessageRef, SendMode
from telegram_bot.service.repositories import ROUND_SLOTS
from telegram_bot.storage.statements import Statement


@dataclass(frozen=True, slots=True)
class SlotMessage:
    """The message in a slot. `digest` is the hash of what it shows; None if that is not known."""

    chat: int
    message: int
    receiver: int | None
    keyboard: bool
    digest: str | None
    picture: bool = False
    followed: bool = False
    """Whether something was written in the chat after it."""

    @property
    def ref(self) -> MessageRef:
        """The message as its channel knows it."""
        return MessageRef(self.message, self.receiver, self.picture)


def find_message(session: Session, table: int | None, slot: str | None) -> SlotMessage | None:
    """The message in a slot."""
    if table is None or slot is None:
        return None
    row = _FIND.first(session, {"the_table": table, "the_slot": slot})
    return None if row is None else _read(row)


def _read(row: Sequence[Any]) -> SlotMessage:
    chat, message, receiver, keyboard, digest, picture, followed = row
    return SlotMessage(chat, message, receiver, bool(keyboard), digest, bool(picture), bool(followed))


def editable(found: SlotMessage | None, mode: SendMode) -> SlotMessage | None:
    """The message in a slot if a notice edits it when it is sent; None if the notice becomes a new message."""
    if mode is SendMode.REPLACE or (found is not None and found.followed and mode is SendMode.NEWEST):
        return None
    return found


def find_messages(
    session: Session, slots: Collection[tuple[int, str]]
) -> Iterator[tuple[tuple[int, str], SlotMessage]]:
    """The messages in these slots, each a table and a name: one statement for all."""
    for table, slot, *found in _FIND_ALL.all(session, {"the_slots": list(slots)}):
        yield (table, slot), _read(found)


def store_message(session: Session, table: int, slot: str, filling: SlotMessage) -> None:
    """Store the slot's new message."""
    values = {
        "table_id": table,
        "slot": slot,
        "chat": filling.chat,
        "message": filling.message,
        "receiver": filling.receiver,
        "keyboard": filling.keyboard,
        "digest": filling.digest,
        "picture": filling.picture,
        "followed": filling.followed,
    }
    _FILL.all(session, values)


def mark_edited(session: Session, table: int, slot: str, *, keyboard: bool, picture: bool, digest: str) -> None:
    """Store that the slot's message was edited."""
    values = {"the_table": table, "the_slot": slot, "keys": keyboard, "is_picture": picture, "shows": digest}
    _EDITED.all(session, values)


def mark_followed(session: Session, chat: int) -> None:
    """Store that the bot has written something after the messages of the rounds in a chat."""
    _FOLLOWED.all(session, {"the_chat": chat})


def delete_message(session: Session, table: int, slot: str) -> None:
    """Delete the row of a slot whose message no longer exists."""
    session.execute(_EMPTY, {"the_table": table, "the_slot": slot})


def buttons_changed(session: Session, chat: int, message: int) -> None:
    """Forget the digest of a message whose buttons were changed without its text."""
    session.execute(_BUTTONS_CHANGED, {"the_chat": chat, "the_message": message})


# Built once: building a statement takes longer than executing it.
_SENT: Final = SQLModel.metadata.tables["sent_message"]
_IT: Final = (_SENT.c.table_id == bindparam("the_table"), _SENT.c.slot == bindparam("the_slot"))
_SAID: Final = ("chat", "message", "receiver", "keyboard", "digest", "picture", "followed")
_FIND: Final = Statement(select(*(_SENT.c[name] for name in _SAID)).where(*_IT))
_FIND_ALL: Final = Statement(
    select(_SENT.c.table_id, _SENT.c.slot, *(_SENT.c[name] for name in _SAID)).where(
        tuple_(_SENT.c.table_id, _SENT.c.slot).in_(bindparam("the_slots", expanding=True))
    )
)
_FILL: Final = Statement(lambda insert: _filled(insert(_SENT)))


def _filled(row: sqlite.Insert | postgresql.Insert) -> UpdateBase:
    given = row.values({name: bindparam(name) for name in ("table_id", "slot", *_SAID)})
    return given.on_conflict_do_update(
        index_elements=["table_id", "slot"], set_={name: row.excluded[name] for name in _SAID}
    )


_FOLLOWED: Final = Statement(
    update(_SENT)
    .where(_SENT.c.chat == bindparam("the_chat"), _SENT.c.slot.startswith(ROUND_SLOTS), ~_SENT.c.followed)
    .values(followed=true())
)
_EDITED: Final = Statement(
    update(_SENT)
    .where(*_IT)
    .values(keyboard=bindparam("keys"), picture=bindparam("is_picture"), digest=bindparam("shows"))
)
_EMPTY: Final = delete(_SENT).where(*_IT)
_BUTTONS_CHANGED: Final = (
    update(_SENT)
    .where(_SENT.c.chat == bindparam("the_chat"), _SENT.c.message == bindparam("the_message"))
    .values(digest=None)
)
