"""Sessions of web pages: guests, people of other channels, televisions; and the rooms that they read."""

import secrets
from dataclasses import dataclass
from typing import Final

from sqlmodel import col, select

from telegram_bot.channels.web import TRAITS
from telegram_bot.channels.web.admission import ADMITTED, Decision, KnownSession, Proof, Refused, admit, visitors
from telegram_bot.intents.intents import Person
from telegram_bot.repositories.repositories import load_table
from telegram_bot.repositories.room_access import lists_in, new_key
from telegram_bot.screens.routes import room_address
from telegram_bot.service.own_seats import token_hash
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.models import Chat, GameTable, LaneName, Player
from telegram_bot.storage.web_models import WebRoom, WebSession
from telegram_bot.tables.faces import Face
from telegram_bot.words.languages import ENGLISH, nearest_language

NAME: Final = TRAITS.name
LEAST_ADDRESS: Final = 2**40
"""Guests and rooms have addresses beyond this; lower numbers belong to players and chats of other channels."""
MOST_ADDRESS: Final = 2**52


class RefusedRequestError(Exception):
    """A refused request: its status, the error's name, and the seconds until a new try."""

    def __init__(self, status: int, name: str, retry_after: int | None = None) -> None:
        super().__init__(name)
        self.status = status
        self.name = name
        self.retry_after = retry_after


@dataclass(frozen=True, slots=True)
class Page:
    """An open page: its visitor and its room."""

    session: int
    language: str
    spoken: str | None
    """The language that the player has chosen or brings along, which need not be one of the catalogue's."""
    player: int | None
    """The player's own number, or None for a television."""
    person: Person | None
    chat: int | None
    lane: LaneName | None
    """The lane of that room's chat."""
    decision: Decision | None
    """The decision about the page and its room, or None without a room."""
    room: int | None
    """The address of a room that the page may read, or None."""
    own: int | None
    """The address of the player's private lane."""
    linked: bool
    """Whether an own link, or the others' answer, has opened the seat here: the page is for its room alone."""

    @property
    def kind(self) -> str:
        """Return which of the three pages it is."""
        if self.person is None:
            return "screen"
        return "guest" if self.person.channel == NAME else self.person.channel


def session_of(uow: UnitOfWork, token: str) -> WebSession | None:
    """Return the stored session with this token."""
    return uow.session.exec(select(WebSession).where(WebSession.token_hash == token_hash(token))).one_or_none()


def find_page(uow: UnitOfWork, token: str) -> Page | None:
    """Return the page with this token."""
    row = session_of(uow, token)
    page = None if row is None or row.replaced else page_of(uow, row)
    return None if page is None or (page.linked and page.decision in (None, Refused("ended"))) else page


def was_replaced(uow: UnitOfWork, token: str) -> bool:
    """Return True if the page's player has opened their seat on another device since then."""
    row = session_of(uow, token)
    return row is not None and row.replaced


def row_of(uow: UnitOfWork, page: Page) -> WebSession:
    """Return the stored session of a page.

    Raises:
        RefusedRequestError: it was deleted since the request began.
    """
    row = uow.session.get(WebSession, page.session)
    if row is None:
        raise RefusedRequestError(401, "no_session")
    return row


def room_of(uow: UnitOfWork, page: Page) -> Chat:
    """Return the room that a page reads.

    Raises:
        RefusedRequestError: it reads none, or a backup without the page was restored since the request began.
    """
    if page.chat is None or page.room is None:
        raise RefusedRequestError(404, "no_table")
    chat = uow.session.get(Chat, page.chat)
    if chat is None:
        raise RefusedRequestError(401, "no_session")
    return chat


