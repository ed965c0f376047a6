"""How long the player to call waits for the prompt, at Telegram's limits, alone and among 400 busy chats.

Run it with `python -m benchmarks.prompts` from the project's folder; `--baseline COMMIT` measures the bot of an earlier
commit in the same run, and `--goal` exits with 1 if a goal is missed. The service, its database and the delivery worker
are the bot's own. The sender only keeps the time of each notice. The time is virtual: it jumps to the next timer, so a
run does not wait, and each run gives the same figures. Prints markdown tables.
"""

import argparse
import asyncio
import json
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable, Coroutine, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import count
from pathlib import Path
from statistics import median
from typing import Any, Final, TypeVar

from sqlmodel import Session

from benchmarks.bot_load.checkouts import PROJECT, checked_out, environment
from perudo_core import Bid, Dudo, Rules, legal_calls
from telegram_bot.channels.telegram import TRAITS
from telegram_bot.channels.telegram.keyboards import keyboard
from telegram_bot.delivery.limits import Limits
from telegram_bot.delivery.sender import SendResult
from telegram_bot.delivery.worker import DeliveryWorker
from telegram_bot.feature import install
from telegram_bot.features import FEATURES
from telegram_bot.intents import intents as i
from telegram_bot.intents.channel_traits import ChannelDirectory
from telegram_bot.intents.config import ServiceConfig
from telegram_bot.intents.envelope import Envelope, MessageRef
from telegram_bot.notices import HandNotice, Notice, RevealNotice
from telegram_bot.service.handlers.game_requests import CallDudo, MakeBid
from telegram_bot.service.handlers.lobby_requests import Join, OpenLobby, Start, StartPrivateChat
from telegram_bot.service.handlers.queries import SeeHelp
from telegram_bot.service.service import Service
from telegram_bot.storage import schema
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import GameTable
from telegram_bot.tables.model import Status, Table, TurnClock
from telegram_bot.words.catalogue import catalogue
from telegram_sandbox.virtual_time import VirtualLoop, virtual_time

T = TypeVar("T")

SEND_SECONDS: Final = 0.05
"""From a call to Telegram to its answer."""
NAMES: Final = ("Ana", "Bo", "Cy", "Dee")
GROUP: Final = -1001
QUIET_SECONDS: Final = 120.0
"""Until no limit counts the messages of the lobby any more, and after the game until the last message is seen."""
PATIENCE_SECONDS: Final = 180.0
"""After this time a player calls without a prompt."""
AGAIN_SECONDS: Final = 0.05
"""How soon a player taps again if the table did not yet allow the call."""
DOUBT: Final = 0.3
BUSY_CHATS: Final = 400
BUSY_TURNS: Final = 6
"""At 25 sends a second, the last of them still has busy chats before it."""
THOUGHT_SECONDS: Final = 2.0
BUDGETS: Final = (25, 5)
"""Sends a second of the bot: to Telegram by the usual settings, and by text message."""
GOAL_WAIT: Final = 1.5
"""The longest wait for a prompt, in seconds; no prompt may be stale."""
GOAL_BUSY: Final = 1.0
"""The longest wait among busy chats, in seconds."""
MISSED: Final = "**missed**"


@dataclass(frozen=True, slots=True)
class Pace:
    """When the players call."""

    name: str
    after_call: float = 0
    """Seconds after the call before, if the table allows it then."""
    after_begin: float = 0
    """Seconds after the table allows it."""
    after_prompt: bool = False
    """Whether they wait until they see the prompt."""
    has_goal: bool = False


PACES: Final = (
    Pace("every 6 s", after_call=6),
    Pace("every 2 s", after_call=2),
    Pace("every 0.7 s", after_call=0.7),
    Pace("2 s after the table allows it", after_begin=2, has_goal=True),
    Pace("when the prompt is seen", after_prompt=True),
)


class TimelessDatabase(Database):
    """A database whose transactions take no time: its threads would change their order from run to run."""

    async def run(self, work: Callable[[Session], T]) -> T:
        """Run `work` in one transaction."""
        return self.run_now(work)


# A bot and its people


@dataclass(frozen=True, slots=True)
class Seen:
    """A notice that appeared on a screen."""

    at: float
    chat: int
    notice: Notice


