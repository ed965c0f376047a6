"""Where the bot cannot write, its tables wait: clocks stop, players may play elsewhere, and no game is lost."""

import pytest
from sqlalchemy import JSON, Boolean, Float, FromClause, Integer, insert, select

from telegram_bot.intents import intents as i
from telegram_bot.intents.intents import ChatAddressChanged, ChatLost, ChatWritable
from telegram_bot.notices import Confirmation, HelpNotice
from telegram_bot.service.handlers.ending import Leave, Stop
from telegram_bot.service.handlers.game_requests import MakeBid
from telegram_bot.service.handlers.lobby_requests import Join, OpenLobby, Start
from telegram_bot.service.handlers.queries import SeeHelp, SeeRules, SeeStatus
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import (
    Chat,
    GameTable,
    LaneName,
    Member,
    NoticeStatus,
    OutboxEntry,
    SentMessage,
    TableSeat,
)
from telegram_bot.storage.references import references_to
from telegram_bot.tables.events import RejectionReason
from telegram_bot.tables.model import Status
from tests.telegram_bot.conftest import (
    ANA,
    AUTO_CLOCK,
    BO,
    BOTH_DATABASES,
    CY,
    GROUP,
    TIMINGS,
    GroupHarness,
    confirmation_of,
    rejection_of,
)

MUTED = i.BotMembershipChanged(present=True, ephemeral_allowed=False, can_write=False)
KICKED = i.BotMembershipChanged(present=False, ephemeral_allowed=False)
BACK = i.BotMembershipChanged(present=True, ephemeral_allowed=False, arrived=True)


@pytest.fixture
def harness(database: Database) -> GroupHarness:
    return GroupHarness(database, clock=AUTO_CLOCK)


async def lost(harness: GroupHarness) -> None:
    """A game whose group the bot cannot write to since Ana's bid."""
    await harness.game("22222", "33333", "44444", sent=True)
    await harness.call("3x4")
    await harness.service.handle(ChatLost("telegram", GROUP))


async def written(harness: GroupHarness, topic: int = 0) -> None:
    """The bot's next message gets through."""
    assert [notice.kind for notice in harness.notices("resumed")] == ["resumed"]
    harness.mark_all_sent()
    await harness.service.handle(ChatWritable("telegram", GROUP, topic))


@pytest.mark.parametrize("how", ["a send", "muted", "kicked"])
async def test_a_lost_group_costs_nobody_their_turn(harness: GroupHarness, how: str) -> None:
    if how == "a send":
        await lost(harness)
    else:
        await harness.game("22222", "33333", "44444", calls="3x4")
        await harness.say("Ana", MUTED if how == "muted" else KICKED, by="nothing")
    table = harness.table()
    assert (table.status, table.running.ends, table.running.reminder_at) == (Status.PLAYING, None, None)
    await harness.run_deadlines(3600)
    assert harness.table().step == 1
    assert harness.table().seats == table.seats, "no one has missed a turn"


async def test_what_was_to_be_said_there_waits_and_what_fades_is_dropped(harness: GroupHarness) -> None:
    await harness.game("22222", "33333", "44444", sent=True)
    await harness.call("6x2")
    await harness.call("dudo")
    await harness.service.handle(ChatLost("telegram", GROUP))
    assert GROUP not in [chat for _, chat in harness.waiting_kinds()]
    await harness.say("Ana", BACK, by="nothing")
    await written(harness)
    kinds = [kind for kind, chat in harness.waiting_kinds() if chat == GROUP]
    assert kinds == ["reveal", "table"], "the end of the last round first, then the new one"
    assert [chat for kind, chat in harness.waiting_kinds() if kind == "hand"] == [ANA, BO, CY]


