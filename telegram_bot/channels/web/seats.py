"""Open the seat of a player on another device: by their own link, or because the others say that it is theirs."""

from typing import Final

from sqlmodel import select

from telegram_bot.channels.web import sessions
from telegram_bot.channels.web.admission import ADMITTED, KnownSession, Refused, TypedCode
from telegram_bot.channels.web.entering import Limit, ask_host
from telegram_bot.channels.web.sessions import NAME, Page, RefusedRequestError
from telegram_bot.repositories.repositories import load_table
from telegram_bot.repositories.room_access import set_answer
from telegram_bot.service.own_seats import (
    absent_guests,
    end_pages,
    judges_of,
    new_seat_key,
    open_seat,
    tell_owner,
    token_hash,
)
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.models import Chat, LaneName, Player
from telegram_bot.storage.web_models import EntryAnswer, WebEntry
from telegram_bot.tables.handovers import moves
from telegram_bot.tables.model import Seat

SEAT_LINK_SECONDS: Final = 12 * 3600.0
"""The longest life of an own link that nobody has opened, also where the evening goes on."""


def absent_at(uow: UnitOfWork, code: str) -> list[Seat]:
    """Return the guests at a table whom a person at its door may say to be."""
    newest = sessions.newest_in(uow, sessions.chat_by_code(uow, code).id)
    return [] if newest is None else list(absent_guests(uow, load_table(newest)))


def seat_of_key(uow: UnitOfWork, code: str, key: str) -> Seat | None:
    """Return the seat that a player's own link opens at the newest table of a room, or None."""
    chat = sessions.chat_by_code(uow, code)
    entry = uow.session.exec(
        select(WebEntry).where(WebEntry.chat_id == chat.id, WebEntry.seat_key == token_hash(key))
    ).one_or_none()
    newest = sessions.newest_in(uow, chat.id)
    made = 0.0 if entry is None else entry.seat_key_at
    is_over = uow.now > made + SEAT_LINK_SECONDS or made < chat.plays_since
    if entry is None or newest is None or is_over or not uow.evening_goes_on(newest):
        return None
    return next((seat for seat in load_table(newest).seats if seat.player == entry.player_id), None)


def take_seat(
    uow: UnitOfWork, page: Page | None, *, code: str, key: str, language: str
) -> tuple[Page, str, frozenset[LaneName]]:
    """Open a seat by its player's own link, once; their earlier pages end. Also return the lanes with notices.

    Raises:
        RefusedRequestError: the link is used, replaced or expired, or the browser has another seat.
    """
    chat = sessions.chat_by_code(uow, code)
    seat = seat_of_key(uow, code, key)
    if seat is None:
        raise RefusedRequestError(403, "seat_used")
    if page is not None and page.player != seat.player:
        _require_no_seat(uow, page)
    end_pages(uow.session, seat.player, chat.id)
    row, token = sessions.new_session(uow, seat.player, language)
    row.chat_id, row.linked_at = chat.id, uow.now
    uow.session.flush()
    decision = sessions.decide(uow, row, KnownSession())
    if decision != ADMITTED:
        raise RefusedRequestError(403, decision.reason if isinstance(decision, Refused) else "seat_used")
    tell_owner(uow, uow.player_by_id(seat.player), chat)
    return sessions.page_of(uow, row), token, uow.finish()


def keep_seat(uow: UnitOfWork, page: Page) -> str:
    """Return the key of the player's own link; an earlier one ends.

    Raises:
        RefusedRequestError: the page's player has no seat, or such a link has opened the page.
    """
    if page.linked:
        raise RefusedRequestError(403, "this_seat")
    newest = None if page.chat is None or page.room is None else sessions.newest_in(uow, page.chat)
    if newest is None or page.player is None or load_table(newest).seat_of(page.player) is None:
        raise RefusedRequestError(403, "not_seated")
    chat = uow.session.get_one(Chat, newest.chat_id)
    return new_seat_key(uow.session, chat, page.player, uow.now)


