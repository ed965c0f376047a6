"""Compare the messages that readers see with the messages that they should see, after every step and at rest.

The content of a table's messages follows from stored facts: see `telegram_bot/screens`. A reader's screen is
replayed from the messages that were sent and those that wait: first those that are due, then all of them.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import pytest
from sqlalchemy import Connection, Engine, Row, bindparam, create_engine, event, inspect
from sqlmodel import Session, col, func, select

from telegram_bot import notices as n
from telegram_bot.delivery import outbox
from telegram_bot.delivery.message import Message
from telegram_bot.delivery.sender import SendResult
from telegram_bot.delivery.worker import DeliveryWorker
from telegram_bot.intents.envelope import Envelope
from telegram_bot.intents.intents import Intent, SystemIntent
from telegram_bot.intents.slots import TABLES_CHAT, deal_slot
from telegram_bot.screens.facts import Facts, read_facts
from telegram_bot.screens.posting import Awaited
from telegram_bot.screens.routes import Address
from telegram_bot.screens.wants import Want, chat_wants, host_wants, private_wants, wants_of
from telegram_bot.service.readers import Settled
from telegram_bot.service.service import HandleResult, Service
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.models import GameTable, LaneName, NoticeStatus, OutboxEntry, SentMessage
from telegram_bot.storage.session import TransactionSession
from telegram_bot.tables.events import TableChange
from telegram_bot.tables.model import Status, Table

SURFACES: Final = ("lobby", "deal:", "over", "closed", "hand:", "reveal:")
"""The beginnings of the slots that surfaces fill; everything else is said once."""
HISTORY: Final = (
    n.RevealNotice,
    n.KnockedOutNotice,
    n.StartedNotice,
    n.GameOverNotice,
    n.ClosedNotice,
    n.ConfirmationNotice,
)
"""The notices that stay as they are, although nothing keeps them up to date any more."""
_OPEN: Final = (NoticeStatus.PENDING, NoticeStatus.SENDING)
_FAILED: Final = (NoticeStatus.FAILED, NoticeStatus.UNKNOWN, NoticeStatus.HELD)


# Built once: a test asks these after each step.
_UNSENT: Final = (
    select(*map(col, (OutboxEntry.id, OutboxEntry.table_id, OutboxEntry.slot, OutboxEntry.lane)))
    .add_columns(
        col(OutboxEntry.not_before), *map(col, (OutboxEntry.after_deal, OutboxEntry.awaited, OutboxEntry.status))
    )
    .where(col(OutboxEntry.status).in_((*_OPEN, *_FAILED)))
    .where(col(OutboxEntry.table_id).is_not(None))
    .order_by(col(OutboxEntry.id))
)
_NOTICES: Final = select(OutboxEntry.id, OutboxEntry.notice).where(
    col(OutboxEntry.id).in_(bindparam("rows", expanding=True))
)
_RESULTS: Final = select(OutboxEntry.id, OutboxEntry.status, OutboxEntry.done_at).where(
    col(OutboxEntry.id).in_(bindparam("rows", expanding=True))
)
_CLOSED: Final = select(OutboxEntry.id).where(col(OutboxEntry.status).not_in(_OPEN))
_ROW_OF: Final = select(func.max(OutboxEntry.id)).where(
    OutboxEntry.table_id == bindparam("table"), OutboxEntry.slot == bindparam("in_slot")
)
_NEWEST: Final = select(func.max(OutboxEntry.id))
_ALL_VERSIONS: Final = select(GameTable.id, GameTable.version)
_VERSIONS: Final = _ALL_VERSIONS.where(col(GameTable.id).in_(bindparam("tables", expanding=True)))


@dataclass(frozen=True)
class Shown:
    """A message that a reader sees."""

    to: Address
    notice: Any
    row: float
    """The row of the outbox that contained it, or a number after the newest row if a test counts it as shown."""
    message: int | None = None
    keyless: bool = False
    """Whether it has no keys, or they were taken away."""


@dataclass(frozen=True)
class Difference:
    """A message that is not as its reader should see it."""

    slot: str
    shown: Shown | None
    want: Want | None
    facts: Facts
    at_first: Address | None
    """The address of the surface at the beginning of the round."""
    fields: tuple[str, ...] = ()

    @property
    def kind(self) -> str | None:
        """Return the kind of the shown notice, or None without a message."""
        return None if self.shown is None else self.shown.notice.kind

    def __str__(self) -> str:
        seen = "no message" if self.shown is None else f"{self.shown.notice.kind} in {self.shown.to}"
        wanted = "no message" if self.want is None else f"{self.want.notice.kind} in {self.want.to}"
        status = self.facts.table.status
        text = f"{self.slot} of a table that is {status}: {seen}, wanted {wanted} {' '.join(self.fields)}"
        if self.shown is None or self.want is None:
            return text
        a, b = _grouped(self.shown.notice), _grouped(self.want.notice)
        return text + "".join(
            f"\n    {name}: {a.get(name)!s:.160} wanted {b.get(name)!s:.160}" for name in self.fields[:9]
        )


Waiting = tuple[int | None, str | None, Envelope]


@dataclass
class Screens:
    """The messages of all readers of one database."""

    shown: dict[tuple[int, str], Shown] = field(default_factory=dict)
    waiting: dict[int, Waiting] = field(default_factory=dict)
    """By the number of the outbox's row."""
    delivered: dict[int, tuple[Waiting, SendResult | None]] = field(default_factory=dict)
    unknown: set[tuple[int, str]] = field(default_factory=set)
    """The slots whose last send failed, or whose result is unknown."""
    changed_after: float = 0
    """The newest row of the outbox, or surface, when a test last changed rows of the bot by hand."""
    compared: set[tuple[int, str, float]] = field(default_factory=set)
    """The tables, slots and rows that were compared."""
    compared_at: dict[int, tuple[object, ...]] = field(default_factory=dict)
    """By table: its version and messages at the last comparison."""
    versions: dict[int, int] = field(default_factory=dict)
    saved: dict[int, int] = field(default_factory=dict)
    """By table: the version that a step saves, until the database has it."""
    routes: dict[tuple[int, int], dict[str, Address]] = field(default_factory=dict)
    """By table and deal: the address of each surface at the beginning of the round."""
    begun: bool = False
    latest: float = 0
    """The time of the last comparison."""
    under_way: int = 0
    """How many steps run at the same time."""
    differences: list[Difference] = field(default_factory=list)
    history: set[tuple[LaneName, int | None, str]] = field(default_factory=set)
    """The messages that stay as they are, each by its lane, table and content."""
    sent_twice: list[str] = field(default_factory=list)
    engine: Engine | None = None
    counts: Counter[str] = field(default_factory=Counter)

    def changed_by_hand(self, connection: Connection) -> None:
        """Do not judge the messages of before: a test changes the table behind them."""
        self.changed_after = max([connection.scalar(_NEWEST) or 0, *(shown.row for shown in self.shown.values())])

    def showed(self, connection: Connection, surfaces: Iterable[tuple[OutboxEntry, SentMessage]]) -> None:
        """Show surfaces that a test counts as shown, without delivery."""
        newest = max(connection.scalar(_NEWEST) or 0, self.changed_after) + 1e-6
        for row, message in surfaces:
            sent = message.table_id, message.slot, Envelope.model_validate(row.notice)
            _show(self.shown, newest, sent, SendResult(message.message, keyboard=message.keyboard))

    def sent(self, connection: Connection, item: Message, result: SendResult) -> None:
        """Note a message that was sent; history must not be sent twice."""
        of_surface = {"table": item.table_id, "in_slot": item.slot}
        row: int = item.row.id if item.row is not None else connection.execute(_ROW_OF, of_surface).scalar_one()
        self.delivered[row] = (item.table_id, _surface(item.slot), item.envelope), result
        notice = item.envelope.notice
        if isinstance(notice, HISTORY) and not item.is_edit and item.slot is not None:
            told = item.lane, item.table_id, notice.model_dump_json()
            if told in self.history:
                self.sent_twice.append(f"{notice.kind} of table {item.table_id} was sent twice to {item.lane}")
            self.history.add(told)

    def compare(self, session: Session, service: Service) -> None:
        """Compare all tables that changed since the last time."""
        connection = session.connection()
        if not self.begun:
            self.begun = True
            self.versions = dict(connection.execute(_ALL_VERSIONS).all())
            earlier = set(connection.execute(_CLOSED).scalars()) - self.delivered.keys()
            if earlier:  # the database is older than the test
                self.changed_by_hand(connection)
        unsent = connection.execute(_UNSENT).all()
        rows = [row for row in unsent if row.status in _OPEN]
        open_rows = {row.id for row in rows}
        self._settle(connection, open_rows)
        self.unknown = {(row.table_id, _surface(row.slot) or "") for row in unsent if row.status not in _OPEN}
        known = {number: envelope.lane for number, (_, _, envelope) in self.waiting.items()}
        new = {row.id: row for row in rows if known.get(row.id) != row.lane}  # a chat that moved changes the lane
        for number, stored in connection.execute(_NOTICES, {"rows": list(new)}) if new else ():
            row = new[number]
            self.waiting[number] = row.table_id, _surface(row.slot), Envelope.model_validate(stored)
        if service.now() < self.latest:
            self.changed_by_hand(connection)  # a test has set the clock back
        now = self.latest = service.now()
        due, later, held_up = list[Row[Any]](), dict[int, Row[Any]](), set[str]()
        reveals = {(row.table_id, row.slot): row.id for row in rows if row.awaited == Awaited.REVEAL}
        for row in rows:
            reveal = None if row.after_deal is None else reveals.get((row.table_id, deal_slot(row.after_deal)))
            waits = reveal is not None and (reveal in later or reveal > row.id)
            if row.not_before <= now and not waits and row.lane not in held_up:
                due.append(row)
            else:
                later[row.id] = row
                held_up.add(row.lane)
        last = self._replayed(rows)
        soon = self._replayed(due) if later else last
        newest = dict[int, float]()
        for (table, _), shown in last.items():
            newest[table] = max(newest.get(table, 0), shown.row)
        asked = list(self.saved.keys() | newest.keys() - self.versions.keys())
        for table, version in connection.execute(_VERSIONS, {"tables": asked}) if asked else ():
            self.versions[table] = version
            if version >= self.saved.get(table, version):
                self.saved.pop(table, None)
        waiting = Counter(row.table_id for row in later.values())
        for table in sorted(newest.keys() & self.versions.keys()):
            state = self.versions[table], newest[table], waiting[table]
            if self.compared_at.get(table) == state:
                continue
            uow = service.unit_of_work(session, "screens")
            if (facts := read_facts(uow, table)) is None:
                continue
            self.compared_at[table] = state
            if facts.chat.lost_at is not None or facts.table.suspension is not None:
                self.counts["not compared: the bot cannot write there"] += 1
                continue
            outdated = any(reader.due_at is not None for reader in service.readers.of(table=table))
            if waiting[table]:
                told = [replace(end, seen=end.seen or _shows_dice(soon, table, end.deal)) for end in facts.ends]
                slots = {_surface(row.slot) or "" for row in later.values() if row.table_id == table}
                self._compare_table(replace(facts, ends=told), _of(table, soon), slots, outdated=outdated)
            seen = [replace(end, seen=True) for end in facts.ends]
            self._compare_table(replace(facts, ends=seen, now=float("inf")), _of(table, last), outdated=outdated)
        self.compared |= {(table, slot, shown.row) for (table, slot), shown in last.items()}

    def _settle(self, connection: Connection, still_open: Collection[int]) -> None:
        """Show what was sent meanwhile."""
        closed = [row for row in (self.waiting.keys() | self.delivered.keys()) if row not in still_open]
        found = connection.execute(_RESULTS, {"rows": closed}).all() if closed else []
        times = {row: (done or 0.0, row) for row, _, done in found}
        sent_ones = {row for row, status, _ in found if status == NoticeStatus.SENT}
        for row in sorted(closed, key=lambda row: times.get(row, (0.0, row))):
            kept = self.waiting.pop(row, None)
            sent, result = self.delivered.pop(row, (kept, None))
            assert sent is not None
            if row in sent_ones:
                _show(self.shown, row, sent, result)

    def _replayed(self, rows: Sequence[Row[Any]]) -> dict[tuple[int, str], Shown]:
        shown = dict(self.shown)
        for row in rows:
            _show(shown, row.id, self.waiting[row.id], None)
        return shown

    def _compare_table(
        self, facts: Facts, screen: Mapping[str, Shown], later: Collection[str] = (), *, outdated: bool
    ) -> None:
        """Compare one table. `later`: the slots that wait for a notice which is not due.

        If the table is outdated, delivery has not compared the messages of some readers yet.
        """
        wanted = {want.slot: want for want in wants(facts) if want.to.channel != facts.channels.rooms}
        readers = (TABLES_CHAT, *facts.people) if outdated else ()
        kept = {want.slot for reader in readers for want in wants_of(facts, reader)}
        begun = {want.slot: want.to for want in wanted.values()}
        at_first = self.routes.setdefault((facts.table.id, facts.table.deals), begun)
        for slot in wanted.keys() | screen.keys():
            shown, want = screen.get(slot), wanted.get(slot)
            is_old = self.changed_after if shown is None else shown.row <= self.changed_after
            waits = want is not None and slot in later and not facts.channels.traits(want.to.channel).buttons
            if slot in kept or (want is None and outdated):
                continue  # delivery compares it when it is due
            if is_old or waits or (facts.table.id, slot) in self.unknown:
                self.counts["not compared: a send failed or waits, or the test changed rows"] += 1
                continue
            self.counts["compared"] += 1
            different = self._different_fields(facts, slot, shown, want)
            found = None if different is None else Difference(slot, shown, want, facts, at_first.get(slot), different)
            if found is not None and (reason := _known(found)) is not None:
                self.counts[reason] += 1
            elif found is not None:
                self.differences.append(found)

    def _different_fields(
        self, facts: Facts, slot: str, shown: Shown | None, want: Want | None
    ) -> tuple[str, ...] | None:
        """Return the fields of a message that differ, or None without a fault; no fields if all of it is wrong."""
        if want is None:
            return None if shown is None or _is_history(shown, facts) else ()
        if shown is None:
            return None if want.edit_only else ()
        if shown.to != want.to:
            return None if isinstance(shown.notice, HISTORY) else ()
        if want.frozen and (facts.table.id, slot, shown.row) in self.compared:
            return None
        hand, wanted = shown.notice, want.notice
        if isinstance(wanted, n.HandNotice) and not wanted.board:  # sent once for each turn and each round
            if not isinstance(hand, n.HandNotice):
                return ("kind",)
            if (key := (hand.deal, hand.view.table.step if hand.view.is_theirs else 0)) < want.key:
                return ("deal", "step")
            if key > want.key or hand.view.table.step != wanted.view.table.step:
                return None
        return differing(hand, wanted) or None


