"""Come into a room: by a link, a code, a messenger's Mini App, or the host's answer."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hmac import compare_digest
from typing import Final, TypeAlias

from sqlalchemy import delete
from sqlmodel import col, select

from telegram_bot.channels.web import sessions
from telegram_bot.channels.web.admission import (
    ADMITTED,
    ASK_HOST,
    KnownSession,
    Proof,
    Refused,
    RoomKey,
    TelegramSignature,
    TypedCode,
)
from telegram_bot.channels.web.sessions import NAME, Page, RefusedRequestError
from telegram_bot.intents.intents import Person, Place
from telegram_bot.intents.request import Fits
from telegram_bot.notices import SeatClaim
from telegram_bot.repositories.repositories import join_code_of, load_table
from telegram_bot.repositories.room_access import LEAST_WAIT_SECONDS, MOST_ASKING, lists_in, set_answer
from telegram_bot.service.own_seats import draw_number
from telegram_bot.service.table_lookup import fitting
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.models import Chat, GameTable, Player
from telegram_bot.storage.web_models import EntryAnswer, WebEntry, WebRoom, WebSession
from telegram_bot.tables.faces import Face

SESSIONS_A_PERSON: Final = 8
"""The maximum number of pages of one person of a messenger; a further page replaces the oldest."""
LONGEST_WAIT_SECONDS: Final = 600.0
"""After this time without an answer a person has to ask again."""
CLOSED_PAGE_SECONDS: Final = 180.0
"""How long a person with a closed page keeps waiting."""
Limit: TypeAlias = Callable[[], None]
"""Counts a request of a network; refuses it after too many."""


@dataclass(frozen=True, slots=True)
class SeenTable:
    """One entry of a list of tables."""

    table: int
    code: str
    title: str
    """The group's title; in a room of its own, the name of the guest who opened the table."""
    opened_on_a_page: bool = False


@dataclass(frozen=True, slots=True)
class PageState:
    """The state of a page, for the page."""

    state: str
    why: str | None
    """Why the page may not read its room."""
    table: SeenTable | None
    """The newest table of the room, if the page may read the room."""
    tables: tuple[SeenTable, ...] = ()
    asks_twice: bool = False
    switched_on: tuple[str, ...] = ()
    """The settings of features that the player has switched on."""
    list_code: str | None = None
    """The code of the list that people join in the room, if the page may read the room."""
    pairing: tuple[str, float] | None = None
    """The code that a television without a room shows, and when the code ends."""
    claim: SeatClaim | None = None
    """The seat that the visitor wants back."""


def title_at(uow: UnitOfWork, code: str, key: str) -> SeenTable | None:
    """Return the table of a link for a person at its door, or None if there is none with this code and key."""
    try:
        chat = sessions.chat_by_code(uow, code)
    except RefusedRequestError:
        return None
    room, newest = uow.session.get(WebRoom, chat.id), sessions.newest_in(uow, chat.id)
    if room is None or newest is None or room.made_at < chat.plays_since:
        return None
    return _seen(newest, chat) if compare_digest(room.key.encode(), key.encode()) else None


def enter(
    uow: UnitOfWork,
    page: Page | None,
    *,
    code: str,
    key: str,
    name: str,
    face: Face | None,
    language: str,
    limit: Limit,
) -> tuple[Page, str | None]:
    """Admit a guest by the link's key; without it ask the host. Returns the page, and its token if it is new.

    Raises:
        RefusedRequestError: the table does not exist, the guest is refused, or too many people are waiting.
    """
    chat = sessions.chat_by_code(uow, code)
    row, token = sessions.guest_session(uow, page, name, face, language)
    uow.session.get_one(Player, row.player_id).name = Person(NAME, 0, name).name
    return come(uow, row, chat, RoomKey(key) if key else TypedCode(), limit), token


def open_room(
    uow: UnitOfWork, page: Page | None, *, name: str, face: Face | None, language: str
) -> tuple[Page, str | None]:
    """Return a guest's page without a room, and its token if it is new."""
    row, token = sessions.guest_session(uow, page, name, face, language)
    uow.session.flush()
    return sessions.page_of(uow, row), token


