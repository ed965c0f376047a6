"""What is old goes, a little at a time; what is young, open or played stays."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import event

from telegram_bot.operations import pruning
from telegram_bot.operations.pruning import DAY_SECONDS, KEPT_SECONDS, Pruning
from telegram_bot.service import intents as i
from telegram_bot.storage.models import GameAction, GameTable, Inbox, LinkCode, Outbox, Rate, SentMessage, Sitting
from tests.telegram_bot.conftest import ONLY_POSTGRESQL, Room


@pytest.fixture(autouse=True)
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pruning, "BATCH", 3)
    monkeypatch.setattr(pruning, "TABLES_AT_ONCE", 2)
    monkeypatch.setattr(pruning, "BREATH_SECONDS", 0)


async def prune(room: Room, *, days: int = 0) -> None:
    await Pruning(room.database, lambda: room.now, keep_games_days=days).run()


async def stopped_games(room: Room, how_many: int) -> None:
    for number in range(1, how_many + 1):
        await room.lobby("Ana", "Bo")
        await room.tap("Ana", i.Start(), table=number)
        await room.tap("Ana", i.Stop(), table=number)


async def test_causes_and_notices_go_after_a_week_however_many_there_are(room: Room) -> None:
    with room.database.transaction() as session:
        for number in range(10):
            old = room.now - KEPT_SECONDS - 1
            session.add(Inbox(source="x", cause=f"old {number}", received_at=old, done_at=old))
            session.add(Outbox(lane="x:1", status="sent", created_at=old, done_at=old))
        session.add(Inbox(source="x", cause="open", received_at=old))
        session.add(Inbox(source="x", cause="set aside late", received_at=old, done_at=room.now))
        session.add(Outbox(lane="x:1", created_at=old))
        session.flush()
        for number in range(4):
            session.add(Inbox(source="x", cause=f"new {number}", received_at=room.now, done_at=room.now))
        session.add(Rate(key="old", arrival=old))
        session.add(Rate(key="new", arrival=room.now))
    await prune(room)
    assert {row.cause for row in room.all(Inbox)} == {"open", "set aside late", *(f"new {n}" for n in range(4))}
    assert [row.status for row in room.all(Outbox)] == ["pending"]
    assert [row.key for row in room.all(Rate)] == ["new"]
    assert room.all(LinkCode) == []


@pytest.mark.parametrize("days", [0, 30])
async def test_games_are_kept_as_long_as_the_house_says(room: Room, days: int) -> None:
    await stopped_games(room, 5)
    room.now += 31 * DAY_SECONDS
    await room.lobby("Ana", "Bo")
    room.flush()
    await prune(room, days=days)
    kept = {6} if days else set(range(1, 7))
    assert {row.id for row in room.all(GameTable)} == kept
    assert {row.table_id for row in room.all(Sitting)} == kept
    assert {row.table_id for row in room.all(GameAction)} == kept - {6}
    room.now += days * DAY_SECONDS
    await prune(room, days=days)
    assert 6 in {row.id for row in room.all(GameTable)}, "a table that is open is never old"


async def test_messages_that_nobody_will_edit_are_forgotten_before_their_games(room: Room) -> None:
    await stopped_games(room, 3)
    with room.database.transaction() as session:
        for table in (1, 2, 3):
            session.add(SentMessage(table_id=table, slot="over", chat=-1001, message=table))
    await prune(room)
    assert len(room.all(SentMessage)) == 3
    room.now += KEPT_SECONDS + 1
    await prune(room)
    assert room.all(SentMessage) == []
    assert len(room.all(GameTable)) == 3


@ONLY_POSTGRESQL
async def test_no_transaction_deletes_more_than_a_little(room: Room) -> None:
    await stopped_games(room, 4)
    room.flush()
    room.now += 40 * DAY_SECONDS
    tables: list[set[Any]] = [set()]

    @event.listens_for(room.database.engine, "before_cursor_execute")
    def on_statement(_c: Any, _cursor: Any, statement: str, parameters: Any, *_: Any) -> None:
        if statement.startswith("DELETE FROM game_action"):
            tables[-1].add(str(parameters))

    @event.listens_for(room.database.engine, "commit")
    def on_commit(_: Any) -> None:
        tables.append(set())

    await prune(room, days=30)
    assert room.all(GameTable) == []
    assert max(map(len, tables)) == 1, "one game at a time"
