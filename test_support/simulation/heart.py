"""Evenings of the heart: service, delivery, deadlines and storage, with simulated people, messengers and deaths.

An evening is a value: a seed, what goes wrong how often, and a list of acts. The same value gives the same evening.
"""

import asyncio
import logging
import random
from collections import Counter
from collections.abc import Callable, Coroutine, Iterable, Iterator, Sequence
from contextlib import ExitStack
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory
from typing import Any, ClassVar, Final, TypeAlias, TypeVar
from unittest import mock

from sqlalchemy import Engine
from sqlmodel import Session, col, select

from perudo_core import Bid, Dudo, Rules, legal_calls, parse_call
from telegram_bot import notices as n
from telegram_bot.channels.sms import TRAITS as SMS_TRAITS
from telegram_bot.channels.telegram import TRAITS as TELEGRAM_TRAITS
from telegram_bot.delivery import reconcile, worker
from telegram_bot.delivery.limits import Limits
from telegram_bot.delivery.sender import (
    ChatLostError,
    InvalidError,
    RefusedError,
    SendResult,
    UnknownOutcomeError,
)
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
from telegram_bot.service.handlers.ending import Leave, Stop
from telegram_bot.service.handlers.game_requests import CallDudo, MakeBid, ReturnToSeat
from telegram_bot.service.handlers.lobby_requests import (
    AddComputers,
    Join,
    OpenLobby,
    PlayAgain,
    Start,
    StartPrivateChat,
)
from telegram_bot.service.handlers.queries import SeeDice, SeeStatus
from telegram_bot.service.handlers.settings import Choose
from telegram_bot.service.outages import LATE_SECONDS
from telegram_bot.service.service import HandleResult, Service
from telegram_bot.storage.database import Database, connect
from telegram_bot.storage.models import (
    Chat,
    DiceStyle,
    GameTable,
    LaneName,
    OutboxEntry,
    Player,
    PrivateView,
    RoundEnd,
)
from telegram_bot.storage.web_models import WebRoom
from telegram_bot.tables.model import OnTimeout, Status, Table, Timings, TurnClock
from telegram_sandbox.virtual_time import START, VirtualLoop, virtual_time
from test_support.open_database import hasten
from test_support.simulation.heart_messenger import Faults, Message, Messenger, Sent
from test_support.simulation.world import Chance

T = TypeVar("T")
Check: TypeAlias = Callable[["Evening", Session], Iterator[str]]
PEOPLE: Final = ("Ana", "Bo", "Cy", "Dee")
PHONES: Final = ("Gran", "Pa")
EVERYBODY: Final = (*PEOPLE, *PHONES)
GROUPS: Final = (-1001, -1002)
CHANNELS: Final = ChannelDirectory((TELEGRAM_TRAITS, SMS_TRAITS))
TIMINGS: Final = Timings(
    reminder_seconds=10, lobby_idle_seconds=300, paused_idle_seconds=200, unclocked_idle_seconds=600
)
TELEGRAMS_LIMITS: Final = Limits()
NO_LIMITS: Final = Limits(0, 0, 0)
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


class SimulatedDatabase(Database):
    """The database of one process: transactions run at once, and the process may die before or after each."""

    is_sqlite = True

    def __init__(self, process: "Worker", engine: Engine) -> None:
        self.process, self.engine = process, engine

    async def run(self, work: Callable[[Session], T]) -> T:
        deadly = self.process.deadly(self.process.evening.house.faults.dies_at_commit)
        await self.process.point(deadly)
        result = self.run_now(work)
        await self.process.point(deadly)
        return result


@dataclass
class Try:
    """A try of a process to send something."""

    envelope: Envelope
    known: bool
    """Whether no other process may repeat it."""
    sent: Sent | None = None
    """The message that arrived, if one did."""


