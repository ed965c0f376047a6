"""Sessions of web pages: guests, people of other channels, televisions; their rooms and links."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from hmac import compare_digest
from typing import Final

from sqlalchemy import bindparam, delete
from sqlmodel import Session, col, select

from telegram_bot.channels.web import TRAITS
from telegram_bot.channels.web.admission import (
    ADMITTED,
    ASK_HOST,
    Decision,
    KnownSession,
    PairedBy,
    Proof,
    Refused,
    RoomKey,
    ScreenKey,
    TelegramSignature,
    TypedCode,
    admit,
    visitors,
)
from telegram_bot.channels.web.limits import CallLimits
from telegram_bot.channels.web.pairing import Pairing, screen_of_code
from telegram_bot.ingress.networks import site_of
from telegram_bot.notices import GuestNotice, SeatClaim
from telegram_bot.service.handlers.pages import answer_at_list
from telegram_bot.service.intents import Person, Place
from telegram_bot.service.own_seats import (
    absent_guests,
    claims_in,
    draw_number,
    end_pages,
    judges_of,
    new_seat_key,
    open_seat,
    tell_owner,
    token_hash,
)
from telegram_bot.service.presentation import notify, page_or_chat
from telegram_bot.service.repositories import join_code_of, load_table
from telegram_bot.service.request import Fits
from telegram_bot.service.room_access import (
    LEAST_WAIT_SECONDS,
    MOST_ASKING,
    hosts_of,
    lists_in,
    new_key,
    set_answer,
)
from telegram_bot.service.routes import room_address
from telegram_bot.service.service import Service
from telegram_bot.service.table_lookup import fitting
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.database import in_transaction
from telegram_bot.storage.models import Chat, DirectMessages, GameTable, LaneName, Player
from telegram_bot.storage.web_models import EntryAnswer, WebEntry, WebRoom, WebSession
from telegram_bot.tables.faces import Face
from telegram_bot.tables.handovers import moves
from telegram_bot.tables.model import Seat, Table, TableRules
from telegram_bot.tables.names import told_apart
from telegram_bot.words.languages import ENGLISH, nearest_language

NAME: Final = TRAITS.name
LEAST_ADDRESS: Final = 2**40
"""Guests and rooms have addresses beyond this; lower numbers belong to players and chats of other channels."""
MOST_ADDRESS: Final = 2**52
SESSIONS_A_PERSON: Final = 8
"""The maximum number of pages of one person of a messenger; a further page replaces the oldest."""
LONGEST_WAIT_SECONDS: Final = 600.0
"""After this time without an answer a person has to ask again."""
CLOSED_PAGE_SECONDS: Final = 180.0
"""How long a person with a closed page keeps waiting."""
ASK_AGAIN_SECONDS: Final = {False: 20.0, True: 300.0}
"""The minimum time between two messages to the host about visitors, in chats and by text message.

It doubles with each message that the host has not answered.
"""
LONGEST_PAUSE_SECONDS: Final = 3600.0
SEAT_LINK_SECONDS: Final = 12 * 3600.0
"""The longest life of an own link that nobody has opened, also where the evening goes on."""


class RefusedRequestError(Exception):
    """A refused request: its status, the error's name, and the seconds until a new try."""

    def __init__(self, status: int, name: str, retry_after: int | None = None) -> None:
        super().__init__(name)
        self.status = status
        self.name = name
        self.retry_after = retry_after


def _row_of(session: Session, page: "Page") -> WebSession:
    """Return the stored session of a page.

    Raises:
        RefusedRequestError: it was deleted since the request began.
    """
    row = session.get(WebSession, page.session)
    if row is None:
        raise RefusedRequestError(401, "no_session")
    return row


def _room_of(session: Session, page: "Page") -> Chat:
    """Return the room that a page reads.

    Raises:
        RefusedRequestError: it reads none, or a backup without the page was restored since the request began.
    """
    if page.chat is None or page.room is None:
        raise RefusedRequestError(404, "no_table")
    chat = session.get(Chat, page.chat)
    if chat is None:
        raise RefusedRequestError(401, "no_session")
    return chat


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
    claim: tuple[str, int] | None = None
    """The name on the seat that the visitor wants back, and the number that their page shows."""


@dataclass(frozen=True, slots=True)
class RoomState:
    """The links of a room, for its pages."""

    code: str
    """The code of the newest table; without one, that of the list."""
    list_code: str | None
    """The code of the list that people join there."""
    key: str | None
    """None if the page is a television whose code admits no one."""
    screen_key: str | None
    """None if the page is not the host's."""
    host: bool
    locked: bool
    asks_first: bool
    """Whether people who scan the television's code have to ask the host."""
    asking: tuple[tuple[int, str], ...]
    claims: tuple[SeatClaim, ...]
    """The people who want a seat back, of whom the page's player has to answer."""
    rules: TableRules | None
    """None if there is no table."""