def wants(facts: Facts) -> Iterator[Want]:
    """Return what all readers of a table should see, also phones, whose texts are said once."""
    if facts.shared:
        yield from chat_wants(facts)
    if facts.table.status is Status.LOBBY:
        yield from host_wants(facts)
    elif facts.table.game is not None:
        for seat in range(len(facts.table.seats)):
            player = facts.player_at(seat)
            if player is not None:
                yield from private_wants(facts, seat, player)


def _known(difference: Difference) -> str | None:
    """Return the reason for a difference, or None if it is a fault."""
    reason = next((reason for reason, applies in LATE_MESSAGES.items() if applies(difference)), None)
    if reason is not None or not difference.fields:
        return reason
    is_said_once = difference.shown and not difference.facts.channels.traits(difference.shown.to.channel).buttons
    reason_of = LATE_FIELDS | (LATE_IN_TEXTS if is_said_once else {})
    reasons = [
        next((why for late, why in reason_of.items() if name.startswith(late)), None) for name in difference.fields
    ]
    return None if None in reasons else " and ".join(sorted(set(filter(None, reasons))))


def _shows_dice(screen: Mapping[tuple[int, str], Shown], table: int, deal: int) -> bool:
    """Return True if the table's chat shows the end of a round, with the dice."""
    shown = screen.get((table, deal_slot(deal)))
    return shown is not None and isinstance(shown.notice, n.RevealNotice)


