"""Measure what computer players cost: live tables with two of them each and one person, one process of the service.

Run it with `python -m benchmarks.computer_players [--tables N] [--seconds N] [--level regular]` from the project's
folder. The service, its SQLite database, the deadlines and the process that thinks are real; nothing is sent, as there
is no messenger. People answer after some seconds. Prints Markdown.
"""

import argparse
import asyncio
import os
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from random import Random

from sqlalchemy import and_, text, update
from sqlmodel import Session, col, select

from perudo_core import Rules, smallest_raise
from perudo_core.agents import Level
from telegram_bot.app import CHANNELS
from telegram_bot.feature import install
from telegram_bot.features import FEATURES
from telegram_bot.ingress.computer_requests import ComputerRequestWorker
from telegram_bot.ingress.deadlines import DeadlineWorker
from telegram_bot.intents import intents as i
from telegram_bot.intents.config import ServiceConfig
from telegram_bot.service.handlers.game_requests import CallDudo, MakeBid
from telegram_bot.service.handlers.lobby_requests import AddComputers, OpenLobby, Start
from telegram_bot.service.service import Service
from telegram_bot.storage import schema
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import GameTable, OutboxEntry
from telegram_bot.tables.model import Status, Table, Timings

PERSON_SECONDS = 6.0
"""How long a person takes for a call, on average."""
LOOK_SECONDS = 0.5
_STATE = col(GameTable.state)
LIVE_TABLES = select(
    GameTable.id,
    GameTable.chat_id,
    _STATE["step"].as_integer(),
    and_(col(GameTable.status) == Status.PLAYING, _STATE["game", "turn"].as_integer() == 0),
).where(col(GameTable.live))


@dataclass(slots=True)
class Cost:
    """The CPU seconds of this process and of the process that thinks, and the counts of what they did."""

    seconds: float
    service: float
    thinking: float
    computer_calls: int
    person_calls: int


class Evening:
    """Tables whose games start again when they end."""

    def __init__(self, service: Service, tables: int, level: Level, seed: int) -> None:
        self.service = service
        self.tables = tables
        self.level = level
        self.rng = Random(seed)
        self.answers_at: dict[int, tuple[int, float]] = {}
        self.causes = 0
        self.calls = 0

    async def act(self, person: int, request: i.AnyRequest, table: int | None = None, step: int | None = None) -> None:
        """Handle a person's request at their table."""
        self.causes += 1
        who = i.Person("telegram", 1000 + person, f"Ana{person}", None, "en")
        place = i.Place("telegram", -1000 - person, 0, f"Friends {person}")
        intent = i.Intent("telegram", f"b{self.causes}", who, request, place, table, step, answered_by="toast")
        await self.service.handle(intent)

    async def open(self, person: int) -> None:
        """Let a person start a game with two computer players."""
        await self.act(person, OpenLobby())
        await self.act(person, AddComputers(2, self.level))
        await self.act(person, Start())

    async def look(self) -> None:
        """Let each person on turn call once they have thought long enough; mark all notices as sent."""

        def read(session: Session) -> list[tuple[int, int, int, bool]]:
            waiting = update(OutboxEntry).where(col(OutboxEntry.status) == "pending")
            session.execute(waiting.values(status="sent", turn=None))
            # The database reads the states, because this program's own work must cost much less than the service's.
            return [tuple(row) for row in session.execute(LIVE_TABLES)]

        now = time.monotonic()
        live = await self.service.database.run(read)
        for number, chat, step_now, own_turn in live:
            step, at = self.answers_at.get(number, (-1, 0.0))
            if not own_turn:
                continue
            if step != step_now:
                self.answers_at[number] = (step_now, now + self.rng.expovariate(1 / PERSON_SECONDS))
            elif now >= at:
                table = await self.service.database.run(lambda session, number=number: table_of(session, number))  # type: ignore[misc]
                await self.call(chat - 1, table)
        missing = set(range(self.tables)) - {chat - 1 for _, chat, _, _ in live}
        for person in missing:
            await self.open(person)

    async def call(self, person: int, table: Table) -> None:
        """Let the person on turn doubt a high bid, or raise by the least."""
        if table.game is None:
            return
        bid, raised = table.game.current_bid, smallest_raise(table.game)
        doubts = raised is None or (bid is not None and bid.quantity > table.game.total_dice / 3)
        request = CallDudo() if doubts or raised is None else MakeBid(raised.quantity, raised.face)
        self.calls += 1
        await self.act(person, request, table.id, table.step)


def table_of(session: Session, number: int) -> Table:
    """Return a table as it is stored."""
    return Table.model_validate(session.get_one(GameTable, number).state)


async def measure(folder: Path, tables: int, seconds: float, level: Level, seed: int) -> Cost:
    """Play for so many seconds, once all tables are open."""
    database = Database(f"sqlite:///{folder}/perudo.db")
    schema.upgrade(database.engine)
    config = ServiceConfig(rules=Rules.preset("box_2009"), channels=CHANNELS, timings=Timings())
    service = Service(database, config)
    worker = ComputerRequestWorker(service, lambda _lanes: None)
    deadline_worker = DeadlineWorker(service, lambda _lanes: None, (), worker.begin_call, worker.begin_computation)
    deadlines = asyncio.create_task(deadline_worker.run())
    evening = Evening(service, tables, level, seed)
    for person in range(tables):
        await evening.open(person)
    steps, cpu, began = await steps_of(service), time.process_time(), time.monotonic()
    child, calls = thinking_cpu(worker), evening.calls
    while time.monotonic() < began + seconds:
        await evening.look()
        await asyncio.sleep(LOOK_SECONDS)
    took = time.monotonic() - began
    own, thinking = time.process_time() - cpu, thinking_cpu(worker) - child
    people = evening.calls - calls
    computers = await steps_of(service) - steps
    deadlines.cancel()
    await asyncio.gather(deadlines, return_exceptions=True)
    await worker.close()
    database.close()
    return Cost(took, own, thinking, computers, people)


async def steps_of(service: Service) -> int:
    """Return how many calls computer players have made."""
    query = text("SELECT count(*) FROM game_action WHERE cause LIKE 'computer%' AND action LIKE '%seat%'")
    return int(await service.database.run(lambda session: session.execute(query).scalar_one()))


def thinking_cpu(computers: ComputerRequestWorker) -> float:
    """Return the CPU seconds of the process that thinks."""
    pid = computers.thinking[0].pid
    if pid is None:
        return 0.0
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def told(cost: Cost, tables: int, level: Level) -> str:
    """Return the measurement as Markdown."""
    part = cost.computer_calls / max(cost.computer_calls + cost.person_calls, 1)
    thinking, service = cost.thinking / cost.seconds, cost.service / cost.seconds
    return "\n".join(
        [
            f"{tables} tables with two {level} computer players and one person each, {cost.seconds:.0f} s.",
            "",
            "| | a second | % of a core |",
            "| --- | --- | --- |",
            f"| calls of computer players | {cost.computer_calls / cost.seconds:.1f} | |",
            f"| calls of people | {cost.person_calls / cost.seconds:.1f} | |",
            f"| the process that thinks | | {100 * thinking:.1f} |",
            f"| the service, everything included | | {100 * service:.1f} |",
            f"| of it by the computer players' part of the calls | | {100 * service * part:.1f} |",
        ]
    )


if __name__ == "__main__":
    install(FEATURES)
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--level", type=Level, choices=list(Level), default=Level.REGULAR)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        cost = asyncio.run(measure(Path(folder), asked.tables, asked.seconds, asked.level, asked.seed))
    print(told(cost, asked.tables, asked.level))
