"""Who opened a page: guests, people of other channels, big screens; and the link that leads to a room."""

import hmac
import secrets
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from sqlalchemy import ColumnElement, delete, update
from sqlmodel import Session, col, select

from telegram_bot.channels.web import TRAITS
from telegram_bot.service.announcing.presentation import envelope_to, own_page
from telegram_bot.service.announcing.private_routes import room_address
from telegram_bot.service.intents import Person, Place
from telegram_bot.service.languages import ENGLISH, nearest_language
from telegram_bot.service.notices import GuestNotice
from telegram_bot.service.posting import Post
from telegram_bot.service.repositories import load_table
from telegram_bot.service.service import Service
from telegram_bot.storage.database import in_transaction
from telegram_bot.storage.models import Chat, GameTable, Member, Player, TableSeat
from telegram_bot.storage.web_models import WebRoom, WebSession

NAME: Final = TRAITS.name
LEAST_ADDRESS: Final = 2**40
"""Guests and rooms have addresses beyond this: below it are the numbers of players and chats of other channels."""
MOST_ADDRESS: Final = 2**52
SESSIONS_A_PERSON: Final = 8
"""Pages that one person of a messenger has at most: a further one takes the place of the oldest."""
MOST_ASKING: Final = 10
"""How many strangers may wait at a room's door."""


class RefusedRequestError(Exception):
    """A request is refused: the status, the error's name, and after how many seconds to try again."""

    def __init__(self, status: int, name: str, retry_after: int | None = None) -> None:
        super().__init__(name)
        self.status = status
        self.name = name
        self.retry_after = retry_after


@dataclass(frozen=True, slots=True)
class Page:
    """An opened page: who looks, and at which room."""

    session: int
    language: str
    player: int | None
    """The player's own number; None: a big screen."""
    person: Person | None
    chat: int | None
    room: int | None
    """The room's address; None: the page may read none."""
    own: int | None
    """The address of what its player alone is told."""

    @property
    def kind(self) -> str:
        """Which of the three pages it is."""
        if self.person is None:
            return "screen"
        return "guest" if self.person.channel == NAME else self.person.channel


@dataclass(frozen=True, slots=True)
class SeenTable:
    """A table as a list of tables shows it."""

    table: int
    code: str
    title: str
    """A group's; where the table stands in none, the name of the guest who opened it."""
    opened_on_a_page: bool = False


@dataclass(frozen=True, slots=True)
class PageState:
    """What a page is told of itself."""

    state: str
    table: SeenTable | None
    tables: tuple[SeenTable, ...] = ()
    asks_twice: bool = False


@dataclass(frozen=True, slots=True)
class RoomState:
    """What a page is told of its room's link."""

    code: str
    key: str
    host: bool
    locked: bool
    asking: tuple[tuple[int, str], ...]


def token_hash(token: str) -> str:
    """What is stored of a token."""
    return sha256(token.encode()).hexdigest()