@pytest.mark.parametrize("how", ["rights", "a command", "a tap", "by itself"])
async def test_the_game_goes_on_when_the_bot_can_write_again(harness: GroupHarness, how: str) -> None:
    await lost(harness)
    harness.mark_all_sent()
    harness.now += 100
    match how:
        case "rights":
            await harness.say("Ana", BACK, by="nothing")
        case "a command":
            await harness.say("Cy", SeeHelp())
        case "a tap":
            assert rejection_of((await harness.tap("Bo", MakeBid(4, 4))).toast) is RejectionReason.SUSPENDED
        case _:
            await harness.run_deadlines(0)
    assert harness.table().suspension is not None, "not before something got through"
    await written(harness)
    table = harness.table()
    assert table.suspension is None
    assert (table.step, table.running.ends, table.running.reminder_at) == (1, harness.now + 60, harness.now + 30)
    shown = [(each.notice.kind, each.edits) for each in harness.envelopes() if each.chat == GROUP]
    assert ("table", False) in shown
    assert sorted(chat for kind, chat in harness.waiting_kinds() if kind == "hand") == [ANA, BO, CY]
    assert confirmation_of((await harness.call("4x4")).toast) is Confirmation.BID


async def test_the_players_of_a_suspended_table_are_free(harness: GroupHarness) -> None:
    await lost(harness)
    assert not any(row.live for row in harness.rows(TableSeat))
    other = i.Place("telegram", -2002, 0, "Family")
    await harness.say("Ana", OpenLobby(), where=other)
    await harness.say("Bo", Join(), where=other)
    await harness.tap("Ana", Start(), table=2, where=other)
    await harness.set_dice("44444", "55555", table=2)
    await harness.say("Ana", MakeBid(3, 4), where=None)
    assert harness.notices("which_table") == []
    assert harness.table(2).step == 1
    await harness.say("Ana", BACK, by="nothing")
    harness.mark_all_sent()
    await harness.service.handle(ChatWritable("telegram", GROUP, 0))
    await harness.say("Bo", MakeBid(4, 4), where=None)
    assert harness.notices("which_table"), "now Bo plays in two games"


async def test_a_request_at_a_suspended_table_makes_one_try_and_is_told_why(harness: GroupHarness) -> None:
    await lost(harness)
    harness.mark_all_sent()
    harness.pass_time(0)
    harness.now += 5000
    await harness.restart_clocks()
    assert harness.waiting_kinds() == [], "an outage does not wake it"
    assert harness.table().idle_at == harness.now + TIMINGS.paused_idle_seconds
    await harness.say("Bo", MakeBid(4, 4), where=None)
    assert [notice.reason for notice in harness.notices("rejection")] == [RejectionReason.SUSPENDED]
    for name in ("Ana", "Bo", "Cy"):
        toast = (await harness.tap(name, MakeBid(4, 4), where=None if name == "Bo" else harness.group)).toast
        assert rejection_of(toast) is RejectionReason.SUSPENDED
    await harness.say("Ana", OpenLobby())
    assert len(harness.notices("resumed")) == 1
    assert len(harness.rows(GameTable)) == 1, "nothing new is opened there"
    assert (harness.table().step, harness.table().running.ends) == (1, None)


async def test_a_player_may_leave_and_the_host_may_stop_a_suspended_table(harness: GroupHarness) -> None:
    await lost(harness)
    await harness.tap("Cy", Leave(confirmed=True), where=None)
    table = harness.table()
    assert not table.in_play(2)
    assert (table.running.ends, table.suspension is None) == (None, False), "no clock begins by that"
    await harness.tap("Ana", Stop(confirmed=True), where=None)
    assert harness.table().status is Status.CLOSED
    answer = await harness.tap("Ana", SeeStatus(), where=None)
    assert getattr(answer.toast, "reason", None) is not RejectionReason.SUSPENDED


async def test_tries_become_rare_and_a_table_that_nobody_resumes_closes(harness: GroupHarness) -> None:
    await lost(harness)
    harness.mark_all_sent()
    tries, end = 0, harness.now + TIMINGS.paused_idle_seconds + 60
    while harness.now < end:
        before, (row,) = harness.table(), harness.rows(GameTable)
        await harness.run_deadlines(max(60, (row.due_at or end) - harness.now))
        for _ in harness.notices("resumed") if harness.table() != before else ():
            tries += 1
            await harness.service.handle(ChatLost("telegram", GROUP))
    assert harness.table().status is Status.CLOSED
    assert 20 <= tries <= 40
    assert harness.waiting_kinds() == []
    assert [row.live for row in harness.rows(GameTable)] == [False]


