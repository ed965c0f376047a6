"""The surroundings of one transaction."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from sqlalchemy import text
from sqlmodel import Session

from telegram_bot.service import intents as i
from telegram_bot.service.intents import ChatLost, TurnDeliveredLate, TurnDeliveryUnknown
from telegram_bot.service.repositories import load_table
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import Chat, GameTable
from telegram_bot.tables.events import TableChange
from telegram_bot.tables.quiet_hours import QuietHours
from tests.telegram_bot.conftest import AUTO_CLOCK, BOTH_DATABASES, ONLY_POSTGRESQL, GroupHarness


@BOTH_DATABASES
async def test_a_locked_row_is_read_anew_though_it_was_seen_before_it_was_locked(harness: GroupHarness) -> None:
    await harness.say("Ana", i.OpenLobby())
    with harness.database.transaction() as session:
        uow = UnitOfWork(session, harness.now, harness.service.config, harness.service.rng, "test")
        (seen,) = uow.live_tables_of(uow.ensure_player(harness.person("Ana")))
        somebody_was_quicker = text("UPDATE game_table SET version = version + 10")
        before, code, chat = seen.version, seen.code, session.get_one(Chat, seen.chat_id)
        session.execute(somebody_was_quicker)
        assert uow.lock_table(1) is seen
        assert seen.version == before + 10
        session.execute(somebody_was_quicker)
        assert uow.lock_live_table_in(chat) is seen
        assert seen.version == before + 20
        session.execute(somebody_was_quicker)
        assert uow.lock_table_by_code(code) is seen
        assert seen.version == before + 30


@ONLY_POSTGRESQL
async def test_a_table_that_was_read_without_its_lock_and_saved_by_another_meanwhile_is_not_written_over(
    harness: GroupHarness,
) -> None:
    await harness.lobby("Ana", "Bo")
    tries = 0

    def rename(session: Session) -> None:
        nonlocal tries
        tries += 1
        uow = harness.service.unit_of_work(session, "test")
        row = uow.read_table_unlocked(1)
        assert row is not None
        before = load_table(row)
        if tries == 1:
            asyncio.run_coroutine_threadsafe(harness.say("Cy", i.Join()), loop).result(10)
        uow.commit_step(row, before, TableChange(before.with_seat(0, name="Ana the Second")))

    loop = asyncio.get_running_loop()
    await harness.database.run(rename)
    assert tries == 2
    assert [seat.name for seat in harness.table().seats] == ["Ana the Second", "Bo", "Cy"]


async def after_an_outage(harness: GroupHarness) -> None:
    """Nobody was heard for an hour."""
    harness.now += 3600
    await harness.restart_clocks()


@pytest.mark.parametrize(
    "act",
    [
        lambda harness: harness.say("Bo", i.Choose("quiet", QuietHours(0, 480, "UTC")), where=None),
        lambda harness: harness.say("Bo", i.MemberLeft(), by="nothing"),
        lambda harness: harness.service.handle(ChatLost("telegram", -1001)),
        lambda harness: harness.service.handle(TurnDeliveredLate(1, 0, harness.now + 30)),
        lambda harness: harness.service.handle(TurnDeliveryUnknown(1, 0)),
        lambda harness: harness.run_deadlines(31),
        lambda harness: harness.run_deadlines(61),
        after_an_outage,
    ],
    ids=["quiet hours", "left the group", "lost chat", "told late", "perhaps told", "reminder", "turn", "outage"],
)
@BOTH_DATABASES
async def test_the_version_moves_with_every_save(
    database: Database, act: Callable[[GroupHarness], Awaitable[object]]
) -> None:
    harness = GroupHarness(database, clock=AUTO_CLOCK)
    await harness.game("22222", "33333", "44444")
    await harness.restart_clocks()
    before = harness.rows(GameTable)[0]
    await act(harness)
    after = harness.rows(GameTable)[0]
    assert after.state != before.state
    assert after.version == before.version + 1
