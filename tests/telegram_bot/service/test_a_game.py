"""Through the service: a running game, who is told what, private ways, two games, absence, outages."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from perudo_core import PRESETS, Rules, apply, legal_actions, load_action, new_game
from telegram_bot.service import intents as i
from telegram_bot.service.at_table import QUERY_SECONDS
from telegram_bot.service.notices import DeniedNotice, DiceNotice, Done, DoneNotice, Envelope, Mode, Toast
from telegram_bot.service.replies import ANSWER_SECONDS
from telegram_bot.storage.database import Database
from telegram_bot.storage.rows import Chat, GameAction, GameTable, Outbox, Player, PrivateView, SentMessage, Sitting
from telegram_bot.tables.happenings import Denial
from telegram_bot.tables.model import Clock, OnTimeout, Status, Table
from telegram_bot.tables.views import lobby_view
from tests.telegram_bot.conftest import AUTO, NAMES, PACE, Room

GROUP = -1001
ANA, BO, CY = 101, 102, 103


def denial(toast: Toast | None) -> Denial:
    assert isinstance(toast, DeniedNotice)
    return toast.denial


def done(toast: Toast | None) -> Done:
    assert isinstance(toast, DoneNotice)
    return toast.done


# Who is told what


async def test_the_start_tells_the_group_and_deals_to_everybody_in_private(room: Room) -> None:
    await room.lobby("Ana", "Bo", "Cy")
    room.flush()
    await room.tap("Ana", i.Start())
    assert room.told() == [("started", GROUP), ("table", GROUP), ("hand", ANA), ("hand", BO), ("hand", CY)]
    assert [row.slot for row in room.waiting()] == ["lobby", "deal:1", "hand:1", "hand:2", "hand:3"]
    envelopes = room.envelopes()
    assert [envelope.mode for envelope in envelopes] == [Mode.EDIT, Mode.EDIT] + [Mode.REPLACE] * 3
    turn = room.table().game.turn  # type: ignore[union-attr]
    assert [envelope.silent for envelope in envelopes[2:]] == [seat != turn for seat in range(3)]
    game = room.table().game
    assert game is not None
    assert [notice.view.dice for notice in room.notices("hand")] == list(game.dice)


async def test_a_bid_edits_the_table_and_calls_the_next_player(room: Room) -> None:
    await room.game("22222", "33333", "44444")
    room.flush()
    outcome = await room.call("3x4")
    assert done(outcome.toast) is Done.BID
    assert room.told() == [("table", GROUP), ("hand", BO)], "one call in the group and one in private"
    assert outcome.lanes == {"telegram:-1001", "telegram:102"}
    (table,) = [row for row in room.waiting() if row.slot == "deal:1"]
    assert table.supersedable
    (hand,) = room.notices("hand")
    assert (hand.view.on_turn, hand.view.dice) == (True, (3, 3, 3, 3, 3))
    assert [envelope.mode for envelope in room.envelopes()] == [Mode.EDIT, Mode.SEND]


async def test_bids_that_nobody_has_seen_yet_are_told_in_one_edit(room: Room) -> None:
    await room.game("22222", "33333", "44444")
    room.flush()
    for call in ("3x4", "4x4", "5x4"):
        await room.call(call)
    assert [kind for kind, chat in room.told() if chat == GROUP] == ["table"]
    assert len(room.notices("table")[0].view.bids) == 3
    assert len(room.notices("hand")) == 3, "whose turn it is, is told to each"
    gone = [row for row in room.all(Outbox) if row.status == "superseded" and row.slot == "deal:1"]
    assert [row.notice for row in gone] == [None, None]


async def test_a_dudo_shows_all_dice_and_opens_a_new_message(room: Room) -> None:
    await room.game("22222", "33333", "44444", calls="6x2")
    room.flush()
    assert done((await room.call("dudo")).toast) is Done.DUDO
    assert room.told() == [("reveal", GROUP), ("table", GROUP), ("hand", ANA), ("hand", BO), ("hand", CY)]
    reveal, table = room.waiting()[:2]
    assert (reveal.slot, reveal.supersedable, table.slot) == ("deal:1", False, "deal:2")
    view = room.notices("reveal")[0].view
    assert view.dice == ((2,) * 5, (3,) * 5, (4,) * 5)
    assert room.notices("table")[0].previous == view


async def test_the_end_tells_the_winner_and_takes_all_keyboards_away(room: Room) -> None:
    await room.game("2", "33")
    with room.database.transaction() as session:
        for player, message in ((1, 11), (2, 22)):
            slot = f"hand:{player}"
            session.add(SentMessage(table_id=1, slot=slot, chat=100 + player, message=message, keyboard=player == 2))
    room.flush()
    await room.call("2x2")
    room.flush()
    await room.call("dudo")
    assert room.told() == [("reveal", GROUP), ("game_over", GROUP), ("strip", BO)]
    assert room.notices("strip")[0].message == 22
    assert room.table().status is Status.FINISHED
    assert not any(row.live for row in room.all(Sitting))
    assert [row.due_at for row in room.all(GameTable)] == [None]


async def test_everything_that_happened_is_kept_in_order(room: Room) -> None:
    await room.lobby("Ana", "Bo")
    await room.tap("Ana", i.Start())
    rng = random.Random(3)
    while room.table().status is Status.PLAYING:
        game = room.table().game
        assert game is not None
        calls = list(legal_actions(game, game.turn))
        call = calls[-1] if len(game.bids) > 2 or rng.random() < 0.2 else calls[0]
        await room.call(str(call) if hasattr(call, "face") else "dudo")
    actions = sorted(room.all(GameAction), key=lambda row: row.number)
    assert [row.number for row in actions] == list(range(len(actions)))
    state = new_game(room.table().rules, ["Ana", "Bo"])
    for row in actions:
        state = apply(state, load_action(row.action)).state
    assert state == room.table().game
    assert all(row.cause.startswith("telegram:") for row in actions)


# Taps that come twice, late, or from somebody else


async def test_a_double_tap_counts_once(room: Room) -> None:
    await room.game("22222", "33333")
    assert done((await room.tap("Ana", i.MakeBid(3, 4), step=0)).toast) is Done.BID
    assert denial((await room.tap("Ana", i.MakeBid(3, 4), step=0)).toast) is Denial.ALREADY_DONE
    assert room.table().step == 1


async def test_a_tap_on_an_old_keyboard_does_nothing(room: Room) -> None:
    await room.game("22222", "33333", calls="6x2 dudo")
    before = room.table()
    for name in ("Ana", "Bo"):
        for what in (i.SayDudo(), i.MakeBid(9, 6), i.SayCalza()):
            assert denial((await room.tap(name, what, step=1)).toast) is Denial.STALE
    assert room.table() == before


async def test_somebody_elses_tap_says_whose_turn_it_is(room: Room) -> None:
    await room.game("22222", "33333", "44444")
    toast = (await room.tap("Cy", i.MakeBid(3, 4))).toast
    assert isinstance(toast, DeniedNotice)
    assert (toast.denial, toast.on_turn) == (Denial.ILLEGAL, "Ana")
    assert denial((await room.tap("Dee", i.MakeBid(3, 4))).toast) is Denial.NOT_SEATED


async def test_a_typed_call_that_was_meant_for_an_earlier_turn_does_nothing(room: Room) -> None:
    await room.game("22222", "33333", "44444")
    sent = room.now
    room.now += 30
    await room.call("3x4")
    await room.say("Bo", i.SayDudo(), said_at=sent)
    assert room.notices("denied")[-1].denial is Denial.STALE
    assert room.table().step == 1
    await room.say("Bo", i.SayDudo(), said_at=room.now - 2)
    assert room.table().step == 2


async def test_a_bid_in_reply_to_the_last_round_counts_its_message_may_be_the_newest_there_is(room: Room) -> None:
    await room.game("22222", "33333", calls="6x5 dudo")
    await room.put("22222", "3333", opener=0)
    with room.database.transaction() as session:
        session.add(SentMessage(table_id=1, slot="deal:1", chat=GROUP, message=501))
    before = room.table().step
    await room.say("Ana", i.MakeBid(3, 2), replied_message=501, said_at=room.now)
    assert room.table().step == before + 1


async def test_a_doubt_in_reply_to_the_message_of_a_round_that_is_over_is_banter(room: Room) -> None:
    await room.game("22222", "33333", "44444", calls="6x5 dudo")
    await room.put("22222", "33333", "4444", opener=0)
    await room.call("3x4")
    table = room.table()
    assert (table.deals, table.game and table.game.turn) == (2, 1)
    with room.database.transaction() as session:
        for slot, message in (("lobby", 500), ("deal:1", 501), ("deal:2", 502)):
            session.add(SentMessage(table_id=1, slot=slot, chat=GROUP, message=message))
        session.add(SentMessage(table_id=9, slot="over", chat=GROUP, message=503))
        session.add(SentMessage(table_id=9, slot="deal:7", chat=GROUP, message=502, receiver=ANA))
    for earlier in (501, 503):
        room.flush()
        await room.say("Bo", i.SayDudo(), replied_message=earlier, said_at=room.now)
        assert [notice.denial for notice in room.notices("denied")] == [Denial.STALE]
        assert room.table().step == table.step
    await room.say("Bo", i.MakeBid(4, 4), replied_message=500)
    await room.say("Cy", i.MakeBid(5, 4), replied_message=502)
    await room.say("Ana", i.SayDudo(), replied_message=12345)
    assert room.table().step == table.step + 3


async def test_exactly_one_of_the_tap_and_the_clock_counts(database: Database) -> None:
    room = Room(database, clock=AUTO)
    await room.game("22222", "33333", "44444")
    await room.due(61)
    assert room.table().step == 1
    assert denial((await room.tap("Ana", i.MakeBid(5, 5), step=0)).toast) is Denial.TOO_LATE
    assert room.table().step == 1
    assert not room.table().seats[0].away, "being heard from hands the seat back"
    assert (await room.service.on_deadline(1)).lanes == frozenset(), "the clock is not due any more"


# Looking


async def test_my_dice_at_a_tap_are_shown_in_an_alert_to_me_alone(room: Room) -> None:
    await room.game("22222", "33336")
    room.flush()
    toast = (await room.tap("Bo", i.SeeDice(by_tap=True))).toast
    assert isinstance(toast, DiceNotice)
    assert toast.view.dice == (3, 3, 3, 3, 6)
    assert room.told() == [], "no message is spent on it"
    assert denial((await room.tap("Dee", i.SeeDice(by_tap=True))).toast) is Denial.NOT_SEATED


async def test_dice_asked_for_in_words_come_in_private(room: Room) -> None:
    await room.game("22222", "33336")
    room.flush()
    await room.say("Bo", i.SeeDice())
    await room.say("Bo", i.SeeDice(), where=None)
    assert room.told() == [("hand", BO), ("hand", BO)]


async def test_dice_asked_for_in_words_by_who_reads_nothing_in_private(room: Room) -> None:
    await room.game("22222", "33336")
    await room.say("Bo", i.ChooseView(PrivateView.ALERT))
    room.flush()
    await room.say("Bo", i.SeeDice())
    assert "hand" not in [kind for kind, _ in room.told()]
    (answer,) = room.notices("done")
    assert (answer.done, answer.view) == (Done.VIEW_CHOSEN, PrivateView.ALERT)


async def test_the_status_brings_the_table_back_down(room: Room) -> None:
    await room.game("22222", "33333")
    with room.database.transaction() as session:
        session.add(SentMessage(table_id=1, slot="deal:1", chat=GROUP, message=55, keyboard=True))
    room.flush()
    await room.say("Bo", i.SeeStatus())
    assert room.told() == [("strip", GROUP), ("table", GROUP)]
    room.flush()
    await room.say("Bo", i.SeeStatus(), where=None)
    assert room.told() == [("table", BO)]


async def test_browsing_bids_turns_one_message(room: Room) -> None:
    await room.game("22222", "33333")
    room.flush()
    await room.tap("Ana", i.BrowseBids(4, GROUP, 55))
    (envelope,) = room.envelopes()
    assert (envelope.mode, envelope.chat, envelope.notice.kind) == (Mode.TARGET, GROUP, "keyboard")
    assert (room.notices("keyboard")[0].face, room.notices("keyboard")[0].private) == (4, False)
    room.flush()
    await room.tap("Ana", i.BrowseBids(None, ANA, 56), where=None)
    assert room.notices("keyboard")[0].private
    assert denial((await room.tap("Bo", i.BrowseBids(4, GROUP, 55))).toast) is Denial.ILLEGAL
    assert denial((await room.tap("Ana", i.BrowseBids(4, GROUP, 55), step=7)).toast) is Denial.STALE


async def test_who_leafs_quickly_through_the_bids_costs_the_group_one_edit(room: Room) -> None:
    await room.game("22222", "33333")
    room.flush()
    for face in range(1, 7):
        await room.tap("Ana", i.BrowseBids(face, GROUP, 55))
    await room.tap("Ana", i.BrowseBids(2, GROUP, 55, receiver=ANA))
    await room.tap("Ana", i.BrowseBids(3, ANA, 55), where=None)
    assert [(notice.face, notice.message) for notice in room.notices("keyboard")] == [(6, 55), (2, 55), (3, 55)]


async def test_who_asks_for_the_same_again_and_again_is_answered_once_and_not_late(room: Room) -> None:
    await room.game("22222", "33333")
    room.flush()
    for _ in range(20):
        await room.say("Bo", i.SeeHelp())
        await room.say("Dee", i.MakeBid(3, 4))
    assert room.told() == [("help", GROUP), ("denied", GROUP)]
    assert {row.expires_at for row in room.waiting()} == {room.now + ANSWER_SECONDS}
    room.flush()
    await room.say("Bo", i.SeeHelp())
    assert room.told() == [("help", GROUP)], "asked anew, told anew"


# Private ways: ephemeral message, private chat, alert, the shared keyboard


async def test_the_first_way_that_works_is_taken(room: Room) -> None:
    await room.game("22222", "33333")
    room.change(Chat, 1, ephemeral=True)
    room.flush()
    await room.call("3x4")
    (whispered,) = [envelope for envelope in room.envelopes() if envelope.notice.kind == "hand"]
    assert (whispered.chat, whispered.receiver, whispered.query) == (GROUP, BO, None)
    await room.say("Ana", i.ChooseView(PrivateView.DIRECT), where=None)
    room.flush()
    await room.call("4x4")
    assert ("hand", ANA) in room.told()


async def test_whoever_chose_alerts_gets_the_shared_keyboard(room: Room) -> None:
    await room.game("22222", "33333")
    await room.say("Bo", i.ChooseView(PrivateView.ALERT))
    room.flush()
    await room.call("3x4")
    assert room.told() == [("table", GROUP)]
    (notice,) = room.notices("table")
    assert (notice.shared, notice.unreachable) == (True, False), "they do not want a link"


async def refuse(room: Room, envelope: Envelope) -> None:
    room.flush()
    await room.service.private_way_failed(envelope, 1)


async def test_a_refused_way_gives_way_to_the_next_and_is_remembered(room: Room) -> None:
    await room.game("22222", "33333")
    room.change(Chat, 1, ephemeral=True)
    room.flush()
    await room.call("3x4")
    whispered = next(envelope for envelope in room.envelopes() if envelope.notice.kind == "hand")
    await refuse(room, whispered)
    assert room.all(Chat)[0].ephemeral is False
    assert room.told() == [("hand", BO)], "the private chat is next"
    await refuse(room, room.envelopes()[0])
    assert room.player("Bo").direct == "refused"
    assert room.told() == [("table", GROUP)], "then the table's own keyboard"
    assert (room.notices("table")[0].shared, room.notices("table")[0].unreachable) == (True, True)
    room.flush()
    await room.call("4x4")
    room.flush()
    await room.call("5x4")
    assert room.told() == [("table", GROUP)], "nothing more is sent where nothing arrives"


async def test_a_refused_answer_to_a_tap_closes_that_way_alone(room: Room) -> None:
    await room.game("22222", "33333")
    room.flush()
    await room.tap("Ana", i.BidHere("q1"))
    (whispered,) = room.envelopes()
    assert whispered.query == "q1"
    await refuse(room, whispered)
    chat = room.all(Chat)[0]
    assert (chat.ephemeral, chat.ephemeral_replies) == (None, False)
    assert room.told() == [("hand", ANA)]


async def test_a_refusal_long_after_brings_no_old_dice(room: Room) -> None:
    await room.game("22222", "33333")
    old = next(envelope for envelope in room.envelopes() if envelope.notice.kind == "hand" and envelope.chat == BO)
    await room.call("6x2")
    await room.call("dudo")
    await refuse(room, old)
    assert room.told() == []
    assert room.player("Bo").direct == "refused"


async def test_opening_the_private_chat_brings_the_dice_of_the_running_game(room: Room) -> None:
    await room.game("22222", "33333")
    await room.say("Bo", i.CloseDirect(), where=None, by="nothing")
    assert room.player("Bo").direct == "refused"
    room.flush()
    await room.say("Bo", i.OpenDirect(), where=None)
    assert room.told() == [("hand", BO), ("table", GROUP)]
    assert not room.notices("table")[0].unreachable


async def test_a_private_message_that_arrived_is_remembered(room: Room) -> None:
    await room.lobby("Ana")
    await room.service.direct_works("telegram", ANA)
    assert room.player("Ana").direct == "open"
    await room.say("Ana", i.CloseDirect(), where=None)
    await room.service.direct_works("telegram", ANA)
    assert room.player("Ana").direct == "refused", "an older success proves nothing"


async def test_bid_here_whispers_once_and_opens_the_shared_keyboard_at_the_second_tap(room: Room) -> None:
    await room.game("22222", "33333")
    room.flush()
    assert done((await room.tap("Ana", i.BidHere("q1"))).toast) is Done.DICE_SENT
    (row,) = room.waiting()
    assert row.expires_at == room.now + QUERY_SECONDS
    assert room.envelopes()[0].receiver == ANA
    room.flush()
    assert done((await room.tap("Ana", i.BidHere("q2"))).toast) is Done.SHARED_KEYBOARD
    assert room.notices("table")[0].shared
    toast = (await room.tap("Bo", i.BidHere("q3"))).toast
    assert isinstance(toast, DeniedNotice)
    assert (toast.denial, toast.on_turn) == (Denial.ILLEGAL, "Ana")


async def test_bid_here_in_the_private_chat_brings_the_keyboard_there(room: Room) -> None:
    await room.game("22222", "33333")
    room.flush()
    await room.tap("Ana", i.BidHere("q1"), where=None)
    (envelope,) = room.envelopes()
    assert (envelope.chat, envelope.receiver, envelope.query) == (ANA, None, None)
    assert envelope.notice.kind == "hand"


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
    await room.service.chat_moved("telegram", GROUP, -100777)
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


async def test_a_table_opened_at_the_new_address_stays_and_the_old_one_closes(room: Room) -> None:
    await room.game("22222", "33333")
    room.group = i.Place("telegram", -100777, 0, "Friends")
    await room.say("Bo", i.OpenLobby())
    await room.service.chat_moved("telegram", GROUP, -100777)
    assert [(row.id, row.live) for row in room.all(GameTable)] == [(1, False), (2, True)]
    await room.say("Ana", i.Join())
    assert [seat.name for seat in room.table(2).seats] == ["Bo", "Ana"]


async def test_a_lost_group_frees_its_players_without_a_word(room: Room) -> None:
    await room.game("22222", "33333")
    room.flush()
    await room.call("3x4")
    await room.say("Ana", i.BotStanding(present=False, can_whisper=False), by="nothing")
    assert room.table().status is Status.CLOSED
    assert [chat for _, chat in room.told()] == [BO], "what waited for the group is dropped"
    assert not any(row.live for row in room.all(Sitting))
    await room.say("Ana", i.SeeDice(), where=None)
    assert room.notices("denied")[-1].denial is Denial.NO_TABLE


async def test_delivery_tells_of_a_lost_chat(room: Room) -> None:
    await room.game("22222", "33333")
    await room.service.chat_lost("telegram", GROUP)
    assert room.table().status is Status.CLOSED
    assert GROUP not in [chat for _, chat in room.told()]


# Outages and crashes


async def test_after_an_outage_every_clock_starts_again(database: Database) -> None:
    room = Room(database, clock=AUTO)
    await room.game("22222", "33333")
    await room.service.heartbeat()
    room.flush()
    room.now += 20
    assert await room.service.after_outage() == frozenset(), "nothing was due"
    room.now += 5000
    assert await room.service.after_outage() == {"telegram:-1001"}
    assert room.table().clock_ends == room.now + 60
    assert room.told() == [("table", GROUP)]
    assert room.all(GameTable)[0].due_at == room.now + 30
    assert await room.service.due_tables() == []


async def test_what_was_typed_during_an_outage_or_before_a_return_still_counts(database: Database) -> None:
    room = Room(database, clock=AUTO)
    await room.game("22222", "33333", "44444")
    await room.service.heartbeat()
    room.now += 5000
    await room.service.after_outage()
    await room.say("Ana", i.MakeBid(3, 2), said_at=room.now - 2000)
    assert room.table().step == 1, "the clock began anew, the turn is the same"
    await room.due(61)
    await room.due(PACE.away_seconds + 121)
    await room.due(PACE.away_seconds + 121)
    table = room.table()
    assert table.paused
    assert table.game is not None
    assert table.game.turn is not None
    await room.say(table.seats[table.game.turn].name, i.SayDudo(), said_at=table.turn_since + 1)
    assert room.table().step == table.step + 1


async def test_without_a_sign_of_life_before_there_was_no_outage_unless_one_is_known(database: Database) -> None:
    room = Room(database, clock=AUTO)
    await room.game("22222", "33333")
    room.now += 5000
    assert await room.service.after_outage() == frozenset()
    assert await room.service.after_outage(silent_since=room.now - 4000) == {"telegram:-1001"}


async def test_a_short_silence_restarts_the_clocks_that_ended_within_it(database: Database) -> None:
    clock = Clock(seconds=30, on_timeout=OnTimeout.LOSE_DIE)
    room = Room(database, clock=clock)
    await room.game("22222", "33333")
    await room.service.heartbeat()
    room.now += 35
    assert await room.service.after_outage() == {"telegram:-1001"}
    assert await room.service.due_tables() == []
    await room.due(29)
    assert room.table().step == 0, "nobody lost a die to the silence"


async def test_what_was_written_down_is_known_once_and_kept_until_it_is_done(room: Room) -> None:
    arrivals: list[tuple[str, dict[str, Any]]] = [("7", {"text": "a"}), ("8", {"text": "b"})]
    first = await room.service.write_down("telegram", arrivals)
    assert [received.cause for received in first] == ["7", "8"]
    assert [r.cause for r in await room.service.write_down("telegram", [*arrivals, ("9", {})])] == ["9"]
    assert [(r.cause, r.payload) for r in await room.service.unfinished()] == [
        ("7", {"text": "a"}),
        ("8", {"text": "b"}),
        ("9", {}),
    ]
    await room.service.handle(room.intent("Ana", i.OpenLobby(), cause="7"))
    await room.service.ignored(first[1])
    assert [r.cause for r in await room.service.unfinished()] == ["9"]


async def test_a_crash_between_writing_down_and_acting_loses_nothing_and_repeats_nothing(room: Room) -> None:
    await room.service.write_down("telegram", [("a", {}), ("b", {})])
    await room.service.handle(room.intent("Ana", i.OpenLobby(), cause="a"))
    reborn = Room(room.database)
    assert [received.cause for received in await reborn.service.unfinished()] == ["b"]
    repeated = await reborn.service.handle(reborn.intent("Ana", i.OpenLobby(), cause="a"))
    assert repeated.repeated
    await reborn.service.handle(reborn.intent("Bo", i.Join(), cause="b"))
    assert await reborn.service.unfinished() == []
    assert [seat.name for seat in reborn.table().seats] == ["Ana", "Bo"]


async def test_what_fails_three_times_is_set_aside_for_the_operator(room: Room) -> None:
    (received,) = await room.service.write_down("telegram", [("x", {"text": "poison"})])
    assert [await room.service.failed(received, "KeyError") for _ in range(3)] == [False, False, True]
    assert await room.service.unfinished() == []
    with room.database.transaction() as session:
        row = session.connection().exec_driver_sql("SELECT error, attempts, payload FROM inbox").one()
    assert (row[0], row[1], json.loads(row[2])) == ("KeyError", 3, {"text": "poison"})


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
        session.connection().exec_driver_sql("UPDATE outbox SET done_at = ?", (room.now,))
    await room.service.write_down("telegram", [("open", {})])
    await room.call("3x4")
    room.now += 8 * 86400
    await room.service.prune()
    assert [received.cause for received in await room.service.unfinished()] == ["open"]
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
