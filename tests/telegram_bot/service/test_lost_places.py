"""Where the bot cannot write, its tables wait: clocks stand, players are free, nothing is lost."""

from __future__ import annotations

import pytest

from telegram_bot.service import intents as i
from telegram_bot.service.handlers import chats
from telegram_bot.service.notices import Done
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import Chat, GameTable, Outbox, Sending, SentMessage, Sitting
from telegram_bot.tables.events import Denial
from telegram_bot.tables.model import Status
from tests.telegram_bot.conftest import AUTO, PACE, Room, denial, done

GROUP = -1001
ANA, BO, CY = 101, 102, 103
MUTED = i.BotStanding(present=True, can_whisper=False, can_write=False)
KICKED = i.BotStanding(present=False, can_whisper=False)
BACK = i.BotStanding(present=True, can_whisper=False, arrived=True)


@pytest.fixture
def room(database: Database) -> Room:
    return Room(database, clock=AUTO)


async def lost(room: Room) -> None:
    """A game whose group the bot cannot write to since Ana's bid."""
    await room.game("22222", "33333", "44444")
    room.flush()
    await room.call("3x4")
    await room.learn(chats.lose, "telegram", GROUP)


async def written(room: Room, topic: int = 0) -> None:
    """The bot's try gets through."""
    assert [notice.kind for notice in room.notices("resumed")] == ["resumed"]
    room.flush()
    await room.learn(chats.can_write, "telegram", GROUP, topic)


@pytest.mark.parametrize("how", ["a send", "muted", "kicked"])
async def test_a_lost_group_costs_nobody_their_turn(room: Room, how: str) -> None:
    if how == "a send":
        await lost(room)
    else:
        await room.game("22222", "33333", "44444")
        await room.call("3x4")
        await room.say("Ana", MUTED if how == "muted" else KICKED, by="nothing")
    table = room.table()
    assert (table.status, table.clock_ends, table.reminder_at) == (Status.PLAYING, None, None)
    await room.due(3600)
    assert room.table().step == 1
    assert room.table().seats == table.seats, "nobody has missed a turn"


async def test_what_was_to_be_said_there_waits_and_what_fades_is_dropped(room: Room) -> None:
    await room.game("22222", "33333", "44444")
    room.flush()
    await room.call("6x2")
    await room.call("dudo")
    await room.learn(chats.lose, "telegram", GROUP)
    held = [row for row in room.all(Outbox) if row.status == Sending.HELD]
    assert [row.notice["notice"]["kind"] for row in held if row.notice] == ["reveal"]
    assert GROUP not in [chat for _, chat in room.told()]
    await room.say("Ana", BACK, by="nothing")
    await written(room)
    kinds = [kind for kind, chat in room.told() if chat == GROUP]
    assert kinds == ["reveal", "table"], "the end of the last round first, then the new one"
    assert [chat for kind, chat in room.told() if kind == "hand"] == [ANA, BO, CY]


@pytest.mark.parametrize("how", ["rights", "a command", "a tap", "by itself"])
async def test_the_game_goes_on_when_the_bot_can_write_again(room: Room, how: str) -> None:
    await lost(room)
    room.flush()
    with room.database.transaction() as session:
        session.add(SentMessage(table_id=1, slot="deal:1", chat=GROUP, message=55, keyboard=True))
    room.now += 100
    match how:
        case "rights":
            await room.say("Ana", BACK, by="nothing")
        case "a command":
            await room.say("Cy", i.SeeHelp())
        case "a tap":
            assert denial((await room.tap("Bo", i.MakeBid(4, 4))).toast) is Denial.SUSPENDED
        case _:
            await room.due(0)
    assert room.table().suspended_at is not None, "not before something got through"
    await written(room)
    table = room.table()
    assert table.suspended_at is None
    assert (table.step, table.clock_ends, table.reminder_at) == (1, room.now + 60, room.now + 30)
    assert [told for told in room.told() if told[0] != "help"][:2] == [("strip", GROUP), ("table", GROUP)]
    assert [chat for kind, chat in room.told() if kind == "hand"] == [ANA, BO, CY]
    assert done((await room.call("4x4")).toast) is Done.BID


async def test_the_players_of_a_suspended_table_are_free(room: Room) -> None:
    await lost(room)
    assert not any(row.live for row in room.all(Sitting))
    other = i.Place("telegram", -2002, 0, "Family")
    await room.say("Ana", i.OpenLobby(), where=other)
    await room.say("Bo", i.Join(), where=other)
    await room.tap("Ana", i.Start(), table=2, where=other)
    await room.put("44444", "55555", table=2)
    await room.say("Ana", i.MakeBid(3, 4), where=None)
    assert room.notices("which_table") == []
    assert room.table(2).step == 1
    await room.say("Ana", BACK, by="nothing")
    room.flush()
    await room.learn(chats.can_write, "telegram", GROUP, 0)
    await room.say("Bo", i.MakeBid(4, 4), where=None)
    assert room.notices("which_table"), "now Bo plays in two games"


