"""Through the service: two games, the record, leaving, absence, outages."""

import json

import pytest
from sqlalchemy import update

from telegram_bot.operations.pruning import Pruning
from telegram_bot.service import intents as i
from telegram_bot.service.notices import Confirmation, MessageRef
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import (
    GameAction,
    GameTable,
    OutboxEntry,
    PrivateView,
    SentMessage,
    TableSeat,
)
from telegram_bot.tables.events import RejectionReason
from telegram_bot.tables.model import Status
from tests.telegram_bot.conftest import AUTO_CLOCK, GroupHarness, confirmation_of, rejection_of

GROUP = -1001
ANA, BO, CY = 101, 102, 103


# Two games


async def two_games(harness: GroupHarness) -> i.Place:
    other = i.Place("telegram", -2002, 0, "Family")
    await harness.game("22222", "33333")
    for name in ("Ana", "Bo"):
        await harness.say(name, i.OpenLobby() if name == "Ana" else i.Join(), where=other)
    await harness.tap("Ana", i.Start(), table=2, where=other)
    await harness.set_dice("44444", "55555", table=2)
    harness.mark_all_sent()
    return other


async def test_a_player_in_two_games_is_asked_which(harness: GroupHarness) -> None:
    await two_games(harness)
    await harness.say("Ana", i.MakeBid(3, 4), where=None)
    (which,) = harness.notices("which_table")
    assert [(choice.table, choice.title) for choice in which.choices] == [(1, "Friends"), (2, "Family")]
    assert which.word == "3x4"
    assert (harness.table(1).step, harness.table(2).step) == (0, 0)
    await harness.tap("Ana", i.MakeBid(3, 4), table=2, where=None)
    assert (harness.table(1).step, harness.table(2).step) == (0, 1)


async def test_a_reply_says_which(harness: GroupHarness) -> None:
    await two_games(harness)
    with harness.database.transaction() as session:
        for table in (1, 2):
            session.add(SentMessage(table_id=table, slot="hand:1", chat=ANA, message=500 + table))
    await harness.say("Ana", i.MakeBid(3, 4), where=None, replied_to=MessageRef(502))
    assert (harness.table(1).step, harness.table(2).step) == (0, 1)
    await harness.say("Ana", i.MakeBid(3, 4), where=None, replied_to=MessageRef(9))
    assert harness.notices("which_table")


async def test_in_a_group_its_own_table_is_meant(harness: GroupHarness) -> None:
    other = await two_games(harness)
    await harness.say("Ana", i.MakeBid(3, 4), where=other)
    assert (harness.table(1).step, harness.table(2).step) == (0, 1)


@pytest.mark.parametrize("wish", [i.Stop(is_admin=True), i.Stop(), i.Join(), i.SeeDice(), i.PlayAgain()])
async def test_a_button_forged_in_another_chat_reaches_no_table(harness: GroupHarness, wish: i.What) -> None:
    """What a button carries comes from outside: a table answers to its own group and to its own players."""
    await harness.lobby("Ana", "Bo")
    before = harness.table()
    elsewhere = i.Place("telegram", -6666, 0, "Mallory's")
    for where in (elsewhere, None):
        toast = (await harness.tap("Eve", wish, where=where)).toast
        assert rejection_of(toast) is RejectionReason.NO_TABLE
    assert harness.table() == before


# Lucky words and the record


@pytest.mark.parametrize("stage", ["no table", "a game", "over", "a stranger"])
async def test_banter_in_reply_to_the_bot_is_not_answered(harness: GroupHarness, stage: str) -> None:
    if stage in ("a game", "over"):
        await harness.game("2", "33", calls="2x2 dudo" if stage == "over" else "")
    if stage == "a stranger":
        await harness.lobby("Ana", "Bo")
    harness.mark_all_sent()
    tables = harness.rows(GameTable)
    outcome = await harness.say("Cy" if stage == "a stranger" else "Ana", i.StirDice("well played"), by="nothing")
    assert outcome.toast is None
    assert harness.waiting_kinds() == []
    assert [row.state for row in harness.rows(GameTable)] == [row.state for row in tables]