def page_of(uow: UnitOfWork, row: WebSession) -> Page:
    """Return the page of a session."""
    player = None if row.player_id is None else uow.session.get_one(Player, row.player_id)
    chat = None if row.chat_id is None else uow.session.get_one(Chat, row.chat_id)
    decision = None if chat is None else decide(uow, row, KnownSession())
    person, own, language, spoken = None, None, row.language, None
    if player is not None:
        person = Person(player.channel, player.address, player.name, player.username, player.language)
        own = player.address if player.channel == NAME else player.id
        language = uow.language_for(player)
        spoken = player.chosen_language or player.language
    room = room_address(chat, uow.config.channels) if chat is not None and decision == ADMITTED else None
    linked = row.linked_at is not None
    lane = None if chat is None else chat.lane
    return Page(row.id, language, spoken, row.player_id, person, row.chat_id, lane, decision, room, own, linked)


def guest_session(
    uow: UnitOfWork, page: Page | None, name: str, face: Face | None, language: str
) -> tuple[WebSession, str | None]:
    """Return the guest's session, with its token if it is new. A guest whose `face` is None keeps theirs."""
    row = None if page is None or page.kind != "guest" or page.linked else uow.session.get(WebSession, page.session)
    if row is not None:
        known = uow.session.get_one(Player, row.player_id)
        known.face = face or known.face
        return row, None
    address = LEAST_ADDRESS + secrets.randbelow(MOST_ADDRESS - LEAST_ADDRESS)
    spoken = nearest_language(language, uow.config.languages)
    player = uow.ensure_player(Person(NAME, address, name, language=spoken))
    player.guest, player.face = True, face
    return new_session(uow, player.id, spoken or uow.config.language)


def new_session(uow: UnitOfWork, player: int | None, language: str) -> tuple[WebSession, str]:
    """Return a new session and its token; `player`: None for a television."""
    token = secrets.token_urlsafe(32)
    spoken = nearest_language(language, uow.config.languages) or ENGLISH
    row = WebSession(token_hash=token_hash(token), player_id=player, language=spoken, seen_at=uow.now)
    uow.session.add(row)
    return row, token


def decide(uow: UnitOfWork, row: WebSession, proof: Proof) -> Decision | None:
    """Return the decision about a session and its room, or None without a room."""
    visitor = visitors(uow.session, [row.id], uow.now).get(row.id)
    return None if visitor is None else admit(visitor, proof, uow.now)


def chat_by_code(uow: UnitOfWork, code: str) -> Chat:
    """Return the place of the table or list with this code, if all its players can read the place.

    Raises:
        RefusedRequestError: there is none, or its evening is over.
    """
    table = uow.session.exec(select(GameTable).where(GameTable.code == code.strip().upper())).one_or_none()
    room = next(iter(lists_in(uow.session, code.strip().upper())), None) if table is None else table.chat_id
    chat = None if room is None else uow.session.get(Chat, room)
    shared = chat is not None and uow.config.channels.traits(chat.channel).shared_chats
    if chat is None or not shared or (table is not None and load_table(table).practice):
        raise RefusedRequestError(404, "no_table")
    if table is not None and table.created_at < chat.plays_since:
        raise RefusedRequestError(403, "ended")
    return chat


def newest_in(uow: UnitOfWork, chat: int) -> GameTable | None:
    """Return the newest table of a room."""
    query = select(GameTable).where(GameTable.chat_id == chat).order_by(col(GameTable.id).desc()).limit(1)
    return uow.session.exec(query).one_or_none()


def ensure_room(uow: UnitOfWork, chat: Chat) -> WebRoom:
    """Return the room with the links of this evening."""
    room = uow.session.get(WebRoom, chat.id)
    if room is None:
        room = WebRoom(chat_id=chat.id)
        uow.session.add(room)
    if room.made_at < chat.plays_since or not room.key:
        make_links(uow, room)
        room.locked, room.asks_first = False, None
    uow.session.flush()
    return room


def make_links(uow: UnitOfWork, room: WebRoom) -> None:
    """Give a room new links."""
    room.key, room.screen_key, room.made_at = new_key(), new_key(), uow.now


def is_party(chat: Chat) -> bool:
    """Return True if a guest has opened the room on a page; the rooms of features lie beyond."""
    return chat.channel == NAME and -chat.address < MOST_ADDRESS