class SimulatedSender:
    """One channel of one process."""

    def __init__(self, process: "Worker", name: str) -> None:
        self.process = process
        self.name = name
        self.limits = TELEGRAMS_LIMITS if process.evening.house.limits and name == "telegram" else NO_LIMITS

    def is_group(self, address: int) -> bool:
        return address < 0

    async def send(self, envelope: Envelope, target: MessageRef | None) -> SendResult:
        assert not self.process.dead.is_set(), "a dead worker sends"
        evening, messenger = self.process.evening, self.process.evening.messenger
        current = self.process.tries[self.name, envelope.chat] = Try(envelope, known=True)
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
        arrives = not unknown or evening.chance.random() < 0.5
        result = None
        if arrives:
            result = messenger.take(envelope, target, known=current.known and not unknown)
            current.sent = messenger.log[-1]
        if unknown or not current.known:
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
        self.database = SimulatedDatabase(self, evening.engine)
        self.service = Service(self.database, evening.config, rng=evening.dice, parse_text=parse_text)
        senders = {name: SimulatedSender(self, name) for name in ("telegram", "sms")}
        self.delivery = DeliveryWorker(self.service, senders)
        channel = mock.Mock(reachable=asyncio.Event(), confirm_reachable=mock.AsyncMock(return_value=True))
        channel.reachable.set()
        self.deadlines = DeadlineWorker(self.service, self.delivery.wake, [channel], self.think, self.compute)
        self.tasks: set[asyncio.Task[Any]] = set()
        self.tries: dict[tuple[str, int], Try] = {}
        """The last try for each chat."""

        self.begin(self._run())

    async def _run(self) -> None:
        """Recover and run, as `App` does."""
        await self.service.outages.synchronize_clock()
        self.begin(self.delivery.run())
        await self.deadlines.run()

    def begin(self, work: Coroutine[Any, Any, Any]) -> "asyncio.Task[Any]":
        task = self.process.run(work)
        self.tasks.add(task)
        return task

    def wake(self, lanes: Iterable[LaneName]) -> None:
        """Let its delivery look at lanes. The tasks that follow are its own, and end when it dies."""

        async def look() -> None:
            self.delivery.wake(lanes)

        self.begin(look())

    def die(self) -> None:
        """Never do anything again."""
        if not self.dead.is_set():
            self.leaves_sends_open()
            self.starts_again_at = self.evening.loop_time + self.evening.chance.choice((0.5, 3, 9))
            self.process.kill()
            self.dead.set()
            self.evening.counts["kills"] += 1

    def leaves_sends_open(self) -> None:
        """Note that the next process may repeat each send that is under way, or whose result is not stored yet."""
        for name in self.delivery._busy:
            current = self.tries.get((name.channel, name.chat))
            if current is not None:
                current.known = False
                self.evening.doubt(current.envelope)
                if current.sent is not None:
                    current.sent.known = False

    def deadly(self, chance: float) -> float:
        """Return the chance to die that is left of one."""
        return chance if self.evening.counts["kills"] < MOST_DEATHS else 0

    async def point(self, deadly: float) -> None:
        """Go on a moment later, or let the process die here."""
        if deadly and self.evening.chance.random() < deadly:
            self.die()
        await asyncio.sleep(0.001)

    def think(self, request: CallRequest) -> None:
        """Choose a computer player's call."""

        async def answer() -> None:
            await asyncio.sleep(0.05)
            found = choose(request.level, request.character, request.observation, request.memory, request.seed)
            call = parse_call(found.decode(), request.seat) if found or request.on_turn else None
            result = await self.service.handle(i.CallComputed(request.table, request.step, request.seat, call))
            self.delivery.wake(result.lanes)

        self.begin(answer())

    def compute(self, computation: Computation) -> None:
        """Run a feature's computation."""

        async def answer() -> None:
            await asyncio.sleep(0.5)
            found = computation.function(*computation.arguments)
            result = await self.service.handle(i.ComputationDone(lambda uow: computation.hand_in(uow, found)))
            self.delivery.wake(result.lanes)

        self.begin(answer())


# Acts


@dataclass(frozen=True)
class Act:
    """Something that happens in an evening."""

    async def happen(self, evening: "Evening") -> None:
        """Let it happen."""
        raise AssertionError(f"{self} does nothing in {evening}")