class Sessions:
    """The sessions and links; each method is one transaction."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.database = service.database
        self.now = service.now

    @in_transaction
    def find(self, session: Session, token: str) -> Page | None:
        """The page with a token."""
        row = session.exec(select(WebSession).where(WebSession.token_hash == token_hash(token))).one_or_none()
        return None if row is None else self._page(session, row)

    @in_transaction
    def enter(
        self, session: Session, page: Page | None, *, code: str, key: str, name: str, language: str
    ) -> tuple[Page, str | None]:
        """Let a guest in by the link; without its key the host is asked. Returns the page, and its token if it is new.

        Raises:
            RefusedRequestError: there is no such table, nobody new may come, or too many wait already.
        """
        chat = self._chat_by_code(session, code)
        room = session.get(WebRoom, chat.id)
        row = None if page is None or page.kind != "guest" else session.get(WebSession, page.session)
        token = None
        if row is None:
            row, token = self._guest(session, name, language)
        player = session.get_one(Player, row.player_id)
        player.name = Person(NAME, player.address, name).name
        known = (row.chat_id == chat.id and row.admitted) or self._has_seat(session, player.id, chat.id)
        if self._is_kicked(session, player.id, chat.id):
            raise RefusedRequestError(403, "kicked")
        right = room is not None and hmac.compare_digest(key.encode(), room.key.encode())
        if not known:
            self._require_open_door(session, chat.id, asks=not right)
        row.chat_id, row.admitted, row.seen_at = chat.id, known or right, self.now()
        session.flush()
        return self._page(session, row), token

    @in_transaction
    def open_room(self, session: Session, page: Page | None, *, name: str, language: str) -> tuple[Page, str | None]:
        """A guest's page that looks at no room yet, and its token if it is new."""
        row = None if page is None or page.kind != "guest" else session.get(WebSession, page.session)
        token = None
        if row is None:
            row, token = self._guest(session, name, language)
        session.flush()
        return self._page(session, row), token

    @in_transaction
    def watch_screen(self, session: Session, *, code: str, key: str, language: str) -> tuple[Page, str]:
        """A big screen's page, and its token.

        Raises:
            RefusedRequestError: there is no such table, or the key is not the link's.
        """
        chat = self._chat_by_code(session, code)
        room = session.get(WebRoom, chat.id)
        if room is None or not hmac.compare_digest(key.encode(), room.key.encode()):
            raise RefusedRequestError(403, "bad_key")
        row, token = self._new(session, None, language)
        row.chat_id, row.admitted = chat.id, True
        session.flush()
        return self._page(session, row), token

    @in_transaction
    def open_app(self, session: Session, person: Person, code: str | None) -> tuple[Page, str]:
        """The page of a person whom their messenger has named, and its token; `code`: of the table that they want.

        Who sits nowhere yet is trusted as with a link to the bot, unless they left the group or were removed from it;
        then, and where the table stands in no group, the host is asked.

        Raises:
            RefusedRequestError: nobody new may come, or too many wait already.
        """
        uow = self.service.unit_of_work(session, "")
        player = uow.ensure_player(person)
        query = select(WebSession.id).where(WebSession.player_id == player.id).order_by(col(WebSession.id).desc())
        older = list(session.exec(query.offset(SESSIONS_A_PERSON - 1)))
        session.exec(delete(WebSession).where(col(WebSession.id).in_(older)))
        row, token = self._new(session, player.id, uow.language_for(player))
        chat = None if code is None else self._chat_by_code(session, code)
        if chat is None:
            tables = uow.live_tables_of(player)
            chat = uow.chat_of(tables[-1]) if tables else None
        if chat is not None:
            row.admitted = self._may_come(session, player, chat)
            if not row.admitted:
                self._require_open_door(session, chat.id, asks=True)
                if self._is_kicked(session, player.id, chat.id):
                    raise RefusedRequestError(403, "kicked")
            row.chat_id = chat.id
        session.flush()
        return self._page(session, row), token

    @in_transaction
    def look(self, session: Session, page: Page, code: str) -> Page:
        """Let the page look at another table of its player's.

        Raises:
            RefusedRequestError: there is no such table.
        """
        row, chat = session.get_one(WebSession, page.session), self._chat_by_code(session, code)
        player = None if row.player_id is None else session.get(Player, row.player_id)
        if player is None or not self._may_come(session, player, chat):
            raise RefusedRequestError(404, "no_table")
        row.chat_id, row.admitted = chat.id, True
        return self._page(session, row)

    @in_transaction
    def settle_in(self, session: Session, page: Page, place: Place) -> Page:
        """Let the page look at the room that its player has opened."""
        uow = self.service.unit_of_work(session, "")
        row, chat = session.get_one(WebSession, page.session), uow.find_chat(place)
        if chat is not None:
            row.chat_id, row.admitted = chat.id, True
        return self._page(session, row)

    @in_transaction
    def state(self, session: Session, page: Page) -> PageState:
        """What the page is told of itself."""
        row = session.get_one(WebSession, page.session)
        newest = None if row.chat_id is None else self._newest(session, row.chat_id)
        state = "nowhere" if row.chat_id is None else "in" if row.admitted else "asked"
        seen = None if newest is None else _seen(newest, session.get_one(Chat, newest.chat_id))
        if row.player_id is None:
            return PageState(state, seen)
        uow = self.service.unit_of_work(session, "")
        player = session.get_one(Player, row.player_id)
        mine = tuple(_seen(table, uow.chat_of(table)) for table in uow.live_tables_of(player))
        return PageState(state, seen, mine, player.asks_twice)

    @in_transaction
    def room(self, session: Session, page: Page) -> RoomState:
        """The link of the room that the page reads; it is made when somebody first asks for it.

        Raises:
            RefusedRequestError: the page reads no room.
        """
        return self._room_state(session, page)

    @in_transaction
    def change_room(self, session: Session, page: Page, what: str) -> RoomState:
        """Do what only the host does with the link.

        Raises:
            RefusedRequestError: the player is not the host.
        """
        state = self._room_state(session, page)
        if not state.host or page.chat is None:
            raise RefusedRequestError(403, "not_host")
        room = session.get_one(WebRoom, page.chat)
        match what:
            case "lock" | "unlock":
                room.locked = what == "lock"
            case "renew":
                room.key = _new_key()
                known = col(WebSession.chat_id) == page.chat
                session.exec(update(WebSession).where(known, _looks_on(page.chat)).values(admitted=False, chat_id=None))
            case _:
                raise RefusedRequestError(400, "bad_request")
        session.flush()
        return self._room_state(session, page)

    @in_transaction
    def knock(self, session: Session, page: Page) -> set[str]:
        """Tell the host that a guest without the link would like to come in; returns the lanes with notices."""
        newest = None if page.chat is None else self._newest(session, page.chat)
        if newest is None or page.player is None or page.person is None:
            return set()
        uow = self.service.unit_of_work(session, "")
        host = uow.player_by_id(load_table(newest).host)
        notice = GuestNotice(what="knock", table=newest.id, code=newest.code, player=page.player, name=page.person.name)
        uow.enqueue(Post(envelope_to(uow, host, notice, at=own_page(uow, host))))
        return uow.lanes

    @in_transaction
    def bar(self, session: Session, chat: int, player: int) -> None:
        """Let a guest whom the host has sent out read the room no more."""
        theirs = (col(WebSession.chat_id) == chat) & (col(WebSession.player_id) == player)
        session.exec(update(WebSession).where(theirs).values(admitted=False, chat_id=None))

    # Parts of transactions

    def _page(self, session: Session, row: WebSession) -> Page:
        player = None if row.player_id is None else session.get_one(Player, row.player_id)
        chat = None if row.chat_id is None else session.get_one(Chat, row.chat_id)
        channels = self.service.config.channels
        person, own, language = None, None, row.language
        if player is not None:
            person = Person(player.channel, player.address, player.name, player.username, player.language)
            own = player.address if player.channel == NAME else player.id
            language = self.service.unit_of_work(session, "").language_for(player)
        return Page(
            row.id,
            language,
            row.player_id,
            person,
            row.chat_id,
            room_address(chat, channels) if chat is not None and row.admitted else None,
            own,
        )

    def _guest(self, session: Session, name: str, language: str) -> tuple[WebSession, str]:
        uow = self.service.unit_of_work(session, "")
        address = LEAST_ADDRESS + secrets.randbelow(MOST_ADDRESS - LEAST_ADDRESS)
        spoken = nearest_language(language, self.service.config.languages)
        player = uow.ensure_player(Person(NAME, address, name, language=spoken))
        player.guest = True
        return self._new(session, player.id, spoken or self.service.config.language)

    def _new(self, session: Session, player: int | None, language: str) -> tuple[WebSession, str]:
        token = secrets.token_urlsafe(32)
        spoken = nearest_language(language, self.service.config.languages) or ENGLISH
        row = WebSession(token_hash=token_hash(token), player_id=player, language=spoken, seen_at=self.now())
        session.add(row)
        return row, token

    def _chat_by_code(self, session: Session, code: str) -> Chat:
        chat = self._find_chat(session, code)
        if chat is None:
            raise RefusedRequestError(404, "no_table")
        return chat

    def _find_chat(self, session: Session, code: str) -> Chat | None:
        """The place of the table with a code, where a table stands that all its players can read."""
        table = session.exec(select(GameTable).where(GameTable.code == code.strip().upper())).one_or_none()
        chat = None if table is None else session.get(Chat, table.chat_id)
        shared = chat is not None and self.service.config.channels.traits(chat.channel).shared_chats
        practice = table is not None and load_table(table).practice
        return chat if shared and not practice else None

    def _newest(self, session: Session, chat: int) -> GameTable | None:
        query = select(GameTable).where(GameTable.chat_id == chat).order_by(col(GameTable.id).desc()).limit(1)
        return session.exec(query).one_or_none()

    def _has_seat(self, session: Session, player: int, chat: int) -> bool:
        query = select(TableSeat.table_id).where(TableSeat.player_id == player, col(TableSeat.table_id).in_(_of(chat)))
        return session.exec(query.limit(1)).first() is not None

    def _may_come(self, session: Session, player: Player, chat: Chat) -> bool:
        """Whether a person whom their messenger has named may read a room."""
        member = session.get(Member, (chat.channel, chat.address, player.id))
        if member is not None and member.gone:
            return False
        return player.channel == chat.channel != NAME or self._has_seat(session, player.id, chat.id)

    def _is_kicked(self, session: Session, player: int, chat: int) -> bool:
        newest = self._newest(session, chat)
        return newest is not None and player in load_table(newest).kicked

    def _require_open_door(self, session: Session, chat: int, *, asks: bool) -> None:
        """Make sure that somebody new may come, and that not too many wait who ask for it."""
        room = session.get(WebRoom, chat)
        if room is not None and room.locked:
            raise RefusedRequestError(403, "locked")
        if asks and len(self._asking(session, chat)) >= MOST_ASKING:
            raise RefusedRequestError(429, "too_many", 60)

    def _asking(self, session: Session, chat: int) -> list[Player]:
        query = (
            select(Player)
            .join(WebSession, col(WebSession.player_id) == col(Player.id))
            .where(WebSession.chat_id == chat, ~col(WebSession.admitted))
            .order_by(col(Player.id))
        )
        return list(session.exec(query).unique())

    def _room_state(self, session: Session, page: Page) -> RoomState:
        newest = None if page.chat is None or page.room is None else self._newest(session, page.chat)
        if newest is None or page.chat is None:
            raise RefusedRequestError(404, "no_table")
        room = session.get(WebRoom, page.chat)
        if room is None:
            room = WebRoom(chat_id=page.chat, key=_new_key())
            session.add(room)
        is_host = page.player is not None and load_table(newest).host == page.player
        asking = tuple((each.id, each.name) for each in self._asking(session, page.chat)) if is_host else ()
        return RoomState(newest.code, room.key, is_host, room.locked, asking)


def _of(chat: int) -> ColumnElement[int]:
    """The tables of a room."""
    return select(GameTable.id).where(GameTable.chat_id == chat).scalar_subquery()


def _looks_on(chat: int) -> ColumnElement[bool]:
    """Whether a session is a big screen's, or its player sits at no live table of a room."""
    live = select(TableSeat.player_id).where(col(TableSeat.table_id).in_(_of(chat)), col(TableSeat.live))
    return col(WebSession.player_id).is_(None) | col(WebSession.player_id).not_in(live)


def _seen(table: GameTable, chat: Chat) -> SeenTable:
    return SeenTable(table.id, table.code, chat.title, opened_on_a_page=chat.channel == NAME)


def _new_key() -> str:
    return secrets.token_urlsafe(16)
