"""One transaction: the session, the time, the random numbers, and the rows that every step reads and writes."""

from __future__ import annotations

import logging
import random
import secrets
import string
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias, TypeVar

from sqlalchemy import bindparam, func, insert, null, update
from sqlalchemy import select as sql_select
from sqlmodel import Session, SQLModel, col, select
from sqlmodel.sql.expression import SelectOfScalar

from perudo_core import BidMade, Rules, dump_action
from telegram_bot.service.intents import Person, Place, What
from telegram_bot.service.languages import ENGLISH, nearest_language
from telegram_bot.service.notices import Envelope, SendMode
from telegram_bot.service.quotas import Quotas
from telegram_bot.service.sms_coalescing import keep_reveals
from telegram_bot.storage.models import SMS_CHANNEL, Chat, GameAction, GameTable, OutboxEntry, Player, TableSeat
from telegram_bot.tables.events import GameEvents, Step
from telegram_bot.tables.fair_dice import new_secret
from telegram_bot.tables.model import Status, Table, Timings, TurnClock
from telegram_bot.tables.turn_clock import next_due

log = logging.getLogger(__name__)

ParseText: TypeAlias = Callable[[str, str, str | None, int | None], What | None]
"""What a text means: the text, the player's language, the table's, and how many dice can be bid."""

CODE_LETTERS = "".join(letter for letter in string.ascii_uppercase + string.digits if letter not in "O0I1L")
CODE_LENGTH = 6
LARGEST_NUMBER = 2**31 - 1


@dataclass(frozen=True, slots=True)
class ServiceConfig:
    """What the installation chose: defaults for new tables, timings, the language of last resort."""

    rules: Rules
    clock: TurnClock = field(default_factory=TurnClock)
    timings: Timings = field(default_factory=Timings)
    language: str = ENGLISH
    languages: tuple[str, ...] = ()
    """Those that messages can be said in; empty: any."""
    numbers: tuple[str, ...] = ()
    """Telephone numbers that take a seat by text message."""
    phone_table_clock: TurnClock = field(default_factory=lambda: TurnClock(seconds=6 * 3600))
    """The clock that a table of phones alone starts with: a text is answered when there is time."""
    quotas: Quotas = field(default_factory=Quotas)
    fair_dice: bool = True
    """Whether every roll follows from a published commitment; without, dice come from the service's `rng`."""