class Screens:
    """A sender that notes when each notice is seen."""

    name = "telegram"

    def __init__(self, limits: Limits, now: Callable[[], float]) -> None:
        self.limits = limits
        self.now = now
        self.seen: list[Seen] = []
        self.prompted: dict[int, float] = {}
        """When the player to call first saw the prompt, by the step of the table."""
        self.changed = asyncio.Event()
        self._numbers = count(1)

    def is_group(self, address: int) -> bool:
        """Return True for groups, which have negative ids."""
        return address < 0

    async def send(self, envelope: Envelope, target: MessageRef | None) -> SendResult:
        """Note the time."""
        await asyncio.sleep(SEND_SECONDS)
        notice = envelope.notice
        self.seen.append(Seen(self.now(), envelope.chat, notice))
        if isinstance(notice, HandNotice) and notice.view.on_turn:
            self.prompted.setdefault(notice.view.table.step, self.now())
        self.changed.set()
        has_keys = bool(keyboard(notice, catalogue(envelope.language, envelope.dice_style), bot="bot"))
        message = next(self._numbers) if target is None else target.message
        return SendResult(message, keyboard=has_keys)


class Bot:
    """The bot's service and its delivery worker over an empty database."""

    def __init__(self, folder: Path, loop: VirtualLoop, limits: Limits, seed: int) -> None:
        self.loop = loop
        self.database = TimelessDatabase(f"sqlite:///{folder}/perudo.db")
        schema.upgrade(self.database.engine)
        config = ServiceConfig(
            Rules.preset("box_2009"),
            ChannelDirectory((TRAITS,)),
            clock=TurnClock(seconds=0),
            hand_pictures=False,
            reveal_pictures=False,
            sealed_dice=False,  # else the dice are the system's, and each run is another game
        )
        self.service = Service(self.database, config, rng=random.Random(seed), now=self.now)
        self.screens = Screens(limits, self.now)
        self.worker = DeliveryWorker(self.service, {self.screens.name: self.screens})
        self._causes = count(1)

    def now(self) -> float:
        """Return the bot's time."""
        return self.loop.wall_time()

    async def act(
        self, number: int, request: i.AnyRequest, *, in_group: bool = False, table: Table | None = None
    ) -> None:
        """Handle the request of a person, who taps a button of the table, or writes."""
        name = NAMES[number - 1] if number <= len(NAMES) else f"Guest {number}"
        intent = i.Intent(
            source="telegram",
            cause=str(next(self._causes)),
            who=i.Person("telegram", number, name, language="en"),
            request=request,
            where=i.Place("telegram", GROUP, 0, "Friends") if in_group else None,
            table=None if table is None else table.id,
            step=None if table is None else table.step,
            answered_by="message" if table is None else "toast",
        )
        self.worker.wake((await self.service.handle(intent)).lanes)

    async def table(self) -> Table:
        """Return the table as it is stored."""
        return await self.database.run(lambda session: Table.model_validate(session.get_one(GameTable, 1).state))

    async def begin_game(self) -> Table:
        """Let four people who have opened the bot start a game in a group where no limit is used up."""
        for number in range(1, len(NAMES) + 1):
            await self.act(number, StartPrivateChat(greeted=False))
            await self.act(number, Join() if number > 1 else OpenLobby(), in_group=True)
        await asyncio.sleep(QUIET_SECONDS)
        self.screens.seen.clear()
        await self.act(1, Start(), in_group=True, table=await self.table())
        return await self.table()

    async def call(self, table: Table, rng: random.Random, doubt: float = DOUBT) -> Table:
        """Let the player to call bid low or doubt, as soon as the table allows it; return the table after that."""
        game = table.begun_game
        assert game.turn is not None  # noqa: S101 - the game goes on
        legal = legal_calls(game, game.turn)
        bids = [call for call in legal if isinstance(call, Bid)][:4]
        doubts = any(isinstance(call, Dudo) for call in legal) and (not bids or rng.random() < doubt)
        chosen = None if doubts else rng.choice(bids)
        request = CallDudo() if chosen is None else MakeBid(chosen.quantity, chosen.face)
        end = self.now() + PATIENCE_SECONDS
        while self.now() < end:
            await self.act(player_on_turn(table), request, table=table)
            after = await self.table()
            if after.step != table.step:
                return after
            await asyncio.sleep(AGAIN_SECONDS)
        raise RuntimeError(f"the table does not allow {type(request).__name__}")