@pytest.mark.parametrize("how", ["closed", "reopened"])
async def test_a_closed_topic_stops_its_own_table_alone(harness: GroupHarness, how: str) -> None:
    await harness.game("22222", "33333")
    topic = i.Place("telegram", GROUP, 5, "Friends")
    await harness.say("Cy", OpenLobby(), where=topic)
    await harness.say("Ana", Join(), where=topic)
    await harness.tap("Cy", Start(), table=2, where=topic)
    await harness.service.handle(ChatLost("telegram", GROUP, 5))
    assert harness.table(1).running.ends is not None
    suspension = harness.table(2).suspension
    assert suspension is not None
    assert (harness.table(2).running.ends, suspension.since) == (None, harness.now)
    assert "table" in [kind for kind, _ in harness.waiting_kinds()], "the other one's message still waits to be sent"
    if how == "reopened":
        harness.mark_all_sent()
        await harness.say("Cy", i.TopicReopened(), where=topic, by="nothing")
        await written(harness, 5)
        assert harness.table(2).running.ends is not None
        assert {envelope.topic for envelope in harness.envelopes() if envelope.chat == GROUP} == {5}


async def test_a_lobby_waits_as_well(harness: GroupHarness) -> None:
    await harness.lobby("Ana", "Bo")
    harness.mark_all_sent()
    await harness.say("Ana", KICKED, by="nothing")
    await harness.run_deadlines(TIMINGS.lobby_idle_seconds + 1)
    assert harness.table().status is Status.LOBBY
    harness.mark_all_sent()
    await harness.say("Bo", BACK, by="nothing")
    await written(harness)
    assert [(each.notice.kind, each.edits) for each in harness.envelopes()] == [("lobby", False)]
    assert harness.table().idle_at == harness.now + TIMINGS.lobby_idle_seconds
    await harness.tap("Ana", Start())
    assert harness.table().status is Status.PLAYING


async def test_a_group_without_a_table_gets_its_answers_once_it_can_be_written_to(harness: GroupHarness) -> None:
    await harness.say("Ana", SeeRules())
    await harness.service.handle(ChatLost("telegram", GROUP))
    assert harness.waiting_kinds() == []
    resumed = await harness.service.handle(ChatWritable("telegram", GROUP, 0))
    assert (harness.waiting_kinds(), resumed.lanes) == ([("rules", GROUP)], frozenset({LaneName("telegram", GROUP)}))
    await harness.service.handle(ChatLost("telegram", GROUP))
    await harness.say("Ana", SeeHelp())
    assert [kind for kind, _ in harness.waiting_kinds()] == ["rules", "help"]
    assert harness.rows(Chat)[0].lost_at is None
    moved = await harness.service.handle(ChatAddressChanged("telegram", GROUP, -100777))
    assert moved.lanes == {LaneName("telegram", -100777)}


async def test_a_notice_to_a_place_that_is_not_known_is_dropped(harness: GroupHarness) -> None:
    harness.enqueue(HelpNotice(private=False), chat=-77, topic=4, table=None)
    await harness.service.handle(ChatLost("telegram", -77, 4))
    assert [row.status for row in harness.rows(OutboxEntry)] == [NoticeStatus.FAILED]


# A group that becomes a supergroup: its table, and earlier messages from the new address