async def test_the_finished_game_can_be_had_as_a_record(harness: GroupHarness) -> None:
    await harness.lobby("Ana", "Bo")
    await harness.tap("Ana", i.Start())
    assert rejection_of((await harness.tap("Ana", i.SeeRecord())).toast) is RejectionReason.NO_GAME
    await harness.tap("Bo", i.Leave(confirmed=True))
    harness.mark_all_sent()
    await harness.tap("Cy", i.SeeRecord())
    ((kind, chat),) = harness.waiting_kinds()
    assert (kind, chat) == ("record", GROUP)
    document = json.loads(harness.notices("record")[0].document)
    assert harness.table().secret not in (None, "")
    assert "Ana" in json.dumps(document)


# Leaving


async def test_leaving_a_game_asks_first(harness: GroupHarness) -> None:
    await harness.game("22222", "33333", "44444", sent=True)
    await harness.say("Bo", i.Leave())
    assert harness.waiting_kinds() == [("confirm_leave", GROUP)]
    assert harness.table().in_play(1)
    assert confirmation_of((await harness.tap("Bo", i.Leave(confirmed=True))).toast) is Confirmation.LEFT
    assert not harness.table().in_play(1)
    harness.mark_all_sent()
    assert rejection_of((await harness.tap("Bo", i.Leave(confirmed=True))).toast) is RejectionReason.OUT
    assert [row.live for row in sorted(harness.rows(TableSeat), key=lambda row: row.player_id)] == [True, False, True]


async def test_a_button_to_leave_is_for_whom_it_was_made(harness: GroupHarness) -> None:
    await harness.game("22222", "33333", "44444", sent=True)
    await harness.say("Bo", i.Leave())
    (notice,) = harness.notices("confirm_leave")
    assert (notice.player, notice.name) == (harness.player("Bo").id, "Bo")
    asked = i.Leave(confirmed=True, asked=notice.player)
    assert rejection_of((await harness.tap("Cy", asked)).toast) is RejectionReason.NOT_YOURS
    assert all(harness.table().in_play(seat) for seat in range(3))
    await harness.tap("Bo", asked)
    assert not harness.table().in_play(1)


async def test_a_player_who_leaves_the_group_leaves_the_game(harness: GroupHarness) -> None:
    await harness.game("22222", "33333", "44444")
    await harness.say("Ana", i.MemberLeft(), by="nothing")
    table = harness.table()
    assert (table.in_play(0), table.host) == (False, harness.player("Bo").id)
    await harness.say("Bo", i.MemberLeft(), by="nothing")
    assert harness.table().status is Status.FINISHED
    await harness.say("Eve", i.MemberLeft(), by="nothing")
    assert not harness.notices("rejection"), "an onlooker's leaving is nobody's business"


async def test_an_admin_stops_a_running_game(harness: GroupHarness) -> None:
    await harness.game("22222", "33333")
    with harness.database.transaction() as session:
        session.add(SentMessage(table_id=1, slot="deal:1", chat=GROUP, message=55, keyboard=True))
    harness.mark_all_sent()
    assert rejection_of((await harness.tap("Bo", i.Stop())).toast) is RejectionReason.NOT_ALLOWED
    await harness.say("Bo", i.Stop(is_admin=True, confirmed=True))
    assert harness.waiting_kinds() == [("outdated", GROUP), *[("closed", chat) for chat in (GROUP, ANA, BO)]]
    assert rejection_of((await harness.tap("Ana", i.MakeBid(3, 4))).toast) is RejectionReason.NO_GAME


async def test_who_leaves_the_group_leaves_the_games_of_all_its_topics(harness: GroupHarness) -> None:
    await harness.game("22222", "33333", "44444")
    topic = i.Place("telegram", GROUP, 5, "Friends")
    for name in ("Ana", "Bo", "Cy"):
        await harness.say(name, i.OpenLobby() if name == "Ana" else i.Join(), where=topic)
    await harness.tap("Ana", i.Start(), table=2, where=topic)
    await harness.tap("Bo", i.Leave(confirmed=True, asked=2))
    await harness.say("Bo", i.MemberLeft(), by="nothing")
    assert not harness.table().in_play(1)
    assert not harness.table(2).in_play(1), "to be out of one game is no reason to stay in the other"


