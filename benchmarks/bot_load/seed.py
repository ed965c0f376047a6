"""Thousands of running games, written straight into a database."""

import copy
import random
import time
from typing import Any, Final

from sqlalchemy import func, insert, text
from sqlmodel import Session, SQLModel, col, select

from perudo_core import Rules
from telegram_bot.channels.telegram import TRAITS as TELEGRAM_TRAITS
from telegram_bot.feature import install
from telegram_bot.features import FEATURES
from telegram_bot.intents import intents as i
from telegram_bot.intents.channel_traits import ChannelDirectory
from telegram_bot.intents.config import ServiceConfig
from telegram_bot.service.handlers.lobby_requests import Join, OpenLobby, Start, StartPrivateChat
from telegram_bot.service.service import Service
from telegram_bot.storage import schema
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import (
    Chat,
    DirectMessages,
    GameAction,
    GameTable,
    InboxEntry,
    LaneName,
    NoticeStatus,
    OutboxEntry,
    Player,
    SentMessage,
    TableSeat,
)
from telegram_bot.tables.model import TurnClock

USUAL_SEATS: Final = 4
DAY_SECONDS: Final = 86400
BATCH: Final = 500
ACTIONS_A_GAME: Final = 80
NOTICES_A_GAME: Final = 160
"""About the number of rows that a game of four leaves."""


def group(table: int) -> int:
    """Return the chat of a table."""
    return -1_000_000_000_000 - table


def person(table: int, seat: int) -> int:
    """Return the player number of a seat."""
    return 10 * table + seat + 1


def name_of(person: int) -> str:
    """Return a player's name, the same at each table."""
    return f"Player {(person - 1) % 10}"


async def seed(url: str, tables: int, *, seats: int = USUAL_SEATS, past: int = 0) -> None:
    """Tables 1 to `tables`, each with people in the first round of a game; all that was to be said is said.

    The first one comes about as any game does, the others are its like with other people. `past`: so many games were
    played before, by the same people in the same chats, and what they left is still there.
    """
    database = Database(url)
    schema.upgrade(database.engine)
    install(FEATURES)
    house = ServiceConfig(
        Rules.preset("box_2009"), ChannelDirectory((TELEGRAM_TRAITS,)), clock=TurnClock(seconds=DAY_SECONDS)
    )
    service = Service(database, house, rng=random.Random(1))
    cause = iter(range(100))

    async def says(seat: int, request: i.AnyRequest, where: i.Place | None, table: int | None = None) -> None:
        who = i.Person("telegram", person(1, seat), name_of(person(1, seat)), language="en")
        await service.handle(i.Intent("telegram", f"seed {next(cause)}", who, request, where, table=table))

    place = i.Place("telegram", group(1), 0, "Friends")
    for seat in range(seats):
        await says(seat, StartPrivateChat(greeted=False), None)
        await says(seat, Join() if seat else OpenLobby(), place)
    await says(0, Start(), place, 1)
    with database.transaction() as session:
        session.execute(text("DELETE FROM outbox"))
        _copy(session, tables)
        _remember(session, tables, past)
    database.close()


def _copy(session: Session, tables: int) -> None:
    row = session.exec(select(GameTable)).one()
    people = session.exec(select(Player).order_by(col(Player.id))).all()
    actions = session.exec(select(GameAction)).all()
    now = time.time()
    for first in range(1, tables + 1, BATCH):
        batch = range(first, min(first + BATCH, tables + 1))
        _insert(session, Chat, [_chat(table) for table in batch if table > 1])
        _insert(
            session,
            Player,
            [
                _player(person, table, seat, len(people))
                for table in batch
                if table > 1
                for seat, person in enumerate(people)
            ],
        )
        _insert(session, GameTable, [_table(row, table, now) for table in batch if table > 1])
        seats = [(table, seat) for table in batch for seat in range(len(people))]
        _insert(
            session,
            TableSeat,
            [_sitting(table, _number(table, seat, len(people))) for table, seat in seats if table > 1],
        )
        _insert(session, SentMessage, [_shown(table) for table in batch])
        _insert(
            session,
            GameAction,
            [action.model_dump() | {"table_id": table} for table in batch if table > 1 for action in actions],
        )


