"""Delete old rows in small transactions, so that no player waits for them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final, TypeAlias

from sqlalchemy import delete, text, update
from sqlmodel import Session, col, select

from telegram_bot.operations.pruning_unused import (
    UNUSED_KEPT_SECONDS,
    lobbies_never_begun,
    prune_people,
    prune_places,
)
from telegram_bot.service.config import ServiceConfig
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import (
    OPEN_NOTICES,
    OVER,
    GameAction,
    GameTable,
    InboxEntry,
    Lane,
    LinkCode,
    OutboxEntry,
    Rate,
    SentMessage,
    TableSeat,
)
from telegram_bot.storage.statistics_models import CallPrediction, GameResult

KEPT_SECONDS: Final = 7 * 86400
"""How long causes are kept to recognise repeated updates; Telegram repeats an update for a day."""
DAY_SECONDS: Final = 86400
BATCH: Final = 500
TABLES_AT_ONCE: Final = 100
BREATH_SECONDS: Final = 0.02
"""The pause between two transactions, in which other transactions can use SQLite's only writer."""

_Log: TypeAlias = type[InboxEntry] | type[OutboxEntry]


class Pruning:
    """One run of pruning, in transactions of a few rows or of one game."""

    def __init__(
        self,
        database: Database,
        now: Callable[[], float],
        *,
        keep_games_days: int = 0,
        config: ServiceConfig | None = None,
    ) -> None:
        """`config`: tells which rules and clocks of a place nobody chose."""
        self.database = database
        self.config = config
        self.now = now
        self.keep_games_days = keep_games_days
        """How long finished games are kept; 0 means for ever."""

    async def run(self) -> None:
        """Delete updates and notices of long ago, games older than `keep_games_days`, and what nobody uses."""
        before = self.now() - KEPT_SECONDS
        await self._log(InboxEntry, before)
        await self._log(OutboxEntry, before)
        await self._each_table(before, self._with_messages, self._messages)
        if self.keep_games_days:
            await self._each_table(self.now() - self.keep_games_days * DAY_SECONDS, self._over, self._game)
        await self._unused(self.now() - UNUSED_KEPT_SECONDS)
        await self.database.run(lambda session: self._small_things(session, before))

    async def _unused(self, before: float) -> None:
        """Delete what strangers made and nobody uses: lobbies first, which refer to people and places."""
        await self._each_table(
            before, lambda session, before: lobbies_never_begun(session, before, TABLES_AT_ONCE), self._game
        )
        after: int | None = 0
        while after is not None:
            after = await self.database.run(lambda session, after=after: prune_people(session, before, after, BATCH))  # type: ignore[misc]
            await asyncio.sleep(BREATH_SECONDS)
        after = 0
        while after is not None:
            after = await self.database.run(
                lambda session, after=after: prune_places(session, before, after, BATCH, self.config)  # type: ignore[misc]
            )
            await asyncio.sleep(BREATH_SECONDS)

    async def _log(self, model: _Log, before: float) -> None:
        """Delete a log's rows from the oldest on. Ids rise with time, so the first young row is the end."""
        came = InboxEntry.received_at if model is InboxEntry else OutboxEntry.created_at
        after: int | None = 0

        def some(session: Session) -> int | None:
            query = (
                select(model.id, came, model.done_at).where(col(model.id) > after).order_by(col(model.id)).limit(BATCH)
            )
            rows = session.exec(query).all()
            old = [number for number, _, done_at in rows if done_at is not None and done_at < before]
            session.exec(delete(model).where(col(model.id).in_(old)))
            return rows[-1][0] if len(rows) == BATCH and rows[-1][1] < before else None

        while after is not None:
            after = await self.database.run(some)
            await asyncio.sleep(BREATH_SECONDS)

    async def _each_table(
        self, before: float, find: Callable[[Session, float], list[int]], do: Callable[[Session, int], None]
    ) -> None:
        while tables := await self.database.run(lambda session: find(session, before)):
            for table in tables:
                await self.database.run(lambda session, table=table: do(session, table))  # type: ignore[misc]
                await asyncio.sleep(BREATH_SECONDS)

    @staticmethod
    def _with_messages(session: Session, before: float) -> list[int]:
        query = (
            select(GameTable.id)
            .where(text(OVER), col(GameTable.updated_at) < before)
            .where(select(SentMessage.slot).where(col(SentMessage.table_id) == col(GameTable.id)).exists())
            .limit(TABLES_AT_ONCE)
        )
        return [table for table in session.exec(query) if table is not None]

    @staticmethod
    def _messages(session: Session, table: int) -> None:
        session.exec(delete(SentMessage).where(col(SentMessage.table_id) == table))

    @staticmethod
    def _over(session: Session, before: float) -> list[int]:
        query = (
            select(GameTable.id)
            .where(text(OVER), col(GameTable.updated_at) < before)
            .order_by(col(GameTable.updated_at))
            .limit(TABLES_AT_ONCE)
        )
        return [table for table in session.exec(query) if table is not None]

    @staticmethod
    def _game(session: Session, table: int) -> None:
        session.exec(update(GameResult).where(col(GameResult.table_id) == table).values(table_id=None))
        for model in (GameAction, TableSeat, SentMessage, OutboxEntry, CallPrediction):
            session.exec(delete(model).where(col(model.table_id) == table))
        session.exec(delete(GameTable).where(col(GameTable.id) == table))

    def _small_things(self, session: Session, before: float) -> None:
        session.exec(delete(Rate).where(col(Rate.arrival) < before))
        waits = select(OutboxEntry.id).where(OPEN_NOTICES, col(OutboxEntry.lane) == col(Lane.name)).exists()
        times = (Lane.leased_until, Lane.paused_until, Lane.chat_arrival)
        session.exec(delete(Lane).where(~waits, *(col(time) < before for time in times)))
        session.exec(delete(LinkCode).where(col(LinkCode.expires_at) < self.now()))
