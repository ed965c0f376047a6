"""Through the service: a running game, who is told what, late and doubled taps, private ways."""

from __future__ import annotations

import random

from perudo_core import apply, legal_actions, load_action, new_game
from telegram_bot.service import intents as i
from telegram_bot.service.handlers import delivery_results
from telegram_bot.service.handlers.queries import QUERY_SECONDS
from telegram_bot.service.notices import DeniedNotice, DiceNotice, Done, Envelope, Mode
from telegram_bot.service.replies import ANSWER_SECONDS
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import Chat, GameAction, GameTable, Outbox, PrivateView, SentMessage, Sitting
from telegram_bot.tables.events import Denial
from telegram_bot.tables.model import Status
from tests.telegram_bot.conftest import AUTO, Room, denial, done

GROUP = -1001
ANA, BO, CY = 101, 102, 103


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


async def refuse(room: Room, envelope: Envelope, *, everybody: bool = False, once: bool = False) -> None:
    room.flush()
    await room.learn(delivery_results.private_way_failed, envelope, 1, everybody=everybody, once=once)


async def test_a_refused_way_gives_way_to_the_next_and_is_remembered(room: Room) -> None:
    await room.game("22222", "33333")
    room.change(Chat, 1, ephemeral=True)
    room.flush()
    await room.call("3x4")
    whispered = next(envelope for envelope in room.envelopes() if envelope.notice.kind == "hand")
    await refuse(room, whispered, everybody=True)
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
    await refuse(room, whispered, everybody=True)
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
    await room.learn(delivery_results.direct_works, "telegram", ANA)
    assert room.player("Ana").direct == "open"
    await room.say("Ana", i.CloseDirect(), where=None)
    await room.learn(delivery_results.direct_works, "telegram", ANA)
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
