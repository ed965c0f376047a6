"""One evening's bot, messengers and database, in one event loop in virtual time: no socket, thread or child process."""

import asyncio
import logging
import os
import pickle
import random
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, Final, TypeVar
from unittest import mock

import structlog
from sqlalchemy import event
from sqlalchemy.exc import OperationalError
from sqlmodel import Session, select

from telegram_bot import app
from telegram_bot.app import App
from telegram_bot.delivery.sender import NotSentError, SendResult, SlowDownError
from telegram_bot.feature import install
from telegram_bot.features import FEATURES
from telegram_bot.ingress import engine_process
from telegram_bot.intents.envelope import Envelope, MessageRef
from telegram_bot.notices import RevealNotice
from telegram_bot.operations.backup import backup, restore
from telegram_bot.presentation.pictures import Artist
from telegram_bot.sandbox_launcher import kannel
from telegram_bot.sandbox_launcher.phones import Phones, PhoneSettings
from telegram_bot.settings import Settings
from telegram_bot.settings.sections import TableSettings
from telegram_bot.side_process import FunctionFailedError, SideProcess
from telegram_bot.storage.database import Database, TakenOverError
from telegram_bot.storage.models import GameTable
from telegram_bot.tables.model import Status, Table, Timings
from telegram_sandbox import RunningSandbox, SandboxSettings, StoredMessage, User, World, store, user_actions
from telegram_sandbox.server import create_app
from telegram_sandbox.virtual_time import VirtualLoop
from test_support.open_database import hasten
from test_support.simulation.engines import SETTINGS as ENGINES
from test_support.simulation.engines import EngineInMemory
from test_support.simulation.network import Network, Server

if TYPE_CHECKING:
    from test_support.simulation.people import Page

T = TypeVar("T")

TELEGRAM, BOT = 1, 2
"""Ports."""
TELEVISION: Final = "television"
"""A guest with this name."""
TOKEN: Final = "424242:AAsimulation_simulation_simulation_"
PASSWORD: Final = "password-of-the-gateway"
GATEWAY_NAME: Final = "test"
KEY_OF_NUMBERS: Final = "a key of the tests, which opens nothing"
"""As in the databases of releases."""
THOUGHT_SECONDS: Final = (0.02, 0.4)
"""How long the answer of a side process takes."""
COMMIT_SECONDS: Final = (0.0005, 0.02)


@dataclass
class Plan:
    """The setting of an evening: people, bot, and how often each fault happens. Chance draws it from the seed."""

    seed: int
    settings: dict[str, Any] = field(default_factory=dict)
    """Settings of the bot, besides addresses and secrets."""
    timings: dict[str, float] = field(default_factory=lambda: {"lobby_idle_seconds": 180})
    features_off: tuple[str, ...] = ()
    people: tuple[str, ...] = ("Ana", "Bo", "Cy", "Dee")
    phones: tuple[str, ...] = ()
    guests: tuple[str, ...] = ()
    group: str = "supergroup"
    administrator: bool = False
    """Whether the bot is an administrator of the group, so that a message there may have one reader."""
    workers: int = 1
    """The number of processes, of which one plays and the others stand by."""
    webhook: bool = False
    postgresql: bool = False
    tournament: bool = False
    """Whether the group plays a tournament."""
    engine_fails: float | None = None
    """The share of questions that the operator's engine does not answer as it should, or None if there is no engine."""
    release: str | None = None
    """The release on whose database the evening begins: its migration runs first, and its games go on."""
    script: tuple[tuple[str, str], ...] = ()
    """The first acts of people: a name, or "" for the first person who can, and an act of their method `do`."""
    acts: int = 50
    """How many acts of chance follow."""
    rests: bool = True
    """Whether everything comes to rest then, and is looked at."""
    rule_options: dict[str, int] = field(default_factory=dict)
    """The options of the rules that differ from the rulebook's."""
    dies_sending: tuple[str, ...] = ()
    """The kinds of notices in whose first send the worker dies, before it can store that it arrived."""
    variant: int = 0
    """The source of the dice that the event "dice" gives to others."""
    pause: tuple[float, float] = (0.1, 4.0)
    """The seconds between two acts."""
    faults: dict[str, float] = field(default_factory=dict)
    """The share of the bot's calls that each fault concerns, and of its acts for others; see `faults.py`."""

    @property
    def healthy(self) -> bool:
        return not self.faults


def keys_of(message: StoredMessage) -> list[dict[str, Any]]:
    return [key for row in (message.reply_markup or {}).get("inline_keyboard", ()) for key in row]


