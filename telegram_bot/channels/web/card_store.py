"""Store what is said to web pages: a slot of a lane shows its last notice. Contains the channel's sender.

The cards of surfaces are not stored: streams compute them.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pydantic import TypeAdapter, ValidationError
from sqlalchemy import delete, func
from sqlalchemy.exc import SQLAlchemyError
from sqlmodel import Session, col, select

from telegram_bot.channels.web import TRAITS
from telegram_bot.channels.web.sessions import LEAST_ADDRESS
from telegram_bot.delivery.limits import Limits
from telegram_bot.delivery.sender import InvalidError, NotSentError, SendResult
from telegram_bot.intents.envelope import Envelope, MessageRef
from telegram_bot.notices import Notice
from telegram_bot.presentation.cards import may_enter
from telegram_bot.screens.routes import is_room
from telegram_bot.storage.database import Database, is_transient, reason
from telegram_bot.storage.models import Chat, GameTable, LaneName
from telegram_bot.storage.web_models import WebCard

_NOTICE: Final[TypeAdapter[Notice]] = TypeAdapter(Notice)
TICKS: Final = 1000
"""A card's number is at least the time in thousandths of a second, so numbers ascend even after cards were deleted."""

SAID_AGAIN: Final = frozenset({"note", "question"})
"""Slots of answers to a person, who may ask for the same again. Any other card without a change is not stored again."""


@dataclass(frozen=True, slots=True)
class StoredCard:
    """A card of a lane."""

    address: int
    table: int
    seq: int
    notice: Notice


class WebSender:
    """Stores notices as cards. Open pages read stored cards."""

    name = TRAITS.name

    def __init__(
        self, database: Database, now: Callable[[], float], wake: Callable[[Collection[LaneName]], None]
    ) -> None:
        """`wake` informs the pages that a lane has a new card."""
        self.database = database
        self.now = now
        self.wake = wake
        self.limits = Limits(per_bot_per_second=0, per_chat_seconds=0, per_group_per_minute=0)

    def is_group(self, address: int) -> bool:  # noqa: ARG002 - as a sender
        """Return False: lanes of web pages do not have a group's limits."""
        return False

    async def send(self, envelope: Envelope, target: MessageRef | None) -> SendResult:  # noqa: ARG002 - a card has no message
        """Store a notice as the card of its slot; repeating this has no effect. See `Sender.send`."""
        notice, address = envelope.notice, envelope.chat
        if not may_enter(notice, address):
            raise InvalidError("not for everyone")
        slot = notice.card_slot
        if slot is not None:
            now = self.now()
            try:
                seq = await self.database.run(lambda session: put_card(session, address, slot, notice, now))
            except SQLAlchemyError as error:
                if is_transient(error):
                    raise NotSentError(reason(error)) from None
                raise
            if seq is not None:
                self.wake([envelope.lane])
        return SendResult(None)


def put_card(session: Session, address: int, slot: str, notice: Notice, now: float) -> int | None:
    """Store a notice as the card of its slot; return the card's number, None without a change.

    A room contains the cards of its newest table, and of the last one: people still look at its end.
    """
    here = col(WebCard.address) == address
    newest, last = (*_tables_of_room(session, address), 0, 0)[:2]
    table = notice.about_table
    if table is None:
        table = newest
    stored = notice.model_dump(mode="json")
    row = session.get(WebCard, (address, table, slot))
    if row is not None and row.notice == stored and slot not in SAID_AGAIN:
        return None
    seq = max((session.exec(select(func.max(WebCard.seq)).where(here)).one() or 0) + 1, int(now * TICKS))
    if row is None:
        session.add(WebCard(address=address, table_id=table, slot=slot, seq=seq, notice=stored))
    else:
        row.notice, row.seq = stored, seq
    if is_room(address):
        session.exec(delete(WebCard).where(here, col(WebCard.table_id) != 0, col(WebCard.table_id) < last))
    return seq


def _tables_of_room(session: Session, address: int) -> Sequence[int]:
    """Return the two newest tables of a room, the newest first; none for a private lane."""
    if not is_room(address):
        return ()
    is_own = address <= -LEAST_ADDRESS
    in_room = (Chat.channel == TRAITS.name, Chat.address == address) if is_own else (Chat.id == -address,)
    tables = select(GameTable.id).join(Chat, col(Chat.id) == col(GameTable.chat_id)).where(*in_room)
    return session.exec(tables.order_by(col(GameTable.id).desc()).limit(2)).all()


def cards_after(session: Session, cursors: dict[int, int]) -> list[StoredCard]:
    """Return the cards of lanes with higher numbers than these, the oldest first."""
    query = (
        select(WebCard.address, WebCard.table_id, WebCard.seq, WebCard.notice)
        .where(col(WebCard.address).in_(cursors), WebCard.seq > min(cursors.values(), default=0))
        .order_by(col(WebCard.seq))
    )
    return [
        StoredCard(address, table, seq, notice)
        for address, table, seq, stored in session.exec(query)
        if seq > cursors[address] and (notice := _read(stored)) is not None
    ]


def card_in_slot(session: Session, address: int, slot: str) -> StoredCard | None:
    """Return the newest card of a lane in a slot."""
    query = (
        select(WebCard.table_id, WebCard.seq, WebCard.notice)
        .where(WebCard.address == address, WebCard.slot == slot)
        .order_by(col(WebCard.seq).desc())
    )
    found = session.exec(query.limit(1)).first()
    notice = None if found is None else _read(found[2])
    return None if found is None or notice is None else StoredCard(address, found[0], found[1], notice)


def _read(stored: Mapping[str, Any]) -> Notice | None:
    """Return the notice, or None if another version of the bot has written it."""
    try:
        return _NOTICE.validate_python(stored)
    except ValidationError:
        return None
