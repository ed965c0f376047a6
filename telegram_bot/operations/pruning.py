"""Delete old rows every hour, in small transactions, so that no player waits for them."""

import asyncio
import logging
from collections.abc import Callable
from typing import Any, Final, TypeAlias

from sqlalchemy import ColumnElement, and_, delete, func, or_, text, update
from sqlalchemy import select as sql_select
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, select

from telegram_bot.channels.web.card_store import TICKS
from telegram_bot.intents.config import ServiceConfig
from telegram_bot.registry import Registry
from telegram_bot.service.service import Service
from telegram_bot.storage.database import Database, log_failure
from telegram_bot.storage.models import (
    OVER,
    Chat,
    DiceStyle,
    GameAction,
    GameTable,
    InboxEntry,
    LinkCode,
    Member,
    OutboxEntry,
    Player,
    PrivateView,
    Rate,
    RoundEnd,
    SentMessage,
    TableSeat,
)
from telegram_bot.storage.references import references_to
from telegram_bot.storage.statistics_models import GameResult
from telegram_bot.storage.web_models import WebCard, WebEntry, WebRoom, WebSession
from telegram_bot.tables.model import Status
from telegram_bot.tables.quiet_hours import USUAL_NIGHT

KEPT_SECONDS: Final = 7 * 86400
"""How long causes are kept to recognise repeated updates; Telegram repeats an update for a day."""
DAY_SECONDS: Final = 86400
BATCH: Final = 500
TABLES_AT_ONCE: Final = 100
BREATH_SECONDS: Final = 0.02
"""The pause between two transactions, in which other transactions can use SQLite's only writer."""

PRUNES: Final = Registry[str, Callable[[Session, float], None]]("the pruning of features")
"""By feature; each is called with the time."""

_LATER: Final = aliased(GameTable)
_LEADS_ELSEWHERE: Final = (
    select(_LATER.id)
    .where(
        col(_LATER.chat_id) == col(GameTable.chat_id), col(_LATER.state)["evening_code"].as_string() == GameTable.code
    )
    .exists()
)
"""True for the first table of an evening whose later ones are still stored: people reach them by its code."""

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
        """`config`: the defaults; a place with the default rules and clock has made no choice."""
        self.database = database
        self.config = config
        self.now = now
        self.keep_games_days = keep_games_days
        """How long finished games are kept; 0: for ever."""

    async def run(self) -> None:
        """Delete old updates and notices, games older than `keep_games_days`, and unused rows."""
        before = self.now() - KEPT_SECONDS
        await self._log(InboxEntry, before)
        await self._log(OutboxEntry, before)
        sent = select(SentMessage.slot).where(col(SentMessage.table_id) == col(GameTable.id)).exists()
        shown = select(WebCard.slot).where(col(WebCard.table_id) == col(GameTable.id)).exists()
        ended = select(RoundEnd.deal).where(col(RoundEnd.table_id) == col(GameTable.id)).exists()
        await self._each_table(before, self._messages, or_(sent, shown, ended))
        if self.keep_games_days:
            await self._each_table(self.now() - self.keep_games_days * DAY_SECONDS, self._game, ~_LEADS_ELSEWHERE)
        await self._unused(self.now() - UNUSED_KEPT_SECONDS)
        await self.database.run(lambda session: self._small_things(session, before))

    async def _unused(self, before: float) -> None:
        """Delete strangers' unused rows: lobbies first, which refer to people and places."""
        begun = select(GameAction.number).where(col(GameAction.table_id) == col(GameTable.id)).exists()
        await self._each_table(before, self._game, col(GameTable.status) == Status.CLOSED, ~begun, ~_LEADS_ELSEWHERE)
        await self._in_batches(lambda session, after: _prune_people(session, before, after, BATCH))
        await self._in_batches(lambda session, after: _prune_places(session, before, after, BATCH, self.config))

    async def _log(self, model: _Log, before: float) -> None:
        """Delete a log's rows from the oldest on. Ids rise with time, so the first young row ends the run."""
        came = InboxEntry.received_at if model is InboxEntry else OutboxEntry.created_at

        def some(session: Session, after: int) -> int | None:
            query = (
                select(model.id, came, model.done_at).where(col(model.id) > after).order_by(col(model.id)).limit(BATCH)
            )
            rows = session.exec(query).all()
            old = [number for number, _, done_at in rows if done_at is not None and done_at < before]
            session.exec(delete(model).where(col(model.id).in_(old)))
            return rows[-1][0] if len(rows) == BATCH and rows[-1][1] < before else None

        await self._in_batches(some)

    async def _in_batches(self, prune: Callable[[Session, int], int | None]) -> None:
        """Call `prune` with the number at which to continue, until it returns None."""
        after: int | None = 0
        while after is not None:
            after = await self.database.run(lambda session, after=after: prune(session, after))  # type: ignore[misc]
            await asyncio.sleep(BREATH_SECONDS)

    async def _each_table(
        self, before: float, do: Callable[[Session, int], None], *conditions: ColumnElement[bool]
    ) -> None:
        """Handle each table that was over before this time and meets the conditions."""
        over = select(GameTable.id).where(text(OVER), col(GameTable.updated_at) < before, *conditions)
        some = over.order_by(col(GameTable.updated_at)).limit(TABLES_AT_ONCE)
        while tables := await self.database.run(lambda session: list(session.exec(some))):
            for table in tables:
                await self.database.run(lambda session, table=table: do(session, table))  # type: ignore[misc]
                await asyncio.sleep(BREATH_SECONDS)

    @staticmethod
    def _messages(session: Session, table: int) -> None:
        for model in (SentMessage, WebCard, RoundEnd):
            session.exec(delete(model).where(col(model.table_id) == table))

    @staticmethod
    def _game(session: Session, table: int) -> None:
        session.exec(update(GameResult).where(col(GameResult.table_id) == table).values(table_id=None))
        for model in (GameAction, TableSeat, SentMessage, WebCard, OutboxEntry):
            session.exec(delete(model).where(col(model.table_id) == table))
        session.exec(delete(GameTable).where(col(GameTable.id) == table))

    def _small_things(self, session: Session, before: float) -> None:
        session.exec(delete(Rate).where(col(Rate.arrival) < before))
        for prune in PRUNES.values():
            prune(session, self.now())
        session.exec(delete(LinkCode).where(col(LinkCode.expires_at) < self.now()))
        session.exec(delete(WebSession).where(col(WebSession.seen_at) < self.now() - SESSIONS_KEPT_SECONDS))
        session.exec(delete(WebCard).where(col(WebCard.table_id) == 0, col(WebCard.seq) < before * TICKS))