@dataclass(frozen=True)
class Tap(Act):
    """A person taps a key of a message that they see: `age` is 0 for the newest with keys, 1 for the one before."""

    who: str
    age: int = 0
    key: int = 0
    twice: bool = False

    async def happen(self, evening: "Evening") -> None:
        shown = [message for message in evening.seen_by(self.who) if message.keys]
        if shown:
            message = shown[-1 - self.age % len(shown)]
            await evening.tap(self.who, message, self.key % len(message.keys), times=1 + self.twice)


@dataclass(frozen=True)
class Call(Act):
    """The person who holds the newest bids calls: a bid, or dudo if there is a bid to doubt."""

    key: int = 0
    doubts: bool = False
    in_words: bool = False
    """Whether the person types the words of the key in the group."""

    async def happen(self, evening: "Evening") -> None:
        asked: list[tuple[int, str, Message, list[int]]] = []
        for who in EVERYBODY:
            for message in evening.seen_by(who):
                table, step = message.envelope.notice.keyed_at
                calls = [
                    place
                    for place, key in enumerate(message.keys)
                    if isinstance(key.request, CallDudo if self.doubts else MakeBid | CallDudo)
                ]
                mine = message.envelope.receiver is not None or message.envelope.chat > 0
                if calls and mine and table is not None:
                    asked.append((step or 0, who, message, calls))
        if asked:
            _, who, message, calls = max(asked, key=lambda each: (each[2].changed_at, each[0]))
            place = calls[self.key % len(calls)]
            if self.in_words and who in PEOPLE:
                await evening.type_key(who, message, place)
            else:
                await evening.tap(who, message, place)


SAYINGS: Final[tuple[Callable[["Evening"], i.AnyRequest], ...]] = (
    lambda _: OpenLobby(),
    lambda _: Join(),
    lambda _: Start(),
    lambda _: PlayAgain(),
    lambda _: Leave(confirmed=True),
    lambda _: SeeDice(),
    lambda _: SeeStatus(),
    lambda _: ReturnToSeat(),
    lambda _: AddComputers(1),
    lambda _: Stop(confirmed=True),
    lambda _: Leave(),
)


@dataclass(frozen=True)
class Say(Act):
    """A person makes a request by a command in a group."""

    who: str
    what: int
    group: int = 0

    async def happen(self, evening: "Evening") -> None:
        await evening.say(self.who, SAYINGS[self.what % len(SAYINGS)](evening), group=self.group)


@dataclass(frozen=True)
class Type(Act):
    """A person types words that may be a call, in a group, in private or by text."""

    who: str
    words: str
    group: int | None = None

    async def happen(self, evening: "Evening") -> None:
        await evening.say(self.who, i.TypedText(self.words), group=self.group)


@dataclass(frozen=True)
class Text(Act):
    """A phone takes a seat at a group's table by its code."""

    who: str
    group: int = 0

    async def happen(self, evening: "Evening") -> None:
        code = evening.code_of(self.group)
        if code is not None:
            await evening.say(self.who, Join(code=code, name=self.who), group=None)


@dataclass(frozen=True)
class Private(Act):
    """A person blocks the bot, lets it in again, or writes to it in private."""

    who: str
    blocks: bool

    async def happen(self, evening: "Evening") -> None:
        if self.who not in PEOPLE:
            return
        address = evening.person(self.who).address
        if self.blocks:
            evening.messenger.blocked.add(address)
            await evening.say(self.who, i.PrivateChatBlocked(), group=None)
        else:
            evening.messenger.blocked.discard(address)
            await evening.say(self.who, StartPrivateChat(), group=None)


@dataclass(frozen=True)
class Prefer(Act):
    """A person changes how they read their dice, or the language."""

    who: str
    what: int

    CHOICES: ClassVar[tuple[tuple[str, Any], ...]] = (
        *(("view", view) for view in (PrivateView.AUTO, PrivateView.DIRECT, PrivateView.EPHEMERAL, PrivateView.ALERT)),
        ("dice_style", DiceStyle.KEYCAPS),
        ("chosen_language", "it"),
        ("chosen_language", None),
        ("name", "Zed"),
    )

    async def happen(self, evening: "Evening") -> None:
        if self.who in PEOPLE:
            await evening.say(self.who, Choose(*self.CHOICES[self.what % len(self.CHOICES)]), group=None)