@pytest.mark.parametrize("heard_before", [False, True])
async def test_a_group_that_moves_takes_its_game_along(harness: GroupHarness, heard_before: bool) -> None:
    """Telegram announces the move in the old group, and the bot's membership in the new one, in any order."""
    await harness.game("22222", "33333")
    harness.shows("deal:1", 55)
    harness.shows("hand:1", 56, chat=ANA)
    new = i.Place("telegram", -100777, 0, "Friends")
    if heard_before:
        await harness.say("Ana", i.BotMembershipChanged(present=True, ephemeral_allowed=False), where=new, by="nothing")
    await harness.say("Ana", i.ChatMoved(-100777), by="nothing")
    assert {chat for kind, chat in harness.waiting_kinds() if kind in ("table", "started")} == {-100777}
    assert {row.lane for row in harness.waiting()} == {LaneName("telegram", chat) for chat in (-100777, ANA, BO)}
    assert [row.slot for row in harness.rows(SentMessage)] == ["hand:1"], "old messages cannot be edited any more"
    harness.group = new
    assert confirmation_of((await harness.call("3x4")).toast) is Confirmation.BID
    await harness.service.handle(ChatAddressChanged("telegram", GROUP, -100777))
    assert [row.address for row in harness.rows(Chat)] == [-100777], "told twice is told once"


@pytest.mark.parametrize("begun", [False, True])
async def test_a_game_outlives_a_lobby_at_its_new_address_but_no_game(harness: GroupHarness, *, begun: bool) -> None:
    await harness.game("22222", "33333", sent=True)
    harness.group = i.Place("telegram", -100777, 0, "Friends")
    await harness.say("Bo", OpenLobby())
    if begun:
        await harness.say("Cy", Join())
        await harness.tap("Bo", Start(), table=2)
    harness.shows("lobby", 9, chat=-100777, table=2, keyboard=True)
    harness.mark_all_sent()
    await harness.service.handle(ChatAddressChanged("telegram", GROUP, -100777))
    assert sorted((row.id, row.live) for row in harness.rows(GameTable)) == [(1, not begun), (2, begun)]
    if not begun:
        told = sorted(told for told in harness.waiting_kinds() if told[0] != "hand")
        assert told == [("closed", -100777), ("table", -100777)], "the lobby says so, the game is shown"
        assert confirmation_of((await harness.call("3x4")).toast) is Confirmation.BID


@BOTH_DATABASES
@pytest.mark.parametrize("also_here", [False, True])
async def test_a_group_that_moves_keeps_what_its_new_address_had(harness: GroupHarness, *, also_here: bool) -> None:
    """Each table of the schema that refers to a place has a row of the new address, and perhaps one of the old."""
    await harness.game("22222", "33333", sent=True)
    harness.group = i.Place("telegram", -100777, 0, "Friends")
    await harness.say("Bo", OpenLobby())
    harness.mark_all_sent()
    here, there = (chat.id for chat in sorted(harness.rows(Chat), key=lambda chat: chat.id))
    columns = [column for column in references_to(Chat) if column.table.name not in ("game_table", "game_result")]
    with harness.database.transaction() as session:
        for column in columns:
            for place in {there, here if also_here else there}:
                row = example_row(column.table, str(place)) | {column.name: place}
                session.execute(insert(column.table).values(row))
        for player, address in ((1, GROUP), (2, GROUP), (2, -100777)):
            session.add(Member(channel="telegram", address=address, player_id=player, gone=address == GROUP))
    await harness.service.handle(ChatAddressChanged("telegram", GROUP, -100777))
    assert [(row.id, row.address) for row in harness.rows(Chat)] == [(here, -100777)]
    with harness.database.transaction() as session:
        for column in columns:
            assert set(session.execute(select(column)).scalars()) == {here}, column
    moved = {(row.player_id, row.gone) for row in harness.rows(Member) if row.address == -100777}
    assert moved == {(1, True), (2, False)}


def example_row(table: FromClause, text: str) -> dict[str, object]:
    """The columns without which a row cannot be stored; every reference is to the first row of its table."""
    examples = {Boolean: True, Float: 0.0, Integer: 1, JSON: {}}
    return {
        column.name: next((value for kind, value in examples.items() if isinstance(column.type, kind)), text)
        for column in table.columns
        if not column.nullable and column.name != "id"
    }
