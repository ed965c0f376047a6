"""Through the service: two games, the record, leaving, absence, chats that move, outages, secrecy."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from sqlalchemy import update

from perudo_core import PRESETS, Rules, legal_actions
from telegram_bot.operations.pruning import Pruning
from telegram_bot.service import intents as i
from telegram_bot.service.handlers import chats
from telegram_bot.service.notices import Done
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import (
    Chat,
    GameAction,
    GameTable,
    Outbox,
    Player,
    PrivateView,
    SentMessage,
    Sitting,
)
from telegram_bot.tables.events import Denial
from telegram_bot.tables.model import Clock, OnTimeout, Status, Table
from telegram_bot.tables.views import lobby_view
from tests.telegram_bot.conftest import AUTO, NAMES, Room, denial, done

GROUP = -1001
ANA, BO, CY = 101, 102, 103


# Two games


async def two_games(room: Room) -> i.Place:
    other = i.Place("telegram", -2002, 0, "Family")
    await room.game("22222", "33333")
    for name in ("Ana", "Bo"):
        await room.say(name, i.OpenLobby() if name == "Ana" else i.Join(), where=other)
    await room.tap("Ana", i.Start(), table=2, where=other)
    await room.put("44444", "55555", table=2)
    room.flush()
    return other


async def test_a_player_in_two_games_is_asked_which(room: Room) -> None:
    await two_games(room)
    await room.say("Ana", i.MakeBid(3, 4), where=None)
    (which,) = room.notices("which_table")
    assert [(choice.table, choice.title) for choice in which.choices] == [(1, "Friends"), (2, "Family")]
    assert which.word == "3x4"
    assert (room.table(1).step, room.table(2).step) == (0, 0)
    await room.tap("Ana", i.MakeBid(3, 4), table=2, where=None)
    assert (room.table(1).step, room.table(2).step) == (0, 1)


async def test_a_reply_says_which(room: Room) -> None:
    await two_games(room)
    with room.database.transaction() as session:
        for table in (1, 2):
            session.add(SentMessage(table_id=table, slot="hand:1", chat=ANA, message=500 + table))
    await room.say("Ana", i.MakeBid(3, 4), where=None, replied_message=502)
    assert (room.table(1).step, room.table(2).step) == (0, 1)
    await room.say("Ana", i.MakeBid(3, 4), where=None, replied_message=9)
    assert room.notices("which_table")


async def test_in_a_group_its_own_table_is_meant(room: Room) -> None:
    other = await two_games(room)
    await room.say("Ana", i.MakeBid(3, 4), where=other)
    assert (room.table(1).step, room.table(2).step) == (0, 1)


@pytest.mark.parametrize("wish", [i.Stop(is_admin=True), i.Stop(), i.Join(), i.SeeDice(by_tap=True), i.PlayAgain()])
async def test_a_button_forged_in_another_chat_reaches_no_table(room: Room, wish: i.What) -> None:
    """What a button carries comes from outside: a table answers to its own group and to its own players."""
    await room.lobby("Ana", "Bo")
    before = room.table()
    elsewhere = i.Place("telegram", -6666, 0, "Mallory's")
    for where in (elsewhere, None):
        toast = (await room.tap("Eve", wish, where=where)).toast
        assert denial(toast) is Denial.NO_TABLE
    assert room.table() == before


# Lucky words and the record


async def test_a_lucky_word_is_stirred_into_the_dice_and_shown(room: Room) -> None:
    await room.lobby("Ana", "Bo")
    before = lobby_view(room.table()).commitment
    assert before is not None
    await room.say("Bo", i.StirDice("  four\nleaf   clover, and much more of it than anybody reads "), by="nothing")
    view = room.notices("lobby")[-1].view
    assert view.words[0] == ""
    assert view.commitment == before, "the house chose before it heard the word"
    assert view.words[1].startswith("four leaf clover")
    assert len(view.words[1]) <= 32
    assert room.table().seats[1].word == view.words[1]
    assert "secret" not in json.dumps([envelope.notice.model_dump(mode="json") for envelope in room.envelopes()])


@pytest.mark.parametrize("stage", ["no table", "a game", "over", "a stranger"])
async def test_banter_in_reply_to_the_bot_is_not_answered(room: Room, stage: str) -> None:
    if stage in ("a game", "over"):
        await room.game("2", "33", calls="2x2 dudo" if stage == "over" else "")
    if stage == "a stranger":
        await room.lobby("Ana", "Bo")
    room.flush()
    tables = room.all(GameTable)
    outcome = await room.say("Cy" if stage == "a stranger" else "Ana", i.StirDice("well played"), by="nothing")
    assert outcome.toast is None
    assert room.told() == []
    assert [row.state for row in room.all(GameTable)] == [row.state for row in tables]


async def test_the_finished_game_can_be_had_as_a_record(room: Room) -> None:
    await room.lobby("Ana", "Bo")
    await room.tap("Ana", i.Start())
    assert denial((await room.tap("Ana", i.SeeRecord())).toast) is Denial.NO_GAME
    await room.tap("Bo", i.Leave(confirmed=True))
    room.flush()
    await room.tap("Cy", i.SeeRecord())
    ((kind, chat),) = room.told()
    assert (kind, chat) == ("record", GROUP)
    document = json.loads(room.notices("record")[0].document)
    assert room.table().secret not in (None, "")
    assert "Ana" in json.dumps(document)


# Leaving


async def test_leaving_a_game_asks_first(room: Room) -> None:
    await room.game("22222", "33333", "44444")
    room.flush()
    await room.say("Bo", i.Leave())
    assert room.told() == [("confirm_leave", GROUP)]
    assert room.table().in_play(1)
    assert done((await room.tap("Bo", i.Leave(confirmed=True))).toast) is Done.LEFT
    assert not room.table().in_play(1)
    assert denial((await room.tap("Bo", i.Leave(confirmed=True))).toast) is Denial.OUT
    assert [row.live for row in sorted(room.all(Sitting), key=lambda row: row.player_id)] == [True, False, True]


async def test_a_button_to_leave_is_for_whom_it_was_made(room: Room) -> None:
    await room.game("22222", "33333", "44444")
    room.flush()
    await room.say("Bo", i.Leave())
    (notice,) = room.notices("confirm_leave")
    assert (notice.player, notice.name) == (room.player("Bo").id, "Bo")
    asked = i.Leave(confirmed=True, asked=notice.player)
    assert denial((await room.tap("Cy", asked)).toast) is Denial.NOT_YOURS
    assert all(room.table().in_play(seat) for seat in range(3))
    await room.tap("Bo", asked)
    assert not room.table().in_play(1)


async def test_a_player_who_leaves_the_group_leaves_the_game(room: Room) -> None:
    await room.game("22222", "33333", "44444")
    await room.say("Ana", i.LeaveChat(), by="nothing")
    table = room.table()
    assert (table.in_play(0), table.host) == (False, room.player("Bo").id)
    await room.say("Bo", i.LeaveChat(), by="nothing")
    assert room.table().status is Status.FINISHED
    await room.say("Eve", i.LeaveChat(), by="nothing")
    assert not room.notices("denied"), "an onlooker's leaving is nobody's business"


async def test_an_admin_stops_a_running_game(room: Room) -> None:
    await room.game("22222", "33333")
    with room.database.transaction() as session:
        session.add(SentMessage(table_id=1, slot="deal:1", chat=GROUP, message=55, keyboard=True))
    room.flush()
    assert denial((await room.tap("Bo", i.Stop())).toast) is Denial.NOT_ALLOWED
    await room.say("Bo", i.Stop(is_admin=True))
    assert room.told() == [("strip", GROUP), ("closed", GROUP)]
    assert denial((await room.tap("Ana", i.MakeBid(3, 4))).toast) is Denial.NO_GAME


async def test_who_leaves_the_group_leaves_the_games_of_all_its_topics(room: Room) -> None:
    await room.game("22222", "33333", "44444")
    topic = i.Place("telegram", GROUP, 5, "Friends")
    for name in ("Ana", "Bo", "Cy"):
        await room.say(name, i.OpenLobby() if name == "Ana" else i.Join(), where=topic)
    await room.tap("Ana", i.Start(), table=2, where=topic)
    await room.tap("Bo", i.Leave(confirmed=True, asked=2))
    await room.say("Bo", i.LeaveChat(), by="nothing")
    assert not room.table().in_play(1)
    assert not room.table(2).in_play(1), "to be out of one game is no reason to stay in the other"


# Absence


async def test_the_clock_reminds_then_plays_then_waits_for_everybody(database: Database) -> None:
    room = Room(database, clock=AUTO)
    await room.game("22222", "33333")
    room.flush()
    await room.due(30)
    assert room.told() == [("reminder", ANA)]
    assert room.waiting()[0].expires_at == room.table().clock_ends
    room.flush()
    await room.due(30)
    assert [kind for kind, _ in room.told()] == ["table", "hand", "away"]
    room.flush()
    await room.due(60)
    assert "paused" in [kind for kind, _ in room.told()]
    assert room.table().paused
    room.flush()
    assert done((await room.tap("Bo", i.ComeBack())).toast) is Done.BACK
    assert not room.table().paused
    assert room.told()[0] == ("table", GROUP)


async def test_who_reads_nothing_in_private_is_reminded_by_name_in_the_group(database: Database) -> None:
    room = Room(database, clock=AUTO)
    await room.game("22222", "33333")
    await room.say("Ana", i.ChooseView(PrivateView.ALERT))
    room.flush()
    await room.due(30)
    assert room.told() == [("reminder", GROUP)]
    (reminder,) = room.notices("reminder")
    assert (reminder.name, reminder.address, reminder.direct) == ("Ana", ANA, False)


async def test_an_away_player_who_says_anything_is_back(database: Database) -> None:
    room = Room(database, clock=AUTO)
    await room.game("22222", "33333", "44444")
    await room.due(61)
    assert room.table().seats[0].away
    room.flush()
    await room.say("Ana", i.MakeBid(9, 9))
    assert not room.table().seats[0].away
    assert {"table", "denied"} <= {kind for kind, _ in room.told()}


async def test_only_players_take_a_seat_back(room: Room) -> None:
    await room.game("22222", "33333", "44444")
    await room.tap("Cy", i.Leave(confirmed=True))
    assert denial((await room.tap("Eve", i.ComeBack())).toast) is Denial.NOT_SEATED
    assert denial((await room.tap("Cy", i.ComeBack())).toast) is Denial.OUT


@pytest.mark.parametrize("on_timeout", [OnTimeout.LOSE_DIE, OnTimeout.DROP_OUT])
async def test_stricter_houses_play_themselves_to_an_end(database: Database, on_timeout: OnTimeout) -> None:
    room = Room(database, clock=Clock(seconds=30, on_timeout=on_timeout, misses_allowed=1))
    await room.game("22", "33")
    for _ in range(60):
        await room.due(31)
    assert room.table().status is Status.FINISHED
    assert room.notices("game_over")


# Chats that move or go


async def test_a_group_that_moves_takes_its_game_along(room: Room) -> None:
    await room.game("22222", "33333")
    with room.database.transaction() as session:
        session.add(SentMessage(table_id=1, slot="deal:1", chat=GROUP, message=55))
        session.add(SentMessage(table_id=1, slot="hand:1", chat=ANA, message=56))
    await room.say("Ana", i.MoveChat(-100777), by="nothing")
    assert {chat for kind, chat in room.told() if kind in ("table", "started")} == {-100777}
    assert {row.lane for row in room.waiting()} == {"telegram:-100777", "telegram:101", "telegram:102"}
    assert [row.slot for row in room.all(SentMessage)] == ["hand:1"], "old messages cannot be edited any more"
    room.group = i.Place("telegram", -100777, 0, "Friends")
    assert done((await room.call("3x4")).toast) is Done.BID
    await room.learn(chats.move_chat, "telegram", GROUP, -100777)
    assert [row.address for row in room.all(Chat)] == [-100777], "told twice is told once"


async def test_a_group_that_moved_may_have_been_heard_from_at_its_new_address_already(room: Room) -> None:
    """Telegram tells of the move in the old group, and of the bot's standing in the new one, in any order."""
    await room.game("22222", "33333")
    new = i.Place("telegram", -100777, 0, "Friends")
    await room.say("Ana", i.BotStanding(present=True, can_whisper=False), where=new, by="nothing")
    await room.say("Ana", i.MoveChat(-100777), by="nothing")
    room.group = new
    assert done((await room.call("3x4")).toast) is Done.BID
    assert [row.address for row in room.all(Chat)] == [-100777]


