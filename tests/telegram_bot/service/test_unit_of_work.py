"""The surroundings of one transaction."""

from __future__ import annotations

from sqlalchemy import text

from telegram_bot.service import intents as i
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.models import Chat
from tests.telegram_bot.conftest import GroupHarness


async def test_a_locked_row_is_read_anew_though_it_was_seen_before_it_was_locked(harness: GroupHarness) -> None:
    await harness.say("Ana", i.OpenLobby())
    with harness.database.transaction() as session:
        uow = UnitOfWork(session, harness.now, harness.service.rng, harness.service.config, "test")
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
