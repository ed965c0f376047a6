"""A seat is a person's: its player opens it on another device, by their own link or by the answer of the others.

The others answer for guests only: a messenger proves who its people are, and a phone gets its link by text message.
"""

from collections.abc import Collection
from hashlib import sha256
from typing import Final

from sqlmodel import Session, col, select, update

from telegram_bot.notices import SeatOpenedNotice
from telegram_bot.service.presentation import notify, own_address
from telegram_bot.service.room_access import new_key, set_answer
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.models import Chat, Player
from telegram_bot.storage.web_models import EntryAnswer, WebEntry, WebSession
from telegram_bot.tables.model import Seat, Table

LEAST_VOTES: Final = 2
"""Without the host no single player may answer: they would open an opponent's seat to themselves."""
_SMALLEST, _NUMBERS = 10, 90
_SPREAD: Final = 37
"""Has no divisor in common with the count of numbers, so that people who ask at the same time have different ones."""


def token_hash(token: str) -> str:
    """Return the stored hash of a token or key."""
    return sha256(token.encode()).hexdigest()


def number_shown(player: int) -> int:
    """Return the two digits that a page shows while its guest waits: the players who answer compare them."""
    return _SMALLEST + player * _SPREAD % _NUMBERS


def absent_guests(uow: UnitOfWork, table: Table) -> tuple[Seat, ...]:
    """Return the guests at a table for whom the bot plays, or who have no open page."""
    guests, here = _guests(uow, table), _open_pages(uow.session, table, uow.now)
    return tuple(seat for seat in table.seats if seat.player in guests and (seat.away or seat.player not in here))


def judges_of(uow: UnitOfWork, table: Table, claimed: int) -> tuple[frozenset[int], int]:
    """Return the players who may answer whether a seat is someone's, and how many of them have to say yes.

    The host answers alone; if the host is away, two thirds of the players who are there.
    """
    gone = {seat.player for seat in absent_guests(uow, table)} | {claimed}
    there = frozenset(
        seat.player for seat in table.seats if seat.computer is None and not seat.away and seat.player not in gone
    )
    if table.host in there:
        return frozenset({table.host}), 1
    return there, max(LEAST_VOTES, -(-2 * len(there) // 3))


def claims_in(session: Session, chats: Collection[int | None]) -> list[WebEntry]:
    """Return the people who say that a seat in these rooms is theirs, and wait for the answer; oldest first."""
    waits = (col(WebEntry.answer) == EntryAnswer.ASKED, col(WebEntry.claimed).is_not(None))
    return list(
        session.exec(
            select(WebEntry)
            .where(col(WebEntry.chat_id).in_(chats), *waits)
            .order_by(col(WebEntry.at), col(WebEntry.player_id))
        )
    )


def new_seat_key(session: Session, chat: Chat, player: int, now: float) -> str:
    """Return the key of a player's own link; an earlier one ends."""
    key = new_key()
    set_answer(session, chat.id, player, EntryAnswer.ADMITTED, now)
    session.flush()
    session.get_one(WebEntry, (chat.id, player)).seat_key = token_hash(key)
    return key


def end_pages(session: Session, player: int) -> None:
    """End all pages of a player, and their own links."""
    pages = update(WebSession).where(col(WebSession.player_id) == player)
    session.exec(pages.values(replaced=True, open_until=0))
    session.exec(update(WebEntry).where(col(WebEntry.player_id) == player).values(seat_key=None))


def give_seat(uow: UnitOfWork, claim: WebEntry) -> None:
    """Open a guest's seat on the pages of the person who says that it is theirs; the guest's earlier pages end."""
    session, chat, asker, owner = uow.session, claim.chat_id, claim.player_id, claim.claimed
    assert owner is not None  # noqa: S101 - it is a claim
    end_pages(session, owner)
    session.exec(update(WebSession).where(col(WebSession.player_id) == asker).values(player_id=owner, chat_id=chat))
    for other in claims_in(session, [chat]):
        if other.claimed == owner:
            other.answer, other.claimed, other.votes = EntryAnswer.UNANSWERED, None, {}
    session.delete(claim)
    set_answer(session, chat, owner, EntryAnswer.ADMITTED, uow.now)
    session.flush()


def tell_owner(uow: UnitOfWork, player: Player, chat: Chat) -> None:
    """Tell a player of another channel that their seat was opened on one more device: a guest's old page says so."""
    if player.channel != uow.channels.rooms:
        at = own_address(uow, player)
        notify(uow, player, SeatOpenedNotice(title=chat.title), at=at)


def has_open_page(uow: UnitOfWork, player: Player) -> bool:
    """Return True if a page of the player is open."""
    is_open = (WebSession.player_id == player.id, col(WebSession.open_until) > uow.now)
    return uow.session.exec(select(WebSession.id).where(*is_open).limit(1)).first() is not None


def _guests(uow: UnitOfWork, table: Table) -> set[int]:
    people = uow.players_by_id(seat.player for seat in table.seats if seat.player > 0)
    return {player.id for player in people.values() if player.channel == uow.channels.rooms}


def _open_pages(session: Session, table: Table, now: float) -> set[int | None]:
    seated = col(WebSession.player_id).in_([seat.player for seat in table.seats])
    return set(session.exec(select(WebSession.player_id).where(seated, col(WebSession.open_until) > now)))