async def test_a_running_game_outlives_a_lobby_opened_at_the_new_address_before_the_move_was_heard(room: Room) -> None:
    await room.game("22222", "33333")
    room.flush()
    room.group = i.Place("telegram", -100777, 0, "Friends")
    await room.say("Bo", i.OpenLobby())
    with room.database.transaction() as session:
        session.add(SentMessage(table_id=2, slot="lobby", chat=-100777, message=9, keyboard=True))
    room.flush()
    await room.learn(chats.move_chat, "telegram", GROUP, -100777)
    assert [(row.id, row.live) for row in room.all(GameTable)] == [(1, True), (2, False)]
    assert room.told() == [("closed", -100777), ("table", -100777)], "the lobby says so, the game is shown"
    assert done((await room.call("3x4")).toast) is Done.BID


async def test_a_game_begun_at_the_new_address_stays_and_the_old_one_closes(room: Room) -> None:
    await room.game("22222", "33333")
    room.group = i.Place("telegram", -100777, 0, "Friends")
    await room.say("Bo", i.OpenLobby())
    await room.say("Cy", i.Join())
    await room.tap("Bo", i.Start(), table=2)
    await room.learn(chats.move_chat, "telegram", GROUP, -100777)
    assert [(row.id, row.live) for row in room.all(GameTable)] == [(1, False), (2, True)]


