"""Evenings of the heart: service, delivery, deadlines and storage, with simulated people, messengers and deaths.

An evening is a value: a seed, what goes wrong how often, and a list of acts. The same value gives the same evening.
"""

import asyncio
import logging
import random
from collections.abc import Callable, Coroutine, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory
from typing import Any, Final, TypeAlias, TypeVar
from unittest import mock

from sqlmodel import Session, col, select

from perudo_core import Rules, parse_call
from telegram_bot import notices as n
from telegram_bot.channels.sms import TRAITS as SMS_TRAITS
from telegram_bot.channels.telegram import TRAITS as TELEGRAM_TRAITS
from telegram_bot.delivery import reconcile, worker
from telegram_bot.delivery.limits import Limits
from telegram_bot.delivery.sender import ChatLostError, InvalidError, RefusedError, SendResult, UnknownOutcomeError
from telegram_bot.delivery.worker import DeliveryWorker
from telegram_bot.ingress import deadlines
from telegram_bot.ingress.computer_calls import choose
from telegram_bot.ingress.deadlines import DeadlineWorker
from telegram_bot.intents import intents as i
from telegram_bot.intents.channel_traits import ChannelDirectory
from telegram_bot.intents.config import ServiceConfig
from telegram_bot.intents.envelope import Envelope, MessageRef
from telegram_bot.parsing.to_intent import parse_text
from telegram_bot.screens.facts import Facts
from telegram_bot.screens.wants import Want, wants_of
from telegram_bot.service.computer_requests import CallRequest, Computation
from telegram_bot.service.handlers.game_requests import CallDudo, MakeBid
from telegram_bot.service.handlers.lobby_requests import StartPrivateChat
from telegram_bot.service.outages import LATE_SECONDS
from telegram_bot.service.service import HandleResult, Service
from telegram_bot.storage.database import Database, connect
from telegram_bot.storage.models import Chat, GameTable, LaneName, Player, RoundEnd
from telegram_bot.tables.model import OnTimeout, Status, Table, Timings, TurnClock
from telegram_sandbox.virtual_time import START, VirtualLoop, virtual_time
from test_support.open_database import hasten
from test_support.simulation.heart_acts import PEOPLE, PHONES, Act
from test_support.simulation.heart_messenger import Faults, Message, Messenger, Sent
from test_support.simulation.world import Chance, LogLines

T = TypeVar("T")
Check: TypeAlias = Callable[["Evening", Session], Iterator[str]]
GROUPS: Final = (-1001, -1002)
CHANNELS: Final = ChannelDirectory((TELEGRAM_TRAITS, SMS_TRAITS))
TIMINGS: Final = Timings(
    reminder_seconds=10, lobby_idle_seconds=300, paused_idle_seconds=200, unclocked_idle_seconds=600
)
MORE_DEADLY: Final = 10
"""So many times likelier a worker dies while it shows the end of a round."""
MOST_DEATHS: Final = 40
"""After so many no more worker dies by chance, so that each evening comes to its end."""
ACT_SECONDS: Final = 600.0
CHECKED_TIMES: Final = 6
CHECKED_AGAIN_SECONDS: Final = 7.0
LONGEST_TO_NOTICE_SECONDS: Final = (3.0, 30.0)
"""So long after the clock was set every worker has noticed it, and one that died or stood still."""
ALONE_SECONDS: Final = 2400.0
"""After so long without anybody, every table is over."""
REST_SECONDS: Final = 90.0
"""After so long without an act and a fault, everything that is shown is what is wanted."""
REST_LOOK_SECONDS: Final = 4.0
"""The pause of the workers' looks then: no check lets anything wait as long as five seconds."""
CALM: Final = Faults()
BEYOND_THE_BOOKS: Final = ("calza", "calza_costs_others", "first_out_wins", "reverse_after_call", "reroll_after_bid")


