import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any, Literal

import pytest
from sqlalchemy import Engine, bindparam, event, update
from sqlalchemy.exc import IntegrityError
from sqlmodel import Session, SQLModel, col, select

from perudo_core import Bid, Call, Dudo, Phase, Rules, State, parse_call, set_up, smallest_raise
from telegram_bot.channels.sms import TRAITS as SMS_TRAITS
from telegram_bot.channels.telegram import TRAITS as TELEGRAM_TRAITS
from telegram_bot.feature import install
from telegram_bot.features import FEATURES
from telegram_bot.ingress.computer_calls import choose
from telegram_bot.intents import intents as i
from telegram_bot.intents.channel_traits import ChannelDirectory
from telegram_bot.intents.envelope import Envelope
from telegram_bot.intents.intents import CallComputed, DeadlineReached, OutageEnded
from telegram_bot.intents.slots import deal_slot, hand_slot
from telegram_bot.notices import Confirmation, ConfirmationNotice, Notice, RejectionNotice, Toast
from telegram_bot.parsing.to_intent import parse_text
from telegram_bot.screens.posting import Notification
from telegram_bot.service.computer_requests import CallRequest
from telegram_bot.service.handlers.game_requests import CallCalza, CallDudo, MakeBid
from telegram_bot.service.handlers.lobby_requests import Join, OpenLobby, Start
from telegram_bot.service.handlers.queries import SeeBids
from telegram_bot.service.handlers.reroll import ShowDice
from telegram_bot.service.round_ends import show_result
from telegram_bot.service.service import HandleResult
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.database import Database, connect
from telegram_bot.storage.models import (
    HEARTBEAT,
    GameTable,
    InboxEntry,
    KeyValue,
    LaneName,
    NoticeStatus,
    OutboxEntry,
    Player,
    RoundEnd,
    SentMessage,
)
from telegram_bot.tables import lobby_rules, play
from telegram_bot.tables.events import PlainEvent, RejectionReason, TableChange, TableEvent
from telegram_bot.tables.model import Moment, OnTimeout, Seat, Status, Table, Timings, TurnClock
from telegram_bot.tables.result_views import GameOverView, RevealView, game_over_view, reveal_view
from telegram_bot.words.catalogue import catalogue
from test_support.in_process_world import InProcessWorld
from test_support.open_database import copy_migrated_database, open_database
from test_support.patience import give_processes_time
from test_support.postgres import PostgresServer
from test_support.screens import watch
from test_support.waiting_surfaces import waiting_surfaces
from tests.perudo_core import notation

install(FEATURES)

NAMES = ("Ana", "Bo", "Cy", "Dee", "Eve", "Fay", "Gus", "Hal", "Ivy", "Jo")
PLAYERS = {name: number for number, name in enumerate(NAMES, start=1)}
GROUP = -1001
ANA, BO, CY = 101, 102, 103
"""Their addresses in Telegram."""
NUMBERS = ("+39 02 1234",)
TIMINGS = Timings(reveal_seconds=0)
"""Dice are shown at once, except in the tests of the beat."""
CHANNELS = ChannelDirectory((TELEGRAM_TRAITS, SMS_TRAITS))
START = 1_700_000_000.0
EN = catalogue("en")