# Absence


async def test_the_clock_reminds_then_plays_then_waits_for_everybody(database: Database) -> None:
    harness = GroupHarness(database, clock=AUTO_CLOCK)
    await harness.game("22222", "33333", sent=True)
    await harness.run_deadlines(30)
    assert harness.waiting_kinds() == [("reminder", ANA)]
    assert harness.waiting()[0].expires_at == harness.table().clock_ends
    harness.mark_all_sent()
    await harness.run_deadlines(30)
    assert [kind for kind, _ in harness.waiting_kinds()] == ["hand", "table", "hand", "away"]
    harness.mark_all_sent()
    await harness.run_deadlines(60)
    assert "paused" in [kind for kind, _ in harness.waiting_kinds()]
    assert harness.table().paused
    harness.mark_all_sent()
    assert confirmation_of((await harness.tap("Bo", i.ReturnToSeat())).toast) is Confirmation.BACK
    assert not harness.table().paused
    assert harness.waiting_kinds()[0] == ("table", GROUP)


async def test_who_reads_nothing_in_private_is_reminded_by_name_in_the_group(database: Database) -> None:
    harness = GroupHarness(database, clock=AUTO_CLOCK)
    await harness.game("22222", "33333")
    await harness.say("Ana", i.Choose("view", PrivateView.ALERT))
    harness.mark_all_sent()
    await harness.run_deadlines(30)
    assert harness.waiting_kinds() == [("reminder", GROUP)]
    (reminder,) = harness.notices("reminder")
    assert (reminder.name, reminder.address, reminder.direct) == ("Ana", ANA, False)


async def test_an_away_player_who_says_anything_is_back(database: Database) -> None:
    harness = GroupHarness(database, clock=AUTO_CLOCK)
    await harness.game("22222", "33333", "44444")
    await harness.run_deadlines(61)
    assert harness.table().seats[0].away
    harness.mark_all_sent()
    await harness.say("Ana", i.MakeBid(9, 9))
    assert not harness.table().seats[0].away
    assert {"table", "rejection"} <= {kind for kind, _ in harness.waiting_kinds()}


async def test_only_players_take_a_seat_back(harness: GroupHarness) -> None:
    await harness.game("22222", "33333", "44444")
    await harness.tap("Cy", i.Leave(confirmed=True))
    harness.mark_all_sent()
    assert rejection_of((await harness.tap("Eve", i.ReturnToSeat())).toast) is RejectionReason.NOT_SEATED
    assert rejection_of((await harness.tap("Cy", i.ReturnToSeat())).toast) is RejectionReason.OUT


# Outages and crashes


async def test_an_intent_that_fails_leaves_no_trace(harness: GroupHarness) -> None:
    await harness.game("22222", "33333")
    before, waiting = harness.table(), len(harness.waiting())
    with harness.database.transaction() as session:
        session.connection().exec_driver_sql("ALTER TABLE outbox RENAME TO hidden")
    with pytest.raises(Exception, match="outbox"):
        await harness.tap("Ana", i.MakeBid(3, 4), cause="once")
    with harness.database.transaction() as session:
        session.connection().exec_driver_sql("ALTER TABLE hidden RENAME TO outbox")
    assert (harness.table(), len(harness.waiting())) == (before, waiting)
    assert confirmation_of((await harness.tap("Ana", i.MakeBid(3, 4), cause="once")).toast) is Confirmation.BID


async def test_what_is_old_is_forgotten_and_what_waits_is_not(harness: GroupHarness) -> None:
    await harness.game("22222", "33333", sent=True)
    with harness.database.transaction() as session:
        session.exec(update(OutboxEntry).values(done_at=harness.now))
    await harness.service.inbox_store.store_all("telegram", [("open", {})])
    await harness.call("3x4")
    harness.now += 8 * 86400
    await Pruning(harness.database, lambda: harness.now).run()
    assert harness.unfinished() == ["open"]
    assert harness.waiting_kinds() == [("hand", BO), ("table", GROUP), ("hand", ANA)]
    assert {row.status for row in harness.rows(OutboxEntry)} == {"pending"}
    assert harness.rows(GameAction)