@dataclass(frozen=True)
class House:
    """The circumstances of a whole evening."""

    seed: int = 0
    rules: str = "box_2009"
    turn_seconds: int = 60
    on_timeout: OnTimeout = OnTimeout.AUTO
    faults: Faults = CALM
    limits: bool = False
    animations: bool = False
    ephemeral: bool = False

    @property
    def mixed_rules(self) -> Rules:
        """The rulebook; one seed in four adds some options that no rulebook has on, and the others keep their games."""
        mixes = random.Random(self.seed).choices((True, False), k=len(BEYOND_THE_BOOKS)) if self.seed % 4 == 1 else ()
        return Rules.preset(self.rules).with_options(**dict(zip(BEYOND_THE_BOOKS, mixes, strict=False)))


@dataclass(frozen=True)
class Program:
    """One evening as a value, which repeats it."""

    house: House
    acts: tuple[Act, ...]

    def has(self, *acts: str) -> bool:
        return any(act.name in acts for act in self.acts)


class SimulatedDatabase(Database):
    """The database of one process: transactions run at once, and the process may die before or after each."""

    is_sqlite = True

    def __init__(self, process: "Worker") -> None:
        self.process, self.engine = process, process.evening.engine

    async def run(self, work: Callable[[Session], T]) -> T:
        deadly = self.process.deadly(self.process.evening.house.faults.dies_at_commit)
        await self.process.point(deadly)
        result = self.run_now(work)
        await self.process.point(deadly)
        return result


class SimulatedSender:
    """One channel of one process."""

    def __init__(self, process: "Worker", name: str) -> None:
        self.process, self.name = process, name
        self.limits = Limits() if process.evening.house.limits and name == "telegram" else Limits(0, 0, 0)

    def is_group(self, address: int) -> bool:
        return address < 0

    async def send(self, envelope: Envelope, target: MessageRef | None) -> SendResult:
        assert not self.process.dead.is_set(), "a dead worker sends"
        evening, messenger = self.process.evening, self.process.evening.messenger
        sent = self.process.tries[self.name, envelope.chat] = Sent(envelope)
        deadly = self.process.deadly(evening.house.faults.dies_in_send)
        if isinstance(envelope.notice, n.CallNotice | n.RevealNotice):  # much waits for these
            deadly *= MORE_DEADLY
        await self.process.point(deadly)
        await asyncio.sleep(evening.chance.uniform(0.02, evening.house.faults.slowest) / 2)
        trouble = messenger.trouble(envelope)
        if trouble is not None:
            if isinstance(trouble, ChatLostError | RefusedError):
                evening.uncertain_chats.add(envelope.chat)
            elif isinstance(trouble, InvalidError):
                evening.doubt(envelope)
            raise trouble
        unknown, dies = messenger.is_unknown(), evening.chance.random() < deadly
        result = None
        if not unknown or evening.chance.random() < 0.5:
            sent.known &= not unknown
            result = messenger.take(sent, target)
        if unknown or not sent.known:
            evening.doubt(envelope)
        if dies or envelope.notice.kind in evening.dies_sending:
            evening.dies_sending.discard(envelope.notice.kind)
            self.process.die()
        await asyncio.sleep(evening.chance.uniform(0.02, evening.house.faults.slowest) / 2)
        if unknown or result is None:
            raise UnknownOutcomeError("timed out")
        return result


