"""Colliding transactions: one continues, the other starts again; no error quotes the row."""

import asyncio
from contextlib import ExitStack
from threading import Barrier

import pytest
from sqlalchemy import event
from sqlalchemy.exc import IntegrityError, OperationalError
from sqlmodel import Session, select

from telegram_bot.service.handlers.lobby_requests import OpenLobby, StartPrivateChat
from telegram_bot.storage.database import MAX_TRIES, POSTGRESQL_SESSION, Database
from telegram_bot.storage.models import Chat, GameTable, KeyValue, Player
from test_support.postgres import PostgresServer
from tests.telegram_bot.conftest import ONLY_POSTGRESQL, GroupHarness

TOGETHER = 5.0


@ONLY_POSTGRESQL
async def test_of_two_that_wait_for_each_other_one_begins_again(database: Database) -> None:
    for key in "ab":
        await database.run(lambda session, key=key: session.add(KeyValue(key=key, value="")))  # type: ignore[misc]
    both_hold_one = Barrier(2)
    begun = 0

    def add(session: Session, first: str, second: str) -> None:
        nonlocal begun
        begun += 1
        together = begun <= 2
        for key in (first, second):
            session.exec(select(KeyValue).where(KeyValue.key == key).with_for_update()).one().value += "x"
            session.flush()
            if together and key == first:
                both_hold_one.wait(TOGETHER)

    await asyncio.gather(
        database.run(lambda session: add(session, "a", "b")), database.run(lambda session: add(session, "b", "a"))
    )
    assert begun >= 3
    with database.transaction() as session:
        assert [note.value for note in session.exec(select(KeyValue))] == ["xx", "xx"]


@ONLY_POSTGRESQL
async def test_who_writes_what_another_wrote_at_the_same_moment_looks_again(database: Database) -> None:
    neither_found_it = Barrier(2)
    looks = 0

    def find_or_add(session: Session) -> int | None:
        nonlocal looks
        looks += 1
        together = looks <= 2
        row = session.exec(select(Player).where(Player.address == 1)).one_or_none()
        if together:
            neither_found_it.wait(TOGETHER)
        if row is None:
            row = Player(channel="telegram", address=1, name="Ana")
            session.add(row)
            session.flush()
        return row.id

    one, other = await asyncio.gather(database.run(find_or_add), database.run(find_or_add))
    assert one == other
    assert looks == 3


@ONLY_POSTGRESQL
async def test_two_who_are_the_first_to_be_heard_in_a_group_are_both_served(database: Database) -> None:
    harnesses = [GroupHarness(database), GroupHarness(database)]
    for harness, name, causes in zip(harnesses, ("Ana", "Bo"), (100, 200), strict=True):
        harness._causes = causes
        await harness.say(name, StartPrivateChat(greeted=False))
    neither_found_it = Barrier(2)
    writes = 0

    @event.listens_for(database.engine, "before_cursor_execute")
    def meet(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        nonlocal writes
        writes += statement.startswith("INSERT INTO chat")
        if statement.startswith("INSERT INTO chat") and writes <= 2:
            neither_found_it.wait(TOGETHER)

    await asyncio.gather(harnesses[0].tap("Ana", OpenLobby()), harnesses[1].tap("Bo", OpenLobby()))
    assert writes == 2
    assert len(harnesses[0].rows(Chat)) == len(harnesses[0].rows(GameTable)) == 1


async def test_what_can_never_be_written_is_not_tried_for_ever(database: Database) -> None:
    await database.run(lambda session: session.add(Player(channel="telegram", address=1, name="Ana")))
    tries = 0

    def again(session: Session) -> None:
        nonlocal tries
        tries += 1
        session.add(Player(channel="telegram", address=1, name="Bo"))

    with pytest.raises(IntegrityError):
        await database.run(again)
    assert tries == (1 if database.is_sqlite else MAX_TRIES)


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