@dataclass(slots=True)
class UnitOfWork:
    """Everything one step needs, and the lanes it has written to."""

    session: Session
    now: float
    rng: random.Random
    config: ServiceConfig
    cause: str
    parse_text: ParseText | None = None
    """How typed words are read; None: as the channel read them."""
    lanes: set[str] = field(default_factory=set)
    _people: dict[int, Player] = field(default_factory=dict)
    _chats: dict[int, Chat] = field(default_factory=dict)

    @property
    def timings(self) -> Timings:
        """The installation's timings."""
        return self.config.timings

    def new_secret(self) -> str | None:
        """What seals the dice of a new game."""
        return new_secret(self.rng) if self.config.fair_dice else None

    # People and places

    def ensure_player(self, person: Person) -> Player:
        """The person's row, with name and language refreshed; that of its owner for a phone that speaks for one."""
        row = self.find_player(person.channel, person.address)
        if row is not None and row.channel != person.channel:
            return row
        if row is None:
            row = Player(channel=person.channel, address=person.address, name=person.name)
            self.session.add(row)
        row.name = person.name
        row.username = person.username
        row.language = row.language if person.language_is_guess and row.language else person.language or row.language
        self.session.flush()
        return row

    def find_player(self, channel: str, address: int) -> Player | None:
        """Who is heard from and reached at an address: a phone may speak for somebody of another channel."""
        if channel == SMS_CHANNEL:
            owner = self.session.exec(select(Player).where(Player.phone == address)).one_or_none()
            if owner is not None:
                return owner
        return self.session.exec(
            _PLAYER_BY_ADDRESS, params={"the_channel": channel, "the_address": address}
        ).one_or_none()

    def player_by_id(self, player: int) -> Player:
        """The row of a player who sits somewhere."""
        return self.players_by_id([player])[player]

    def players_by_id(self, players: Iterable[int]) -> dict[int, Player]:
        """The rows of players who sit somewhere, by number; what is not known yet is read at once."""
        wanted = frozenset(players)
        unknown = wanted - self._people.keys()
        if unknown:
            found = self.session.exec(_PLAYERS_BY_ID, params={"the_ids": list(unknown)})
            self._people.update((row.id or 0, row) for row in found)
        return {player: self._people[player] for player in wanted}

    def ensure_chat(self, place: Place) -> Chat:
        """The place's row, with the title refreshed."""
        row = self.find_chat(place)
        if row is None:
            row = Chat(channel=place.channel, address=place.address, topic=place.topic)
            self.session.add(row)
        row.title = place.title or row.title
        self.session.flush()
        return row

    def find_chat(self, place: Place) -> Chat | None:
        """The place's row, if there is one."""
        query = select(Chat).where(
            Chat.channel == place.channel, Chat.address == place.address, Chat.topic == place.topic
        )
        return self.session.exec(query).one_or_none()

    def chat_of(self, table: GameTable) -> Chat:
        """The place where a table stands."""
        if table.chat_id not in self._chats:
            self._chats[table.chat_id] = self.session.get_one(Chat, table.chat_id)
        return self._chats[table.chat_id]

    # Tables

    def lock_table(self, table: int, *, skip_locked: bool = False) -> GameTable | None:
        """A table's row, locked until the transaction ends; with `skip_locked` None where another has locked it.

        None also for a number that no table can have.
        """
        if not 0 < table <= LARGEST_NUMBER:
            return None
        query = _TABLE_IF_UNLOCKED if skip_locked else _TABLE
        return self.session.exec(query, params={"the_id": table}).one_or_none()

    def read_table_unlocked(self, table: int) -> GameTable | None:
        """A table's row, which another transaction may be changing; to be read only."""
        return self.session.get(GameTable, table) if 0 < table <= LARGEST_NUMBER else None

    def lock_live_table_in(self, chat: Chat) -> GameTable | None:
        """The live table in a place, locked until the transaction ends."""
        return self.session.exec(_LIVE_TABLE_IN, params={"the_chat": chat.id}).one_or_none()

    def lock_table_by_code(self, code: str) -> GameTable | None:
        """The table that a join code names, locked until the transaction ends."""
        return self.session.exec(_TABLE_BY_CODE, params={"the_code": code}).one_or_none()

    def live_tables_of(self, player: Player) -> list[GameTable]:
        """The live tables where a player sits, oldest first."""
        query = (
            select(GameTable)
            .join(TableSeat, col(TableSeat.table_id) == col(GameTable.id))
            .where(TableSeat.player_id == player.id, col(TableSeat.live), col(GameTable.live))
            .order_by(col(GameTable.id))
        )
        return list(self.session.exec(query))

    def suspended_tables_of(self, player: Player) -> list[GameTable]:
        """The tables where a player sits and waits for the bot to be able to write, oldest first."""
        query = (
            select(GameTable)
            .join(TableSeat, col(TableSeat.table_id) == col(GameTable.id))
            .where(TableSeat.player_id == player.id, ~col(TableSeat.live), col(GameTable.live))
            .order_by(col(GameTable.id))
        )
        return [row for row in self.session.exec(query) if load_table(row).suspended_at is not None]

    def has_seat(self, table: int, player: Player) -> bool:
        """Whether a player has, or had, a seat at a table."""
        return self.session.execute(_HAS_SEAT, {"the_table": table, "the_player": player.id}).one_or_none() is not None

    def add_table(self, chat: Chat) -> GameTable:
        """A new table's row, so that the table has its id and code; `save` fills it."""
        code = "".join(secrets.choice(CODE_LETTERS) for _ in range(CODE_LENGTH))
        assert chat.id is not None  # noqa: S101 - flushed
        row = GameTable(
            code=code, chat_id=chat.id, status=Status.LOBBY, state={}, created_at=self.now, updated_at=self.now
        )
        self.session.add(row)
        self.session.flush()
        return row

    def save(self, row: GameTable, step: Step) -> None:
        """Write a table's new state, its deadline, who sits there, and the game's actions."""
        table = step.table
        row.state = table.model_dump(mode="json")
        begun_or_over = row.version == 0 or row.status != table.status
        row.status = table.status
        row.live = table.status in (Status.LOBBY, Status.PLAYING)
        row.version += 1
        row.due_at = next_due(table) if row.live else None
        row.updated_at = self.now
        self.session.add(row)
        if not _is_one_bid(step):
            self._save_seats(row, table)
        self._save_actions(row, step)
        told = {
            "table": row.id,
            "version": row.version,
            "status": str(table.status),
            "cause": self.cause.partition(":")[0],
        }
        log.log(logging.INFO if begun_or_over else logging.DEBUG, "table saved", extra=told)

    def _save_seats(self, row: GameTable, table: Table) -> None:
        assert row.id is not None  # noqa: S101 - flushed
        sittings = {
            sitting.player_id: sitting
            for sitting in self.session.exec(select(TableSeat).where(TableSeat.table_id == row.id))
        }
        sitting_now = {
            seat.player for index, seat in enumerate(table.seats) if table.game is None or table.in_play(index)
        }
        # Whoever sits at a suspended table is free for others.
        takes_part = row.live and table.suspended_at is None
        for player in sitting_now - sittings.keys():
            self.session.add(TableSeat(table_id=row.id, player_id=player, live=takes_part))
        for player, sitting in sittings.items():
            sitting.live = takes_part and player in sitting_now

    def _save_actions(self, row: GameTable, step: Step) -> None:
        if not step.actions:
            return
        assert row.id is not None  # noqa: S101 - flushed
        written = self.session.execute(_COUNT_ACTIONS, {"the_table": row.id}).scalar_one()
        actions = [
            GameAction(table_id=row.id, number=number, at=self.now, cause=self.cause, action=dump_action(action))
            for number, action in enumerate(step.actions, start=written)
        ]
        self.session.execute(_INSERT_ACTIONS, [action.model_dump() for action in actions])

    # Notices

    def enqueue(
        self,
        envelope: Envelope,
        *,
        table: int | None = None,
        slot: str | None = None,
        supersedable: bool = False,
        expires_at: float | None = None,
        not_before: float = 0,
        turn: int | None = None,
    ) -> None:
        """Put a notice into the outbox; an earlier one that it supersedes and that still waits is dropped.

        Edits supersede each other, and so do texts: whoever was not to be disturbed needs only the last. `turn` is the
        table's step whose clock waits for the notice; it goes over to what supersedes it, with the time it waited.
        """
        waits_since = self.now
        if envelope.channel == SMS_CHANNEL:
            envelope = envelope.model_copy(update={"round": self.current_round(envelope.chat, table)})
        if slot is not None and (envelope.mode in (SendMode.EDIT, SendMode.TARGET) or envelope.channel == SMS_CHANNEL):
            if envelope.channel == SMS_CHANNEL:
                envelope = keep_reveals(self.session, envelope, table, slot)
            slot_of = {"the_lane": envelope.lane, "the_table": table, "the_slot": slot, "at": self.now}
            for earlier, since in self.session.execute(_SUPERSEDE, slot_of):
                if turn is None and earlier is not None:
                    turn, waits_since = earlier, since
        row = OutboxEntry(
            lane=envelope.lane,
            table_id=table,
            slot=slot,
            supersedable=supersedable,
            notice=envelope.model_dump(mode="json"),
            created_at=waits_since,
            expires_at=expires_at,
            not_before=not_before,
            turn=turn,
        )
        self.session.execute(_INSERT_NOTICE, row.model_dump(exclude={"id"}))
        self.lanes.add(envelope.lane)

    def current_round(self, phone: int, table: int | None) -> int | None:
        """The round that runs at a table, or else where the phone's owner plays; None: nowhere."""
        row = None if table is None else self.session.get(GameTable, table)
        player = self.find_player(SMS_CHANNEL, phone) if row is None else None
        rows = [row] if row is not None else [] if player is None else self.live_tables_of(player)
        if player is not None and len(rows) > 1:
            rows = [row for row in rows if row.id == player.focus]
        games = [game for game in (load_table(row).game for row in rows if row.live) if game is not None]
        return games[0].round if games else None

    def release_lane(self, lane: str) -> None:
        """Let what waits in a lane for its hour be sent now."""
        self.session.execute(
            update(OutboxEntry)
            .where(col(OutboxEntry.lane) == lane, col(OutboxEntry.status) == "pending")
            .values(not_before=0)
        )
        self.lanes.add(lane)

    def is_enqueued(self, envelope: Envelope) -> bool:
        """Whether the very same is about to be said already."""
        query = select(OutboxEntry.notice).where(OutboxEntry.lane == envelope.lane, OutboxEntry.status == "pending")
        return envelope.model_dump(mode="json") in self.session.exec(query).all()

    def language_of(self, chat: Chat) -> str:
        """The language of a group's messages: chosen there, or spoken by who opened its table."""
        return chat.chosen_language or chat.language or self.config.language

    def language_for(self, player: Player) -> str:
        """The language of a person's messages: the one they chose, or what their messenger speaks."""
        return player.chosen_language or self._supported_language(player.language) or self.config.language

    def _supported_language(self, language: str | None) -> str | None:
        return nearest_language(language, self.config.languages) if self.config.languages else language