@dataclass(frozen=True)
class LoseChat(Act):
    """The bot loses its rights in a group, or gets them back."""

    group: int
    lost: bool
    reported: bool = True

    async def happen(self, evening: "Evening") -> None:
        address = evening.address_of(self.group)
        (evening.messenger.lost.add if self.lost else evening.messenger.lost.discard)(address)
        evening.uncertain_chats.add(address)
        if self.reported or not self.lost:
            change = i.BotMembershipChanged(True, evening.house.ephemeral, can_write=not self.lost)
            await evening.say("Ana", change, group=self.group)


@dataclass(frozen=True)
class MoveChat(Act):
    """A group becomes a supergroup; the bot hears of it by an update, or by the next answer."""

    group: int
    reported: bool
    known: bool = False
    """Whether somebody opened a lobby with a page at the new address before."""

    async def happen(self, evening: "Evening") -> None:
        old = evening.address_of(self.group)
        new = old - 1000
        if old not in evening.messenger.lost and new not in evening.addresses:
            if self.known:
                await evening.hand_in("Ana", OpenLobby(), i.Place("telegram", new, 0, "Friends"))
                with Session(evening.engine) as session:
                    chat = session.exec(select(Chat).where(Chat.address == new)).first()
                    if chat is not None and session.get(WebRoom, chat.id) is None:
                        session.add(WebRoom(chat_id=chat.id, key=f"key{new}"))
                        session.commit()
            evening.messenger.move(old, new)
            if self.reported:
                await evening.say("Ana", i.ChatMoved(new), group=self.group)
            evening.addresses[self.group] = new


@dataclass(frozen=True)
class Delete(Act):
    """A person deletes a message of the bot that they see."""

    who: str
    age: int

    async def happen(self, evening: "Evening") -> None:
        shown = evening.seen_by(self.who)
        if shown:
            message = shown[-1 - self.age % len(shown)]
            message.deleted = True
            evening.deleted.add(message.number)


@dataclass(frozen=True)
class Unreachable(Act):
    """No call reaches the messenger for some seconds."""

    seconds: float

    async def happen(self, evening: "Evening") -> None:
        evening.messenger.unreachable_until = evening.loop_time + self.seconds


@dataclass(frozen=True)
class SetClock(Act):
    """The machine's clock is set, forward or back."""

    seconds: float

    async def happen(self, evening: "Evening") -> None:
        evening.clock_offset += self.seconds
        evening.worker.process.clock_offset = evening.clock_offset
        evening.clock_set_at = evening.loop_time


@dataclass(frozen=True)
class Kill(Act):
    """The worker dies, now or in its next send of a kind of notice; another one starts some seconds later."""

    sending: str = ""

    async def happen(self, evening: "Evening") -> None:
        if self.sending:
            evening.dies_sending.add(self.sending)
        else:
            evening.worker.die()


@dataclass(frozen=True)
class Freeze(Act):
    """The worker stands still for some seconds."""

    seconds: float

    async def happen(self, evening: "Evening") -> None:
        process = evening.worker.process
        process.freeze()
        asyncio.get_running_loop().call_later(self.seconds, process.thaw)


@dataclass(frozen=True)
class ForgetFeature(Act):
    """The parts that features added to stored messages become of a kind that this version does not know."""

    async def happen(self, evening: "Evening") -> None:
        unknown = [{"kind": "of_a_feature_that_is_gone"}]
        with Session(evening.engine) as session:
            for row in session.exec(select(GameTable).where(col(GameTable.live))):
                row.started_parts = [*(row.started_parts or []), *unknown]
                for end in session.exec(select(RoundEnd).where(RoundEnd.table_id == row.id)):
                    end.parts, end.reveal_parts = [*end.parts, *unknown], [*end.reveal_parts, *unknown]
            for waiting in session.exec(select(OutboxEntry).where(col(OutboxEntry.notice).is_not(None))):
                notice = (waiting.notice or {}).get("notice", {})
                if "parts" in notice:
                    waiting.notice = {
                        **(waiting.notice or {}),
                        "notice": {**notice, "parts": [*notice["parts"], *unknown]},
                    }
            session.commit()


