"""One transaction's surroundings: the session, the time, the dice, and the rows that every step touches."""

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
from telegram_bot.service.notices import Envelope, Mode
from telegram_bot.service.quotas import Quotas
from telegram_bot.service.sms_coalescing import keep_reveals
from telegram_bot.storage.models import TEXTING, Chat, GameAction, GameTable, Outbox, Player, Sitting
from telegram_bot.tables.events import GameEvents, Step
from telegram_bot.tables.fair_dice import new_secret
from telegram_bot.tables.model import Clock, Pace, Status, Table
from telegram_bot.tables.turn_clock import next_due

log = logging.getLogger(__name__)

Hear: TypeAlias = Callable[[str, str, str | None, int | None], What | None]
"""What a text means: the text, the player's language, the table's, and how many dice can be bid."""

CODE_LETTERS = "".join(letter for letter in string.ascii_uppercase + string.digits if letter not in "O0I1L")
CODE_LENGTH = 6
LARGEST_NUMBER = 2**31 - 1


@dataclass(frozen=True, slots=True)
class House:
    """What the installation chose: defaults for new tables, timings, the language of last resort."""

    rules: Rules
    clock: Clock = field(default_factory=Clock)
    pace: Pace = field(default_factory=Pace)
    language: str = ENGLISH
    languages: tuple[str, ...] = ()
    """Those that messages can be said in; empty: any."""
    numbers: tuple[str, ...] = ()
    """Telephone numbers that take a seat by text message."""
    room_clock: Clock = field(default_factory=lambda: Clock(seconds=6 * 3600))
    """The clock that a table of phones alone starts with: a text is answered when there is time."""
    quotas: Quotas = field(default_factory=Quotas)
    fair_dice: bool = True
    """Whether every roll follows from a published commitment; without, dice come from the service's `rng`."""


