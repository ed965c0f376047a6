"""Between a call and its dice, what anybody asks is answered the same whatever the dice are.

The requests, with their buttons, links, acts and commands, are those of the registry.
"""

import random
import types
from collections.abc import Callable, Iterator
from dataclasses import MISSING, asdict, fields, replace
from enum import Enum
from itertools import groupby, islice, product
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin, get_type_hints

from sqlalchemy import bindparam, event
from sqlalchemy.orm.attributes import flag_modified
from sqlmodel import Session, col, func, select

from perudo_core import Rules
from telegram_bot.channels.sms import TRAITS as SMS_TRAITS
from telegram_bot.channels.telegram import TRAITS as TELEGRAM_TRAITS
from telegram_bot.channels.web import TRAITS as WEB_TRAITS
from telegram_bot.features.predictions.ghosts import Prediction
from telegram_bot.features.predictions.notices import Guess
from telegram_bot.intents import intents as i
from telegram_bot.intents.channel_traits import ChannelDirectory
from telegram_bot.intents.envelope import MessageRef
from telegram_bot.intents.forms import Act, Button
from telegram_bot.intents.intents import Place
from telegram_bot.intents.request import Request
from telegram_bot.service.handlers.lobby_requests import Start, StartPrivateChat
from telegram_bot.service.own_tables import own_tables
from telegram_bot.service.requests import REQUESTS
from telegram_bot.service.service import Service
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import GameAction, GameTable, OutboxEntry, Player
from telegram_bot.tables.model import Timings
from test_support.open_database import copy_migrated_database, open_database
from tests.telegram_bot.conftest import GroupHarness

ENDS: Final = {"the game goes on": ("52", "3"), "Bo wins": ("22", "3"), "Ana wins": ("55", "3")}
"""The hands of Ana and Bo before the first calls of their game: Ana bids two fives, which Bo doubts."""
HANDLE: Final = Service.handle
"""Without the comparison of messages, which sees what is stored only."""
OTHERS: Final = Place("telegram", -2002, 0, "Others")
ASKERS: Final = ("Ana", "Bo", "Cy", "Eve")
"""The host, a player who plays elsewhere too, a ghost, and a stranger. Ana has a phone as well."""
PHONES: Final = 501
SAID_AT_ONCE: Final = (
    select(col(OutboxEntry.lane), col(OutboxEntry.notice))
    .where(col(OutboxEntry.id) > bindparam("newest"), col(OutboxEntry.after_deal).is_(None))
    .where(col(OutboxEntry.not_before) <= bindparam("now"))
    .order_by(col(OutboxEntry.id))
)
TABLES: Final = select(func.count()).select_from(GameTable)


def values(kind: Any, code: str) -> list[Any]:
    match get_origin(kind):
        case origin if origin is Annotated:
            return values(get_args(kind)[0], code)
        case origin if origin in (Union, types.UnionType):
            return [value for each in reversed(get_args(kind)) for value in values(each, code)]  # None first
        case origin if origin is Literal:
            return list(get_args(kind))
        case origin if origin is tuple:
            return [(), ("2x3",)]
    if isinstance(kind, type) and issubclass(kind, Enum):
        return list(kind)
    if kind in (bool, int, str):
        known: dict[Any, list[Any]] = {bool: [False, True], int: [2, 102, 1], str: ["2x3", code, "Bo"]}
        return known[kind]
    return [None]  # what a look-up finds


def examples(kind: type[Request], code: str) -> Iterator[Request]:
    """The request of each command, of each form, or of its fields if it has no form.

    A request that may tell of a reveal is refused whatever its form: a few of its forms will do. The first and the
    last stand for forms that differ in a value alone.
    """
    hints = get_type_hints(kind, include_extras=True)
    known = {each.name: values(hints[each.name], code) for each in fields(kind) if each.default_factory is MISSING}
    usual = {
        each.name: known[each.name][0] if each.default is MISSING else each.default
        for each in fields(kind)
        if each.name in known
    }
    buttons = REQUESTS[kind].buttons
    found = [command.request for command in REQUESTS[kind].commands if command.request is not None]
    step = len(buttons) // 2 + 1 if kind.tells_of_reveal else 1
    forms: tuple[Act | Button, ...] = (*buttons[::step], *kind.links, *kind.acts)
    texts = {name: value for name, (*_, value) in known.items()} | {"value": "de"}
    found += [kind(**usual | {name: texts[name] for name in form.carries} | form.fixed) for form in forms]
    if not forms:
        found += [kind(**usual | {name: value}) for name, given in known.items() for value in given[-2:]]
    alike = groupby(found or [kind(**usual)], lambda each: asdict(each) | {"value": None})
    ends = [(several[0], several[-1]) for several in (list(group) for _, group in alike)]
    yield from {str(each): each for end in ends for each in end}.values()


def words(code: str) -> Iterator[i.TypedText | i.VoiceNote]:
    for text in ("2x3", "dudo", "hello", "1"):
        yield i.TypedText(text)
    yield i.TypedText("2x3", overheard=True)
    for text in ("2x3", "hello"):
        yield i.TypedText(text, table_code=code)
    for outcome, overheard in product((i.NoteOutcome.TROUBLE, i.NoteOutcome.HEARD), (False, True)):
        yield i.VoiceNote("note", 1, 1, overheard=overheard, heard=i.HeardNote(outcome=outcome, guesses=("2x3",)))