@dataclass(frozen=True)
class Sent:
    """A message that a chat got, or an edit of it."""

    began: float
    """When its send began."""
    envelope: Envelope
    number: int | None
    is_new: bool


class MortalDatabase(Database):
    """A worker's database, whose commits take time, fail, and are moments at which the worker can die."""

    def __init__(self, worker: "Worker") -> None:
        super().__init__(worker.house.database_url)
        self.worker = worker
        if not self.is_sqlite:
            event.listen(self.engine, "before_cursor_execute", self._in_virtual_time, retval=True)
        hasten(self.engine)
        worker.house.databases.append(self)

    def _in_virtual_time(
        self, _connection: Any, _cursor: Any, statement: str, parameters: Any, *_more: Any
    ) -> tuple[str, Any]:
        now = f"SELECT {self.worker.house.loop.wall_time()!r}"
        return now if "clock_timestamp()" in statement else statement, parameters

    async def run(self, work: Callable[[Session], T]) -> T:
        worker, house = self.worker, self.worker.house
        await asyncio.sleep(house.chance["commits"].uniform(*COMMIT_SECONDS))
        await worker.may_die("before a commit")
        if house.draws("database busy"):
            raise OperationalError("BEGIN IMMEDIATE", {}, Exception("database is locked"))
        result = self.run_now(work)
        await worker.may_die("after a commit")
        return result


class Worker:
    """One process of the bot."""

    app: App | None = None
    server: Server | None = None
    has_begun = False

    def __init__(self, house: "House", number: int) -> None:
        self.house = house
        self.process = house.loop.process(f"worker {number}")
        self.process.clock_offset = house.clock_offset
        self._task = self.process.run(self._main())
        self._task.add_done_callback(self._ended)

    async def _main(self) -> None:
        self.app = app = App(self.house.settings, MortalDatabase(self))
        for sender in app.delivery.channels.values():
            setattr(sender, "send", partial(self._send, sender.send))  # noqa: B010 - a method
        web, app.web = app.web, None

        def serve() -> None:
            self.has_begun = True
            self.server = None if web is None else Server(web.app, self.process)

        async with app.playing():
            await app.run(serve)

    async def _send(
        self, send: Callable[..., Awaitable[SendResult]], envelope: Envelope, target: MessageRef | None
    ) -> SendResult:
        """Send, and note what arrived, and the ends of rounds that may have arrived."""
        house, notice, began = self.house, envelope.notice, self.house.loop.time()
        is_group = envelope.chat < 0 and envelope.receiver is None
        rounds = {(notice.view.table, notice.view.round)} if is_group and isinstance(notice, RevealNotice) else set()
        rounds -= house.doubtful  # an earlier message may have shown it
        house.doubtful |= rounds
        try:
            sent = await send(envelope, target)
        except (NotSentError, SlowDownError):
            house.doubtful -= rounds
            raise
        house.doubtful -= rounds
        old = None if target is None else target.message
        house.sent.append(Sent(began, envelope, sent.message or old, sent.message not in (None, old)))
        if notice.kind in house.dies_sending:
            house.dies_sending.discard(notice.kind)
            house.kill(self, f"as it has sent {notice.kind}")
            await asyncio.get_running_loop().create_future()
        return sent

    def _ended(self, task: asyncio.Task[None]) -> None:
        if task.cancelled():
            return
        error = task.exception()
        if isinstance(error, TakenOverError) or (isinstance(error, OperationalError) and not self.has_begun):
            self.house.kill(self, f"of {type(error).__name__}")  # the supervisor starts it again
        else:
            self.house.failures.append(f"{self.process.name} ended by itself: {error!r}")

    async def may_die(self, where: str) -> None:
        """Die here, if chance wants it: then this never returns."""
        if self.house.draws("death"):
            self.house.kill(self, where)
            await asyncio.get_running_loop().create_future()

    async def stop(self) -> None:
        """Ask it to stop, as an operator does before an update, and wait for it."""
        self._task.remove_done_callback(self._ended)
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)


