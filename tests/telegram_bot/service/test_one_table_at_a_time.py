"""What lets tables be spread over several databases: no step of a game writes to two tables."""

import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import event
from sqlalchemy.orm import ORMExecuteState
from sqlmodel import Session

from perudo_core import Bid, legal_actions
from telegram_bot.service import intents as i
from telegram_bot.storage.models import GameAction, GameTable, SentMessage, TableSeat
from telegram_bot.tables.model import TurnClock
from tests.telegram_bot.conftest import NAMES, GroupHarness

OF_A_TABLE = (GameAction, TableSeat, SentMessage)
GROUPS = tuple(i.Place("telegram", -1001 - number, 0, f"Group {number}") for number in range(3))


class Watch:
    """For each transaction, the tables of which it wrote a row."""

    def __init__(self) -> None:
        self.transactions: list[set[int]] = []
        self.strays: list[str] = []

    def begin(self, *_: Any) -> None:
        self.transactions.append(set())

    def flushed(self, session: Session, _context: Any) -> None:
        for row in (*session.new, *session.dirty, *session.deleted):
            if isinstance(row, GameTable) and row.id is not None:
                self.transactions[-1].add(row.id)
            elif isinstance(row, OF_A_TABLE):
                self.transactions[-1].add(row.table_id)

    def executed(self, state: ORMExecuteState) -> None:
        """A statement that writes to such rows without loading them would escape `flushed`."""
        writes = state.is_update or state.is_delete or state.is_insert
        names = {mapper.class_.__tablename__ for mapper in state.all_mappers}
        if writes and names & {"game_table", *(row.__tablename__ for row in OF_A_TABLE)}:
            self.strays.append(str(state.statement))


@pytest.fixture
def watch() -> Iterator[Watch]:
    watch = Watch()
    listeners = [("after_begin", watch.begin), ("after_flush", watch.flushed), ("do_orm_execute", watch.executed)]
    for name, listener in listeners:
        event.listen(Session, name, listener)
    yield watch
    for name, listener in listeners:
        event.remove(Session, name, listener)


async def act(harness: GroupHarness, rng: random.Random) -> None:
    """Somebody does something somewhere."""
    harness.group = rng.choice(GROUPS)
    name = rng.choice(NAMES[:5])
    live = [row for row in harness.rows(GameTable) if row.live]
    table = rng.choice(live).id if live else 0
    playing = [row.id for row in live if row.status == "playing"]
    match rng.choice(["open", "join", "join", "start", *["call"] * 10, "leave", "stop", "wait", "private"]):
        case "open":
            await harness.say(name, i.OpenLobby())
        case "join":
            await harness.say(name, i.Join())
        case "start" if table:
            await harness.tap(harness.table(table).seats[0].name, i.Start(), table=table)
        case "call" if playing:
            table = rng.choice(playing)
            game = harness.table(table).game
            assert game is not None
            call = rng.choice(legal_actions(game))
            word = f"{call.quantity}x{call.face}" if isinstance(call, Bid) else type(call).__name__.lower()
            await harness.call(f"{call.seat}:{word}", table=table)
        case "leave" if table:
            await harness.tap(name, i.Leave(), table=table)
        case "stop" if table and rng.random() < 0.1:
            await harness.tap(name, i.Stop(is_admin=True, confirmed=True), table=table)
        case "private":
            await harness.say(name, i.MakeBid(2, 3), where=None)
        case "wait":
            await harness.run_deadlines(rng.choice([1, 40]))
        case _:
            pass


@pytest.mark.parametrize("seed", range(3))
async def test_no_step_writes_to_two_tables(harness: GroupHarness, watch: Watch, seed: int) -> None:
    rng = random.Random(seed)
    harness.service.config = replace(harness.service.config, clock=TurnClock(seconds=30))
    for place, names in zip(
        GROUPS, (("Ana", "Bo", "Cy"), ("Bo", "Cy", "Dee"), ("Cy", "Dee", "Ana", "Eve")), strict=True
    ):
        harness.group = place
        await harness.lobby(*names)
    for _ in range(200):
        await act(harness, rng)
    assert max(len(touched) for touched in watch.transactions) == 1
    assert set().union(*watch.transactions) >= {1, 2, 3}
    assert sum(map(len, watch.transactions)) > 25
    assert watch.strays == []