class Window:
    """A game whose last call has come. Each request is undone before the next one."""

    def __init__(self, file: Path, hands: tuple[str, ...]) -> None:
        self.database = open_database(f"sqlite:///{file}")
        rules = Rules.preset("box_2009").with_options(starting_dice=1, extra_die=True, lose_by_difference=True)
        self.harness = GroupHarness(self.database, rules=rules, timings=Timings(reveal_seconds=2))
        traits = (TELEGRAM_TRAITS, SMS_TRAITS, WEB_TRAITS)
        self.harness.service.config = replace(self.harness.service.config, channels=ChannelDirectory(traits))
        self.hands = hands
        self.statements = list[tuple[str, Any]]()
        """The statements of the last request."""
        event.listen(self.database.engine, "before_cursor_execute", self._note)
        self._newest = 0

    def _note(self, _connection: object, _cursor: object, sql: str, values: Any, *_: object) -> None:
        self.statements.append((sql, values))

    async def open(self) -> None:
        """Play until the dudo. Bo plays elsewhere too, Cy watches, and has guessed enough calls to choose a twist."""
        harness, group = self.harness, self.harness.group
        for name in ASKERS:
            await harness.say(name, StartPrivateChat(greeted=False), where=None)
        await harness.start_game("Ana", "Bo")
        harness.group = OTHERS
        await harness.lobby("Jo", "Bo")
        await harness.tap("Jo", Start(), table=2)
        harness.group = group
        await harness.set_dice(*self.hands)
        dealt = {"dice": [[*map(int, hand)] for hand in self.hands]}
        with self.database.transaction() as session:
            for row in session.exec(select(GameAction).where(GameAction.table_id == 1)):
                row.action |= dealt if "dice" in row.action else {"seat": 0}
                flag_modified(row, "action")
            people = {row.name: row for row in session.exec(select(Player))}
            people["Ana"].phone = PHONES
            for deal in range(-3, 0):
                session.add(Prediction(table_id=1, player_id=people["Cy"].id, deal=deal, guess=Guess.BLUFF, knew=True))
        await harness.call("2x5")
        harness.mark_all_sent()
        await harness.call("dudo")
        self._newest = max((row.id for row in harness.rows(OutboxEntry)), default=0)
        self._connection = self.database.engine.raw_connection()
        self.step, self.code = harness.table().step, harness.table().code

    async def ask(self, intent: i.Intent) -> object:
        """Return what is said to anybody at once, and undo it."""
        service = self.harness.service
        self.statements.clear()
        with Session(self.database.engine, expire_on_commit=False) as session:
            service.database, service.rng = Undone(session), random.Random(1)
            try:
                result = await HANDLE(service, intent)
            finally:
                service.database = self.database
            connection = session.connection()
            said = connection.execute(SAID_AT_ONCE, {"newest": self._newest, "now": self.harness.now})
            return result.toast, result.ignored, connection.execute(TABLES).scalar(), said.all()

    def rows(self, statements: list[tuple[str, Any]]) -> list[object]:
        """Return the rows that another window's statements read and change here, and undo them."""
        cursor, found = self._connection.cursor(), list[object]()
        for sql, values in statements:
            (cursor.executemany if isinstance(values, list) else cursor.execute)(sql, values)
            found.append((cursor.rowcount, cursor.fetchall()))
        self._connection.rollback()
        return found

    def intents(self, name: str, request: i.AnyRequest) -> Iterator[i.Intent]:
        """The same request from each place."""
        make, step, code = self.harness.intent, self.step, self.code
        tapped = MessageRef(50)
        tap: Any = {"by": "toast", "tapped": tapped}
        bound = tap | {"table": 1, "step": step - 1}
        yield make(name, request)
        yield make(name, request, **tap)
        yield make(name, request, **bound)
        yield make(name, request, **bound | {"step": step})
        for where in (OTHERS, None):
            yield make(name, request, where=where)
            yield make(name, request, where=where, **tap)
        yield make(name, request, where=None, **bound)
        page = replace(make(name, request, where=None, **bound), source="web", reads=code)
        yield page
        yield replace(page, table=None, step=None)
        if name in ("Ana", "Bo"):  # her phone, and that of a stranger
            phone = i.Person("sms", PHONES + (name != "Ana"), name)
            yield replace(make(name, request, where=None), source="sms:test", who=phone)


class Undone(Database):
    """A database whose transactions are one session's, which somebody else ends."""

    def __init__(self, session: Session) -> None:
        self.session = session

    async def run(self, work: Callable[[Session], Any]) -> Any:
        found = work(self.session)
        self.session.flush()
        return found


async def test_before_the_dice_are_shown_nobody_is_answered_from_them(tmp_path: Path) -> None:
    files = {end: copy_migrated_database(tmp_path / f"{end}.sqlite") for end in ENDS}
    windows = {end: Window(files[end], hands) for end, hands in ENDS.items()}
    for window in windows.values():
        await window.open()
    first, *others = windows.values()
    requests = [request for kind in REQUESTS for request in examples(kind, first.code)]
    differing = []
    for (asker, name), (asked, request) in product(enumerate(ASKERS), enumerate((*requests, *words(first.code)))):
        # Each request is made from each place by one of the four, and each of them makes one of four from there.
        for number, intent in islice(enumerate(first.intents(name, request)), (asked + asker) % 4, None, 4):
            told = await first.ask(intent)
            other = others[(asked // 4 + number // 4) % 2]
            # The same rows give the same answer, which need not be computed again.
            if (
                other.rows(first.statements) != first.rows(first.statements)
                and (again := await other.ask(intent)) != told
            ):
                differing.append(f"{name}, {request}, {number}\n  {told}\n  {again}")
    for name in ASKERS:
        tables = set()
        for window in windows.values():
            with window.database.transaction() as session:
                uow = window.harness.service.unit_of_work(session, "")
                tables.add(str(own_tables(uow, window.harness.person(name))))
        differing += [f"own tables of {name}: {tables}"] if len(tables) > 1 else []
    for window in windows.values():
        window.database.close()
    assert not differing, f"{len(differing)}\n" + "\n\n".join(differing)