class LogLines(logging.Handler):
    """The lines of the bot's log, as they are before secrets are removed."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.lines: list[logging.LogRecord] = []
        self.acted: set[str] = set()
        """The updates that lines name as acted on."""

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record)
        if record.msg == "acted":
            self.acted.add(str(structlog.contextvars.get_contextvars().get("update")))


class House:
    """Everything of one evening."""

    def __init__(self, plan: Plan, loop: VirtualLoop, database_url: str, folder: Path, chance: "Chance") -> None:
        self.plan, self.loop, self.chance = plan, loop, chance
        self.database_url, self.folder = database_url, folder
        self.network = Network(chance["network"], self._note_failure, healthy=plan.healthy)
        self.counts: Counter[str] = Counter()
        self.failures: list[str] = []
        self.trace: list[str] = []
        self.log = LogLines()
        self.left_at = 0.0
        """When people have left, by the bot's clock: from then on no fault happens."""
        self.clock_offset = 0.0
        self.watching = ExitStack()
        """Ends the observations of checks."""
        self.workers: list[Worker] = []
        self.backup: Path | None = None
        """The newest backup of the database."""
        self._changes = 0
        self._told: set[str] = set()
        """The taps whose answers are in the trace."""
        self.databases: list[MortalDatabase] = []
        self.began_at: list[float] = []
        """When each worker was started."""
        self.restored_at: list[float] = []
        """When a backup was restored, by the messenger's clock."""
        self.let_in: dict[int, float] = {}
        """By person: when they last let the bot write to them again."""
        self.deleted: set[tuple[int, int]] = set()
        """The messages that an admin deleted, of which the bot does not hear: chat and number."""
        self.outdated: set[tuple[int, int]] = set()
        """The messages of tables that are over whose chat reads another language by now: a new process edits them."""
        self._background: set[asyncio.Task[None]] = set()
        self.pages: list[Page] = []
        self.metrics: dict[str, float] = {}
        """The metrics at the beginning."""
        self.updates: list[tuple[str, dict[str, Any]]] = []
        """The updates until now, if strangers repeat them."""
        self.sent: list[Sent] = []
        """The messages that chats got since the last restore."""
        self.doubtful: set[tuple[int, int]] = set()
        """The rounds, by table and number, whose end may have been shown: the bot does not know."""
        self.dies_sending = set(plan.dies_sending)
        self.changed: tuple[float, int, int] | None = None
        """When dice changed, and the table and round of which."""
        self.shown: list[tuple[int, int | None, int, str]] = []
        """The messages of the bot since the last restore, new or edited: chat, only reader, number, words."""
        self.accepted: Callable[..., None] = lambda *_, **__: None
        """Notes that a person does what a key or a text invites them to."""
        self.texts: list[tuple[str, str, float]] = []
        """The texts of the bot that arrived: number, words, and when."""
        gateway = PhoneSettings(
            f"http://127.0.0.1:{BOT}/sms/{GATEWAY_NAME}?secret={PASSWORD}", plan.phones, password=PASSWORD
        )
        settings = SandboxSettings(
            port=0,
            token=TOKEN,
            people=plan.people,
            people_start=True,
            inline_mode=True,
            deliver_anywhere=True,
            remembered_calls=100_000,
            extensions=(gateway,),
        )
        with ExitStack() as stack:
            if plan.release:  # in its database people and groups have these addresses
                stack.enter_context(mock.patch.multiple(store, FIRST_PERSON_ID=101, FIRST_SUPERGROUP_ID=-1002))
            self.world = World(settings)
        self.phones: Phones = self.world.extensions[0]
        setattr(self.phones, "text_number", partial(self._texted, self.phones.text_number))  # noqa: B010 - a method
        self.sandbox = RunningSandbox(self.world, f"http://127.0.0.1:{TELEGRAM}", f"http://127.0.0.1:{TELEGRAM}", TOKEN)
        self.settings = self._settings()
        install(FEATURES, self.settings.features)
        self.users = [self.sandbox.user(name) for name in plan.people]
        self.group = self.world.chats[self.sandbox.group_id]
        if plan.group == "group":
            self.group = self.sandbox.add_group("Old friends", self.users, kind="group")
        if plan.administrator:
            self.sandbox.set_bot_status(self.group, "administrator")

    def _settings(self) -> Settings:
        plan, url = self.plan, f"http://127.0.0.1:{BOT}"
        usual: dict[str, Any] = {
            "token": TOKEN,
            "api_base_url": self.sandbox.bot_base_url,
            "database_url": self.database_url,
            "pictures": {"hands": False, "reveals": False, "animations": False},
            "voice": {"enabled": False},
            "polling": {"probe_seconds": 0},
            "features": {"off": list(plan.features_off)},
        }
        if plan.guests:
            usual["web_seat"] = {"url": url, "tables": True, "behind_proxy": False}
        if plan.phones or plan.release:
            phones = self.phones.settings
            gateway = {"kind": "kannel", "name": GATEWAY_NAME, "number": phones.number, "username": phones.username}
            gateway |= {"password": PASSWORD, "secret": PASSWORD, "api_url": self.sandbox.url, "own_url": url}
            key = KEY_OF_NUMBERS if plan.release else "k" * 40
            usual["sms"] = {"key": key, "gateways": [gateway], "countries": ["US", "GB"]}
        if plan.engine_fails is not None:
            usual["engines"] = ENGINES
        if plan.webhook:
            usual["webhook"] = {"url": f"{url}/telegram"}
        return Settings.model_validate(usual | plan.settings)

    def _screens_changed(self) -> None:
        """Write what the bot showed into the trace."""
        for number, message in reversed(self.world.bots_news):
            if number <= self._changes:
                break
            keys = [key["text"] for key in keys_of(message)]
            self.shown.append((message.chat_id, message.seen_by, message.message_id, message.text or ""))
            self.note(f"{message.chat_id} {message.seen_by} {message.message_id} shows {message.text!r} {keys}")
        self._changes = self.world.changes
        for tap in self.world.taps.values():
            if tap.answered and tap.id not in self._told:
                self._told.add(tap.id)
                self.note(f"{tap.user_id} None is told {tap.text!r}")

    def _texted(self, text: Callable[[str, str], bool | None], number: str, words: str) -> bool | None:
        """Note a text of the bot."""
        self.texts.append((number, words, self.loop.time()))
        self.note(f"text to {number}: {words!r}")
        return text(number, words)

    async def let_bot_in(self, user: User) -> None:
        await user.change(blocked_bot=False)
        self.let_in[user.id] = self.loop.time()

    def wall_time(self) -> float:
        return self.loop.wall_time() + self.clock_offset

    # Chance

    def draws(self, fault: str) -> bool:
        share = self.plan.faults.get(fault, 0.0)
        if self.left_at or not share or self.chance["faults"].random() >= share:
            return False
        self.counts[fault] += 1
        return True

    def games(self) -> list[Table]:
        """Return the tables at which people play."""
        with self.stored().transaction() as session:
            rows = session.exec(select(GameTable).where(GameTable.status == Status.PLAYING)).all()
            return [Table.model_validate(row.state) for row in rows]

    def note(self, line: str) -> None:
        """Write what happened into the trace, with the virtual time."""
        self.trace.append(f"{self.loop.time():.4f} {line}")

    def retold(self) -> str:
        """Return all that happened, with the warnings and errors of the bot's log."""
        log = (f"{line.levelname} {line.getMessage()}" for line in self.log.lines if line.levelno > logging.INFO)
        return "\n".join([*self.trace, *log, *self.failures])

    # Workers

    def start_worker(self) -> None:
        self.began_at.append(self.wall_time())
        self.note(f"worker {len(self.began_at)} starts")
        self.workers.append(Worker(self, len(self.began_at)))

    def kill(self, worker: Worker, where: str = "at any moment") -> None:
        """Let a worker die at this moment, and another one start soon."""
        if worker not in self.workers:
            return
        self.counts["kills"] += 1
        self.note(f"{worker.process.name} dies {where}")
        self.workers.remove(worker)
        if worker.app is not None:
            self.counts["sends at a kill"] += len(worker.app.delivery._busy)
        worker.process.kill()
        self.network.reset(worker.process)
        self.loop.call_later(
            self.chance["faults"].uniform(0.1, 6.0), self.start_worker, context=self.network.outside.copy()
        )

    def background(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Begin work outside all processes that no one waits for, and note its failure."""
        task = self.loop.create_task(work, context=self.network.outside.copy())
        self._background.add(task)
        task.add_done_callback(self._background.discard)
        task.add_done_callback(self._note_failure)
        return task

    def _note_failure(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled() and task.exception() is not None:
            self.failures.append(f"{task.get_name()}: {task.exception()!r}")

    @asynccontextmanager
    async def stopped(self, *workers: Worker) -> AsyncIterator[None]:
        """Stop workers as an operator does, and start as many at the end of a `with`."""
        stopping = [each for each in self.workers if each in workers]
        self.workers = [each for each in self.workers if each not in workers]
        try:
            await asyncio.gather(*(worker.stop() for worker in stopping))
            yield
        finally:
            for _ in stopping:
                self.start_worker()

    async def restart(self, *workers: Worker, without: str = "") -> None:
        """Restart workers, perhaps without a feature."""
        async with self.stopped(*workers):
            if without:
                self.plan.features_off = (*self.plan.features_off, without)
                self.settings = self._settings()
                install(FEATURES, self.settings.features)

    def back_up(self) -> None:
        self.backup = self.folder / "evening.backup"
        backup(self.database_url, self.backup, force=True)

    async def restore(self, *, newest: bool) -> None:
        """Put a backup in the database's place while all workers are stopped; `newest`: a backup of this moment."""
        async with self.stopped(*self.workers):
            if newest or self.backup is None:
                self.back_up()
            assert self.backup is not None
            for database in self.databases:
                database.engine.dispose()
            restore(self.backup, self.database_url, force=True)
        self.restored_at.append(self.world.clock.now())
        self.sent.clear()
        self.shown.clear()  # computer players may play the same round again

    def set_clock(self, seconds: float) -> None:
        self.clock_offset += seconds
        self.note(f"the clock is set by {seconds}")
        for worker in self.workers:
            worker.process.clock_offset = self.clock_offset

    def _a_worker(self) -> Server | None:
        ready = [worker.server for worker in self.workers if worker.server is not None]
        return self.chance["network"].choice(ready) if ready else None

    async def play(self, evening: Callable[["House"], Awaitable[None]]) -> None:
        """Let every part find the others in this loop, and play an evening."""
        inner = create_app(self.world)
        self.network.servers = {TELEGRAM: lambda: Server(inner), BOT: self._a_worker}
        self.world.loop = self.loop
        self.world.faults.rng.seed(self.plan.seed)
        self.world.updates.delivery_faults.rng.seed(self.plan.seed)
        self.world.observers.append(self._screens_changed)
        bot_log, seconds = logging.getLogger("telegram_bot"), self.chance["side processes"]
        texts, report = self.chance["texts"], kannel._get

        async def ask(process: SideProcess[Any], *args: Any, **kwargs: Any) -> bytes:
            """Answer the question of a side process in this one, after a while."""
            args, kwargs = pickle.loads(pickle.dumps((args, kwargs)))  # noqa: S301 - our own
            await asyncio.sleep(seconds.uniform(*THOUGHT_SECONDS))
            process.prepare()
            try:
                answer: bytes = process.function(*args, **kwargs)
            except Exception as error:  # noqa: BLE001 - as the process itself does
                raise FunctionFailedError(type(error).__name__) from None
            return answer

        async def reports(url: str) -> None:
            """Report later that a text arrived, perhaps twice or never."""
            for _ in range(texts.choice((0, 1, 1, 1, 2))):
                await asyncio.sleep(texts.uniform(0.5, 20))
                await report(url)

        with ExitStack() as stack:
            stack.push(self.watching)
            stack.enter_context(self.network.carries_httpx())
            stack.enter_context(mock.patch.object(kannel, "_get", reports))
            stack.enter_context(mock.patch.object(SideProcess, "ask", ask))
            stack.enter_context(mock.patch.object(engine_process, "EngineProcess", partial(EngineInMemory, self)))
            rules = TableSettings.rules
            mixed = lambda table: rules(table).with_options(**self.plan.rule_options)  # noqa: E731
            stack.enter_context(mock.patch.object(TableSettings, "rules", mixed))
            # All pictures look the same, as animations do until they have played.
            stack.enter_context(mock.patch.object(Artist, "draw", mock.AsyncMock(return_value=b"drawn")))
            stack.enter_context(mock.patch.object(app, "Timings", partial(Timings, **self.plan.timings)))
            stack.callback(bot_log.removeHandler, self.log)
            stack.callback(bot_log.setLevel, bot_log.level)
            bot_log.addHandler(self.log)
            bot_log.setLevel(logging.DEBUG)
            user_actions.start(self.world, *self.world.active_people())
            for _ in range(self.plan.workers):
                self.start_worker()
            try:
                # A worker that dies as it starts holds its leases for a minute.
                await self.sandbox.bot_is_ready(120)
                await evening(self)
            except AssertionError as error:
                raise AssertionError(self.retold()) from error
            finally:
                for task in list(self._background):
                    task.cancel()
                for worker in list(self.workers):
                    await worker.stop()
                await self.world.close()
                for database in self.databases:
                    database.close()

    def stored(self) -> Database:
        """Return a database to look into."""
        return self.databases[-1]


class Chance(dict[str, Random]):
    """Sources of chance by name, so that what one part draws changes nothing for another."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self.seed = seed

    def __missing__(self, name: str) -> Random:
        return self.setdefault(name, Random(f"{self.seed} {name}"))

    @contextmanager
    def is_the_systems(self) -> Iterator[None]:
        """Let dice, codes and tokens come from here, for the length of a `with`."""
        secret = self["secrets"]
        random.seed(self.seed)
        # `random` has its own name for `os.urandom`; `secrets` and `SystemRandom` use it.
        with (
            mock.patch.object(os, "urandom", secret.randbytes),
            mock.patch.object(random, "_urandom", secret.randbytes),
        ):
            yield