def _count_on(session: Session) -> None:
    """Let PostgreSQL's sequences continue after the ids that were inserted by hand."""
    if session.get_bind().dialect.name == "postgresql":
        for kind in (Chat, Player, GameTable, OutboxEntry):
            most = session.exec(select(func.max(kind.id))).one() or 0
            name = kind.__tablename__
            session.execute(text(f"SELECT setval(pg_get_serial_sequence('{name}', 'id'), {most + 1})"))


def _insert(session: Session, kind: type[SQLModel], rows: list[dict[str, Any]]) -> None:
    if rows:
        session.execute(insert(kind), rows)


def _chat(table: int) -> dict[str, Any]:
    return Chat(id=table, channel="telegram", address=group(table), title="Friends").model_dump()


def _number(table: int, seat: int, seats: int) -> int:
    return (table - 1) * seats + seat + 1


def _player(like: Player, table: int, seat: int, seats: int) -> dict[str, Any]:
    changes = {"id": _number(table, seat, seats), "address": person(table, seat), "direct": DirectMessages.OPEN}
    return like.model_dump() | changes


def _table(like: GameTable, table: int, now: float) -> dict[str, Any]:
    state = copy.deepcopy(like.state)
    state["id"] = table
    state["code"] = f"S{table:05d}"
    seats = len(state["seats"])
    state["host"] = _number(table, 0, seats)
    for seat in range(seats):
        state["seats"][seat]["player"] = _number(table, seat, seats)
    due = now + DAY_SECONDS / 2 + table % 3600
    state["running"] |= {"ends": due, "reminder_at": None}
    changes = {"id": table, "code": state["code"], "chat_id": table, "state": state, "due_at": due}
    return like.model_dump() | changes


def _sitting(table: int, player: int, *, live: bool = True) -> dict[str, Any]:
    return TableSeat(table_id=table, player_id=player, live=live).model_dump()


def _remember(session: Session, tables: int, past: int) -> None:
    """Finished games: their tables, seats and actions, and their rows of inbox and outbox."""
    row = session.exec(select(GameTable).where(GameTable.id == 1)).one()
    action = session.exec(select(GameAction).where(GameAction.table_id == 1)).first()
    assert action is not None  # noqa: S101 - the game began with a roll
    seats = len(row.state["seats"])
    now = time.time()
    for first in range(0, past, BATCH):
        games = [(tables + 1 + game, game % tables + 1) for game in range(first, min(first + BATCH, past))]
        _insert(session, GameTable, [_over(row, number, at, now) for number, at in games])
        _insert(
            session,
            TableSeat,
            [_sitting(number, _number(at, seat, seats), live=False) for number, at in games for seat in range(seats)],
        )
        _insert(
            session,
            GameAction,
            [
                action.model_dump() | {"table_id": number, "number": step}
                for number, _ in games
                for step in range(ACTIONS_A_GAME)
            ],
        )
        _insert(
            session,
            InboxEntry,
            [
                {
                    "source": "telegram",
                    "cause": f"past {number} {step}",
                    "received_at": now,
                    "done_at": now,
                    "attempts": 0,
                }
                for number, _ in games
                for step in range(ACTIONS_A_GAME)
            ],
        )
        _insert(
            session,
            OutboxEntry,
            [
                {
                    "lane": LaneName("telegram", group(at)),
                    "table_id": number,
                    "status": NoticeStatus.SENT,
                    "supersedable": False,
                }
                | {"not_before": 0, "created_at": now, "done_at": now}
                for number, at in games
                for _ in range(NOTICES_A_GAME)
            ],
        )
    _count_on(session)


def _over(like: GameTable, number: int, at: int, now: float) -> dict[str, Any]:
    over = {"live": False, "status": "finished", "due_at": None, "updated_at": now}
    return _table(like, at, now) | {"id": number, "code": f"P{number:07d}"} | over


def _shown(table: int) -> dict[str, Any]:
    """Return the row of the message that shows a table's round."""
    return SentMessage(table_id=table, slot="deal:1", chat=group(table), message=900_000_000 + table).model_dump()