# Each request of a page asks this.
_WITH_TOKEN: Final = select(WebSession).where(WebSession.token_hash == bindparam("token"))


class Sessions:
    """The sessions and links; each method is one transaction."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.database = service.database
        self.now = service.now
        self.limits = CallLimits()
        self.pairing = Pairing()

    @in_transaction
    def find(self, session: Session, token: str) -> Page | None:
        """Return the page with this token."""
        row = session.exec(_WITH_TOKEN, params={"token": token_hash(token)}).one_or_none()
        page = None if row is None or row.replaced else self._page(session, row)
        return None if page is None or (page.linked and page.decision in (None, Refused("ended"))) else page

    @in_transaction
    def was_replaced(self, session: Session, token: str) -> bool:
        """Return True if the page's player has opened their seat on another device since then."""
        row = session.exec(_WITH_TOKEN, params={"token": token_hash(token)}).one_or_none()
        return row is not None and row.replaced

    @in_transaction
    def absent_at(self, session: Session, code: str) -> list[Seat]:
        """Return the guests at a table whom a person at its door may say to be."""
        newest = self._newest(session, self._chat_by_code(session, code).id)
        uow = self.service.unit_of_work(session, "")
        return [] if newest is None else list(absent_guests(uow, load_table(newest)))

    @in_transaction
    def lost_seat(self, session: Session, token: str, code: str) -> Seat | None:
        """Return the seat of a guest's browser that is open on another device now, or None."""
        return self._lost_seat(session, token, self._chat_by_code(session, code))

    @in_transaction
    def come_back(
        self, session: Session, token: str, *, code: str, player: int, language: str
    ) -> tuple[Page, str, frozenset[LaneName]] | None:
        """Open a seat in the browser in which its guest came, without an answer, or return None if it is another's.

        Returns as `take_seat` does.
        """
        uow, chat = self.service.unit_of_work(session, ""), self._chat_by_code(session, code)
        row = self._newest(session, chat.id)
        self._ensure_room(session, chat)
        seat = self._lost_seat(session, token, chat)
        if row is None or seat is None or seat.player != player:
            return None
        page, new = self._guest_session(session, None, seat.name, None, language)
        assert page.player_id is not None  # noqa: S101 - a guest's
        assert new is not None  # noqa: S101 - it is a new session
        page.chat_id = chat.id
        set_answer(session, chat.id, page.player_id, EntryAnswer.ADMITTED, self.now())
        session.flush()
        claim = session.get_one(WebEntry, (chat.id, page.player_id))
        claim.claimed, claim.number = player, 0
        table = load_table(row)
        uow.commit_step(row, table, open_seat(uow, table, claim))
        session.refresh(page)
        return self._page(session, page), new, uow.finish()

    @in_transaction
    def claim_seat(
        self, session: Session, page: Page | None, *, code: str, player: int, language: str, network: str
    ) -> tuple[Page, str | None]:
        """Ask the host, or the other players, whether a guest's seat is the visitor's. Returns as `enter` does.

        Raises:
            RefusedRequestError: the seat is not free for that, the person is refused, or too many people are waiting.
        """
        chat = self._chat_by_code(session, code)
        self._ensure_room(session, chat)
        uow, newest = self.service.unit_of_work(session, ""), self._newest(session, chat.id)
        table = None if newest is None else load_table(newest)
        absent = () if table is None else absent_guests(uow, table)
        seat = next((each for each in absent if each.player == player), None)
        if table is None or seat is None:
            raise RefusedRequestError(404, "no_seat")
        judges, needed = judges_of(uow, table, player)
        if len(judges) < needed:
            raise RefusedRequestError(403, "no_judges")
        self._require_no_seat(session, page)
        row, token = self._guest_session(session, page, seat.name, None, language)
        row.chat_id, row.seen_at = chat.id, self.now()
        session.flush()
        decision = self._decide(session, row, TypedCode())
        if isinstance(decision, Refused) and decision.reason != "locked":  # its player is in already
            status = 429 if decision.retry_after is not None else 403
            raise RefusedRequestError(status, decision.reason, decision.retry_after)
        assert row.player_id is not None  # noqa: S101 - a guest's
        self._ask_host(session, chat.id, row.player_id, network, claimed=player)
        session.flush()
        return self._page(session, row), token

    @in_transaction
    def seat_of_key(self, session: Session, code: str, key: str) -> Seat | None:
        """Return the seat that a player's own link opens, or None."""
        return self._seat_of_key(session, self._chat_by_code(session, code), key)

    @in_transaction
    def take_seat(
        self, session: Session, page: Page | None, *, code: str, key: str, language: str
    ) -> tuple[Page, str, frozenset[LaneName]]:
        """Open a seat by its player's own link, once; their earlier pages end. Also return the lanes with notices.

        Raises:
            RefusedRequestError: the link is used, replaced or expired, or the browser has another seat.
        """
        chat = self._chat_by_code(session, code)
        self._ensure_room(session, chat)
        seat = self._seat_of_key(session, chat, key)
        if seat is None:
            raise RefusedRequestError(403, "seat_used")
        if page is not None and page.player != seat.player:
            self._require_no_seat(session, page)
        end_pages(session, seat.player, chat.id)
        row, token = self._new(session, seat.player, language)
        row.chat_id, row.linked_at = chat.id, self.now()
        session.flush()
        decision = self._decide(session, row, KnownSession())
        if decision != ADMITTED:
            raise RefusedRequestError(403, decision.reason if isinstance(decision, Refused) else "seat_used")
        uow = self.service.unit_of_work(session, "")
        tell_owner(uow, uow.player_by_id(seat.player), chat)
        return self._page(session, row), token, uow.finish()

    @in_transaction
    def keep_seat(self, session: Session, page: Page) -> str:
        """Return the key of the player's own link; an earlier one ends.

        Raises:
            RefusedRequestError: the page's player has no seat, or such a link has opened the page.
        """
        if page.linked:
            raise RefusedRequestError(403, "this_seat")
        newest = None if page.chat is None or page.room is None else self._newest(session, page.chat)
        if newest is None or page.player is None or load_table(newest).seat_of(page.player) is None:
            raise RefusedRequestError(403, "not_seated")
        chat = session.get_one(Chat, newest.chat_id)
        self._ensure_room(session, chat)
        return new_seat_key(session, chat, page.player, self.now())

    @in_transaction
    def enter(
        self,
        session: Session,
        page: Page | None,
        *,
        code: str,
        key: str,
        name: str,
        face: Face | None,
        language: str,
        network: str,
    ) -> tuple[Page, str | None]:
        """Admit a guest by the link's key; without it ask the host. Returns the page, and its token if it is new.

        Raises:
            RefusedRequestError: the table does not exist, the guest is refused, or too many people are waiting.
        """
        chat = self._chat_by_code(session, code)
        row, token = self._guest_session(session, page, name, face, language)
        session.get_one(Player, row.player_id).name = Person(NAME, 0, name).name
        return self._come(session, row, chat, RoomKey(key) if key else TypedCode(), network), token

    @in_transaction
    def title_at(self, session: Session, code: str, key: str) -> SeenTable | None:
        """Return the table of a link for a person at its door, or None if there is none with this code and key."""
        try:
            chat = self._chat_by_code(session, code)
        except RefusedRequestError:
            return None
        room, newest = session.get(WebRoom, chat.id), self._newest(session, chat.id)
        if room is None or newest is None or room.made_at < chat.plays_since:
            return None
        return _seen(newest, chat) if compare_digest(room.key.encode(), key.encode()) else None

    @in_transaction
    def open_room(
        self, session: Session, page: Page | None, *, name: str, face: Face | None, language: str
    ) -> tuple[Page, str | None]:
        """Return a guest's page without a room, and its token if it is new."""
        row, token = self._guest_session(session, page, name, face, language)
        session.flush()
        return self._page(session, row), token

    @in_transaction
    def watch_screen(self, session: Session, *, code: str, key: str, language: str) -> tuple[Page, str]:
        """Return a television's page and its token.

        Raises:
            RefusedRequestError: the table does not exist, or the key is wrong.
        """
        chat = self._chat_by_code(session, code)
        row, token = self._new(session, None, language)
        return self._come(session, row, chat, ScreenKey(key), ""), token

    @in_transaction
    def offer_screen(
        self, session: Session, page: Page | None, *, language: str, network: str
    ) -> tuple[Page, str | None]:
        """Return a television's page with a code for the host to type, and its token if it is new.

        Raises:
            RefusedRequestError: the network got too many codes.
        """
        row, token = None if page is None or page.kind != "screen" else session.get(WebSession, page.session), None
        if row is None:
            row, token = self._new(session, None, language)
            session.flush()
        if row.pairing_code is None or row.pairing_ends <= self.now():
            wait = self.limits.take("pair", network, self.now())
            if wait:
                raise RefusedRequestError(429, "too_many", wait)
            self.pairing.give_code(session, row, site_of(network), self.now())
        row.seen_at = self.now()
        session.flush()
        return self._page(session, row), token

    @in_transaction
    def show_on_screen(self, session: Session, page: Page, code: str) -> int:
        """Show the page's room on the television that shows a code; returns the television's session.

        Raises:
            RefusedRequestError: no television shows the code, or the page is not the host's.
        """
        chat = _room_of(session, page)
        screen = screen_of_code(session, code, self.now())
        if screen is None:
            raise RefusedRequestError(404, "no_screen")
        self._come(session, screen, chat, PairedBy(page.player), "")
        screen.pairing_code = None
        session.flush()
        return screen.id

    @in_transaction
    def group_of(self, session: Session, person: Person, code: str) -> int | None:
        """Return the group of the table with this code, if it is one of the person's messenger.

        None also if the person sits there: they come in without further proof.
        """
        try:
            chat = self._chat_by_code(session, code)
        except RefusedRequestError:
            return None
        player = self.service.unit_of_work(session, "").find_player(person.channel, person.address)
        newest = self._newest(session, chat.id)
        sits = player is not None and newest is not None and load_table(newest).seat_of(player.id) is not None
        return chat.address if chat.channel == person.channel and not sits else None

    @in_transaction
    def open_app(
        self, session: Session, person: Person, code: str | None, network: str, *, in_group: bool
    ) -> tuple[Page, str]:
        """Return the page of a person of a messenger, and its token; `code`: the code of the table that they want.

        `in_group`: see `TelegramSignature`. An invalid code leads to the table where the person plays.

        Raises:
            RefusedRequestError: the person is refused, or too many people are waiting.
        """
        uow = self.service.unit_of_work(session, "")
        player = uow.ensure_player(person)
        tables = self._tables_with_rooms(uow, player)
        try:
            chat = None if code is None else self._chat_by_code(session, code)
        except RefusedRequestError:
            if not tables:
                raise
            chat = None
        if chat is None and tables:
            chat = uow.chat_of(fitting(uow, player, tables, Fits.TURN)[-1])
        query = select(WebSession.id).where(WebSession.player_id == player.id).order_by(col(WebSession.id).desc())
        older = list(session.exec(query.offset(SESSIONS_A_PERSON - 1)))
        session.exec(delete(WebSession).where(col(WebSession.id).in_(older)))
        row, token = self._new(session, player.id, uow.language_for(player))
        if chat is not None:
            return self._come(session, row, chat, TelegramSignature(in_group), network), token
        session.flush()
        return self._page(session, row), token

    @in_transaction
    def look(self, session: Session, page: Page, code: str) -> Page:
        """Move the page to another room that its player may read.

        Raises:
            RefusedRequestError: the table does not exist, or the player may not read its room.
        """
        row, chat = _row_of(session, page), self._chat_by_code(session, code)
        if row.player_id is None:
            raise RefusedRequestError(403, "bad_key")
        if page.linked and chat.id != page.chat:
            raise RefusedRequestError(403, "this_seat")
        return self._come(session, row, chat, KnownSession(), "")

    @in_transaction
    def is_here(self, session: Session, page: Page, table: int) -> bool:
        """Return True if a table is one of the page's room."""
        row = session.get(GameTable, table)
        return row is not None and row.chat_id == page.chat

    @in_transaction
    def settle_in(self, session: Session, page: Page, place: Place) -> Page:
        """Move the page to the room that its player has opened."""
        uow = self.service.unit_of_work(session, "")
        row, chat = _row_of(session, page), uow.find_chat(place)
        if chat is not None:
            row.chat_id = chat.id
            session.flush()
        return self._page(session, row)

    @in_transaction
    def state(self, session: Session, page: Page) -> PageState:
        """Return the state of a page."""
        row = _row_of(session, page)
        newest = self._newest(session, row.chat_id) if row.chat_id is not None and page.room is not None else None
        state = "in" if page.room is not None else "asked" if page.decision == ASK_HOST else "nowhere"
        why = page.decision.reason if isinstance(page.decision, Refused) else None
        seen = None if newest is None else _seen(newest, session.get_one(Chat, newest.chat_id))
        listed = None if page.room is None or page.chat is None else lists_in(session, [page.chat]).get(page.chat)
        list_code = None if listed is None else listed.code
        if row.player_id is None:
            code = row.pairing_code if row.pairing_ends > self.now() else None
            return PageState(state, why, seen, pairing=None if code is None else (code, row.pairing_ends))
        uow = self.service.unit_of_work(session, "")
        player = session.get_one(Player, row.player_id)
        rows = [each for each in self._tables_with_rooms(uow, player) if not page.linked or each.chat_id == page.chat]
        mine = tuple(_seen(table, uow.chat_of(table)) for table in rows)
        entry = session.get(WebEntry, (row.chat_id, player.id))
        claims = [] if entry is None or entry.claimed is None else [entry]
        names = self._claim_names(session, claims)
        claim = next(((names[each.player_id], each.number) for each in claims), None)
        on = tuple(player.switched_on)
        return PageState(state, why, seen, mine, player.asks_twice, on, list_code, claim=claim)

    @in_transaction
    def room(self, session: Session, page: Page) -> RoomState:
        """Return the links of the page's room; the first request creates them.

        Raises:
            RefusedRequestError: the page reads no room.
        """
        return self._room_state(session, page)

    @in_transaction
    def change_room(self, session: Session, page: Page, what: str) -> RoomState:
        """Change the links, for the host only.

        Raises:
            RefusedRequestError: the player is not the host.
        """
        state = self._room_state(session, page)
        if not state.host or page.chat is None:
            raise RefusedRequestError(403, "not_host")
        room = session.get_one(WebRoom, page.chat)
        match what:
            case "lock" | "unlock":
                room.locked, room.screen_key = what == "lock", new_key()
                for entry in self._waiting(session, page.chat):
                    if entry.claimed is None:
                        entry.answer = EntryAnswer.UNANSWERED
                room.door_changed = True
            case "ask_first" | "ask_nobody":
                room.asks_first = what == "ask_first"
                if room.asks_first:  # the screen has shown the key
                    room.key = new_key()
            case "renew":
                self._make_links(room)
                came_in = (col(WebEntry.chat_id) == page.chat) & (col(WebEntry.answer) == EntryAnswer.ADMITTED)
                session.exec(delete(WebEntry).where(came_in, col(WebEntry.seat_key).is_(None)))
                for entry in session.exec(select(WebEntry).where(came_in)):  # a seat's own link stays
                    entry.answer = EntryAnswer.UNANSWERED
                self._end_screens(session, room)
            case "end_screens":
                self._end_screens(session, room)
            case _:
                raise RefusedRequestError(400, "bad_request")
        session.flush()
        return self._room_state(session, page)

    @in_transaction
    def answer_at_list(self, session: Session, page: Page, player: int, *, admit: bool) -> frozenset[LaneName] | None:
        """Answer a visitor for the host of the room's list; return the lanes with notices.

        Return None if the page's player is not that person, or hosts the newest table as well, whose step answers.

        """
        if (
            page.room is None
            or page.chat is None
            or any(claim.player_id == player for claim in claims_in(session, [page.chat]))
        ):
            return None
        newest = self._newest(session, page.chat)
        if newest is not None and load_table(newest).host == page.player:
            return None
        uow = self.service.unit_of_work(session, "")
        names = answer_at_list(uow, page.player, page.chat, player, admit=admit)
        if names == []:
            raise RefusedRequestError(404, "no_guest")
        return None if names is None else uow.finish()

    @in_transaction
    def tell_hosts(self, session: Session) -> set[LaneName]:
        """Tell each host about new waiting visitors if a message is due; return the lanes with notices."""
        lanes: set[LaneName] = set()
        rooms = select(WebRoom).where(col(WebRoom.door_changed))
        for room in session.exec(rooms):
            lanes |= self._tell_host(session, room)
        return lanes

    # Parts of transactions

    def _come(self, session: Session, row: WebSession, chat: Chat, proof: Proof, network: str) -> Page:
        """Admit a page to a room, or ask the host.

        Raises:
            RefusedRequestError: the page is refused, or too many people are waiting.
        """
        self._ensure_room(session, chat)
        row.chat_id, row.seen_at = chat.id, self.now()
        session.flush()
        decision = self._decide(session, row, proof)
        if isinstance(decision, Refused):
            status = 429 if decision.retry_after is not None else 403
            raise RefusedRequestError(status, decision.reason, decision.retry_after)
        if row.player_id is None:
            row.admitted_at = self.now()
        elif decision == ADMITTED:
            set_answer(session, chat.id, row.player_id, EntryAnswer.ADMITTED, self.now())
        else:
            self._ask_host(session, chat.id, row.player_id, network)
        session.flush()
        return self._page(session, row)

    def _ask_host(self, session: Session, chat: int, player: int, network: str, *, claimed: int | None = None) -> None:
        """Ask the host about a person, who may be waiting already. `claimed`: the player whose seat they want back."""
        waiting = self._waiting(session, chat)
        if any(entry.player_id == player and entry.claimed == claimed for entry in waiting):
            return
        wait = self.limits.take("ask", network, self.now())
        if wait == 0 and len(waiting) >= MOST_ASKING:
            wait = int(waiting[0].at + LEAST_WAIT_SECONDS - self.now()) + 1
            if wait <= 0:
                waiting[0].answer = EntryAnswer.UNANSWERED
        if wait > 0:
            raise RefusedRequestError(429, "too_many", wait)
        set_answer(session, chat, player, EntryAnswer.ASKED, self.now())
        session.flush()
        entry = session.get_one(WebEntry, (chat, player))
        entry.claimed, entry.number = claimed, 0 if claimed is None else draw_number(session, chat)
        session.get_one(WebRoom, chat).door_changed = True

    def _waiting(self, session: Session, chat: int) -> list[WebEntry]:
        """Return the people who wait for the host's answer, oldest first; remove those who have waited too long."""
        query = select(WebEntry).where(WebEntry.chat_id == chat, WebEntry.answer == EntryAnswer.ASKED)
        entries = session.exec(query.order_by(col(WebEntry.at), col(WebEntry.player_id))).all()
        players = [entry.player_id for entry in entries]
        open_pages = (col(WebSession.player_id).in_(players), col(WebSession.open_until) > self.now())
        look_on = set(session.exec(select(WebSession.player_id).where(*open_pages)))
        waiting = []
        for entry in entries:
            seconds = LONGEST_WAIT_SECONDS if entry.player_id in look_on else CLOSED_PAGE_SECONDS
            if entry.at + seconds > self.now():
                waiting.append(entry)
            else:
                entry.answer = EntryAnswer.UNANSWERED
        session.flush()
        return waiting

    def _tell_host(self, session: Session, room: WebRoom) -> frozenset[LaneName]:
        """Send the host the list of waiting visitors; the pauses grow while the host does not answer."""
        newest = self._newest(session, room.chat_id)
        entries = self._waiting(session, room.chat_id)
        waiting_players = [entry.player_id for entry in entries]
        room.door_changed = bool(waiting_players)
        if waiting_players == room.host_told:
            return frozenset()
        listed = lists_in(session, [room.chat_id]).get(room.chat_id)
        seated = None if newest is None else load_table(newest).host
        of_table = seated is not None and seated in hosts_of(listed, seated, live=newest is not None and newest.live)
        number = seated if of_table else None if listed is None else listed.host
        if number is None:
            room.host_told = waiting_players
            return frozenset()
        uow = self.service.unit_of_work(session, "")
        host, chat = uow.player_by_id(number), session.get_one(Chat, room.chat_id)
        at = page_or_chat(uow, host, chat)
        traits = uow.traits(at.channel)
        if not of_table and (traits.reads_rooms or not traits.buttons or host.direct != DirectMessages.OPEN):
            room.host_told = waiting_players  # the page of the list's host shows them; a text answers about a table
            return frozenset()
        pause = 0.0 if traits.reads_rooms else ASK_AGAIN_SECONDS[traits.paid]
        is_news = bool(set(waiting_players) - set(room.host_told))
        if self.now() < room.host_told_at + min(pause * 2 ** max(0, room.times_told - 1), LONGEST_PAUSE_SECONDS):
            room.door_changed = True
            return frozenset()
        room.host_told, room.host_told_at = waiting_players, self.now()
        room.times_told += is_news
        if traits.paid and not is_news:
            return frozenset()
        claims = self._claims(session, [entry for entry in entries if entry.claimed is not None])
        knocks = [entry.player_id for entry in entries if entry.claimed is None]
        names = self._names(session, newest, knocks)
        first = knocks[0] if knocks else claims[0].player if claims else 0
        notice = GuestNotice(
            what="knock",
            table=0 if newest is None else newest.id,
            room=0 if of_table else room.chat_id,
            code=join_code_of(newest) if newest is not None else listed.code if listed is not None else "",
            player=first,
            name=names.get(first, ""),
            waiting=tuple((player, names[player]) for player in knocks),
            claims=claims if of_table else (),
        )
        key, edit_only = None if traits.supersedes else (), not (is_news or traits.supersedes)
        slot = f"door:{host.id}" if of_table else f"door:{room.chat_id}:{host.id}"
        notify(uow, host, notice, at=at, key=key, edit_only=edit_only, table=notice.table, slot=slot)
        if is_news and of_table and newest is not None:
            self._tell_judges(uow, newest, claims, notice)
        return uow.finish()

    def _tell_judges(self, uow: UnitOfWork, row: GameTable, claims: Sequence[SeatClaim], notice: GuestNotice) -> None:
        """Ask the players who answer in the place of an absent host, if they have no page, which shows it."""
        table, chat = load_table(row), uow.chat_of(row)
        owners = {entry.player_id: entry.claimed for entry in claims_in(uow.session, [chat.id])}
        for claim in claims:
            judges, _ = judges_of(uow, table, owners[claim.player] or 0)
            told = notice.model_copy(update={"player": claim.player, "waiting": (), "claims": (claim,)})
            for judge in map(uow.player_by_id, sorted(judges - {table.host})):
                at = page_or_chat(uow, judge, chat)
                if not uow.traits(at.channel).paid:
                    notify(uow, judge, told, at=at, table=row.id, slot=f"claim:{claim.player}:{judge.id}")

    def _claim_names(self, session: Session, claims: Sequence[WebEntry]) -> dict[int, str]:
        """Return the names on the seats that people want back, by the number of the visitor."""
        names = {}
        for claim in claims:
            newest = self._newest(session, claim.chat_id)
            seats = () if newest is None else load_table(newest).seats
            names[claim.player_id] = next((seat.name for seat in seats if seat.player == claim.claimed), "")
        return names

    def _claims(self, session: Session, claims: Sequence[WebEntry]) -> tuple[SeatClaim, ...]:
        names = self._claim_names(session, claims)
        return tuple(SeatClaim(each.player_id, names[each.player_id], each.number) for each in claims)

    def _names(self, session: Session, table: GameTable | None, players: Sequence[int]) -> dict[int, str]:
        """Return the names of waiting people, distinct from each other and from the names at the table."""
        people = self.service.unit_of_work(session, "").players_by_id(players)
        taken, names = [seat.name for seat in load_table(table).seats] if table is not None else [], {}
        for player in players:
            names[player] = told_apart(people[player].name, taken)
            taken.append(names[player])
        return names

    def _lost_seat(self, session: Session, token: str, chat: Chat) -> Seat | None:
        """Return the seat whose guest came in the browser with this token, and has it on another device now."""
        row = session.exec(_WITH_TOKEN, params={"token": token_hash(token)}).one_or_none()
        newest = self._newest(session, chat.id)
        if row is None or newest is None or not row.replaced or row.linked_at is not None or row.chat_id != chat.id:
            return None
        player = None if row.player_id is None else session.get(Player, row.player_id)
        mine = [seat for seat in load_table(newest).seats if player is not None and seat.player == player.id]
        is_guest = player is not None and player.channel == NAME
        return mine[0] if mine and is_guest and not moves(mine[0]) else None

    def _seat_of_key(self, session: Session, chat: Chat, key: str) -> Seat | None:
        """Return the seat that a player's own link opens at the newest table of a room, or None."""
        entry = session.exec(
            select(WebEntry).where(WebEntry.chat_id == chat.id, WebEntry.seat_key == token_hash(key))
        ).one_or_none()
        newest = self._newest(session, chat.id)
        uow, made = self.service.unit_of_work(session, ""), 0.0 if entry is None else entry.seat_key_at
        is_over = self.now() > made + SEAT_LINK_SECONDS or made < chat.plays_since
        if entry is None or newest is None or is_over or not uow.evening_goes_on(newest):
            return None
        return next((seat for seat in load_table(newest).seats if seat.player == entry.player_id), None)

    def _require_no_seat(self, session: Session, page: Page | None) -> None:
        """Make sure that a browser does not lose the seat that it has at a live table.

        Raises:
            RefusedRequestError: it has one.
        """
        player = None if page is None or page.player is None else session.get(Player, page.player)
        if player is not None and self.service.unit_of_work(session, "").live_tables_of(player):
            raise RefusedRequestError(409, "has_seat")

    def _ensure_room(self, session: Session, chat: Chat) -> WebRoom:
        """Return the room with the links of this evening."""
        room = session.get(WebRoom, chat.id)
        if room is None:
            room = WebRoom(chat_id=chat.id)
            session.add(room)
        if room.made_at < chat.plays_since or not room.key:
            self._make_links(room)
            room.locked, room.asks_first = False, None
        session.flush()
        return room

    def _make_links(self, room: WebRoom) -> None:
        room.key, room.screen_key, room.made_at = new_key(), new_key(), self.now()

    def _end_screens(self, session: Session, room: WebRoom) -> None:
        room.screen_key = new_key()
        screens = (col(WebSession.chat_id) == room.chat_id) & col(WebSession.player_id).is_(None)
        session.exec(delete(WebSession).where(screens))

    def _decide(self, session: Session, row: WebSession, proof: Proof) -> Decision | None:
        visitor = visitors(session, [row.id], self.now()).get(row.id)
        return None if visitor is None else admit(visitor, proof, self.now())

    def _page(self, session: Session, row: WebSession) -> Page:
        player = None if row.player_id is None else session.get_one(Player, row.player_id)
        chat = None if row.chat_id is None else session.get_one(Chat, row.chat_id)
        decision = None if chat is None else self._decide(session, row, KnownSession())
        channels = self.service.config.channels
        person, own, language, spoken = None, None, row.language, None
        if player is not None:
            person = Person(player.channel, player.address, player.name, player.username, player.language)
            own = player.address if player.channel == NAME else player.id
            language = self.service.unit_of_work(session, "").language_for(player)
            spoken = player.chosen_language or player.language
        return Page(
            row.id,
            language,
            spoken,
            row.player_id,
            person,
            row.chat_id,
            decision,
            room_address(chat, channels) if chat is not None and decision == ADMITTED else None,
            own,
            row.linked_at is not None,
        )

    def _guest_session(
        self, session: Session, page: Page | None, name: str, face: Face | None, language: str
    ) -> tuple[WebSession, str | None]:
        """Return the guest's session, with its token if it is new. A guest whose `face` is None keeps theirs."""
        row = None if page is None or page.kind != "guest" or page.linked else session.get(WebSession, page.session)
        if row is not None:
            known = session.get_one(Player, row.player_id)
            known.face = face or known.face
            return row, None
        uow = self.service.unit_of_work(session, "")
        address = LEAST_ADDRESS + secrets.randbelow(MOST_ADDRESS - LEAST_ADDRESS)
        spoken = nearest_language(language, self.service.config.languages)
        player = uow.ensure_player(Person(NAME, address, name, language=spoken))
        player.guest, player.face = True, face
        return self._new(session, player.id, spoken or self.service.config.language)

    def _new(self, session: Session, player: int | None, language: str) -> tuple[WebSession, str]:
        token = secrets.token_urlsafe(32)
        spoken = nearest_language(language, self.service.config.languages) or ENGLISH
        row = WebSession(token_hash=token_hash(token), player_id=player, language=spoken, seen_at=self.now())
        session.add(row)
        return row, token

    def _chat_by_code(self, session: Session, code: str) -> Chat:
        """Return the place of the table or list with this code, if all its players can read the place.

        Raises:
            RefusedRequestError: there is none, or its evening is over.
        """
        table = session.exec(select(GameTable).where(GameTable.code == code.strip().upper())).one_or_none()
        room = next(iter(lists_in(session, code.strip().upper())), None) if table is None else table.chat_id
        chat = None if room is None else session.get(Chat, room)
        shared = chat is not None and self.service.config.channels.traits(chat.channel).shared_chats
        if chat is None or not shared or (table is not None and load_table(table).practice):
            raise RefusedRequestError(404, "no_table")
        if table is not None and table.created_at < chat.plays_since:
            raise RefusedRequestError(403, "ended")
        return chat

    def _tables_with_rooms(self, uow: UnitOfWork, player: Player) -> list[GameTable]:
        """Return `live_tables_of` a player, without those that have no room for pages."""
        traits = self.service.config.channels.traits
        return [row for row in uow.live_tables_of(player) if traits(uow.chat_of(row).channel).shared_chats]

    def _newest(self, session: Session, chat: int) -> GameTable | None:
        query = select(GameTable).where(GameTable.chat_id == chat).order_by(col(GameTable.id).desc()).limit(1)
        return session.exec(query).one_or_none()

    def _room_state(self, session: Session, page: Page) -> RoomState:
        chat = _room_of(session, page)
        newest, listed = self._newest(session, chat.id), lists_in(session, [chat.id]).get(chat.id)
        table = None if newest is None else load_table(newest)
        room = self._ensure_room(session, chat)
        hosts = hosts_of(listed, None if table is None else table.host, live=newest is not None and newest.live)
        is_host = page.player is not None and page.player in hosts
        waiting = self._waiting(session, chat.id)
        asking = [entry for entry in waiting if entry.claimed is None] if is_host or page.player is None else []
        claims = [] if table is None else self._to_answer(session, page, table, waiting)
        names = self._names(session, newest, [entry.player_id for entry in asking])
        asks_first = not is_party(chat) if room.asks_first is None else room.asks_first
        return RoomState(
            table.join_code if table is not None else listed.code if listed is not None else "",
            listed.code if listed is not None else None,
            None if page.player is None and (asks_first or room.locked) else room.key,
            room.screen_key if is_host else None,
            is_host,
            room.locked,
            asks_first,
            tuple((entry.player_id, names[entry.player_id]) for entry in asking),
            self._claims(session, claims),
            None if table is None else table.rules,
        )

    def _to_answer(self, session: Session, page: Page, table: Table, waiting: Sequence[WebEntry]) -> list[WebEntry]:
        """Return the people who want a seat back, and about whom the page's player may answer and has not."""
        uow = self.service.unit_of_work(session, "")
        return [
            entry
            for entry in waiting
            if entry.claimed is not None
            and page.player in judges_of(uow, table, entry.claimed)[0]
            and str(page.player) not in entry.votes
        ]


def is_party(chat: Chat) -> bool:
    """Return True if a guest has opened the room on a page; the rooms of features lie beyond."""
    return chat.channel == NAME and -chat.address < MOST_ADDRESS


def _seen(table: GameTable, chat: Chat) -> SeenTable:
    return SeenTable(table.id, join_code_of(table), chat.title, opened_on_a_page=is_party(chat))