@dataclass(frozen=True)
class BreakWords(Act):
    """The wording of the newest table raises for some seconds; nothing of it may be expected then."""

    seconds: float

    async def happen(self, evening: "Evening") -> None:
        tables = [row.id for row, _ in evening.tables() if row.live]
        if len(tables) > 1:
            evening.broken_table = tables[-1]
            await asyncio.sleep(self.seconds)
            evening.broken_table = None
            evening.broken_until[tables[-1]] = evening.loop_time


@dataclass(frozen=True)
class Forge(Act):
    """A person sends the button of a step that nobody has shown them yet."""

    who: str
    ahead: int = 1

    async def happen(self, evening: "Evening") -> None:
        for row, table in evening.tables():
            if row.live and table.game is not None:
                where = i.Place("telegram", evening.address_of(0), 0, "Friends 0")
                request, step = MakeBid(1, 5), table.step + self.ahead - 1
                await evening.hand_in(self.who, request, where, table=row.id, step=step, answered_by="toast")
                return


@dataclass(frozen=True)
class PublicCall(Act):
    """The player to call bids as many as there probably are, or doubts: a call that depends on nobody's dice."""

    doubts: bool = False

    async def happen(self, evening: "Evening") -> None:
        for row, table in evening.tables():
            game = table.game
            if not row.live or game is None or game.turn is None:
                continue
            who = next((name for name in EVERYBODY if name == table.seats[game.turn].name), None)
            legal = legal_calls(game, game.turn)
            doubts = [call for call in legal if isinstance(call, Dudo)]
            bids = [call for call in legal if isinstance(call, Bid)]
            if who is not None and (doubts or bids):
                likely = game.total_dice / 3
                bid = min(bids, key=lambda each: abs(each.quantity - likely), default=None)
                call = doubts[0] if bid is None or (doubts and self.doubts) else bid
                request = MakeBid(call.quantity, call.face) if isinstance(call, Bid) else CallDudo()
                where = i.Place("telegram", evening.address_of(0), 0, "Friends 0")
                await evening.hand_in(who, request, where, table=row.id, step=table.step, answered_by="toast")
                return


def _other_dice(hand: list[int], chance: random.Random) -> list[int]:
    """Return another hand of as many dice: a hand that stays the same is not sent again, so times would differ too."""
    while (dice := sorted(chance.randint(1, 6) for _ in hand)) == hand:
        pass
    return dice


@dataclass(frozen=True)
class ChangeDice(Act):
    """The dice of everybody but one player become others; two evenings differ only in these."""

    reader: str

    async def happen(self, evening: "Evening") -> None:
        chance = random.Random(evening.variant)
        with Session(evening.engine) as session:
            for row in session.exec(select(GameTable).where(col(GameTable.live))):
                state = deepcopy(row.state)
                game = state["game"]
                if game is not None and game["phase"] == "bidding":
                    own = [seat["name"] for seat in state["seats"]].index(self.reader)
                    game["dice"] = [
                        hand if seat == own or not hand else _other_dice(hand, chance)
                        for seat, hand in enumerate(game["dice"])
                    ]
                    row.state, evening.changed_round = state, (row.id, game["round"])
                    row.version += 1
            session.commit()
        evening.changed_at = len(evening.messenger.log), len(evening.answers)


@dataclass(frozen=True)
class Wait(Act):
    """Time passes."""

    seconds: float

    async def happen(self, _: "Evening") -> None:
        await asyncio.sleep(self.seconds)


@dataclass(frozen=True)
class Program:
    """One evening as a value, which repeats it."""

    house: House
    acts: tuple[Act, ...]


# The evening