def lost_seat(uow: UnitOfWork, token: str, code: str) -> Seat | None:
    """Return the seat whose guest came in the browser with this token, and has it on another device now."""
    row, chat = sessions.session_of(uow, token), sessions.chat_by_code(uow, code)
    newest = sessions.newest_in(uow, chat.id)
    if row is None or newest is None or not row.replaced or row.linked_at is not None or row.chat_id != chat.id:
        return None
    player = None if row.player_id is None else uow.session.get(Player, row.player_id)
    mine = [seat for seat in load_table(newest).seats if player is not None and seat.player == player.id]
    is_guest = player is not None and player.channel == NAME
    return mine[0] if mine and is_guest and not moves(mine[0]) else None


def come_back(
    uow: UnitOfWork, token: str, *, code: str, player: int, language: str
) -> tuple[Page, str, frozenset[LaneName]] | None:
    """Open a seat in the browser in which its guest came, without an answer, or return None if it is another's.

    Returns as `take_seat` does.
    """
    chat = sessions.chat_by_code(uow, code)
    row = sessions.newest_in(uow, chat.id)
    seat = lost_seat(uow, token, code)
    if row is None or seat is None or seat.player != player:
        return None
    page, new = sessions.guest_session(uow, None, seat.name, None, language)
    assert page.player_id is not None  # noqa: S101 - a guest's
    assert new is not None  # noqa: S101 - it is a new session
    page.chat_id = chat.id
    set_answer(uow.session, chat.id, page.player_id, EntryAnswer.ADMITTED, uow.now)
    uow.session.flush()
    claim = uow.session.get_one(WebEntry, (chat.id, page.player_id))
    claim.claimed, claim.number = player, 0
    table = load_table(row)
    uow.commit_step(row, table, open_seat(uow, table, claim))
    uow.session.refresh(page)
    return sessions.page_of(uow, page), new, uow.finish()


def claim_seat(
    uow: UnitOfWork, page: Page | None, *, code: str, player: int, language: str, limit: Limit
) -> tuple[Page, str | None]:
    """Ask the host, or the other players, whether a guest's seat is the visitor's. Returns as `enter` does.

    Raises:
        RefusedRequestError: the seat is not free for that, the person is refused, or too many people are waiting.
    """
    chat = sessions.chat_by_code(uow, code)
    sessions.ensure_room(uow, chat)
    newest = sessions.newest_in(uow, chat.id)
    table = None if newest is None else load_table(newest)
    absent = () if table is None else absent_guests(uow, table)
    seat = next((each for each in absent if each.player == player), None)
    if table is None or seat is None:
        raise RefusedRequestError(404, "no_seat")
    judges, needed = judges_of(uow, table, player)
    if len(judges) < needed:
        raise RefusedRequestError(403, "no_judges")
    _require_no_seat(uow, page)
    row, token = sessions.guest_session(uow, page, seat.name, None, language)
    row.chat_id, row.seen_at = chat.id, uow.now
    uow.session.flush()
    decision = sessions.decide(uow, row, TypedCode())
    if isinstance(decision, Refused) and decision.reason != "locked":  # its player is in already
        status = 429 if decision.retry_after is not None else 403
        raise RefusedRequestError(status, decision.reason, decision.retry_after)
    assert row.player_id is not None  # noqa: S101 - a guest's
    ask_host(uow, chat.id, row.player_id, limit, claimed=player)
    uow.session.flush()
    return sessions.page_of(uow, row), token


def _require_no_seat(uow: UnitOfWork, page: Page | None) -> None:
    """Make sure that a browser does not lose the seat that it has at a live table.

    Raises:
        RefusedRequestError: it has one.
    """
    player = None if page is None or page.player is None else uow.session.get(Player, page.player)
    if player is not None and uow.live_tables_of(player):
        raise RefusedRequestError(409, "has_seat")