class Worker:
    """One process of the bot, until it dies."""

    def __init__(self, evening: "Evening") -> None:
        self.evening = evening
        self.process = evening.loop.process("worker")
        self.process.clock_offset = evening.clock_offset
        self.dead = asyncio.Event()
        self.starts_again_at = 0.0
        self.service = Service(SimulatedDatabase(self), evening.config, rng=evening.dice, parse_text=parse_text)
        senders = {name: SimulatedSender(self, name) for name in ("telegram", "sms")}
        self.delivery = DeliveryWorker(self.service, senders)
        channel = mock.Mock(reachable=asyncio.Event(), confirm_reachable=mock.AsyncMock(return_value=True))
        channel.reachable.set()
        self.deadlines = DeadlineWorker(self.service, self.delivery.wake, [channel], self.think, self.compute)
        self.tasks: set[asyncio.Task[Any]] = set()
        self.tries: dict[tuple[str, int], Sent] = {}
        """The last try for each chat."""
        self.begin(self._run())

    async def _run(self) -> None:
        """Recover and run, as `App` does."""
        await self.service.outages.synchronize_clock()
        self.begin(self.delivery.run())
        await self.deadlines.run()

    def begin(self, work: Coroutine[Any, Any, T]) -> "asyncio.Task[T]":
        task = self.process.run(work)
        self.tasks.add(task)
        return task

    def wake(self, lanes: Iterable[LaneName]) -> None:
        """Let its delivery look at lanes. The tasks that follow are its own, and end when it dies."""

        async def look() -> None:
            self.delivery.wake(lanes)

        self.begin(look())

    def die(self) -> None:
        """Never do anything again. The next process may repeat each send that is under way or not stored yet."""
        if self.dead.is_set():
            return
        for name in self.delivery._busy:
            sent = self.tries.get((name.channel, name.chat))
            if sent is not None:
                sent.known = False
                self.evening.doubt(sent.envelope)
        self.starts_again_at = self.evening.loop_time + self.evening.chance.choice((0.5, 3, 9))
        self.process.kill()
        self.dead.set()
        self.evening.kills += 1

    def deadly(self, chance: float) -> float:
        """Return the chance to die that is left of one."""
        return chance if self.evening.kills < MOST_DEATHS else 0

    async def point(self, deadly: float) -> None:
        """Go on a moment later, or let the process die here."""
        if deadly and self.evening.chance.random() < deadly:
            self.die()
        await asyncio.sleep(0.001)

    def think(self, request: CallRequest) -> None:
        def chosen() -> i.CallComputed:
            found = choose(request.level, request.character, request.observation, request.memory, request.seed)
            call = parse_call(found.decode(), request.seat) if found or request.on_turn else None
            return i.CallComputed(request.table, request.step, request.seat, call)

        self._answer(0.05, chosen)

    def compute(self, computation: Computation) -> None:
        def done() -> i.ComputationDone:
            found = computation.function(*computation.arguments)
            return i.ComputationDone(lambda uow: computation.hand_in(uow, found))

        self._answer(0.5, done)

    def _answer(self, seconds: float, answer: Callable[[], i.CallComputed | i.ComputationDone]) -> None:
        async def hand_in() -> None:
            await asyncio.sleep(seconds)
            result = await self.service.handle(answer())
            self.delivery.wake(result.lanes)

        self.begin(hand_in())


