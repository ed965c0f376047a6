"""Which message fills a slot of a table, so that it can be edited, and what becomes of one that a newer one replaces.

Each function is part of a transaction.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from sqlalchemy import bindparam, delete, or_, select, true, tuple_, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.sql.dml import UpdateBase
from sqlmodel import Session, SQLModel

from telegram_bot.service.notices import (
    CallNotice,
    Envelope,
    HandNotice,
    MessageRef,
    Notice,
    OutdatedNotice,
    RevealNotice,
    RoundOverNotice,
    SendMode,
    TableNotice,
    called_round,
)
from telegram_bot.service.repositories import BOARD_SLOTS, ROUND_SLOTS
from telegram_bot.storage.models import OutboxEntry
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
    return find_messages(session, {(table, slot)}).get((table, slot))


def editable(found: SlotMessage | None, mode: SendMode) -> SlotMessage | None:
    """The message in a slot if a notice edits it when it is sent; None if the notice becomes a new message."""
    if mode is SendMode.REPLACE or (found is not None and found.followed and mode is SendMode.NEWEST):
        return None
    return found


def find_messages(session: Session, slots: Collection[tuple[int, str]]) -> dict[tuple[int, str], SlotMessage]:
    """The messages in these slots, each a table and a name: one statement for all."""
    rows = _FIND.all(session, {"the_slots": list(slots)}) if slots else []
    return {
        (table, slot): SlotMessage(chat, message, receiver, bool(keyboard), digest, bool(picture), bool(followed))
        for table, slot, chat, message, receiver, keyboard, digest, picture, followed in rows
    }


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
    """Store that the bot has written something after the messages of the rounds, or the board, in a chat."""
    _FOLLOWED.all(session, {"the_chat": chat})


def delete_message(session: Session, table: int, slot: str) -> None:
    """Delete the row of a slot whose message no longer exists."""
    session.execute(_EMPTY, {"the_table": table, "the_slot": slot})


def buttons_changed(session: Session, chat: int, message: int) -> None:
    """Forget the digest of a message whose buttons were changed without its text."""
    session.execute(_BUTTONS_CHANGED, {"the_chat": chat, "the_message": message})


def follows_a_round(envelope: Envelope) -> bool:
    """Whether a new message with this notice may stand below a round's message, and is not a round's message itself."""
    return envelope.receiver is None and not isinstance(
        envelope.notice, HandNotice | TableNotice | RevealNotice | CallNotice
    )


def retire(session: Session, table: int, old: SlotMessage | None, envelope: Envelope, now: float) -> None:
    """Mark a message of which a notice takes the place as out of date; an ephemeral one and a board are deleted."""
    left = _what_stays(envelope.notice)
    goes = old is not None and (old.receiver is not None or (isinstance(left, OutdatedNotice) and left.moved))
    if old is None or not (old.keyboard or goes):
        return
    strip = envelope.model_copy(
        update={
            "mode": SendMode.TARGET,
            "target": old.ref,
            "notice": left,
            "chat": old.chat,
            "receiver": old.receiver,
        }
    )
    session.add(OutboxEntry(lane=strip.lane, table_id=table, notice=strip.model_dump(mode="json"), created_at=now))


def _what_stays(notice: Notice) -> Notice:
    """What the old message shows once this notice stands in a new one."""
    match notice:
        case CallNotice():
            return RoundOverNotice(round=notice.round, shared=notice.shared)
        case RevealNotice():
            return RoundOverNotice(round=called_round(notice.view), shared=notice.shared)
        case HandNotice(board=True, view=view):
            return OutdatedNotice(moved=bool(view.table.bids))  # without bids the old one may be of another round
        case _:
            return OutdatedNotice()


def abandon(session: Session, table: int | None, slot: str | None, envelope: Envelope, now: float) -> None:
    """Leave the round's old message alone: the call was perhaps sent as a new one, and the reveal follows below it."""
    ends_round = isinstance(envelope.notice, CallNotice | RevealNotice) and envelope.mode is not SendMode.EDIT
    if table is None or slot is None or not ends_round:
        return
    retire(session, table, find_message(session, table, slot), envelope, now)
    delete_message(session, table, slot)


# Built once: building a statement takes longer than executing it.
_SENT: Final = SQLModel.metadata.tables["sent_message"]
_IT: Final = (_SENT.c.table_id == bindparam("the_table"), _SENT.c.slot == bindparam("the_slot"))
_SAID: Final = ("chat", "message", "receiver", "keyboard", "digest", "picture", "followed")
_FIND: Final = Statement(
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
    .where(
        _SENT.c.chat == bindparam("the_chat"),
        or_(_SENT.c.slot.startswith(ROUND_SLOTS), _SENT.c.slot.startswith(BOARD_SLOTS)),
        ~_SENT.c.followed,
    )
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