def _surface(slot: str | None) -> str | None:
    """Return the surface of a slot: the host's news are in a slot of their own while they wait."""
    return None if slot is None else slot.replace("lobby_news:", "lobby:")


def _of(table: int, shown: Mapping[tuple[int, str], Shown]) -> dict[str, Shown]:
    return {slot: each for (number, slot), each in shown.items() if number == table}


def _show(screen: dict[tuple[int, str], Shown], row: float, sent: Waiting, result: SendResult | None) -> None:
    """Change a screen as the channel does."""
    table, slot, envelope = sent
    if envelope.target is not None:
        for key, each in screen.items():
            if envelope.target is not None and (each.to.chat, each.message) == (envelope.chat, envelope.target.message):
                screen[key] = replace(each, keyless=True)
        return
    notice = envelope.notice
    if table is None or table < 0 or slot is None or not slot.startswith(SURFACES):
        return
    if isinstance(notice, n.ReactionNotice | n.OpenedRevealNotice):
        return  # they decorate a message, or open its text
    old = screen.get((table, slot))
    if old is not None and old.row > row:
        return  # a lane keeps its order
    to = Address(envelope.channel, envelope.chat, envelope.receiver)
    if envelope.edit_only and (old is None or old.to != to):
        return
    number = result.message if result is not None else None
    number = number if number is not None else None if old is None else old.message
    screen[table, slot] = Shown(to, notice, row, number, keyless=result is not None and not result.keyboard)