# Outages and crashes


async def test_an_intent_that_fails_leaves_no_trace(room: Room) -> None:
    await room.game("22222", "33333")
    before, waiting = room.table(), len(room.waiting())
    with room.database.transaction() as session:
        session.connection().exec_driver_sql("ALTER TABLE outbox RENAME TO hidden")
    with pytest.raises(Exception, match="outbox"):
        await room.tap("Ana", i.MakeBid(3, 4), cause="once")
    with room.database.transaction() as session:
        session.connection().exec_driver_sql("ALTER TABLE hidden RENAME TO outbox")
    assert (room.table(), len(room.waiting())) == (before, waiting)
    assert done((await room.tap("Ana", i.MakeBid(3, 4), cause="once")).toast) is Done.BID


async def test_what_is_old_is_forgotten_and_what_waits_is_not(room: Room) -> None:
    await room.game("22222", "33333")
    room.flush()
    with room.database.transaction() as session:
        session.exec(update(Outbox).values(done_at=room.now))
    await room.service.arrivals.write_down("telegram", [("open", {})])
    await room.call("3x4")
    room.now += 8 * 86400
    await Pruning(room.database, lambda: room.now).run()
    assert room.unfinished() == ["open"]
    assert room.told() == [("table", GROUP), ("hand", BO)]
    assert {row.status for row in room.all(Outbox)} == {"pending"}
    assert room.all(GameAction)


