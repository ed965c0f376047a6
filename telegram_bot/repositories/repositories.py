"""The rows of people, chats and tables that a step reads."""

import random
import string
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from sqlalchemy import ColumnElement, and_, func, or_, update
from sqlmodel import Session, col, select

from perudo_core import Action, load_action
from telegram_bot.intents.channel_traits import ChannelDirectory, ChannelTraits
from telegram_bot.intents.config import ServiceConfig
from telegram_bot.intents.intents import Person, Place
from telegram_bot.intents.slots import OF_A_GAME, OF_A_ROUND
from telegram_bot.repositories.room_access import lists_in
from telegram_bot.storage.models import (
    Chat,
    DiceStyle,
    GameAction,
    GameTable,
    Player,
    RoundEnd,
    SentMessage,
    TableSeat,
)
from telegram_bot.tables.model import Status, Table
from telegram_bot.tables.quiet_hours import QuietHours
from telegram_bot.words.languages import nearest_language

REMATCH_SECONDS: Final = 2 * 3600
"""How long an evening continues after its last game, and with it the links and codes of its tables."""
CODE_LETTERS = "".join(letter for letter in string.ascii_uppercase + string.digits if letter not in "O0I1L")
CODE_LENGTH = 6
LARGEST_NUMBER = 2**31 - 1
SEEN_SECONDS = 86400
"""The precision of the time of a person's last request."""

_READ_AGAIN: Final = {"populate_existing": True}
"""Rows that the session knows are read again: another part of the step may have changed them in the database."""


def is_unrevealed(now: float) -> ColumnElement[bool]:
    """Return the condition of rounds whose dice the table's chat does not show yet, or an animation there.

    Until then everybody is answered from the state before the call, or told to wait a moment.
    """
    return or_(col(RoundEnd.seen_at).is_(None), col(RoundEnd.dice_at) > now)


def _has_unrevealed(now: float) -> ColumnElement[bool]:
    return select(RoundEnd.deal).where(RoundEnd.table_id == GameTable.id, is_unrevealed(now)).exists()


def known_as_live(now: float) -> ColumnElement[bool]:
    """Return the condition of tables that are live as far as people know, also before the dice of the last call."""
    return or_(col(GameTable.live), _has_unrevealed(now))


_DICE_STYLES: Final[dict[str, DiceStyle]] = {style: style for style in DiceStyle}