def group_of(uow: UnitOfWork, person: Person, code: str) -> int | None:
    """Return the group of the table with this code, if it is one of the person's messenger.

    None also if the person sits there: they come in without further proof.
    """
    try:
        chat = sessions.chat_by_code(uow, code)
    except RefusedRequestError:
        return None
    player = uow.find_player(person.channel, person.address)
    newest = sessions.newest_in(uow, chat.id)
    sits = player is not None and newest is not None and load_table(newest).seat_of(player.id) is not None
    return chat.address if chat.channel == person.channel and not sits else None


def open_app(uow: UnitOfWork, person: Person, code: str | None, limit: Limit, *, in_group: bool) -> tuple[Page, str]:
    """Return the page of a person of a messenger, and its token; `code`: the code of the table that they want.

    `in_group`: see `TelegramSignature`. An invalid code leads to the table where the person plays.

    Raises:
        RefusedRequestError: the person is refused, or too many people are waiting.
    """
    player = uow.ensure_player(person)
    tables = _tables_with_rooms(uow, player)
    try:
        chat = None if code is None else sessions.chat_by_code(uow, code)
    except RefusedRequestError:
        if not tables:
            raise
        chat = None
    if chat is None and tables:
        chat = uow.chat_of(fitting(uow, player, tables, Fits.TURN)[-1])
    query = select(WebSession.id).where(WebSession.player_id == player.id).order_by(col(WebSession.id).desc())
    older = list(uow.session.exec(query.offset(SESSIONS_A_PERSON - 1)))
    uow.session.exec(delete(WebSession).where(col(WebSession.id).in_(older)))
    row, token = sessions.new_session(uow, player.id, uow.language_for(player))
    if chat is not None:
        return come(uow, row, chat, TelegramSignature(in_group), limit), token
    uow.session.flush()
    return sessions.page_of(uow, row), token


def look(uow: UnitOfWork, page: Page, code: str, limit: Limit) -> Page:
    """Move the page to another room that its player may read.

    Raises:
        RefusedRequestError: the table does not exist, or the player may not read its room.
    """
    row, chat = sessions.row_of(uow, page), sessions.chat_by_code(uow, code)
    if row.player_id is None:
        raise RefusedRequestError(403, "bad_key")
    if page.linked and chat.id != page.chat:
        raise RefusedRequestError(403, "this_seat")
    return come(uow, row, chat, KnownSession(), limit)


def is_here(uow: UnitOfWork, page: Page, table: int) -> bool:
    """Return True if a table is one of the page's room."""
    row = uow.session.get(GameTable, table)
    return row is not None and row.chat_id == page.chat


def settle_in(uow: UnitOfWork, page: Page, place: Place) -> Page:
    """Move the page to the room that its player has opened."""
    row, chat = sessions.row_of(uow, page), uow.find_chat(place)
    if chat is not None:
        row.chat_id = chat.id
        uow.session.flush()
    return sessions.page_of(uow, row)


def page_state(uow: UnitOfWork, page: Page) -> PageState:
    """Return the state of a page."""
    row = sessions.row_of(uow, page)
    newest = sessions.newest_in(uow, row.chat_id) if row.chat_id is not None and page.room is not None else None
    state = "in" if page.room is not None else "asked" if page.decision == ASK_HOST else "nowhere"
    why = page.decision.reason if isinstance(page.decision, Refused) else None
    seen = None if newest is None else _seen(newest, uow.session.get_one(Chat, newest.chat_id))
    listed = None if page.room is None or page.chat is None else lists_in(uow.session, [page.chat]).get(page.chat)
    list_code = None if listed is None else listed.code
    if row.player_id is None:
        code = row.pairing_code if row.pairing_ends > uow.now else None
        return PageState(state, why, seen, pairing=None if code is None else (code, row.pairing_ends))
    player = uow.session.get_one(Player, row.player_id)
    rows = [each for each in _tables_with_rooms(uow, player) if not page.linked or each.chat_id == page.chat]
    mine = tuple(_seen(table, uow.chat_of(table)) for table in rows)
    entry = uow.session.get(WebEntry, (row.chat_id, player.id))
    claims = named_claims(uow, [] if entry is None or entry.claimed is None else [entry])
    on = tuple(player.switched_on)
    return PageState(state, why, seen, mine, player.asks_twice, on, list_code, claim=next(iter(claims), None))