@dataclass(slots=True)
class Work:
    """Everything one step needs, and the lanes it has written to."""

    session: Session
    now: float
    rng: random.Random
    house: House
    cause: str
    hear: Hear | None = None
    """How typed words are read; None: as the channel read them."""
    lanes: set[str] = field(default_factory=set)
    _people: dict[int, Player] = field(default_factory=dict)
    _chats: dict[int, Chat] = field(default_factory=dict)

    @property
    def pace(self) -> Pace:
        """The installation's timings."""
        return self.house.pace

    def new_secret(self) -> str | None:
        """What seals the dice of a new game."""
        return new_secret(self.rng) if self.house.fair_dice else None

    # People and places

    def player(self, person: Person) -> Player:
        """The person's row, with name and language refreshed; that of its owner for a phone that speaks for one."""
        row = self.known(person.channel, person.address)
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

    def known(self, channel: str, address: int) -> Player | None:
        """Who is heard from and reached at an address: a phone may speak for somebody of another channel."""
        if channel == TEXTING:
            owner = self.session.exec(select(Player).where(Player.phone == address)).one_or_none()
            if owner is not None:
                return owner
        return self.session.exec(_PERSON, params={"the_channel": channel, "the_address": address}).one_or_none()

    def player_by_id(self, player: int) -> Player:
        """The row of a player who sits somewhere."""
        return self.people([player])[player]

    def people(self, players: Iterable[int]) -> dict[int, Player]:
        """The rows of players who sit somewhere, by number; what is not known yet is read at once."""
        wanted = frozenset(players)
        unknown = wanted - self._people.keys()
        if unknown:
            found = self.session.exec(_PEOPLE, params={"the_ids": list(unknown)})
            self._people.update((row.id or 0, row) for row in found)
        return {player: self._people[player] for player in wanted}

    def chat(self, place: Place) -> Chat:
        """The place's row, with the title refreshed."""
        row = self.place(place)
        if row is None:
            row = Chat(channel=place.channel, address=place.address, topic=place.topic)
            self.session.add(row)
        row.title = place.title or row.title
        self.session.flush()
        return row

    def place(self, place: Place) -> Chat | None:
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

    def table_row(self, table: int, *, skip_locked: bool = False) -> GameTable | None:
        """A table's row, locked until the transaction ends; with `skip_locked` None where another has locked it.

        None also for a number that no table can have.
        """
        if not 0 < table <= LARGEST_NUMBER:
            return None
        query = _TABLE_IF_UNLOCKED if skip_locked else _TABLE
        return self.session.exec(query, params={"the_id": table}).one_or_none()

    def table_as_it_was(self, table: int) -> GameTable | None:
        """A table's row, which another transaction may be changing; to be read only."""
        return self.session.get(GameTable, table) if 0 < table <= LARGEST_NUMBER else None

    def live_row_in(self, chat: Chat) -> GameTable | None:
        """The live table in a place, locked until the transaction ends."""
        return self.session.exec(_LIVE_IN, params={"the_chat": chat.id}).one_or_none()

    def row_by_code(self, code: str) -> GameTable | None:
        """The table that a join code names, locked until the transaction ends."""
        return self.session.exec(_CODED, params={"the_code": code}).one_or_none()

    def live_rows_of(self, player: Player) -> list[GameTable]:
        """The live tables where a player sits, oldest first."""
        query = (
            select(GameTable)
            .join(Sitting, col(Sitting.table_id) == col(GameTable.id))
            .where(Sitting.player_id == player.id, col(Sitting.live), col(GameTable.live))
            .order_by(col(GameTable.id))
        )
        return list(self.session.exec(query))

    def suspended_rows_of(self, player: Player) -> list[GameTable]:
        """The tables where a player sits and waits for the bot to be able to write, oldest first."""
        query = (
            select(GameTable)
            .join(Sitting, col(Sitting.table_id) == col(GameTable.id))
            .where(Sitting.player_id == player.id, ~col(Sitting.live), col(GameTable.live))
            .order_by(col(GameTable.id))
        )
        return [row for row in self.session.exec(query) if read(row).suspended_at is not None]

    def sits(self, table: int, player: Player) -> bool:
        """Whether a player has, or had, a seat at a table."""
        return self.session.execute(_SITS, {"the_table": table, "the_player": player.id}).one_or_none() is not None

    def new_row(self, chat: Chat) -> GameTable:
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
            self._seat(row, table)
        self._record(row, step)
        told = {
            "table": row.id,
            "version": row.version,
            "status": str(table.status),
            "cause": self.cause.partition(":")[0],
        }
        log.log(logging.INFO if begun_or_over else logging.DEBUG, "table saved", extra=told)

    def _seat(self, row: GameTable, table: Table) -> None:
        assert row.id is not None  # noqa: S101 - flushed
        sittings = {
            sitting.player_id: sitting
            for sitting in self.session.exec(select(Sitting).where(Sitting.table_id == row.id))
        }
        sitting_now = {
            seat.player for index, seat in enumerate(table.seats) if table.game is None or table.in_play(index)
        }
        # Whoever sits at a suspended table is free for others.
        takes_part = row.live and table.suspended_at is None
        for player in sitting_now - sittings.keys():
            self.session.add(Sitting(table_id=row.id, player_id=player, live=takes_part))
        for player, sitting in sittings.items():
            sitting.live = takes_part and player in sitting_now

    def _record(self, row: GameTable, step: Step) -> None:
        if not step.actions:
            return
        assert row.id is not None  # noqa: S101 - flushed
        written = self.session.execute(_WRITTEN, {"the_table": row.id}).scalar_one()
        actions = [
            GameAction(table_id=row.id, number=number, at=self.now, cause=self.cause, action=dump_action(action))
            for number, action in enumerate(step.actions, start=written)
        ]
        self.session.execute(_ACT, [action.model_dump() for action in actions])

    # Notices

    def send(
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
        if envelope.channel == TEXTING:
            envelope = envelope.model_copy(update={"round": self.round_for(envelope.chat, table)})
        if slot is not None and (envelope.mode in (Mode.EDIT, Mode.TARGET) or envelope.channel == TEXTING):
            if envelope.channel == TEXTING:
                envelope = keep_reveals(self.session, envelope, table, slot)
            slot_of = {"the_lane": envelope.lane, "the_table": table, "the_slot": slot, "at": self.now}
            for earlier, since in self.session.execute(_SUPERSEDE, slot_of):
                if turn is None and earlier is not None:
                    turn, waits_since = earlier, since
        row = Outbox(
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
        self.session.execute(_SEND, row.model_dump(exclude={"id"}))
        self.lanes.add(envelope.lane)

    def round_for(self, phone: int, table: int | None) -> int | None:
        """The round that runs at a table, or else where the phone's owner plays; None: nowhere."""
        row = None if table is None else self.session.get(GameTable, table)
        player = self.known(TEXTING, phone) if row is None else None
        rows = [row] if row is not None else [] if player is None else self.live_rows_of(player)
        if player is not None and len(rows) > 1:
            rows = [row for row in rows if row.id == player.focus]
        games = [game for game in (read(row).game for row in rows if row.live) if game is not None]
        return games[0].round if games else None

    def release(self, lane: str) -> None:
        """Let what waits in a lane for its hour be sent now."""
        self.session.execute(
            update(Outbox).where(col(Outbox.lane) == lane, col(Outbox.status) == "pending").values(not_before=0)
        )
        self.lanes.add(lane)

    def waits(self, envelope: Envelope) -> bool:
        """Whether the very same is about to be said already."""
        query = select(Outbox.notice).where(Outbox.lane == envelope.lane, Outbox.status == "pending")
        return envelope.model_dump(mode="json") in self.session.exec(query).all()

    def language_of(self, chat: Chat) -> str:
        """The language of a group's messages: chosen there, or spoken by who opened its table."""
        return chat.chosen_language or chat.language or self.house.language

    def language_for(self, player: Player) -> str:
        """The language of a person's messages: the one they chose, or what their messenger speaks."""
        return player.chosen_language or self._known(player.language) or self.house.language

    def _known(self, language: str | None) -> str | None:
        return nearest_language(language, self.house.languages) if self.house.languages else language


def read(row: GameTable) -> Table:
    """The table that a row holds."""
    return Table.model_validate(row.state)


def _is_one_bid(step: Step) -> bool:
    """Whether all that happened is a bid: nobody came or went."""
    match step.happenings:
        case (GameEvents(events=(BidMade(),)),):
            return True
    return False


def remembered(chat: Chat, house: House) -> tuple[Rules, Clock]:
    """The rules and clock a new lobby in this place starts with."""
    values: dict[str, Any] | None = chat.rules
    usual = house.room_clock if chat.channel == TEXTING else house.clock
    try:
        rules = Rules.from_dict(values) if values else house.rules
        clock = Clock.model_validate(chat.clock) if chat.clock else usual
    except (ValueError, TypeError):  # another version's choices: a table must open all the same
        return house.rules, usual
    return rules, clock


T = TypeVar("T")


def _locked(query: SelectOfScalar[T], *, skip_locked: bool = False) -> SelectOfScalar[T]:
    """The row as it is once it is locked: what was read of it before may be another transaction's past."""
    return query.with_for_update(skip_locked=skip_locked).execution_options(populate_existing=True)


# Written once: to put a statement together takes longer than to have it executed.
_PERSON: Final = select(Player).where(
    Player.channel == bindparam("the_channel"), Player.address == bindparam("the_address")
)
_PEOPLE: Final = select(Player).where(col(Player.id).in_(bindparam("the_ids", expanding=True)))
_TABLE: Final = _locked(select(GameTable).where(GameTable.id == bindparam("the_id")))
_TABLE_IF_UNLOCKED: Final = _locked(select(GameTable).where(GameTable.id == bindparam("the_id")), skip_locked=True)
_LIVE_IN: Final = _locked(select(GameTable).where(GameTable.chat_id == bindparam("the_chat"), col(GameTable.live)))
_CODED: Final = _locked(select(GameTable).where(GameTable.code == bindparam("the_code")))
_SITTINGS: Final = SQLModel.metadata.tables["sitting"]
_SITS: Final = sql_select(_SITTINGS.c.live).where(
    _SITTINGS.c.table_id == bindparam("the_table"), _SITTINGS.c.player_id == bindparam("the_player")
)
_ACTIONS: Final = SQLModel.metadata.tables["game_action"]
_WRITTEN: Final = sql_select(func.count()).select_from(_ACTIONS).where(_ACTIONS.c.table_id == bindparam("the_table"))
_ACT: Final = insert(_ACTIONS)
_OUTBOX: Final = SQLModel.metadata.tables["outbox"]
_SEND: Final = insert(_OUTBOX)
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
