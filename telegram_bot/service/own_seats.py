"""A seat is a person's: its player opens it on another device, by their own link or by the answer of the others.

The others answer for guests only: a messenger proves who its people are, and a phone gets its link by text message.
"""

import secrets
from collections.abc import Collection
from hashlib import sha256
from typing import Final

from sqlmodel import Session, col, delete, select, update

from telegram_bot.notices import SeatOpenedNotice
from telegram_bot.repositories.room_access import new_key, set_answer
from telegram_bot.screens.routes import own_address
from telegram_bot.service.announcing.saying import say
from telegram_bot.service.unit_of_work import CommittedStep, UnitOfWork
from telegram_bot.storage.models import Chat, Player
from telegram_bot.storage.web_models import EntryAnswer, WebCard, WebEntry, WebSession
from telegram_bot.tables import sleepers
from telegram_bot.tables.events import TableChange
from telegram_bot.tables.handovers import moves
from telegram_bot.tables.model import Seat, Status, Table

LEAST_VOTES: Final = 2
"""Without the host no single player may answer: they would take an opponent's seat from the game."""
_NUMBERS: Final = range(10, 100)


def token_hash(token: str) -> str:
    """Return the stored hash of a token or key."""
    return sha256(token.encode()).hexdigest()


def draw_number(session: Session, chat: int) -> int:
    """Return two digits for the page of a guest who waits; others who wait have others. Those who answer compare."""
    taken = {claim.number for claim in claims_in(session, [chat])}
    return secrets.choice([number for number in _NUMBERS if number not in taken])


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
    entry = session.get_one(WebEntry, (chat.id, player))
    entry.seat_key, entry.seat_key_at = token_hash(key), now
    return key


def end_pages(session: Session, player: int, chat: int | None = None) -> None:
    """End the pages of a player, and their own links: those of a room, or all."""
    pages = update(WebSession).where(col(WebSession.player_id) == player)
    links = update(WebEntry).where(col(WebEntry.player_id) == player)
    if chat is not None:
        pages, links = pages.where(col(WebSession.chat_id) == chat), links.where(col(WebEntry.chat_id) == chat)
    session.exec(pages.values(replaced=True, open_until=0))
    session.exec(links.values(seat_key=None))


def open_seat(uow: UnitOfWork, table: Table, claim: WebEntry) -> TableChange:
    """Open a guest's seat on the pages of the person who says that it is theirs; a seat with dice at the next deal.

    So no player sees dice that another one had in the same round, also if the host has said yes.
    """
    index = None if claim.claimed is None else table.seat_of(claim.claimed)
    assert index is not None  # noqa: S101 - it is a claim for a seat of the table
    for other in claims_in(uow.session, [claim.chat_id]):
        if other.claimed == claim.claimed and other is not claim:
            other.answer, other.claimed, other.votes = EntryAnswer.UNANSWERED, None, {}
    claim.answer, claim.at, claim.votes = EntryAnswer.ADMITTED, uow.now, {}
    step = sleepers.move(table, index, moment=uow.moment)
    if not moves(step.table.seats[index]):
        _give_seat(uow, table, claim)
    return step


def open_moved_seats(uow: UnitOfWork, committed: CommittedStep) -> None:
    """Open the seats whose players were to have them on another device from this deal on, or from the end of the game.

    A guest who has come back meanwhile keeps the seat.
    """
    before, table = committed.before, committed.step.table
    for index, seat in enumerate(() if before is None else before.seats):
        plays_on = table.status is Status.PLAYING and table.in_play(index)
        if before is None or not moves(seat) or (plays_on and moves(table.seats[index])):
            continue
        granted = col(WebEntry.claimed) == seat.player, col(WebEntry.answer) == EntryAnswer.ADMITTED
        is_back = plays_on and table.deals == before.deals
        for claim in uow.session.exec(select(WebEntry).where(WebEntry.chat_id == committed.row.chat_id, *granted)):
            if is_back or has_open_page(uow, uow.player_by_id(seat.player)):
                claim.answer, claim.claimed = EntryAnswer.UNANSWERED, None
            else:
                _give_seat(uow, table, claim)


def _give_seat(uow: UnitOfWork, table: Table, claim: WebEntry) -> None:
    """Make a guest's seat that of the asker's pages; the guest's earlier pages end, and with them their old cards."""
    session, chat, asker, owner = uow.session, claim.chat_id, claim.player_id, claim.claimed
    assert owner is not None  # noqa: S101 - it is a claim
    end_pages(session, owner, chat)
    linked_at = uow.now if claim.number else None
    theirs = update(WebSession).where(col(WebSession.player_id) == asker)
    session.exec(theirs.values(player_id=owner, chat_id=chat, linked_at=linked_at))
    if table.game is not None:
        lane = col(WebCard.address) == uow.player_by_id(owner).address
        session.exec(delete(WebCard).where(lane, col(WebCard.table_id) == table.id))
    session.delete(claim)
    set_answer(session, chat, owner, EntryAnswer.ADMITTED, uow.now)
    session.flush()


def tell_owner(uow: UnitOfWork, player: Player, chat: Chat) -> None:
    """Tell a player of another channel that their seat was opened on one more device: a guest's old page says so."""
    if player.channel != uow.channels.rooms:
        at = own_address(uow, player)
        say(uow, player, SeatOpenedNotice(title=chat.title), at=at)


def has_open_page(uow: UnitOfWork, player: Player) -> bool:
    """Return True if a page of the player is open."""
    is_open = (WebSession.player_id == player.id, col(WebSession.open_until) > uow.now)
    return uow.session.exec(select(WebSession.id).where(*is_open).limit(1)).first() is not None


def _guests(uow: UnitOfWork, table: Table) -> set[int]:
    people = uow.players_by_id(table.people)
    return {player.id for player in people.values() if player.channel == uow.channels.rooms}


def _open_pages(session: Session, table: Table, now: float) -> set[int | None]:
    seated = col(WebSession.player_id).in_([seat.player for seat in table.seats])
    return set(session.exec(select(WebSession.player_id).where(seated, col(WebSession.open_until) > now)))
