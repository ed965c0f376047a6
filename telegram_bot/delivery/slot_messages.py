"""Store which message fills a slot of a table, so that it can be edited. Each function is part of a transaction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from sqlalchemy import bindparam, delete, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlmodel import Session, SQLModel


@dataclass(frozen=True, slots=True)
class SlotMessage:
    """The message in a slot. `digest` is the hash of what it shows; None if that is not known."""

    chat: int
    message: int
    receiver: int | None
    keyboard: bool
    digest: str | None


def find_message(session: Session, table: int | None, slot: str | None) -> SlotMessage | None:
    """The message in a slot."""
    if table is None or slot is None:
        return None
    row = session.execute(_FIND, {"the_table": table, "the_slot": slot}).one_or_none()
    return None if row is None else SlotMessage(*row)


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
    }
    session.execute(_FILL[session.get_bind().dialect.name], values)


def mark_edited(session: Session, table: int, slot: str, *, keyboard: bool, digest: str) -> None:
    """Store that the slot's message was edited."""
    session.execute(_EDITED, {"the_table": table, "the_slot": slot, "keys": keyboard, "shows": digest})


def delete_message(session: Session, table: int, slot: str) -> None:
    """Delete the row of a slot whose message no longer exists."""
    session.execute(_EMPTY, {"the_table": table, "the_slot": slot})


def buttons_changed(session: Session, chat: int, message: int) -> None:
    """Forget the digest of a message whose buttons were changed without its text."""
    session.execute(_BUTTONS_CHANGED, {"the_chat": chat, "the_message": message})


# Built once: building a statement takes longer than executing it.
_SENT: Final = SQLModel.metadata.tables["sent_message"]
_IT: Final = (_SENT.c.table_id == bindparam("the_table"), _SENT.c.slot == bindparam("the_slot"))
_SAID: Final = ("chat", "message", "receiver", "keyboard", "digest")
_FIND: Final = select(*(_SENT.c[name] for name in _SAID)).where(*_IT)
_FILL: Final = {
    dialect: insert.on_conflict_do_update(
        index_elements=["table_id", "slot"], set_={name: insert.excluded[name] for name in _SAID}
    )
    for dialect, insert in (("sqlite", sqlite.insert(_SENT)), ("postgresql", postgresql.insert(_SENT)))
}
_EDITED: Final = update(_SENT).where(*_IT).values(keyboard=bindparam("keys"), digest=bindparam("shows"))
_EMPTY: Final = delete(_SENT).where(*_IT)
_BUTTONS_CHANGED: Final = (
    update(_SENT)
    .where(_SENT.c.chat == bindparam("the_chat"), _SENT.c.message == bindparam("the_message"))
    .values(digest=None)
)