class ErrorLog(logging.Handler):
    """Keeps the errors that the bot logs."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.errors: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        # The simulated messenger's own answer, and the words that `BreakWords` breaks:
        expected = str(record.msg).startswith(("notice %s was not accepted", "the messages of table"))
        if not expected:
            error = record.exc_info[1] if record.exc_info else None
            self.errors.append(f"{record.getMessage()} {error!r:.300}")


class Evening:
    """A running evening."""

    def __init__(self, program: Program, url: str, loop: VirtualLoop) -> None:
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
        self.worker: Worker
        self.deleted: set[int] = set()
        self.dies_sending: set[str] = set()
        """The kinds of notices in whose next send the worker dies."""
        has_gap = house.faults.dies_in_send > 0 or any(isinstance(act, Kill | Freeze) for act in program.acts)
        self.longest_to_notice = LONGEST_TO_NOTICE_SECONDS[has_gap]
        self.clock_set_at = -self.longest_to_notice
        self.counts = Counter[str]()
        self.failures: list[str] = []
        """The exceptions that ended a task of a worker."""
        self.broken_invitations: list[str] = []
        self.uncertain_chats: set[int] = set()
        """The chats that refused a message, and where ends of rounds may count as seen."""
        self.uncertain_rounds: set[tuple[int, int]] = set()
        """The rounds, by table and number, whose dice a worker tried to show without learning how that ended."""
        self.found: list[str] = []
        self.log = ErrorLog()
        self.broken_table: int | None = None
        self.broken_until: dict[int, float] = {}
        """Until when the words of each table raised."""
        self.variant = 0
        """The source of the dice that `ChangeDice` gives to the others."""
        self.changed_round = (0, 0)
        self.changed_at = (0, 0)
        """How much was sent and answered when dice changed."""
        self.answers: list[tuple[float, str, HandleResult]] = []
        self._causes = 0
        self.engine = connect(url)
        hasten(self.engine)

    @property
    def loop_time(self) -> float:
        """Monotonic seconds."""
        return self.loop.time()

    @property
    def wall_time(self) -> float:
        """The time by the clock of the bot's machine, in seconds since 1970."""
        return START + self.loop.time() + self.clock_offset

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
        """Let a person tap a key of a message."""
        pressed, person = message.keys[key], self.person(who)
        request = pressed.request
        assert request is not None
        if pressed.in_private or isinstance(request, StartPrivateChat):
            self.messenger.blocked.discard(person.address)
            await self.say(who, request, group=None)
            return
        table, step = pressed.at or message.envelope.notice.keyed_at
        group = message.envelope.chat if message.envelope.chat < 0 else None
        where = None if group is None else i.Place("telegram", group, 0, "Friends")
        self._causes += 1
        intent = i.Intent(
            "telegram",
            str(self._causes),
            person,
            request,
            where,
            table=table,
            step=step,
            answered_by="toast",
            tapped=MessageRef(message.number, message.envelope.receiver),
            reply_handle=f"tap{self._causes}",
        )
        for _ in range(times):
            stands = self.stands(person, intent)
            await self.handle(who, intent)
            toast = self.answers[-1][2].toast
            if stands and isinstance(toast, n.RejectionNotice) and self.stands(person, intent):
                self.broken_invitations.append(f"{who} tapped {pressed.text} on turn: {toast.reason}")
                break
            stands = False

    async def type_key(self, who: str, message: Message, key: int) -> None:
        """Let a person type the call of a key in the group of its table."""
        table, step = message.envelope.notice.keyed_at
        with Session(self.engine) as session:
            row = session.get(GameTable, table)
            chat = None if row is None else session.get(Chat, row.chat_id)
        request = message.keys[key].request
        if request is None or chat is None or chat.address not in self.addresses:
            return
        words = f"{request.quantity}x{request.face}" if isinstance(request, MakeBid) else "dudo"
        person = self.person(who)
        intent = i.Intent("telegram", "", person, request, table=table, step=step)
        stood = self.stands(person, intent) and self.loop_time > self.clock_set_at + self.longest_to_notice
        await self.say(who, i.TypedText(words), group=self.addresses.index(chat.address))
        if stood and self.stands(person, intent):
            self.broken_invitations.append(f"{who} typed {words} on turn, and it did not count")

    def stands(self, person: i.Person, intent: i.Intent) -> bool:
        """Return True if the call of a tap is that of the player to call, and the table's chat has seen all dice."""
        if not isinstance(intent.request, MakeBid | CallDudo) or intent.table is None:
            return False
        with Session(self.engine) as session:
            row, now = session.get(GameTable, intent.table), self.wall_time
            if row is None or row.status != Status.PLAYING:
                return False
            table = Table.model_validate(row.state)
            player = session.exec(select(Player).where(Player.address == person.address)).first()
            hidden = select(RoundEnd).where(RoundEnd.table_id == row.id)
            ends = session.exec(hidden).all()
        if player is None or any(end.seen_at is None or end.dice_at > now for end in ends):
            return False
        seat = table.seat_of(player.id)
        is_free = not table.paused and table.suspension is None
        return is_free and table.step == intent.step and table.game is not None and table.game.turn == seat

    async def say(self, who: str, request: i.AnyRequest, *, group: int | None) -> None:
        """Let a person make a request by words; `group` is None in private and by text."""
        person = self.person(who)
        if person.channel == "sms":
            group = None
        where = None if group is None else i.Place("telegram", self.address_of(group), 0, f"Friends {group}")
        said_at = self.wall_time if isinstance(request, i.TypedText) else None
        await self.hand_in(who, request, where, said_at=said_at)

    async def hand_in(self, who: str, request: i.AnyRequest, where: i.Place | None, **more: Any) -> None:
        """Hand in a request as a new update."""
        person = self.person(who)
        source = "sms:test" if person.channel == "sms" else "telegram"
        self._causes += 1
        await self.handle(who, i.Intent(source, str(self._causes), person, request, where, **more))

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
            self.counts[type(act).__name__] += 1
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

    @property
    def is_healthy(self) -> bool:
        """Whether nothing goes wrong in the whole evening, and no limit makes anybody wait."""
        program = self.program
        wrong = Unreachable | Kill | Freeze | SetClock | LoseChat | MoveChat | Delete | Private | ForgetFeature
        calm = Faults(slowest=program.house.faults.slowest)
        return (
            program.house.faults == calm
            and not program.house.limits
            and not any(isinstance(act, wrong) for act in program.acts)
        )

    def settle(self) -> None:
        """End all faults: from now on every send arrives and no process dies."""
        calm = Faults(slowest=min(1, self.house.faults.slowest))
        self.house = House(**{**self.house.__dict__, "faults": calm})
        self.messenger.faults = calm
        self.messenger.unreachable_until = 0
        self.dies_sending.clear()

    def wants_of(self, facts: Facts, reader: int) -> Iterator[Want]:
        """Return what a reader should see, unless the words of the table are broken."""
        if facts.table.id == self.broken_table:
            raise ValueError("words that cannot be found")
        return wants_of(facts, reader)

    def tables(self) -> list[tuple[GameTable, Table]]:
        with Session(self.engine) as session:
            return [
                (row, Table.model_validate(row.state))
                for row in session.exec(select(GameTable).order_by(col(GameTable.id)))
            ]