def come(uow: UnitOfWork, row: WebSession, chat: Chat, proof: Proof, limit: Limit = lambda: None) -> Page:
    """Admit a page to a room, or ask the host.

    Raises:
        RefusedRequestError: the page is refused, or too many people are waiting.
    """
    sessions.ensure_room(uow, chat)
    row.chat_id, row.seen_at = chat.id, uow.now
    uow.session.flush()
    decision = sessions.decide(uow, row, proof)
    if isinstance(decision, Refused):
        status = 429 if decision.retry_after is not None else 403
        raise RefusedRequestError(status, decision.reason, decision.retry_after)
    if row.player_id is None:
        row.admitted_at = uow.now
    elif decision == ADMITTED:
        set_answer(uow.session, chat.id, row.player_id, EntryAnswer.ADMITTED, uow.now)
    else:
        ask_host(uow, chat.id, row.player_id, limit)
    uow.session.flush()
    return sessions.page_of(uow, row)


def ask_host(uow: UnitOfWork, chat: int, player: int, limit: Limit, *, claimed: int | None = None) -> None:
    """Ask the host about a person, who may be waiting already. `claimed`: the player whose seat they want back."""
    waiting = waiting_at(uow, chat)
    if any(entry.player_id == player and entry.claimed == claimed for entry in waiting):
        return
    limit()
    if len(waiting) >= MOST_ASKING:
        wait = int(waiting[0].at + LEAST_WAIT_SECONDS - uow.now) + 1
        if wait > 0:
            raise RefusedRequestError(429, "too_many", wait)
        waiting[0].answer = EntryAnswer.UNANSWERED
    set_answer(uow.session, chat, player, EntryAnswer.ASKED, uow.now)
    uow.session.flush()
    entry = uow.session.get_one(WebEntry, (chat, player))
    entry.claimed, entry.number = claimed, 0 if claimed is None else draw_number(uow.session, chat)
    uow.session.get_one(WebRoom, chat).door_changed = True


def waiting_at(uow: UnitOfWork, chat: int) -> list[WebEntry]:
    """Return the people who wait for the host's answer, oldest first; remove those who have waited too long."""
    query = select(WebEntry).where(WebEntry.chat_id == chat, WebEntry.answer == EntryAnswer.ASKED)
    entries = uow.session.exec(query.order_by(col(WebEntry.at), col(WebEntry.player_id))).all()
    players = [entry.player_id for entry in entries]
    open_pages = (col(WebSession.player_id).in_(players), col(WebSession.open_until) > uow.now)
    look_on = set(uow.session.exec(select(WebSession.player_id).where(*open_pages)))
    waiting = []
    for entry in entries:
        seconds = LONGEST_WAIT_SECONDS if entry.player_id in look_on else CLOSED_PAGE_SECONDS
        if entry.at + seconds > uow.now:
            waiting.append(entry)
        else:
            entry.answer = EntryAnswer.UNANSWERED
    uow.session.flush()
    return waiting


def named_claims(uow: UnitOfWork, claims: Sequence[WebEntry]) -> tuple[SeatClaim, ...]:
    """Return the people who want a seat back, with the names on these seats."""
    named = []
    for claim in claims:
        newest = sessions.newest_in(uow, claim.chat_id)
        seats = () if newest is None else load_table(newest).seats
        name = next((seat.name for seat in seats if seat.player == claim.claimed), "")
        named.append(SeatClaim(claim.player_id, name, claim.number))
    return tuple(named)


def _tables_with_rooms(uow: UnitOfWork, player: Player) -> list[GameTable]:
    """Return `live_tables_of` a player, without those that have no room for pages."""
    traits = uow.config.channels.traits
    return [row for row in uow.live_tables_of(player) if traits(uow.chat_of(row).channel).shared_chats]


def _seen(table: GameTable, chat: Chat) -> SeenTable:
    return SeenTable(table.id, join_code_of(table), chat.title, opened_on_a_page=sessions.is_party(chat))