async def test_who_plays_in_private_hears_why_nothing_goes_on(room: Room) -> None:
    await lost(room)
    room.flush()
    await room.say("Bo", i.MakeBid(4, 4), where=None)
    assert [notice.denial for notice in room.notices("denied")] == [Denial.SUSPENDED]
    assert denial((await room.tap("Bo", i.MakeBid(4, 4), where=None)).toast) is Denial.SUSPENDED
    assert room.table().step == 1


async def test_a_player_may_leave_and_the_host_may_stop_a_suspended_table(room: Room) -> None:
    await lost(room)
    await room.tap("Cy", i.Leave(confirmed=True), where=None)
    table = room.table()
    assert not table.in_play(2)
    assert (table.clock_ends, table.suspended_at is None) == (None, False), "no clock begins by that"
    await room.tap("Ana", i.Stop(), where=None)
    assert room.table().status is Status.CLOSED


async def test_tries_become_rare_and_a_table_that_nobody_resumes_closes(room: Room) -> None:
    await lost(room)
    room.flush()
    tries = 0
    for _ in range(int(PACE.paused_idle_seconds / 60) + 1):
        await room.due(60)
        tries += len(room.notices("resumed"))
        for _ in room.notices("resumed"):
            await room.learn(chats.lose, "telegram", GROUP)
    assert room.table().status is Status.CLOSED
    assert 20 <= tries <= 40
    assert room.told() == []
    assert [row.live for row in room.all(GameTable)] == [False]


async def test_a_try_is_not_made_twice_at_a_time(room: Room) -> None:
    await lost(room)
    for name in ("Ana", "Bo", "Cy"):
        await room.tap(name, i.MakeBid(9, 4))
    assert len(room.notices("resumed")) == 1


@pytest.mark.parametrize("how", ["closed", "reopened"])
async def test_a_closed_topic_stops_its_own_table_alone(room: Room, how: str) -> None:
    await room.game("22222", "33333")
    topic = i.Place("telegram", GROUP, 5, "Friends")
    await room.say("Cy", i.OpenLobby(), where=topic)
    await room.say("Ana", i.Join(), where=topic)
    await room.tap("Cy", i.Start(), table=2, where=topic)
    await room.learn(chats.lose, "telegram", GROUP, 5)
    assert room.table(1).clock_ends is not None
    assert (room.table(2).clock_ends, room.table(2).suspended_at) == (None, room.now)
    assert "table" in [kind for kind, _ in room.told()], "the other one's message still waits to be sent"
    if how == "reopened":
        room.flush()
        await room.say("Cy", i.Reopened(), where=topic, by="nothing")
        await written(room, 5)
        assert room.table(2).clock_ends is not None
        assert {envelope.topic for envelope in room.envelopes() if envelope.chat == GROUP} == {5}


async def test_a_lobby_waits_as_well(room: Room) -> None:
    await room.lobby("Ana", "Bo")
    room.flush()
    await room.say("Ana", KICKED, by="nothing")
    await room.due(PACE.lobby_idle_seconds + 1)
    assert room.table().status is Status.LOBBY
    room.flush()
    await room.say("Bo", BACK, by="nothing")
    await written(room)
    assert room.told() == [("lobby", GROUP)]
    assert room.table().idle_at == room.now + PACE.lobby_idle_seconds
    await room.tap("Ana", i.Start())
    assert room.table().status is Status.PLAYING


async def test_perudo_in_a_group_that_was_lost_asks_for_nothing_new(room: Room) -> None:
    await lost(room)
    room.flush()
    await room.say("Ana", i.OpenLobby())
    assert room.notices("resumed")
    assert len(room.all(GameTable)) == 1


async def test_a_group_without_a_table_gets_its_answers_once_it_can_be_written_to(room: Room) -> None:
    await room.say("Ana", i.SeeRules())
    await room.learn(chats.lose, "telegram", GROUP)
    assert room.told() == []
    await room.say("Ana", i.SeeHelp())
    assert [kind for kind, _ in room.told()] == ["rules", "help"]
    assert room.all(Chat)[0].lost_at is None


async def test_an_outage_does_not_wake_a_suspended_table(room: Room) -> None:
    await lost(room)
    room.flush()
    room.pass_by(0)
    room.now += 5000
    await room.back()
    table = room.table()
    assert (table.clock_ends, table.idle_at) == (None, room.now + PACE.paused_idle_seconds)
    assert room.told() == []


async def test_a_notice_to_a_place_that_is_not_known_is_dropped(room: Room) -> None:
    await room.lobby("Ana")
    room.flush()
    with room.database.transaction() as session:
        session.add(
            Outbox(
                lane="telegram:-77",
                created_at=room.now,
                notice={"channel": "telegram", "chat": -77, "topic": 4, "notice": {"kind": "help", "private": False}},
            )
        )
    await room.learn(chats.lose, "telegram", -77, 4)
    assert [row.status for row in room.all(Outbox) if row.lane == "telegram:-77"] == [Sending.FAILED]