@pytest.fixture(autouse=True)
def long_thoughts(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine has time for what processes compute for computer players and features."""
    give_processes_time(monkeypatch.setattr)


@pytest.fixture(autouse=True)
def screens(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Whatever changes what a reader should see has that reader's messages compared."""
    faults = watch(monkeypatch.setattr)
    yield faults
    assert not faults, "\n".join(faults)


# One table, without a database


def at(seconds: float = 0, *, timings: Timings = TIMINGS, rng: random.Random | None = None) -> Moment:
    """The moment so many seconds after `START`."""
    return Moment(START + seconds, timings, rng or random.Random(1))


def lobby_table(
    people: int = 3,
    rules: Rules | None = None,
    *,
    clock: TurnClock | None = None,
    now: float = START,
    timings: Timings = TIMINGS,
) -> Table:
    """A lobby with the first `people` of `NAMES`; Ana is the host."""
    moment = Moment(now, timings, random.Random(1))
    host, *others = (Seat(player=player, name=name) for player, name in enumerate(NAMES[:people], start=1))
    new, rules = lobby_rules.NewTable(7, "CODE22"), rules or Rules.preset("box_2009")
    table = lobby_rules.open_lobby(new, host, rules, clock or TurnClock(), moment=moment).table
    for seat in others:
        table = lobby_rules.join(table, seat, moment=moment).table
    return table


def round_state(rules: Rules, hands: tuple[str, ...], *, opener: int = 0, palifico: int | None = None) -> State:
    """The start of a round with these dice: `11236` is a hand, an empty string a player who is out."""
    dice = tuple(tuple(map(int, hand)) for hand in hands)
    return set_up(rules, dice, seats=NAMES[: len(hands)], opener=opener, palifico=palifico)


def running_table(
    *hands: str,
    rules: Rules | None = None,
    opener: int = 0,
    palifico: int | None = None,
    calls: str = "",
    clock: TurnClock | None = None,
    now: float = START,
    timings: Timings = TIMINGS,
) -> Table:
    """A running game with these dice, after some calls such as `4x2 5x2`."""
    rules = rules or Rules.preset("box_2009")
    table = lobby_table(len(hands), rules, clock=clock, now=now, timings=timings).replace(
        status=Status.PLAYING, game=round_state(rules, hands, opener=opener, palifico=palifico), deals=1
    )
    table = play.start_clock(table, now=now, timings=timings).table
    for call in calls.split():
        table = after_call(table, call, now=now, timings=timings)
    return table


def parse(table: Table, call: str) -> Call:
    """`4x2`, `dudo` and `calza` are the player on turn's; `2:calza` is seat 2's."""
    return notation.parse(table.begun_game, call)


def after_call(table: Table, call: str, *, now: float = START, timings: Timings = TIMINGS, seed: int = 1) -> Table:
    moment = Moment(now, timings, random.Random(seed))
    return play.make_call(table, parse(table, call), step=table.step, moment=moment).table


def revealed(before: Table, step: TableChange) -> RevealView:
    view = reveal_view(before, step.table, step.game_events)
    assert view is not None
    return view


def the_end(table: Table, call: str = "dudo") -> tuple[RevealView, GameOverView | None, Table]:
    step = play.make_call(table, parse(table, call), step=None, moment=at())
    return revealed(table, step), game_over_view(step.table, step.game_events), step.table


def event_names(events: tuple[TableEvent, ...]) -> list[str]:
    """The events' types, and the names of those that have nothing else."""
    return [event.name if isinstance(event, PlainEvent) else type(event).__name__ for event in events]


def game_of(table: Table) -> State:
    """The state of the table's game, which is in a round."""
    assert table.game is not None
    assert table.game.phase is Phase.BIDDING
    return table.game


# A service with a real database

# Tests ask these thousands of times.
WAITING = select(OutboxEntry).where(OutboxEntry.status == NoticeStatus.PENDING)
WAITING = WAITING.order_by(col(OutboxEntry.id))
ALL_ANNOUNCED = update(OutboxEntry).values(turn=None)
ALL_SENT = update(OutboxEntry).where(col(OutboxEntry.status) == NoticeStatus.PENDING)
ALL_SENT = ALL_SENT.values(status=NoticeStatus.SENT, notice=None)
ALL_SEEN = update(RoundEnd).where(col(RoundEnd.seen_at).is_(None)).values(seen_at=bindparam("now"), before=None)
UNTOLD = select(GameTable).where(GameTable.status == Status.FINISHED, col(GameTable.due_at).is_not(None))


def _told(table: Table) -> Iterator[OutboxEntry]:
    """As if texts had asked for the running turn."""
    at = table.running.since
    for slot in (deal_slot(table.deals), *(hand_slot(seat.player) for seat in table.seats)):
        told = OutboxEntry(lane=LaneName("sms", 0), table_id=table.id, slot=slot, created_at=at, done_at=at)
        told.turn, told.status = table.step, NoticeStatus.SENT
        yield told


class GroupHarness(InProcessWorld):
    """Ana, Bo and the others in one group, with a real service over a real database."""

    def __init__(
        self,
        database: Database,
        *,
        seed: int = 1,
        rules: Rules | None = None,
        clock: TurnClock | None = None,
        timings: Timings = TIMINGS,
        celebrate: bool = False,
        animations: bool = False,
    ) -> None:
        super().__init__(
            database,
            seed,
            parse_text=parse_text,
            rules=rules or Rules.preset("box_2009"),
            channels=CHANNELS,
            clock=clock or TurnClock(),
            timings=timings,
            numbers=NUMBERS,
            celebrate=celebrate,
            reveal_animations=animations,
        )
        self.now = START
        self.group = i.Place("telegram", GROUP, 0, "Friends")
        self.addresses = 100
        """Harnesses with different values have different people."""
        self._causes = 0
        self.dice_are_shown = True
        """Whether the chat has seen the last dice when the next player calls."""

    def person(self, name: str) -> i.Person:
        return i.Person("telegram", self.addresses + PLAYERS[name], name, name.lower(), "en")

    def intent(
        self,
        name: str,
        request: i.AnyRequest,
        *,
        where: i.Place | Literal["group"] | None = "group",
        by: Literal["toast", "message", "nothing"] = "message",
        cause: str | None = None,
        **more: Any,
    ) -> i.Intent:
        self._causes += 1
        return i.Intent(
            source="telegram",
            cause=cause or str(self._causes),
            who=self.person(name),
            request=request,
            where=self.group if where == "group" else where,
            answered_by=by,
            **more,
        )

    async def say(self, name: str, request: i.AnyRequest, **more: Any) -> HandleResult:
        """Handle an intent of someone in the group, or in `where`."""
        return await self.service.handle(self.intent(name, request, **more))

    async def tap(self, name: str, request: i.AnyRequest, *, table: int | None = 1, **more: Any) -> HandleResult:
        """Handle the tap on a button of the table's current step, or of `step`."""
        if isinstance(request, MakeBid | CallDudo | CallCalza | SeeBids | ShowDice):
            more["step"] = more["step"] if "step" in more else self.table(table or 1).step
        return await self.service.handle(self.intent(name, request, by="toast", table=table, **more))

    async def text(self, name: str, request: i.AnyRequest, **more: Any) -> HandleResult:
        """Handle an intent that a person sends by phone."""
        who = i.Person("sms", 500 + PLAYERS[name], name, language="en")
        self._causes += 1
        return await self.service.handle(i.Intent("sms:test", str(self._causes), who, request, **more))

    async def lobby(self, *names: str) -> None:
        await self.say(names[0], OpenLobby())
        for name in names[1:]:
            await self.say(name, Join())

    async def start_game(self, *names: str) -> None:
        """A running game of these people at table 1; the first of them, its host, has started it."""
        await self.lobby(*names)
        await self.tap(names[0], Start())

    async def game(
        self, *hands: str, opener: int = 0, palifico: int | None = None, calls: str = "", sent: bool = False
    ) -> None:
        """A running game at table 1 with these dice; with `sent` all its notices count as sent."""
        await self.start_game(*NAMES[: len(hands)])
        await self.set_dice(*hands, opener=opener, palifico=palifico)
        for call in calls.split():
            await self.call(call)
        if sent:
            self.mark_all_sent()

    async def set_dice(self, *hands: str, opener: int = 0, palifico: int | None = None, table: int = 1) -> None:
        before = self.table(table)
        self.store(before.replace(game=round_state(before.rules, hands, opener=opener, palifico=palifico)))

    async def call(self, call: str, *, table: int = 1) -> HandleResult:
        """The player on turn taps `4x2`, `dudo` or `calza`; `2:calza` is seat 2's tap."""
        now = self.table(table)
        return await self._tap_call(now, parse(now, call))

    async def _tap_call(self, now: Table, action: Call) -> HandleResult:
        if now.deals > 1 and self.dice_are_shown:
            self.show_dice()
        request: i.AnyRequest = CallDudo() if isinstance(action, Dudo) else CallCalza()
        if isinstance(action, Bid):
            request = MakeBid(action.quantity, action.face)
        name, asks = now.seats[action.seat].name, Confirmation.TAP_CALZA_AGAIN
        result = await self.tap(name, request, table=now.id, step=now.step)
        if now.begun_game.turn == action.seat and getattr(result.toast, "done", None) == asks:
            self.now += 1  # a player's first calza is asked twice
            return await self.tap(name, request, table=now.id, step=now.step)
        return result

    def show_dice(self) -> None:
        """Let the chats see the dice of all rounds, but those that an animation still hides."""
        with self.database.transaction() as session:
            session.connection().execute(ALL_SEEN, {"now": self.now})
            uow = self.service.unit_of_work(session, "test")
            for row in session.exec(UNTOLD).all():
                show_result(uow, Table.model_validate(row.state))
            uow.finish()

    async def play_out(
        self, table: int = 1, *, sent: bool = False, doubts: float = 1, rng: random.Random | None = None
    ) -> None:
        """Bid as low as possible, or doubt as often as `doubts` says, until a player wins.

        `sent`: all that was said is sent before each call.
        """
        rng = rng or random.Random(1)
        while (now := self.table(table)).status is Status.PLAYING:
            if sent:
                self.mark_all_sent()
            self.now += 3
            game = game_of(now)
            assert game.turn is not None
            call: Call = smallest_raise(game) or Dudo(game.turn)
            if game.current_bid is not None and isinstance(call, Bid) and rng.random() < doubts:
                call = Dudo(game.turn)
            if now.is_computer(game.turn):
                result = await self.service.handle(CallComputed(table, now.step, game.turn, call))
            else:
                result = await self._tap_call(now, call)
            assert not result.skipped, result
            assert not isinstance(result.toast, RejectionNotice), result
        self.show_dice()

    async def run_deadlines(self, seconds: float, *, told: bool = True) -> None:
        """Let time pass and handle due deadlines; with `told` all turns count as announced."""
        if told:
            with self.database.transaction() as session:
                session.connection().execute(ALL_ANNOUNCED)
                for row in session.exec(select(GameTable).where(GameTable.status == Status.PLAYING)):
                    session.add_all(_told(Table.model_validate(row.state)))
        self.pass_time(seconds)
        for table in (await self.service.outages.find_due()).tables:
            for request in (await self.service.handle(DeadlineReached(table))).call_requests:
                await self.play_computed_call(request)

    async def play_computed_call(self, request: CallRequest) -> None:
        """Choose a computer player's call in this process, unlike the bot, and play it."""
        found = choose(request.level, request.character, request.observation, request.memory, request.seed)
        call = parse_call(found.decode(), request.seat) if found else None
        await self.service.handle(CallComputed(request.table, request.step, request.seat, call))

    def pass_time(self, seconds: float) -> None:
        self.now += seconds
        with self.database.transaction() as session:
            session.merge(KeyValue(key=HEARTBEAT, value=repr(self.now)))

    async def restart_clocks(self, *, fresh: bool = True) -> frozenset[LaneName]:
        """Restart the clocks after an outage, as the deadline worker does; return the lanes with new notices."""
        lanes: set[LaneName] = set()
        while (await self.service.outages.find_due(fresh=fresh)).restarting:
            lanes |= (await self.service.handle(OutageEnded())).lanes
        return frozenset(lanes)

    # The database

    def store(self, table: Table) -> None:
        self.update_row(GameTable, table.id, state=table.model_dump(mode="json"))

    def shows(self, slot: str, message: int, *, chat: int = GROUP, table: int = 1, **more: Any) -> None:
        """Store a message of the table in a chat."""
        with self.database.transaction() as session:
            sent = session.get(SentMessage, (table, slot)) or SentMessage(table_id=table, slot=slot, chat=0, message=0)
            for name, value in {"chat": chat, "message": message, **more}.items():
                setattr(sent, name, value)
            session.add(sent)

    def unfinished(self) -> list[str]:
        """The causes of stored updates that were not acted on, in order."""
        rows = sorted(self.rows(InboxEntry), key=lambda row: row.id)
        return [row.cause for row in rows if row.done_at is None]

    def player(self, name: str) -> Player:
        return next(row for row in self.rows(Player) if row.address == self.person(name).address)

    def update_row(self, kind: type[SQLModel], key: object, **values: Any) -> None:
        with self.database.transaction() as session:
            row = session.get_one(kind, key)
            for name, value in values.items():
                setattr(row, name, value)

    def waiting(self) -> list[OutboxEntry]:
        with self.database.transaction() as session, session.no_autoflush:
            said = list(session.exec(WAITING))
            shown = [row for row, _ in waiting_surfaces(self.service, session)]
            return sorted([*shown, *said], key=lambda row: row.created_at)

    def envelopes(self) -> list[Envelope]:
        return [Envelope.model_validate(row.notice) for row in self.waiting()]

    def waiting_kinds(self) -> list[tuple[str, int]]:
        return [(envelope.notice.kind, envelope.chat) for envelope in self.envelopes()]

    def notices(self, kind: str) -> list[Any]:
        return [envelope.notice for envelope in self.envelopes() if envelope.notice.kind == kind]

    def mark_all_sent(self) -> None:
        """Mark all waiting notices as sent, and show all surfaces."""
        self.show_dice()
        with self.database.transaction() as session:
            for _, message in list(waiting_surfaces(self.service, session)):
                session.merge(message)
            self.all_compared()
            session.connection().execute(ALL_SENT)

    def all_compared(self) -> None:
        """Let all readers see what they should see."""
        tables = self.service.tables
        tables.since.clear()
        tables.changes.clear()
        tables.missing.clear()

    def enqueue(
        self,
        notice: Notice,
        *,
        chat: int = GROUP,
        slot: str | None = None,
        expires_at: float | None = None,
        table: int | None = 1,
        turn: int | None = None,
        not_before: float = 0,
        **more: Any,
    ) -> None:
        """Put a notice into the outbox, as the service does; `more`: of its envelope."""
        envelope = Envelope(channel="telegram", chat=chat, notice=notice, **more)
        with self.database.transaction() as session:
            uow = UnitOfWork(session, self.now, self.service.config, self.service.rng, "test")
            uow.enqueue(Notification(envelope, table, slot, expires_at, not_before, turn))


def rejection_of(toast: Toast | None) -> RejectionReason:
    assert isinstance(toast, RejectionNotice)
    return toast.reason


def confirmation_of(toast: Toast | None) -> Confirmation:
    assert isinstance(toast, ConfirmationNotice)
    return toast.done


def chosen(toast: Toast | None) -> tuple[str, bool | str | None]:
    assert isinstance(toast, ConfirmationNotice)
    assert toast.done is Confirmation.SETTING_CHOSEN
    return toast.setting, toast.value


AUTO_CLOCK = TurnClock(seconds=60, on_timeout=OnTimeout.AUTO)


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    """A migrated SQLite database for one test."""
    return f"sqlite:///{copy_migrated_database(tmp_path / 'perudo.db')}"


ONLY_SQLITE = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
ONLY_POSTGRESQL = pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
BOTH_DATABASES = pytest.mark.parametrize("database_url", ["sqlite", "postgresql"], indirect=True)
"""For tests of storage, locks, lanes and the recount. The tests in storage/ run on both anyway."""


@pytest.fixture
def database_url(request: pytest.FixtureRequest) -> str:
    """A migrated database for one test: SQLite, unless the test chooses another."""
    return str(request.getfixturevalue(f"{getattr(request, 'param', 'sqlite')}_url"))


REPLAYED = ("SELECT", "INSERT", "UPDATE", "DELETE", "WITH")
"""The first words of statements that both databases must understand; a test's own statements begin otherwise."""


class StatementShapes:
    """Runs each shape of statement that a test runs on SQLite also on PostgreSQL: once, and rolled back."""

    def __init__(self, url: str) -> None:
        self._engine = connect(url)
        self._known: set[object] = set()
        self._new: list[Callable[[Session], object]] = []

    @contextmanager
    def noted(self, engine: Engine) -> Iterator[None]:
        def on_statement(_connection: object, _cursor: object, sql: str, *more: Any) -> None:
            compiled = None if more[1] is None or not sql.startswith(REPLAYED) else more[1].compiled
            # Each database spells ON CONFLICT in its own way; the tests in storage/ try both.
            if compiled and getattr(compiled.statement, "_post_values_clause", None) is None and self._is_new(sql):
                given = dict(more[1].compiled_parameters[0])
                lists = {name: bind for name, bind in compiled.binds.items() if bind.expanding and bind.value is None}
                for name, bind in lists.items():
                    values = [value for key, value in given.items() if key.startswith(f"{name}_")]
                    width = len(getattr(bind.type, "types", ()))  # of a list of tuples
                    given[name] = list(zip(*[iter(values)] * width, strict=True)) if width else values
                if not lists and not any(bind.required for bind in compiled.binds.values()):
                    given = {}
                self._new.append(lambda session: session.connection().execute(compiled.statement, given))

        event.listen(engine, "after_cursor_execute", on_statement)
        yield

    def _is_new(self, shape: object) -> bool:
        before = len(self._known)
        self._known.add(shape)
        return len(self._known) > before

    def run_new(self) -> None:
        """Run the noted statements; an existing or a missing row is no fault of a statement."""
        while self._new:
            statement = self._new.pop()
            with Session(self._engine) as session, suppress(IntegrityError):
                statement(session)

    def close(self) -> None:
        self._engine.dispose()


@pytest.fixture(scope="session")
def statement_shapes(postgresql: PostgresServer) -> Iterator[StatementShapes]:
    """The statements that the tests of this worker have run on PostgreSQL so far."""
    with postgresql.fresh() as url:
        shapes = StatementShapes(url)
        yield shapes
        shapes.close()


@pytest.fixture
def in_threads() -> bool:
    """Whether SQLite's transactions have the threads that they have in the bot."""
    return False


@pytest.fixture
def database(database_url: str, in_threads: bool, statement_shapes: StatementShapes) -> Iterator[Database]:
    database = open_database(database_url, in_threads=in_threads)
    with statement_shapes.noted(database.engine) if database.is_sqlite else nullcontext():
        yield database
    database.close()
    statement_shapes.run_new()


@pytest.fixture
def harness(database: Database) -> GroupHarness:
    return GroupHarness(database)