def load_table(row: GameTable) -> Table:
    """The table that a row holds."""
    return Table.model_validate(row.state)


def _is_one_bid(step: Step) -> bool:
    """Whether all that happened is a bid: nobody came or went."""
    match step.events:
        case (GameEvents(events=(BidMade(),)),):
            return True
    return False


def lobby_defaults(chat: Chat, config: ServiceConfig) -> tuple[Rules, TurnClock]:
    """The rules and clock a new lobby in this place starts with."""
    values: dict[str, Any] | None = chat.rules
    usual = config.phone_table_clock if chat.channel == SMS_CHANNEL else config.clock
    try:
        rules = Rules.from_dict(values) if values else config.rules
        clock = TurnClock.model_validate(chat.clock) if chat.clock else usual
    except (ValueError, TypeError):  # another version's choices: a table must open all the same
        return config.rules, usual
    return rules, clock


T = TypeVar("T")


def _locked(query: SelectOfScalar[T], *, skip_locked: bool = False) -> SelectOfScalar[T]:
    """The row as it is once it is locked: what was read of it before may be another transaction's past."""
    return query.with_for_update(skip_locked=skip_locked).execution_options(populate_existing=True)


# Written once: to put a statement together takes longer than to have it executed.
_PLAYER_BY_ADDRESS: Final = select(Player).where(
    Player.channel == bindparam("the_channel"), Player.address == bindparam("the_address")
)
_PLAYERS_BY_ID: Final = select(Player).where(col(Player.id).in_(bindparam("the_ids", expanding=True)))
_TABLE: Final = _locked(select(GameTable).where(GameTable.id == bindparam("the_id")))
_TABLE_IF_UNLOCKED: Final = _locked(select(GameTable).where(GameTable.id == bindparam("the_id")), skip_locked=True)
_LIVE_TABLE_IN: Final = _locked(
    select(GameTable).where(GameTable.chat_id == bindparam("the_chat"), col(GameTable.live))
)
_TABLE_BY_CODE: Final = _locked(select(GameTable).where(GameTable.code == bindparam("the_code")))
_SITTINGS: Final = SQLModel.metadata.tables["sitting"]
_HAS_SEAT: Final = sql_select(_SITTINGS.c.live).where(
    _SITTINGS.c.table_id == bindparam("the_table"), _SITTINGS.c.player_id == bindparam("the_player")
)
_ACTIONS: Final = SQLModel.metadata.tables["game_action"]
_COUNT_ACTIONS: Final = (
    sql_select(func.count()).select_from(_ACTIONS).where(_ACTIONS.c.table_id == bindparam("the_table"))
)
_INSERT_ACTIONS: Final = insert(_ACTIONS)
_OUTBOX: Final = SQLModel.metadata.tables["outbox"]
_INSERT_NOTICE: Final = insert(_OUTBOX)
_SUPERSEDE: Final = (
    update(_OUTBOX)
    .where(
        _OUTBOX.c.lane == bindparam("the_lane"),
        _OUTBOX.c.table_id == bindparam("the_table"),
        _OUTBOX.c.slot == bindparam("the_slot"),
        _OUTBOX.c.supersedable,
        _OUTBOX.c.status == "pending",
    )
    .values(status="superseded", done_at=bindparam("at"), notice=null())
    .returning(_OUTBOX.c.turn, _OUTBOX.c.created_at)
)