def _is_history(shown: Shown, facts: Facts) -> bool:
    """Return True if a message stays as it is, although nothing keeps it up to date any more."""
    if shown.keyless or not facts.channels.traits(shown.to.channel).buttons or isinstance(shown.notice, HISTORY):
        return True
    if isinstance(shown.notice, n.HandNotice) and not shown.notice.board:
        return True
    return shown.to.channel == facts.channels.rooms  # a page shows the newest card of each place


def differing(shown: Any, want: Any) -> tuple[str, ...]:
    """Return the names of the fields in which two notices differ."""
    if shown == want:
        return ()
    if shown.kind != want.kind:
        return ("kind",)
    a, b = _grouped(shown), _grouped(want)
    return tuple(sorted(name for name in a.keys() | b.keys() if a.get(name) != b.get(name)))


def _grouped(notice: Any) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for path, value in _flat(notice.model_dump(mode="json"), ""):
        found.setdefault(path, []).append(value)
    return found


def _flat(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for name, each in value.items():
            yield from _flat(each, f"{path}.{name}" if path else name)
    elif isinstance(value, list) and value and isinstance(value[0], dict):
        for each in value:
            yield from _flat(each, f"{path}[]")
    else:
        yield path, value


# Differences with a reason: what is said once is not edited, and some changes are not marked

LATE_FIELDS: Final[dict[str, str]] = {
    "view.table.clock_": "a message shows the clock of its time",
    "view.clock_": "a message shows the clock of its time",
    "view.table.seats[].away": "others see a return at the next step",
    "view.table.seats[].left_to_bot": "a hand that is not edited shows the seats of its turn",
    "view.table.seats[].taken_by": "a hand that is not edited shows the seats of its turn",
    "view.seats[].away": "others see a return at the next step",
    "view.stirs": "the lobby gathers stirs for two seconds",
    "view.commitment": "the lobby shows the commitment at its next edit",
}
"""The fields of a notice, by the beginnings of their names, that a message may show as they were; with the reason."""
LATE_IN_TEXTS: Final[dict[str, str]] = {
    "view.table.seats[].name": "a text shows the names of its time",
    "view.seats[].name": "a text shows the names of its time",
    "title": "a text shows the names of its time",
    "previous": "a text repeats the end of the round once",
    "stirs": "a text repeats the stirs once",
}
"""The same for texts to phones, which are said once."""


def _is_away(each: Difference) -> bool:
    seat = each.facts.table.seat_of(int(each.slot.rpartition(":")[2]))
    last = each.facts.last
    return seat is not None and (each.facts.table.seats[seat].away or (last is not None and seat not in last.awake))


def _moved(each: Difference) -> bool:
    if each.want is None:
        return False
    return each.want.to != each.at_first or (each.shown is not None and each.want.to != each.shown.to)


LATE_MESSAGES: Final[Mapping[str, Callable[[Difference], bool]]] = {
    "a board of an absent player stays as it was": lambda each: each.slot.startswith("hand:") and _is_away(each),
    "a board keeps its buttons until the dice are seen": lambda each: (
        each.slot.startswith("hand:")
        and each.want is None
        and (each.facts.unrevealed is not None or each.facts.table.show_at is not None)
    ),
    "a board stays while its player reads a page": lambda each: (
        each.slot.startswith("hand:") and int(each.slot.rpartition(":")[2]) in each.facts.routes.page_readers
    ),
    "private messages take another route from the next turn on": lambda each: (
        each.slot.startswith(("hand:", "reveal:")) and _moved(each)
    ),
    "a step that runs while its group moves writes to the old address": lambda each: (
        each.slot.startswith("deal:") and each.shown is not None and each.want is not None and not each.fields
    ),
    "a host by phone is told of others once in five minutes": lambda each: (
        each.slot.startswith("lobby:")
        and each.shown is not None
        and each.kind == "lobby"
        and not each.facts.channels.traits(each.shown.to.channel).buttons
    ),
}
"""The messages that may show an older state, with the reason. Surfaces end both lists."""


# In tests

_SCREENS: Final[dict[str, Screens]] = {}


def screens_of(engine: Engine) -> Screens:
    """Return the screens of a database's readers."""
    return _SCREENS.setdefault(str(engine.url), Screens())


def compare_screens(service: Service) -> None:
    """Compare the screens of all readers with what is wanted, over a connection of its own: it only reads."""
    screens = screens_of(service.database.engine)
    if screens.engine is None:
        screens.engine = _reader_of(service.database.engine)
    with TransactionSession(screens.engine) as session, session.no_autoflush:
        screens.compare(session, service)


def _reader_of(bot: Engine) -> Engine:
    """Return an engine whose transactions see one state of the bot's database, whatever workers write meanwhile.

    One connection stays open: a new one to SQLite reads the whole schema, and one to PostgreSQL starts a process.
    """
    is_sqlite = bot.dialect.name == "sqlite"
    level = "AUTOCOMMIT" if is_sqlite else "REPEATABLE READ"
    engine = create_engine(bot.url, pool_size=1, max_overflow=0, pool_pre_ping=True, isolation_level=level)
    engine.dialect, engine._compiled_cache = bot.dialect, bot._compiled_cache
    if is_sqlite:
        event.listen(engine, "begin", lambda connection: connection.exec_driver_sql("BEGIN"))
    return engine


def watching(patch: Callable[[object, str, object], None]) -> Callable[[], Sequence[Screens]]:
    """Compare after every step of a test and when delivery rests; the returned function ends that, with all screens."""
    mark_sent, idle = outbox.mark_sent, DeliveryWorker.idle
    handle, commit_step = Service.handle, UnitOfWork.commit_step

    def marked(uow: UnitOfWork, sent: Sequence[tuple[Message, SendResult]]) -> Sequence[Settled]:
        settled = mark_sent(uow, sent)
        screens = screens_of(uow.session.get_bind().engine)
        for item, result in sent:
            screens.sent(uow.session.connection(), item, result)
        return settled

    async def handled(self: Service, intent: Intent | SystemIntent) -> HandleResult:
        screens = screens_of(self.database.engine)
        screens.under_way += 1
        try:
            result = await handle(self, intent)
        finally:
            screens.under_way -= 1
        if not screens.under_way and (result.lanes or screens.saved):
            compare_screens(self)
        return result

    async def rested(self: DeliveryWorker) -> None:
        await idle(self)
        screens = screens_of(self.service.database.engine)
        if not screens.under_way and screens.delivered:
            compare_screens(self.service)

    def committed(self: UnitOfWork, row: GameTable, before: Table | None, step: TableChange) -> None:
        commit_step(self, row, before, step)
        screens_of(self.session.get_bind().engine).saved[row.id] = row.version

    def changed(_: object, connection: Connection, row: GameTable) -> None:
        if inspect(row).attrs.state.history.has_changes():  # a step passes by the ORM
            screens = screens_of(connection.engine)
            screens.changed_by_hand(connection)
            screens.versions[row.id] = row.version

    patch(outbox, "mark_sent", marked)
    patch(Service, "handle", handled)
    patch(DeliveryWorker, "idle", rested)
    patch(UnitOfWork, "commit_step", committed)
    event.listen(GameTable, "before_update", changed)

    def ended() -> Sequence[Screens]:
        event.remove(GameTable, "before_update", changed)
        found = list(_SCREENS.values())
        _SCREENS.clear()
        for screens in found:
            if screens.engine is not None:
                screens.engine.dispose()
        return found

    return ended


# In the summary of pytest, with `-p test_support.screens`

COMPARISONS: Final = "comparisons of messages"
"""The property of a test's report with its counts."""
_counts = Counter[str]()


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.when == "teardown":
        for name, value in report.user_properties:
            if name == COMPARISONS and isinstance(value, Mapping):
                _counts.update(value)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    terminalreporter.write_line("\nMessages and the content that their readers should see:")
    for name, count in _counts.most_common():
        terminalreporter.write_line(f"{count:8,} {name}")