UNUSED_KEPT_SECONDS: Final = 90 * 86400
"""How long an unused row is kept."""
SESSIONS_KEPT_SECONDS: Final = 30 * 86400
"""How long an unopened page is kept: as long as the cookie that names it."""
_NIGHT_OF_NEW_PHONES: Final = dict(zip(("start", "end"), USUAL_NIGHT, strict=True))
"""The default quiet hours."""
_OF_NO_USE_ALONE: Final = frozenset({"member", "web_entry", "web_room"})
"""Tables whose rows are useless without the person or the place."""


def _prune_people(session: Session, before: float, after: int, limit: int) -> int | None:
    """Delete some people without an action since then, without a choice, and without a seat at a stored table.

    `after`: the number to continue after; returns the next one, None at the end. The newest person remains: a database
    may give the number of the last row again, and tables name people by it.
    """
    nothing_chosen = and_(
        col(Player.chosen_language).is_(None),
        col(Player.dice_style) == DiceStyle.KEYCAPS,
        col(Player.pictures).is_(None),
        col(Player.view) == PrivateView.AUTO,
        col(Player.phone).is_(None),
        ~col(Player.asks_twice),
        col(Player.tips),
        ~col(Player.hidden),
    )
    unused = [nothing_chosen, col(Player.seen_at) < before, *_unreferenced(Player)]
    newest = select(func.max(Player.id)).scalar_subquery()
    query = select(Player).where(col(Player.id) > after, col(Player.id) < newest, *unused)
    people = session.exec(query.order_by(col(Player.id)).limit(limit)).all()
    gone = [person.id for person in people if _is_usual_night(person.quiet) and not person.switched_on]
    for model in (Member, WebEntry):
        session.exec(delete(model).where(col(model.player_id).in_(gone)))
    session.exec(delete(Player).where(col(Player.id).in_(gone), col(Player.seen_at) < before))
    return people[-1].id if len(people) == limit else None


def _prune_places(session: Session, before: float, after: int, limit: int, config: ServiceConfig | None) -> int | None:
    """Delete some of the places without a request since then, without a choice, and without a stored table.

    The last lobby's rules and clock are no choice if they are the installation's defaults.
    """
    nothing_chosen = and_(
        col(Chat.chosen_language).is_(None),
        col(Chat.dice_style) == DiceStyle.KEYCAPS,
        col(Chat.pictures).is_(None),
        col(Chat.animations),
    )
    unused = [nothing_chosen, col(Chat.seen_at) < before, *_unreferenced(Chat)]
    query = select(Chat).where(col(Chat.id) > after, *unused).order_by(col(Chat.id)).limit(limit)
    places = session.exec(query).all()
    gone = [place.id for place in places if _has_the_usual_rules(place, config) and not place.switched_on]
    for model in (WebEntry, WebRoom):
        session.exec(delete(model).where(col(model.chat_id).in_(gone)))
    session.exec(delete(Chat).where(col(Chat.id).in_(gone), col(Chat.seen_at) < before))
    return places[-1].id if len(places) == limit else None


def _unreferenced(model: type[Player | Chat]) -> list[ColumnElement[bool]]:
    """Conditions that no row of any table refers to the row."""
    return [
        ~sql_select(column).where(column == col(model.id)).exists()
        for column in references_to(model)
        if column.table.name not in _OF_NO_USE_ALONE
    ]


def _is_usual_night(quiet: dict[str, Any] | None) -> bool:
    return quiet is None or quiet.items() >= _NIGHT_OF_NEW_PHONES.items()


def _has_the_usual_rules(place: Chat, config: ServiceConfig | None) -> bool:
    if config is None:
        return place.rules is None and place.clock is None
    clocks = [None, *(clock.model_dump(mode="json") for clock in (config.clock, config.slow_table_clock))]
    return place.rules in (None, config.rules.to_dict()) and place.clock in clocks


log = logging.getLogger(__name__)

EVERY_SECONDS: Final = 3600.0
LOOK_SECONDS: Final = 60.0
_CLAIM: Final = "pruned"


async def prune_hourly(service: Service, *, keep_games_days: int) -> None:
    """Prune when an hour has passed, until cancelled."""
    pruning = Pruning(service.database, service.now, keep_games_days=keep_games_days, config=service.config)
    while True:
        try:
            if await service.key_values.claim(_CLAIM, EVERY_SECONDS):
                await pruning.run()
        except Exception as error:  # noqa: BLE001 - there is another hour
            log_failure(log, error, "pruning failed")
        await asyncio.sleep(LOOK_SECONDS)