def player_on_turn(table: Table) -> int:
    """Return the address of the player to call, which is the player's number too: they were the first to write."""
    turn = table.begun_game.turn
    assert turn is not None  # noqa: S101 - the game goes on
    return table.seats[turn].player


def run(limits: Limits, seed: int, play: Callable[[Bot], Coroutine[Any, Any, T]]) -> T:
    """Run a bot in virtual time while people use it."""

    async def with_worker(folder: Path) -> T:
        bot = Bot(folder, loop, limits, seed)
        sending = asyncio.create_task(bot.worker.run())
        try:
            return await play(bot)
        finally:
            await bot.worker.stop()
            await sending
            bot.database.close()

    with tempfile.TemporaryDirectory() as folder, virtual_time() as loop:
        return loop.run(with_worker(Path(folder)))


# A game


@dataclass(frozen=True, slots=True)
class Prompts:
    """The prompts of a game."""

    turns: int
    prompts: int
    stale: int
    """The prompts that were seen after their turn."""
    longest: float
    median: float
    """Seconds from the beginning of a turn to its prompt."""
    group: int
    most: int
    """The messages and edits in the group, and the most of them within a minute."""
    reveals: int
    rounds: int

    @property
    def met(self) -> bool:
        """Whether every player is asked in time."""
        return not self.stale and self.longest <= GOAL_WAIT


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn: from the moment at which the table allows its call to that call."""

    step: int
    begin: float
    end: float


async def game(bot: Bot, pace: Pace, seed: int) -> Prompts:
    """Play a game at a pace."""
    rng, table, turns, rounds = random.Random(seed), await bot.begin_game(), list[Turn](), 0
    called = bot.now()
    while table.status is Status.PLAYING:
        begin = max(bot.now(), table.turn_since)
        if pace.after_prompt:
            await seen_prompt(bot, table.step)
        await asyncio.sleep(max(called + pace.after_call, begin + pace.after_begin) - bot.now())
        after = await bot.call(table, rng)
        called = bot.now()
        turns.append(Turn(table.step, begin, called))
        rounds += after.deals > table.deals or after.status is not Status.PLAYING
        table = after
    await asyncio.sleep(QUIET_SECONDS)
    return counted(bot.screens, turns, rounds)


async def seen_prompt(bot: Bot, step: int) -> None:
    """Wait until the player whose turn it is sees the prompt of this step, but not for ever."""
    end = bot.now() + PATIENCE_SECONDS
    while step not in bot.screens.prompted and bot.now() < end:
        bot.screens.changed.clear()
        try:
            await asyncio.wait_for(bot.screens.changed.wait(), end - bot.now())
        except TimeoutError:
            return


def counted(screens: Screens, turns: Sequence[Turn], rounds: int) -> Prompts:
    """Count what was seen."""
    prompted = [(turn, screens.prompted[turn.step]) for turn in turns if turn.step in screens.prompted]
    waits = [max(0.0, at - turn.begin) for turn, at in prompted]
    group = [seen for seen in screens.seen if seen.chat == GROUP]
    return Prompts(
        turns=len(turns),
        prompts=len(prompted),
        stale=sum(at > turn.end for turn, at in prompted),
        longest=max(waits),
        median=median(waits),
        group=len(group),
        most=max(sum(first.at <= other.at < first.at + 60 for other in group) for first in group),
        reveals=len({seen.notice.view.round for seen in group if isinstance(seen.notice, RevealNotice)}),
        rounds=rounds,
    )


# Busy chats


@dataclass(frozen=True, slots=True)
class Busy:
    """How long turns waited while many chats queued for the bot's budget, in seconds."""

    budget: int
    first: float
    """The first turn, whose chat waits for nothing."""
    longest: float
    """The longest of the next turns, whose chats queue already with a board that shows the bids before."""

    @property
    def met(self) -> bool:
        """Whether every player is asked in time."""
        return max(self.first, self.longest) <= GOAL_BUSY


