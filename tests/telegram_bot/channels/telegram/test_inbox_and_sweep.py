"""What was stored is acted on once and in order; trouble with one update or table stays with that one."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from telegram import Bot

from telegram_bot.channels.telegram.sender import TelegramSender
from telegram_bot.channels.telegram.source import TelegramSource
from telegram_bot.deadlines import Deadlines
from telegram_bot.delivery.limits import Limits
from telegram_bot.delivery.worker import Delivery
from telegram_bot.inbox import Inbox
from telegram_bot.runtime import house_of
from telegram_bot.service import intents as i
from telegram_bot.service.quotas import Gate
from telegram_bot.settings import Settings
from telegram_bot.storage.database import Database
from telegram_bot.storage.rows import GameTable, Player
from telegram_bot.storage.rows import Inbox as Arrivals
from telegram_bot.tables.happenings import Denial
from telegram_sandbox import RunningSandbox, SandboxSettings, running_sandbox
from tests.telegram_bot.conftest import AUTO, Room

Json = dict[str, Any]
GROUP: Json = {"id": -1001, "type": "supergroup", "title": "Friends"}
PEOPLE = {"Ana": 101, "Bo": 102, "Cy": 103}


def written(number: int, name: str, text: str) -> Json:
    sender = {"id": PEOPLE[name], "is_bot": False, "first_name": name}
    return {
        "update_id": number,
        "message": {"message_id": number, "date": int(time.time()), "chat": GROUP, "from": sender, "text": text},
    }


@asynccontextmanager
async def an_inbox(room: Room, sandbox: RunningSandbox) -> AsyncIterator[Inbox]:
    async with Bot(sandbox.token, base_url=sandbox.bot_base_url) as bot:
        sender = TelegramSender(bot, Limits(0, 0, 0))
        delivery = Delivery(room.service, {sender.name: sender})
        await delivery.stop()  # what is said in turn is not looked at here
        yield Inbox(room.service, delivery.wake, [TelegramSource(bot, room.service, sender)])


@pytest.fixture
async def inbox(room: Room) -> AsyncIterator[Inbox]:
    async with (
        running_sandbox(SandboxSettings(port=0, flood_limits=False)) as sandbox,
        an_inbox(room, sandbox) as inbox,
    ):
        yield inbox


async def arrive(inbox: Inbox, *updates: Json) -> None:
    await inbox.store("telegram", [(str(update["update_id"]), update) for update in updates])


def names(room: Room) -> list[str]:
    return [seat.name for seat in room.table().seats]


async def until(condition: Callable[[], bool], seconds: float = 10) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not come about"
        await asyncio.sleep(0.02)


async def test_updates_of_a_chat_are_acted_on_in_order_and_once(room: Room, inbox: Inbox) -> None:
    batch = [written(1, "Ana", "/perudo"), written(2, "Bo", "/join"), written(3, "Cy", "/join")]
    await arrive(inbox, *batch)
    await inbox.idle()
    assert names(room) == ["Ana", "Bo", "Cy"]
    await arrive(inbox, *batch, written(4, "Bo", "/leave"))
    await inbox.idle()
    assert names(room) == ["Ana", "Cy"]
    assert [(row.cause, row.payload, row.done_at is not None) for row in room.all(Arrivals)] == [
        (str(number), None, True) for number in (1, 2, 3, 4)
    ]


async def test_an_update_that_asks_for_nothing_or_cannot_be_read_is_closed(room: Room, inbox: Inbox) -> None:
    unreadable = {"update_id": 6, "message": {"message_id": "x"}}
    await arrive(inbox, written(5, "Ana", "hello"), unreadable, {"update_id": 7, "something_new": {}})
    await inbox.idle()
    assert room.unfinished() == []
    assert room.all(GameTable) == []


async def test_an_update_that_always_fails_is_set_aside_and_the_next_ones_go_on(
    room: Room, inbox: Inbox, caplog: pytest.LogCaptureFixture
) -> None:
    await arrive(inbox, written(1, "Ana", "/perudo"))
    await inbox.idle()
    with room.database.transaction() as session:
        session.add(Player(channel="another", address=1, name="Bo"))
        session.flush()
        session.connection().exec_driver_sql("CREATE UNIQUE INDEX poison ON player (name)")
    await arrive(inbox, written(2, "Bo", "/join"), written(3, "Cy", "/join"))
    await inbox.idle()
    assert names(room) == ["Ana", "Cy"]
    assert "update 2 is set aside" in caplog.text
    (dead,) = [row for row in room.all(Arrivals) if row.error]
    assert (dead.cause, dead.attempts, dead.error) == ("2", 3, "IntegrityError")
    assert dead.payload is not None, "the operator may look at it"


async def test_what_an_earlier_life_stored_is_acted_on(room: Room, inbox: Inbox) -> None:
    updates = [written(1, "Ana", "/perudo"), written(2, "Bo", "/join")]
    await room.service.arrivals.write_down("telegram", [(str(update["update_id"]), update) for update in updates])
    await inbox.take_over(all_of_them=True)
    assert names(room) == ["Ana", "Bo"]
    assert room.unfinished() == []


async def test_a_spoilt_table_keeps_no_other_one_from_its_deadline(
    database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    room = Room(database, clock=AUTO)
    await room.game("22222", "33333")
    other = i.Place("telegram", -2002, 0, "Family")
    for name in ("Ana", "Bo"):
        await room.say(name, i.OpenLobby() if name == "Ana" else i.Join(), where=other)
    await room.tap("Ana", i.Start(), table=2, where=other)
    room.flush()  # a clock waits until its player has been told
    room.change(GameTable, 1, state={"spoilt": True}, due_at=1.0)
    room.pass_by(60)
    sweep = asyncio.create_task(Deadlines(room.service, lambda _lanes: None, ()).run())
    try:
        await until(lambda: room.table(2).step == 1)
        assert "a deadline of table 1 failed" in caplog.text
    finally:
        sweep.cancel()
        await asyncio.gather(sweep, return_exceptions=True)


async def test_a_flood_costs_no_more_rows_and_no_more_questions_once_it_was_answered(room: Room) -> None:
    room.service.gate = Gate(house_of(Settings()).quotas, lambda: room.now)
    async with running_sandbox(SandboxSettings(port=0)) as sandbox, an_inbox(room, sandbox) as inbox:
        await arrive(inbox, *(written(number, "Ana", "/perudo") for number in range(1, 50)))
        await inbox.idle()
        asked = len(sandbox.world.calls.named("getChatMember"))
        assert asked < 12, "who is not heard is not looked up"
        rows = len(room.all(Arrivals))
        await arrive(inbox, *(written(number, "Ana", "/perudo") for number in range(50, 100)))
        assert await inbox.take("telegram", "100", written(100, "Ana", "/perudo")) is None
        await inbox.idle()
        assert len(room.all(Arrivals)) == rows, "not even written down"
        assert len(sandbox.world.calls.named("getChatMember")) == asked
        await arrive(inbox, written(101, "Bo", "/join"))
        await inbox.idle()
        assert names(room) == ["Ana", "Bo"]
        assert room.unfinished() == []
    assert [notice.denial for notice in room.notices("denied")] == [Denial.TOO_FAST]