@dataclass(slots=True)
class Repositories:
    """Finds and adds the rows of people, chats and tables inside one transaction."""

    session: Session
    now: float
    config: ServiceConfig
    _people: dict[int, Player] = field(default_factory=dict, init=False)
    _chats: dict[int, Chat] = field(default_factory=dict, init=False)
    _seated: dict[int, frozenset[int]] = field(default_factory=dict, init=False)
    """The players with a seat, now or before, by table, as far as they were read."""

    @property
    def channels(self) -> ChannelDirectory:
        """The traits of all channels."""
        return self.config.channels

    def traits(self, channel: str) -> ChannelTraits:
        """Return a channel's traits."""
        return self.config.channels.traits(channel)

    def is_paid(self, player: Player) -> bool:
        """Return True if private messages to the player cost money."""
        linked = None if player.phone is None else self.channels.linkable
        return any(self.traits(channel).paid for channel in (player.channel, linked) if channel is not None)

    # People and places

    def ensure_player(self, person: Person) -> Player:
        """Return the person's row, with name and language updated; for a linked phone, the row of its person."""
        row = self.find_player(person.channel, person.address)
        if row is None:
            row = Player(
                channel=person.channel, address=person.address, name=person.name, nameless=person.name_is_guess
            )
            self.session.add(row)
        _mark_seen(row, self.now)
        if row.channel != person.channel:
            return row
        language = row.language if person.language_is_guess and row.language else person.language or row.language
        name_stays = row.named or person.name_is_guess
        known = {"name": row.name if name_stays else person.name, "username": person.username}
        for name, value in (known | {"language": language}).items():
            if getattr(row, name) != value:  # writing the same value costs a comparison of the row at the flush
                setattr(row, name, value)
        self.session.flush()
        self._people[row.id] = row
        return row

    def read_players_at(self, table: int) -> None:
        """Read all players with a seat at a table, now or before, in one statement: a step needs most of them."""
        if not 0 < table <= LARGEST_NUMBER:
            return
        seated = select(Player).join(TableSeat, col(TableSeat.player_id) == col(Player.id))
        rows = self.session.exec(seated.where(TableSeat.table_id == table)).all()
        self._people.update((row.id, row) for row in rows)
        self._seated[table] = frozenset(row.id for row in rows)

    def find_player(self, channel: str, address: int) -> Player | None:
        """Return the player with an address, or the player of another channel to whom the address is linked."""
        linkable = self.traits(channel).linkable
        for row in () if linkable else self._people.values():
            if (row.channel, row.address) == (channel, address):
                return row
        if linkable:
            owner = self.session.exec(select(Player).where(Player.phone == address)).one_or_none()
            if owner is not None:
                return owner
        here = select(Player).where(Player.channel == channel, Player.address == address)
        return self.session.exec(here).one_or_none()

    def player_by_id(self, player: int) -> Player:
        """Return the row of a player with a seat."""
        return self.players_by_id([player])[player]

    def players_by_id(self, players: Iterable[int]) -> dict[int, Player]:
        """Return the rows of people, by number; read the missing ones in one statement. A forgotten person has none."""
        wanted = frozenset(players)
        if unknown := wanted - self._people.keys():
            found = self.session.exec(select(Player).where(col(Player.id).in_(unknown)))
            self._people.update((row.id, row) for row in found)
        return {player: self._people[player] for player in wanted & self._people.keys()}

    def ensure_chat(self, place: Place) -> Chat:
        """Return the place's row, with the title updated."""
        row = self.find_chat(place)
        if row is None:
            row = Chat(channel=place.channel, address=place.address, topic=place.topic)
            self.session.add(row)
        row.title = place.title or row.title
        _mark_seen(row, self.now)
        self.session.flush()
        return row

    def find_chat(self, place: Place) -> Chat | None:
        """Return the place's row, if there is one."""
        for row in self._chats.values():
            if (row.channel, row.address, row.topic) == (place.channel, place.address, place.topic):
                return row
        here = select(Chat).where(Chat.channel == place.channel, Chat.address == place.address)
        found = self.session.exec(here.where(Chat.topic == place.topic)).one_or_none()
        if found is not None:
            self._chats[found.id] = found
        return found

    def chat_of(self, table: GameTable) -> Chat:
        """Return the place of a table."""
        if table.chat_id not in self._chats:
            self._chats[table.chat_id] = self.session.get_one(Chat, table.chat_id)
        return self._chats[table.chat_id]

    # Languages and dice styles

    def language_of(self, chat: Chat) -> str:
        """Return the language of a group's messages: the chosen one, or that of the person who opened the table."""
        return chat.chosen_language or chat.language or self.config.language

    def language_for(self, player: Player) -> str:
        """Return the language of a person's messages: the chosen one, or their messenger's."""
        return player.chosen_language or self._supported_language(player.language) or self.config.language

    def dice_style_for(self, reader: Player | Chat) -> DiceStyle:
        """Return the dice style for a person or a group; the default if an unknown style is stored."""
        return _DICE_STYLES.get(reader.dice_style, DiceStyle.KEYCAPS)

    def language_spoken_by(self, person: Person) -> str:
        """Return the language of a person who may have no row yet: the chosen one, or their messenger's."""
        player = self.find_player(person.channel, person.address)
        if player is not None:
            return self.language_for(player)
        return self._supported_language(person.language) or self.config.language

    def _supported_language(self, language: str | None) -> str | None:
        return nearest_language(language, self.config.languages) if self.config.languages else language

    # Tables

    def table_by_id(self, table: int) -> GameTable | None:
        """Return a table's row, or None, also for an impossible number. The table's chat is read with it."""
        if not 0 < table <= LARGEST_NUMBER:
            return None
        query = select(GameTable, Chat).join(Chat, col(Chat.id) == col(GameTable.chat_id)).where(GameTable.id == table)
        found = self.session.exec(query, execution_options=_READ_AGAIN).one_or_none()
        if found is None:
            return None
        row, chat = found
        self._chats[row.chat_id] = chat
        return row

    def live_table_in(self, chat: Chat) -> GameTable | None:
        """Return the live table in a place."""
        query = select(GameTable).where(GameTable.chat_id == chat.id, col(GameTable.live))
        return self.session.exec(query, execution_options=_READ_AGAIN).one_or_none()

    def table_in(self, chat: Chat) -> GameTable | None:
        """Return the live table in a place as far as people know, as `live_tables_of` does."""
        known = select(GameTable).where(GameTable.chat_id == chat.id, known_as_live(self.now))
        query = known.order_by(col(GameTable.id).desc()).limit(1)
        return self.session.exec(query, execution_options=_READ_AGAIN).one_or_none()

    def table_by_code(self, code: str) -> GameTable | None:
        """Return the table with a code; an evening's code leads to its newest table."""
        row = self.session.exec(select(GameTable).where(GameTable.code == code)).one_or_none()
        newest = None if row is None else self._newest_table_in(self.chat_of(row))
        return newest if newest is not None and join_code_of(newest) == code else row

    def live_tables_of(self, player: Player) -> list[GameTable]:
        """Return the live tables where a player sits as far as people know, oldest first.

        A table with unrevealed dice is one of them, although the player may be out or its game over.
        """
        sits = or_(and_(col(GameTable.live), col(TableSeat.live)), _has_unrevealed(self.now))
        return self._tables_of(player, sits)

    def tables_read_by(self, player: Player) -> list[GameTable]:
        """Return the tables, live as far as people know, where a player sits, or sat before, oldest first."""
        return self._tables_of(player, known_as_live(self.now))

    def unrevealed(self, row: GameTable) -> tuple[int, float] | None:
        """Return the last round of a table whose dice its chat does not show yet, and when they are due, or None."""
        if row.status in (Status.LOBBY, Status.PLAYING) and row.state.get("deals", 0) <= 1:
            return None  # no round of it has ended
        last = select(func.max(RoundEnd.deal), func.max(RoundEnd.dice_at))
        deal, due = self.session.exec(last.where(RoundEnd.table_id == row.id, is_unrevealed(self.now))).one()
        return None if deal is None else (deal, due)

    def has_unrevealed(self, player: Player, *chats: Chat) -> bool:
        """Return True if `unrevealed` dice are at a table where the player sits, or sat, or of one of these chats."""
        sat_at = select(TableSeat.table_id).where(TableSeat.player_id == player.id)
        told_about = or_(col(GameTable.id).in_(sat_at), col(GameTable.chat_id).in_(chat.id for chat in chats))
        rounds = select(RoundEnd.deal).join(GameTable, col(GameTable.id) == col(RoundEnd.table_id))
        return self.session.exec(rounds.where(is_unrevealed(self.now), told_about).limit(1)).first() is not None

    def live_tables_once_of(self, player: Player) -> list[GameTable]:
        """Return the live tables where a player sits, or sat before, oldest first."""
        return self._tables_of(player, and_(col(GameTable.live)))

    def suspended_tables_of(self, player: Player) -> list[GameTable]:
        """Return the tables where a player sits and the bot cannot write, oldest first."""
        left = self._tables_of(player, and_(col(GameTable.live), ~col(TableSeat.live)))
        return [row for row in left if load_table(row).suspension is not None]

    def _tables_of(self, player: Player, condition: ColumnElement[bool]) -> list[GameTable]:
        """Return the tables where a player sits, or sat before, under a condition, oldest first."""
        tables = select(GameTable).join(TableSeat, col(TableSeat.table_id) == col(GameTable.id))
        found = tables.where(TableSeat.player_id == player.id, condition).order_by(col(GameTable.id))
        return list(self.session.exec(found))

    def has_seat(self, table: int, player: Player) -> bool:
        """Return True if a player has a seat at a table, or had one."""
        if player.id in self._seated.get(table, ()):
            return True
        return self.session.get(TableSeat, (table, player.id)) is not None

    def add_table(self, chat: Chat, rng: random.Random) -> GameTable:
        """Return a new table's row, so that the table has its id and code; `save` fills it."""
        code = new_code(rng)
        while self.session.exec(select(GameTable.id).where(GameTable.code == code)).first() is not None:
            code = new_code(rng)
        if not lists_in(self.session, [chat.id]):  # the evening began with the list
            self.begin_evening(chat)
        row = GameTable(
            code=code, chat_id=chat.id, status=Status.LOBBY, state={}, created_at=self.now, updated_at=self.now
        )
        self.session.add(row)
        self.session.flush()
        return row

    def evening_code(self, chat: Chat, new: GameTable) -> str | None:
        """Return the code of the place's evening for its new table, or None if the table begins one.

        A kick ends the evening's code: the kicked person knows it.
        """
        last = self._newest_table_in(chat, before=new.id)
        goes_on = last is not None and last.created_at >= chat.plays_since and not load_table(last).kicked
        return join_code_of(last) if last is not None and goes_on else None

    def begin_evening(self, chat: Chat) -> None:
        """Begin a new evening at a place, unless its last table was there in the last two hours."""
        last = self._newest_table_in(chat)
        if last is None or not self.evening_goes_on(last):
            chat.plays_since = self.now

    def evening_goes_on(self, last: GameTable) -> bool:
        """Return True if the evening of a place's last table is not over."""
        return last.live or last.updated_at + REMATCH_SECONDS >= self.now

    def _newest_table_in(self, chat: Chat, *, before: int = LARGEST_NUMBER) -> GameTable | None:
        tables = select(GameTable).where(GameTable.chat_id == chat.id, col(GameTable.id) < before)
        return self.session.exec(tables.order_by(col(GameTable.id).desc()).limit(1)).one_or_none()