class Evening:
    """A running evening."""

    worker: Worker

    def __init__(self, program: Program, url: str, loop: VirtualLoop, variant: int) -> None:
        house = self.house = program.house
        self.program, self.loop, self.clock_offset = program, loop, 0.0
        self.chance, self.dice = random.Random(house.seed), random.Random(house.seed + 1)
        self.messenger = Messenger(house.faults, self.chance, lambda: self.loop_time)
        self.config = ServiceConfig(
            rules=house.mixed_rules,
            channels=CHANNELS,
            clock=TurnClock(seconds=house.turn_seconds, on_timeout=house.on_timeout),
            slow_table_clock=TurnClock(seconds=house.turn_seconds),
            timings=TIMINGS,
            numbers=("+39 02 1234",),
            reveal_animations=house.animations,
            hand_pictures=False,
            reveal_pictures=house.animations,
            sealed_dice=False,
            languages=("en", "it"),
        )
        self.addresses = list(GROUPS)
        self.deleted: set[int] = set()
        self.dies_sending: set[str] = set()
        """The kinds of notices in whose next send the worker dies."""
        has_gap = house.faults.dies_in_send > 0 or program.has("kill", "freeze")
        self.longest_to_notice = LONGEST_TO_NOTICE_SECONDS[has_gap]
        self.clock_set_at = -self.longest_to_notice
        self.kills = 0
        self.failures: list[str] = []
        """The exceptions that ended a task of a worker."""
        self.broken_invitations: list[str] = []
        self.uncertain_chats: set[int] = set()
        """The chats that refused a message, and where ends of rounds may count as seen."""
        self.uncertain_rounds: set[tuple[int, int]] = set()
        """The rounds, by table and number, whose dice a worker tried to show without learning how that ended."""
        self.found: list[str] = []
        self.log = LogLines()
        self.broken_table: int | None = None
        self.broken_until: dict[int, float] = {}
        """Until when the words of each table raised."""
        self.variant = variant
        """The source of the dice that `change_dice` gives to the others."""
        self.changed_round = (0, 0)
        self.changed_at = (0, 0)
        """How much was sent and answered when dice changed."""
        self.answers: list[tuple[float, str, HandleResult]] = []
        self._causes = 0
        self.engine = connect(url)
        hasten(self.engine)

    @property
    def loop_time(self) -> float:
        return self.loop.time()

    @property
    def wall_time(self) -> float:
        """The time by the clock of the bot's machine, in seconds since 1970."""
        return START + self.loop.time() + self.clock_offset

    # People

    def person(self, who: str) -> i.Person:
        if who in PHONES:
            return i.Person("sms", 501 + PHONES.index(who), who, language="en")
        return i.Person("telegram", 101 + PEOPLE.index(who), who, who.lower(), "en")

    def address_of(self, group: int) -> int:
        return self.addresses[group % len(self.addresses)]

    def seen_by(self, who: str) -> list[Message]:
        person = self.person(who)
        return self.messenger.seen_by(person.channel, person.address, tuple(self.addresses))

    def code_of(self, group: int) -> str | None:
        """Return the code in the newest lobby message of a group."""
        for message in reversed(self.messenger.chats["telegram", self.address_of(group)]):
            if isinstance(message.envelope.notice, n.LobbyNotice):
                return message.envelope.notice.view.code
        return None

    def doubt(self, envelope: Envelope) -> None:
        """Note that nobody knows how a send ended."""
        if isinstance(envelope.notice, n.RevealNotice):
            self.uncertain_rounds.add((envelope.notice.view.table, envelope.notice.view.round))

    async def tap(self, who: str, message: Message, key: int, *, times: int = 1) -> None:
        pressed, person = message.keys[key], self.person(who)
        request = pressed.request
        assert request is not None
        if pressed.in_private or isinstance(request, StartPrivateChat):
            self.messenger.blocked.discard(person.address)
            await self.say(who, request, group=None)
            return
        table, step = pressed.at or message.envelope.notice.keyed_at
        group = message.envelope.chat if message.envelope.chat < 0 else None
        self._causes += 1
        intent = i.Intent(
            "telegram",
            str(self._causes),
            person,
            request,
            None if group is None else i.Place("telegram", group, 0, "Friends"),
            table=table,
            step=step,
            answered_by="toast",
            tapped=MessageRef(message.number, message.envelope.receiver),
            reply_handle=f"tap{self._causes}",
        )
        for _ in range(times):
            stood = self.stands(person, request, table, step)
            await self.handle(who, intent)
            toast = self.answers[-1][2].toast
            if stood and isinstance(toast, n.RejectionNotice) and self.stands(person, request, table, step):
                self.broken_invitations.append(f"{who} tapped {pressed.text} on turn: {toast.reason}")
                break

    async def type_key(self, who: str, message: Message, key: int) -> None:
        """Let a person type the call of a key in the group of its table."""
        table, step = message.envelope.notice.keyed_at
        with Session(self.engine) as session:
            chat = session.exec(select(Chat.address).join(GameTable).where(GameTable.id == table)).first()
        request = message.keys[key].request
        if chat not in self.addresses:
            return
        words = f"{request.quantity}x{request.face}" if isinstance(request, MakeBid) else "dudo"
        turn = self.person(who), request, table, step
        stood = self.stands(*turn) and self.loop_time > self.clock_set_at + self.longest_to_notice
        await self.say(who, i.TypedText(words), group=self.addresses.index(chat))
        if stood and self.stands(*turn):
            self.broken_invitations.append(f"{who} typed {words} on turn, and it did not count")

    def stands(self, person: i.Person, request: object, table_id: int | None, step: int | None) -> bool:
        """Return True if a call is that of the player to call, and the table's chat has seen all dice."""
        if not isinstance(request, MakeBid | CallDudo) or table_id is None:
            return False
        with Session(self.engine) as session:
            row, now = session.get(GameTable, table_id), self.wall_time
            player = session.exec(select(Player).where(Player.address == person.address)).first()
            ends = session.exec(select(RoundEnd).where(RoundEnd.table_id == table_id)).all()
        if row is None or row.status != Status.PLAYING:
            return False
        if player is None or any(end.seen_at is None or end.dice_at > now for end in ends):
            return False
        table = Table.model_validate(row.state)
        is_free = not table.paused and table.suspension is None
        return is_free and table.step == step and table.begun_game.turn == table.seat_of(player.id)

    async def say(self, who: str, request: i.AnyRequest, *, group: int | None) -> None:
        """Let a person make a request by words; `group` is None in private and by text."""
        in_group = group is not None and who not in PHONES
        where = i.Place("telegram", self.address_of(group or 0), 0, f"Friends {group}") if in_group else None
        said_at = self.wall_time if isinstance(request, i.TypedText) else None
        await self.hand_in(who, request, where, said_at=said_at)

    async def press(self, who: str, request: i.AnyRequest, table: int, step: int) -> None:
        """Let a person send the button of a step, which is on a screen or not."""
        where = i.Place("telegram", self.address_of(0), 0, "Friends 0")
        await self.hand_in(who, request, where, table=table, step=step, answered_by="toast")

    async def hand_in(self, who: str, request: i.AnyRequest, where: i.Place | None, **more: Any) -> None:
        source = "sms:test" if who in PHONES else "telegram"
        self._causes += 1
        await self.handle(who, i.Intent(source, str(self._causes), self.person(who), request, where, **more))

    async def handle(self, who: str, intent: i.Intent) -> None:
        """Hand an update to the worker; the next one handles it again if this one dies."""
        while True:
            worker = self.worker
            if not worker.dead.is_set():
                work = worker.begin(worker.service.handle(intent))
                death = asyncio.create_task(worker.dead.wait())
                await asyncio.wait((work, death), return_when=asyncio.FIRST_COMPLETED)
                death.cancel()
                if work.done():
                    break
            await asyncio.sleep(1)
        result = work.result()
        worker.wake(result.lanes)
        self.answers.append((self.loop_time, who, result))
        for request in result.call_requests:
            worker.think(request)
        for computation in result.computations:
            worker.compute(computation)

    # The evening

    async def keep_a_worker(self) -> None:
        """Start another process for each one that died."""
        while True:
            worker = self.worker
            if worker.dead.is_set() and self.loop_time >= worker.starts_again_at:
                self.worker = Worker(self)
            for task in list(worker.tasks):
                if task.done() and not task.cancelled() and (error := task.exception()) is not None:
                    worker.tasks.discard(task)
                    self.failures.append(f"a task of a worker ended with {error!r:.300}")
            await asyncio.sleep(1)

    async def run(self, at_rest: Sequence[Check], at_the_end: Sequence[Check]) -> None:
        """Let the evening happen, come to rest, and be left alone; note what does not hold then."""
        self.worker = Worker(self)
        keeper = asyncio.create_task(self.keep_a_worker())
        await asyncio.sleep(0.1)
        for act in self.program.acts:
            try:
                await asyncio.wait_for(act.happen(self), ACT_SECONDS)
            except TimeoutError:
                self.found = [f"{act} was not over after {ACT_SECONDS:.0f} s"]
                at_rest = ()
                break
            await asyncio.sleep(self.chance.choice((0.05, 0.3, 1.0, 2.5)))
        self.settle()
        if not at_rest:
            await asyncio.sleep(5)
            keeper.cancel()
            return
        look_every(REST_LOOK_SECONDS, REST_LOOK_SECONDS)
        await asyncio.sleep(REST_SECONDS)
        await self.check(at_rest)
        if not self.found:
            look_every(30.0, LATE_SECONDS - 1)
            end = self.loop_time + ALONE_SECONDS
            while self.loop_time < end and any(row.live for row, _ in self.tables()):  # noqa: ASYNC110
                await asyncio.sleep(60)
            look_every(REST_LOOK_SECONDS, REST_LOOK_SECONDS)
            await asyncio.sleep(60)
            await self.check(at_the_end)
        keeper.cancel()

    async def check(self, checks: Sequence[Check]) -> None:
        """Note what does not hold, at none of some moments: a turn may have just ended."""
        for _ in range(CHECKED_TIMES):
            with Session(self.engine) as session:
                self.found = [f"{check.__name__}: {fault}" for check in checks for fault in self._tried(check, session)]
            if not self.found:
                return
            await asyncio.sleep(CHECKED_AGAIN_SECONDS)

    def _tried(self, check: Check, session: Session) -> Iterator[str]:
        try:
            yield from check(self, session)
        except Exception as error:  # noqa: BLE001 - the bot's own functions, which the check uses, failed
            yield f"raises {error!r}"

    def settle(self) -> None:
        """End all faults: from now on every send arrives and no process dies."""
        calm = self.messenger.faults = Faults(slowest=min(1, self.house.faults.slowest))
        self.house = replace(self.house, faults=calm)
        self.messenger.unreachable_until = 0
        self.dies_sending.clear()

    def wants_of(self, facts: Facts, reader: int) -> Iterator[Want]:
        """Return what a reader should see, unless the words of the table are broken."""
        if facts.table.id == self.broken_table:
            raise ValueError("words that cannot be found")
        return wants_of(facts, reader)

    def tables(self) -> list[tuple[GameTable, Table]]:
        with Session(self.engine) as session:
            rows = session.exec(select(GameTable).order_by(col(GameTable.id))).all()
        return [(row, Table.model_validate(row.state)) for row in rows]


