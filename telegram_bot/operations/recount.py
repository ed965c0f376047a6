"""Compute all statistics again from the games that are stored, in one transaction, while no bot runs."""

import heapq
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from sqlalchemy import delete, text
from sqlmodel import Session, col, func, select

from telegram_bot.repositories.repositories import load_table
from telegram_bot.service.results.game_results import record_game, store_result
from telegram_bot.statistics.ratings import Rating
from telegram_bot.storage import schema
from telegram_bot.storage.copy_database import wait_until_idle
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import GameAction, GameTable
from telegram_bot.storage.process_lock import single_process_lock
from telegram_bot.storage.statistics_models import Award, ComputerStatistics, GameResult, PlayerStatistics, SeatResult
from telegram_bot.tables.model import Status

STATISTICS = (Award, ComputerStatistics, PlayerStatistics, SeatResult, GameResult)
"""The computed tables, each before those that its rows refer to."""


@dataclass(slots=True)
class Recounted:
    """The numbers of games that a recount counted."""

    games: int = 0
    """Games that were played again from their stored actions."""
    first_time: int = 0
    """Those of them without earlier results, because an older version of the bot ran them."""
    deleted: int = 0
    """Results without a stored game: deleted games, and places of tournaments. They are unchanged."""
    unreadable: list[str] = field(default_factory=list)
    """The codes of tables whose stored actions are no game."""

    def lines(self) -> list[str]:
        """Return the same as lines of text."""
        said = [f"{self.games} stored game(s) recounted, {self.first_time} of them for the first time."]
        if self.deleted:
            said.append(
                f"{self.deleted} result(s) have no stored game (deleted after keep_games_days, or the places of a"
                " tournament): they were kept, with their achievements, and count for sums and ratings, but cannot be"
                " checked."
            )
        if self.unreadable:
            said.append(f"{len(self.unreadable)} stored game(s) cannot be played again: {', '.join(self.unreadable)}.")
        return said


@dataclass(slots=True)
class _Kept:
    """One game in the order of counting: its results so far, and its table if that is stored."""

    ended_at: float
    result: GameResult | None
    table: int | None


def recount(url: str, *, tell: Callable[[str], None]) -> Recounted:
    """Compute results, sums, ratings and achievements again; announced achievements stay announced.

    Raises:
        OperatorError: nothing was changed, because a bot runs on the database, or its schema is old.
    """
    database = Database(url, patient=True)
    try:
        with single_process_lock(url):
            schema.require_current(database.engine)
            wait_until_idle(database.engine, tell, time.time, time.sleep)
            with database.transaction() as session:
                return recount_within(session)
    finally:
        database.close()


def recount_within(session: Session) -> Recounted:
    """Recount in a running transaction."""
    if session.get_bind().dialect.name == "postgresql":
        session.execute(text("SET LOCAL idle_in_transaction_session_timeout = 0"))
        tables = ", ".join(("game_table", *(str(model.__tablename__) for model in STATISTICS)))
        session.execute(text(f"LOCK TABLE {tables} IN EXCLUSIVE MODE"))  # a bot that starts now waits
    done = Recounted()
    order = _in_order(session)
    seats: dict[int | None, list[SeatResult]] = {}
    for row in session.exec(select(SeatResult).order_by(col(SeatResult.result_id), col(SeatResult.seat))):
        seats.setdefault(row.result_id, []).append(row)
    awards = list(session.exec(select(Award)))
    told = {(award.player_id, award.name) for award in awards if award.told}
    counted_first: set[int | None] = set()
    session.expunge_all()
    for model in STATISTICS:
        session.exec(delete(model))
    if session.get_bind().dialect.name == "postgresql":  # SQLite continues from the highest existing id
        sequence = session.execute(text("SELECT pg_get_serial_sequence('game_result', 'id')")).scalar_one()
        session.execute(text(f"ALTER SEQUENCE {sequence} RESTART"))
    for kept in order:
        before = [] if kept.result is None else seats.get(kept.result.id, [])
        if kept.table is None:
            _store_again(session, kept, before, awards)
            done.deleted += 1
            continue
        table = session.get_one(GameTable, kept.table)
        strangers = {seat.seat: Rating(seat.mu, seat.sigma) for seat in before}
        result = record_game(session, load_table(table), table.chat_id, strangers)
        if result is None:
            done.unreadable.append(table.code)
            if kept.result is not None:
                _store_again(session, kept, before, awards)
            continue
        done.games += 1
        if kept.result is None:
            done.first_time += 1
            counted_first.add(result.id)
        session.expire_all()
        session.expunge_all()
    for award in session.exec(select(Award)):
        # Players get no message about achievements of games that ended before achievements existed.
        award.told = (award.player_id, award.name) in told or award.result_id in counted_first
    session.flush()
    return done


def _in_order(session: Session) -> list[_Kept]:
    """Return all games in the order of their ratings' changes; games without results by their time."""
    results = list(session.exec(select(GameResult).order_by(col(GameResult.id))))
    last_action = (
        select(GameAction.table_id, func.max(GameAction.at).label("ended_at")).group_by(col(GameAction.table_id))
    ).subquery()
    query = (
        select(GameTable.id, last_action.c.ended_at)
        .join(last_action, last_action.c.table_id == GameTable.id)
        .where(GameTable.status == Status.FINISHED)
        .order_by(last_action.c.ended_at, col(GameTable.id))
    )
    known = {result.table_id for result in results}
    new = [_Kept(ended_at, None, table) for table, ended_at in session.exec(query) if table not in known]
    counted = [_Kept(result.ended_at, result, result.table_id) for result in results]
    return list(heapq.merge(counted, new, key=lambda kept: kept.ended_at))


def _store_again(session: Session, kept: _Kept, before: list[SeatResult], awards: list[Award]) -> None:
    """Store the present results again for a game that cannot be replayed: deleted, or unreadable."""
    old = kept.result
    assert old is not None  # noqa: S101 - a game without table and result is none
    result = GameResult(table_id=kept.table, chat_id=old.chat_id, ended_at=old.ended_at, counted=old.counted)
    rows = [SeatResult(**seat.model_dump(exclude={"result_id"}), result_id=0) for seat in before]
    store_result(session, result, rows, [None] * len(rows))
    session.add_all(
        Award(player_id=award.player_id, name=award.name, result_id=result.id, told=award.told)
        for award in awards
        if award.result_id == old.id and session.get(Award, (award.player_id, award.name)) is None
    )
    session.flush()
    session.expunge_all()