def new_code(rng: random.Random) -> str:
    """Return a new code for a table or for linking a phone."""
    return "".join(rng.choices(CODE_LETTERS, k=CODE_LENGTH))


def quiet_hours_of(player: Player) -> QuietHours | None:
    """Return the player's quiet hours, in which they get no texts and their turn clock stops."""
    return None if player.quiet is None else QuietHours(**player.quiet)


def in_quiet_hours(player: Player, now: float) -> bool:
    """Return True if the bot does not write to the player now: their quiet hours, and they have not just texted."""
    quiet = quiet_hours_of(player)
    return quiet is not None and player.awake_until <= now < quiet.ends_at(now)


def load_table(row: GameTable) -> Table:
    """Return the table of a row."""
    return Table.model_validate(row.state)


def join_code_of(row: GameTable) -> str:
    """Return the code by which people reach the table of a row."""
    return row.state.get("evening_code") or row.code


def actions_of(session: Session, table: int) -> list[tuple[Action, str, float]]:
    """Return the stored actions of a game in order, each with its cause and its time."""
    query = select(GameAction.action, GameAction.cause, GameAction.at).where(GameAction.table_id == table)
    rows = session.exec(query.order_by(col(GameAction.number)))
    return [(load_action(action), cause, at) for action, cause, at in rows]