async def among_busy_chats(bot: Bot, budget: int, seed: int) -> Busy:
    """Let 400 people ask for help, and then some players bid, each soon after they see their prompt."""
    rng, guests = random.Random(seed), range(len(NAMES) + 1, len(NAMES) + 1 + BUSY_CHATS)
    table = await bot.begin_game()
    for guest in guests:
        await bot.act(guest, StartPrivateChat(greeted=False))
    await asyncio.sleep(QUIET_SECONDS + BUSY_CHATS / budget)
    for guest in guests:
        await bot.act(guest, SeeHelp())
    waits = []
    for _ in range(BUSY_TURNS):
        table = await bot.call(table, rng, doubt=0)
        began = bot.now()
        await seen_prompt(bot, table.step)
        waits.append(bot.now() - began)
        await asyncio.sleep(THOUGHT_SECONDS)
    return Busy(budget, waits[0], max(waits[1:]))


# Tables


@dataclass(frozen=True, slots=True)
class Measured:
    """The measurements of one commit."""

    games: list[Prompts]
    busy: list[Busy]

    @property
    def met(self) -> bool:
        """Whether all goals are met."""
        in_time = (was.met for pace, was in zip(PACES, self.games, strict=True) if pace.has_goal)
        return all(in_time) and all(each.met for each in self.busy)


def measure(seed: int) -> Measured:
    """Measure the bot that this process imports."""
    install(FEATURES)
    return Measured(
        [run(Limits(), seed, partial(game, pace=pace, seed=seed)) for pace in PACES],
        [
            run(Limits(per_bot_per_second=budget), seed, partial(among_busy_chats, budget=budget, seed=seed))
            for budget in BUDGETS
        ],
    )


def measure_checkout(source: Path, seed: int) -> Measured:
    """Measure the bot of a checkout by its own file, in a process whose sets have the same order in each run."""
    command = (sys.executable, "-m", "benchmarks.prompts", "--json", "--seed", str(seed))
    variables = environment(source) | {"PYTHONHASHSEED": "0"}
    told = subprocess.run(command, cwd=source, env=variables, stdout=subprocess.PIPE, check=True)  # noqa: S603 - ours
    found = json.loads(told.stdout)
    return Measured([Prompts(**each) for each in found["games"]], [Busy(**each) for each in found["busy"]])


def games(measured: dict[str, Measured]) -> Iterator[Sequence[object]]:
    """Yield the head and the rows of the table of games."""
    heads = "turns", "prompts seen", "of them stale", "longest wait, s", "median", "group messages", "most in 60 s"
    yield "a call", "bot", *heads, "reveals of rounds", "goal"
    for number, pace in enumerate(PACES):
        for name, found in measured.items():
            was = found.games[number]
            stale, waits = f"{was.stale} ({was.stale / max(1, was.prompts):.0%})", (was.longest, was.median)
            cells = was.turns, was.prompts, stale, *(f"{wait:.2f}" for wait in waits), was.group, was.most
            goal = ("met" if was.met else MISSED) if pace.has_goal else ""
            yield pace.name, name, *cells, f"{was.reveals} of {was.rounds}", goal


def busy(measured: dict[str, Measured]) -> Iterator[Sequence[object]]:
    """Yield the head and the rows of the table of busy chats."""
    yield "sends a second", "bot", "a turn in a chat where nothing waits, s", "where a board waits", "goal"
    for number, budget in enumerate(BUDGETS):
        for name, found in measured.items():
            was = found.busy[number]
            waits = f"{was.first:.2f}", f"{was.longest:.2f}"
            yield budget, name, *waits, "met" if was.met else MISSED


def markdown(rows: Iterator[Sequence[object]]) -> Iterator[str]:
    """Yield the lines of a table."""
    for number, cells in enumerate(rows):
        yield f"| {' | '.join(map(str, cells))} |"
        if not number:
            yield f"|{' --- |' * len(cells)}"
    yield ""


def main() -> int:
    """Measure and print; return 1 if a goal counts and is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--goal", action="store_true", help="exit with 1 if a goal is missed")
    parser.add_argument("--baseline", metavar="COMMIT", help="measure the bot of this commit as well")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--json", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.json:
        json.dump(asdict(measure(asked.seed)), sys.stdout)
        return 0
    measured = {}
    with tempfile.TemporaryDirectory() as folder:
        if asked.baseline:
            source = checked_out(asked.baseline, Path(folder))
            measured[asked.baseline] = measure_checkout(source, asked.seed)
        measured["now"] = measure_checkout(PROJECT, asked.seed)
    for table in (games(measured), busy(measured)):
        sys.stdout.writelines(f"{line}\n" for line in markdown(table))
    return int(asked.goal and not measured["now"].met)


if __name__ == "__main__":
    sys.exit(main())