# Secrecy


def dice_in(value: Any) -> list[tuple[int, ...]]:
    """Every list of dice in a stored notice, wherever it stands."""
    found: list[tuple[int, ...]] = []
    if isinstance(value, dict):
        for name, inner in value.items():
            if name == "dice" and isinstance(inner, list):
                found += [tuple(hand) for hand in inner] if inner and isinstance(inner[0], list) else [tuple(inner)]
            else:
                found += dice_in(inner)
    elif isinstance(value, list):
        for inner in value:
            found += dice_in(inner)
    return found


@pytest.mark.parametrize("preset", PRESETS)
async def test_no_notice_for_anybody_else_holds_a_players_dice(database: Database, preset: str) -> None:
    rules = Rules.preset(preset).with_options(calza=preset != "aces")
    room = Room(database, rules=rules, clock=AUTO, seed=sum(map(ord, preset)))
    names = NAMES[:4]
    await room.lobby(*names)
    await room.tap("Ana", i.Start())
    rng = random.Random(5)
    reveals = 0
    for turn in range(60):
        table = room.table()
        if table.status is not Status.PLAYING:
            break
        assert table.game is not None
        reveals += look(room, table)
        room.flush()
        calls = list(legal_actions(table.game))
        call = rng.choice(calls) if rng.random() < 0.5 else calls[0]
        if hasattr(call, "face"):
            await room.call(str(call))
        else:
            await room.call(f"{call.seat}:{type(call).__name__.lower()}")
        if turn % 7 == 3:
            await room.due(30)
        if turn % 11 == 5:
            await room.say(rng.choice(names), i.SeeStatus())
            await room.say(rng.choice(names), i.SeeDice())
        if turn % 13 == 6:
            room.change(Player, 2, direct="refused")
            room.change(Chat, 1, ephemeral=turn % 2 == 0)
    assert reveals > 2
    room.flush()
    assert {row.notice is None for row in room.all(Outbox)} == {True}, "what was told is not kept"


def look(room: Room, table: Table) -> int:
    """Check everything that waits to be sent; returns the number of reveals."""
    assert table.game is not None
    reveals = 0
    for envelope in room.envelopes():
        stored = envelope.notice.model_dump(mode="json")
        if table.status is Status.PLAYING:
            assert table.secret is not None
            assert table.secret not in json.dumps(stored), "all dice follow from it"
        match stored["kind"]:
            case "hand":
                assert (envelope.receiver or envelope.chat) == 101 + stored["view"]["seat"]
                previous = stored.pop("previous")
                own = stored["view"]["dice"]
                assert dice_in(stored) == [tuple(own)]
                assert previous is None or previous["round"] < table.game.round
            case "reveal":
                reveals += 1
                assert stored["view"]["round"] < table.game.round
            case "table":
                previous = stored.pop("previous")
                assert dice_in(stored) == []
                assert previous is None or previous["round"] < table.game.round
            case _:
                assert dice_in(stored) == [], stored["kind"]
    return reveals


def test_the_search_for_dice_finds_them() -> None:
    assert dice_in({"view": {"dice": [1, 2], "table": {"seats": [{"dice": 5}, {"dice": [6]}]}}}) == [(1, 2), (6,)]
    assert dice_in([{"dice": [[1], [2, 3]]}]) == [(1,), (2, 3)]
