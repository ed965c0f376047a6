"""The surroundings of one transaction."""

from __future__ import annotations

from sqlalchemy import text

from telegram_bot.service import intents as i
from telegram_bot.service.unit_of_work import Work
from telegram_bot.storage.models import Chat
from tests.telegram_bot.conftest import Room


async def test_a_locked_row_is_read_anew_though_it_was_seen_before_it_was_locked(room: Room) -> None:
    await room.say("Ana", i.OpenLobby())
    with room.database.transaction() as session:
        work = Work(session, room.now, room.service.rng, room.service.house, "test")
        (seen,) = work.live_rows_of(work.player(room.person("Ana")))
        somebody_was_quicker = text("UPDATE game_table SET version = version + 10")
        before, code, chat = seen.version, seen.code, session.get_one(Chat, seen.chat_id)
        session.execute(somebody_was_quicker)
        assert work.table_row(1) is seen
        assert seen.version == before + 10
        session.execute(somebody_was_quicker)
        assert work.live_row_in(chat) is seen
        assert seen.version == before + 20
        session.execute(somebody_was_quicker)
        assert work.row_by_code(code) is seen
        assert seen.version == before + 30
