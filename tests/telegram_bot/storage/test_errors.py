"""Errors of the database: none quotes the row, none holds the bot for ever, none loses what was confirmed."""

import asyncio
import threading
from contextlib import ExitStack

import pytest
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError, OperationalError
from sqlmodel import Session, select

from telegram_bot.storage.database import POSTGRESQL_SESSION, Database
from telegram_bot.storage.models import KeyValue, Player
from test_support.postgres import PostgresServer
from tests.telegram_bot.conftest import ONLY_POSTGRESQL


async def test_an_error_does_not_quote_what_was_being_written(database: Database) -> None:
    with pytest.raises(IntegrityError) as caught:
        await database.run(
            lambda session: session.add(
                Player(
                    channel="secret",
                    address=None,  # type: ignore[arg-type]
                    name="five fours",
                )
            )
        )
    said = f"{caught.value} {caught.value.orig} {caught.value.__cause__!r} {caught.value.orig!r}"
    assert "address" in said, "what is wrong is said"
    assert "five fours" not in said
    assert "secret" not in said


@ONLY_POSTGRESQL
async def test_a_table_that_stays_locked_does_not_hold_a_worker_for_ever(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(POSTGRESQL_SESSION, "lock_timeout", "50ms")
    database.engine.dispose()
    await database.run(lambda session: session.add(KeyValue(key="a", value="")))
    with database.transaction() as holder:
        holder.exec(select(KeyValue).with_for_update()).one()
        with pytest.raises(OperationalError, match="lock timeout"):
            await database.run(lambda session: session.exec(select(KeyValue).with_for_update()).one().value)


@ONLY_POSTGRESQL
async def test_after_the_database_was_away_what_was_confirmed_is_there_and_work_goes_on(
    database: Database, database_url: str, postgresql: PostgresServer
) -> None:
    await database.run(lambda session: session.add(KeyValue(key="confirmed", value="1")))
    with ExitStack() as away:
        with pytest.raises(OperationalError), database.transaction() as session:  # noqa: PT012 - it comes in the middle
            session.add(KeyValue(key="half", value="1"))
            session.flush()
            away.enter_context(postgresql.unreachable(database_url))
            session.add(KeyValue(key="other half", value="1"))
            session.flush()
        with pytest.raises(OperationalError):
            await database.run(lambda session: session.get(KeyValue, "confirmed"))
    assert await database.run(lambda session: [note.key for note in session.exec(select(KeyValue))]) == ["confirmed"]


@ONLY_POSTGRESQL
async def test_the_bot_waits_while_a_command_changes_the_database(database: Database, database_url: str) -> None:
    database.epoch = 1
    command = Database(database_url)
    with command.transaction() as session:
        session.add(KeyValue(key="a", value="of the command"))
        session.flush()
        waiting = asyncio.create_task(database.run(lambda session: session.get_one(KeyValue, "a").value))
        waits = text("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")
        while session.execute(waits).scalar_one() == 0:  # noqa: ASYNC110 - the server has no event for it
            await asyncio.sleep(0.01)
    assert await waiting == "of the command"
    command.close()


@ONLY_POSTGRESQL
async def test_transactions_that_waited_with_one_that_lost_its_connection_are_committed(database: Database) -> None:
    begun = threading.Event()

    def write(session: Session) -> None:
        session.add(KeyValue(key="first", value=""))
        begun.wait()

    end_this = text("SELECT pg_terminate_backend(pg_backend_pid())")
    first = asyncio.create_task(database.run(write))
    lost = asyncio.create_task(database.run(lambda session: session.execute(end_this)))
    last = asyncio.create_task(database.run(lambda session: session.add(KeyValue(key="last", value=""))))
    await asyncio.sleep(0)  # all three are submitted
    begun.set()
    with pytest.raises(OperationalError):
        await lost
    await asyncio.gather(first, last)
    with database.transaction() as session:
        assert set(session.exec(select(KeyValue.key))) == {"first", "last"}
