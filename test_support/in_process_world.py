"""A bot in the test's own process: its inbox, service and outbox. The clock changes only when a test changes it."""

import random
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar
from unittest.mock import Mock

from sqlalchemy import bindparam, inspect
from sqlmodel import SQLModel, select

from perudo_core import Rules
from telegram_bot.delivery.sender import Sender
from telegram_bot.delivery.worker import DeliveryWorker
from telegram_bot.ingress.inbox import InboxWorker, Source
from telegram_bot.intents import intents as i
from telegram_bot.intents.config import ServiceConfig
from telegram_bot.service.service import HandleResult, Service
from telegram_bot.service.shown_turns import as_shown
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import GameTable
from telegram_bot.tables.model import Table

Row = TypeVar("Row", bound=SQLModel)
# Tests ask this thousands of times.
_STATE: Final = select(GameTable.state).where(GameTable.id == bindparam("table"))
NOON: Final = 1_700_049_600.0
"""Wednesday, 15 November 2023, noon in London."""


class InProcessWorld:
    """The parts that every channel needs."""

    def __init__(self, database: Database, seed: int, *, parse_text: i.ParseText | None = None, **config: Any) -> None:
        self.database = database
        self.now = NOON
        chosen = ServiceConfig(**{"rules": Rules.preset("box_2009")} | config)
        rng = random.Random(seed)
        self.service = Service(database, chosen, rng=rng, now=lambda: self.now, parse_text=parse_text)
        self._resting: list[Callable[[], None]] = []
        self._asked = 0

    def connect(
        self, senders: Mapping[str, Sender], source: Source, pages: Callable[..., None] = lambda _: None
    ) -> None:
        def rest(_seconds: float, look: Callable[[], None]) -> Mock:
            """Have a lane that waits for its limits look again when everything is settled next."""
            self._resting.append(look)
            return Mock()

        now = self.service.now
        self.delivery = DeliveryWorker(self.service, dict(senders), now=now, later=rest, elapsed=now, pages=pages)
        self.inbox = InboxWorker(self.service, self.delivery.wake, [source])

    async def settle(self) -> None:
        """Act on all that was received and send all waiting notices, except where time would have to pass."""
        await self.inbox.idle()
        resting, self._resting = self._resting, []
        for look in resting:
            look()
        await self.delivery.idle()
        while (found := await self.database.run(self.delivery.look)) or self.service.tables.due(self.now):
            self.delivery.wake(found)
            await self.delivery.idle()

    async def from_telegram(
        self, who: i.Person, request: i.AnyRequest, where: i.Place | None = None, **more: Any
    ) -> HandleResult:
        """Handle an intent that a person sends through Telegram, and send what follows."""
        self._asked += 1
        result = await self.service.handle(i.Intent("telegram", f"tap {self._asked}", who, request, where, **more))
        await self.settle()
        return result

    def rows(self, kind: type[Row]) -> list[Row]:
        with self.database.transaction() as session:  # PostgreSQL returns a changed row in any place
            return list(session.exec(select(kind).order_by(*inspect(kind).primary_key)))

    def table(self, table: int = 1) -> Table:
        with self.database.transaction() as session:
            return Table.model_validate(session.connection().execute(_STATE, {"table": table}).scalar_one())

    def as_shown(self) -> Table:
        """Return the table with the clock as the player to call has it."""
        table = self.table()
        with self.database.transaction() as session:
            return as_shown(self.service.unit_of_work(session, "test"), table, self.service.config.timings)