def look_every(seconds: float, sweep: float) -> None:
    """Let workers look for messages and for deadlines so often: nobody does anything any more."""
    setattr(worker, "POLL_SECONDS", seconds)  # noqa: B010 - a constant of the bot
    setattr(deadlines, "SWEEP_SECONDS", sweep)  # noqa: B010


def play(
    program: Program, empty: Path, at_rest: Sequence[Check], at_the_end: Sequence[Check], *, variant: int = 0
) -> Evening:
    """Play an evening on a copy of an empty database; `found` has what did not hold. `variant`: see `ChangeDice`."""
    with ExitStack() as stack:
        folder, loop = stack.enter_context(TemporaryDirectory()), stack.enter_context(virtual_time())
        stack.enter_context(Chance(program.house.seed).is_the_systems())
        for module, pause in ((worker, "POLL_SECONDS"), (deadlines, "SWEEP_SECONDS")):  # `look_every` sets them
            stack.enter_context(mock.patch.object(module, pause, getattr(module, pause)))
        copyfile(empty, Path(folder) / "perudo.db")
        evening = Evening(program, f"sqlite:///{folder}/perudo.db", loop)
        evening.variant = variant
        stack.callback(evening.engine.dispose)
        stack.enter_context(mock.patch.object(reconcile, "wants_of", evening.wants_of))
        logger = logging.getLogger("telegram_bot")
        logger.addHandler(evening.log)
        stack.callback(logger.removeHandler, evening.log)
        logger.setLevel(logging.INFO)
        loop.run(evening.run(at_rest, at_the_end))
        return evening