def postpone_deadline(session: Session, table: int, until: float) -> None:
    """Postpone a table's deadline without a step: its state cannot be read now, or a worker computes a call for it."""
    session.execute(update(GameTable).where(col(GameTable.id) == table).values(due_at=until))


def _mark_seen(row: Player | Chat, now: float) -> None:
    """Store, once a day, the time of a request: unused rows are pruned."""
    if now - row.seen_at >= SEEN_SECONDS:
        row.seen_at = now


def is_on_turn(
    session: Session,
    channel: str,
    address: int,
    linkable: str | None,
    *,
    table: int | None = None,
    step: int | None = None,
    now: float,
) -> bool:
    """Return True if the person with this address is on turn anywhere, or at this table and step.

    At a table with unrevealed dice nobody is. `linkable`: the channel of addresses that are linked to people of other
    channels.
    """
    own = (col(Player.channel) == channel) & (col(Player.address) == address)
    people = select(Player.id).where(or_(own, col(Player.phone) == address) if channel == linkable else own)
    sits = select(TableSeat.table_id).where(col(TableSeat.player_id).in_(people), col(TableSeat.live))
    playing = select(GameTable.state).where(col(GameTable.id).in_(sits), col(GameTable.live), ~_has_unrevealed(now))
    states = session.exec(playing).all()
    players = set(session.exec(people)) if states else set()
    for state in states:
        played = Table.model_validate(state)
        turn = None if played.game is None else played.game.turn
        meant = table in (None, played.id) and step in (None, played.step)
        if meant and turn is not None and played.seats[turn].player in players:
            return True
    return False


def mark_followed(session: Session, where: Place | None, person: int) -> None:
    """Store that a person has written below the messages of the rounds in this place, or in private if it is None.

    Only the first message after a round's message writes a row.
    """
    above = (col(SentMessage.receiver).is_(None), ~col(SentMessage.followed))
    if where is None:
        here = and_(OF_A_GAME, col(SentMessage.chat) == person)
    else:
        place = (Chat.channel == where.channel, Chat.address == where.address, Chat.topic == where.topic)
        tables = select(GameTable.id).join(Chat, col(Chat.id) == col(GameTable.chat_id)).where(*place)
        live = col(SentMessage.table_id).in_(tables.where(col(GameTable.live)))
        here = and_(OF_A_ROUND, col(SentMessage.chat) == where.address, live)
    session.execute(update(SentMessage).where(*above, here).values(followed=True))