def look_every(seconds: float, sweep: float) -> None:
    """Let workers look for messages and for deadlines so often: nobody does anything any more."""
    setattr(worker, "POLL_SECONDS", seconds)  # noqa: B010 - a constant of the bot
    setattr(deadlines, "SWEEP_SECONDS", sweep)  # noqa: B010


def play(
    program: Program, empty: Path, at_rest: Sequence[Check], at_the_end: Sequence[Check], *, variant: int = 0
) -> Evening:
    """Play an evening on a copy of an empty database; `found` has what did not hold. `variant`: see `change_dice`."""
    with ExitStack() as stack:
        folder, loop = stack.enter_context(TemporaryDirectory()), stack.enter_context(virtual_time())
        stack.enter_context(Chance(program.house.seed).is_the_systems())
        for module, pause in ((worker, "POLL_SECONDS"), (deadlines, "SWEEP_SECONDS")):  # `look_every` sets them
            stack.enter_context(mock.patch.object(module, pause, getattr(module, pause)))
        copyfile(empty, Path(folder) / "perudo.db")
        evening = Evening(program, f"sqlite:///{folder}/perudo.db", loop, variant)
        stack.callback(evening.engine.dispose)
        stack.enter_context(mock.patch.object(reconcile, "wants_of", evening.wants_of))
        logger = logging.getLogger("telegram_bot")
        logger.addHandler(evening.log)
        stack.callback(logger.removeHandler, evening.log)
        logger.setLevel(logging.INFO)
        loop.run(evening.run(at_rest, at_the_end))
        return evening
