"""People: known ones, those who have left, and the answers to each."""

from dataclasses import replace
from typing import Any

import pytest

from telegram_bot.channels.telegram.keyboards import keyboard
from telegram_bot.intents import intents as i
from telegram_bot.intents.envelope import Envelope, MessageRef
from telegram_bot.intents.intents import PrivateRouteFailed, PrivateRoutesWork
from telegram_bot.notices import Confirmation, DiceNotice, HandNotice, HelpNotice, OutdatedNotice, RejectionNotice
from telegram_bot.notices.rendering import message_html
from telegram_bot.repositories.membership import EPHEMERAL_RETRY_SECONDS
from telegram_bot.service.handlers.ending import Leave, Stop
from telegram_bot.service.handlers.game_requests import CallDudo, MakeBid
from telegram_bot.service.handlers.lobby_requests import PlayAgain
from telegram_bot.service.handlers.queries import QUERY_SECONDS, BidHere, SeeDice, SeeHelp, SeeStatus, UnparsedText
from telegram_bot.service.handlers.settings import Choose
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import Chat, GameTable, Member, Player, PrivateView, RoundEnd, TableSeat
from telegram_bot.tables.events import RejectionReason
from telegram_bot.words.catalogue import catalogue
from telegram_bot.words.lines import Format, Medium
from telegram_bot.words.tip_words import tip_text
from tests.telegram_bot.conftest import ANA, AUTO_CLOCK, BO, CY, EN, GROUP, GroupHarness, confirmation_of


def hand(harness: GroupHarness) -> Envelope:
    hands = [each for each in harness.envelopes() if isinstance(each.notice, HandNotice) and each.notice.view.on_turn]
    (found,) = hands
    return found


async def test_what_one_person_cannot_be_shown_others_are_shown_and_it_is_tried_again(harness: GroupHarness) -> None:
    await harness.game("22222", "33333", "44444", sent=True)
    harness.update_row(Chat, 1, ephemeral=True)
    await harness.call("3x4")
    refused = hand(harness)
    assert refused.receiver == BO
    harness.mark_all_sent()
    await harness.service.handle(PrivateRouteFailed(refused, 1))
    assert harness.rows(Chat)[0].ephemeral is True
    assert (hand(harness).chat, hand(harness).receiver) == (BO, None), "the private chat is next for Bo"
    harness.mark_all_sent()
    await harness.call("4x4")
    assert (hand(harness).chat, hand(harness).receiver) == (GROUP, CY)
    harness.mark_all_sent()
    await harness.call("5x4")
    await harness.call("6x4")
    assert [envelope.receiver for envelope in harness.envelopes() if envelope.chat == BO] == [None]
    harness.now += EPHEMERAL_RETRY_SECONDS + 1
    for call in ("7x4", "8x4"):
        await harness.call(call)
    harness.mark_all_sent()
    await harness.call("9x4")
    assert (hand(harness).chat, hand(harness).receiver) == (GROUP, BO)


@pytest.mark.parametrize(
    ("once", "answer"),
    [(True, Confirmation.DICE_SENT), (False, Confirmation.BIDS_SHOWN_TO_ALL)],
    ids=["came too late", "reaches this person never"],
)
async def test_a_late_answer_is_held_against_nobody(harness: GroupHarness, *, once: bool, answer: Confirmation) -> None:
    await harness.game("22222", "33333", "44444", sent=True)
    await harness.tap("Ana", BidHere(), reply_handle="q1")
    (ephemeral_sent_at,) = harness.envelopes()
    await harness.service.handle(PrivateRouteFailed(ephemeral_sent_at, 1, once=once))
    for call in ("3x4", "4x4", "5x4"):
        await harness.call(call)
    shown = (await harness.tap("Ana", BidHere(), reply_handle="q2")).toast
    assert confirmation_of(shown) is answer


async def test_a_group_is_told_of_a_slip_once_and_only_until_the_game_goes_on(harness: GroupHarness) -> None:
    await harness.game("11", "22", "33", sent=True)
    for number in (1, 2):
        await harness.say("Cy", MakeBid(2, 3))
        assert harness.waiting_kinds()[-1] == ("rejection", GROUP)
        assert (("outdated", GROUP) in harness.waiting_kinds()) is (number == 2), "the second answer replaces the first"
        harness.mark_all_sent()
        harness.shows("slip", 60 + number)
    await harness.call("2x2")
    (gone,) = [each for each in harness.envelopes() if each.notice == OutdatedNotice(moved=True)]
    assert gone.target == MessageRef(62)


async def test_a_bid_out_of_turn_in_private_shows_no_board_with_the_groups_keys(harness: GroupHarness) -> None:
    await harness.game("11", "22", "33", sent=True)
    kinds = []
    for _ in range(4):
        await harness.say("Cy", MakeBid(2, 3), where=None)
        kinds += [envelope.notice.kind for envelope in harness.envelopes()]
        harness.mark_all_sent()
    assert kinds == ["rejection", "hand", "rejection", "hand"]
    await harness.say("Cy", SeeStatus(), where=None)
    (status,) = harness.notices("table")
    assert (keyboard(status, EN, bot="bot"), status.shared, status.unreachable) == ([], False, False)


async def test_who_left_the_group_is_seated_again_once_they_are_heard_of_or_tap(harness: GroupHarness) -> None:
    await harness.game("2", "33", "44", calls="2x2 dudo", sent=True)  # no one closes a table with unseen dice
    await harness.tap("Ana", Stop(confirmed=True))
    harness.mark_all_sent()
    for name in ("Bo", "Cy"):
        await harness.say(name, i.MemberLeft(), by="nothing")
    await harness.say("Ana", i.MemberLeft(), where=i.Place("telegram", -2002, 0, "Family"), by="nothing")
    await harness.say("Ana", i.MembersJoined((BO, 4711)), by="nothing")
    await harness.tap("Ana", PlayAgain())
    assert [seat.name for seat in harness.table(2).seats] == ["Ana", "Bo"], "Ana left another group"
    await harness.tap("Cy", PlayAgain())
    assert [seat.name for seat in harness.table(2).seats] == ["Ana", "Bo", "Cy"]


async def test_a_call_typed_in_private_is_confirmed_there_unless_the_board_shows_it(harness: GroupHarness) -> None:
    await harness.game("22222", "33333")
    await harness.say("Ana", Choose("view", PrivateView.ALERT), where=None)
    harness.mark_all_sent()
    await harness.say("Ana", MakeBid(3, 4), where=None)
    (notice,) = harness.notices("confirmation")
    assert (notice.done, notice.bid.quantity, notice.bid.face) == (Confirmation.BID, 3, 4)
    assert ("confirmation", ANA) in harness.waiting_kinds()
    harness.mark_all_sent()
    await harness.say("Bo", MakeBid(4, 4))
    assert harness.notices("confirmation") == [], "the group sees its table"


async def test_words_a_little_older_than_the_turn_count_and_older_ones_do_not(harness: GroupHarness) -> None:
    await harness.game("22222", "33333", "44444", calls="3x4")
    turn = harness.table().turn_since
    await harness.say("Bo", CallDudo(), said_at=turn - 3)
    assert harness.notices("rejection")[-1].reason is RejectionReason.STALE
    assert harness.table().step == 1
    await harness.say("Bo", CallDudo(), said_at=turn - 1.5)
    assert harness.table().step == 2


NOBODY = i.Person("telegram", 0, "")
"""The user that a channel supplies if Telegram names none."""
ARRIVED = i.BotMembershipChanged(present=True, ephemeral_allowed=True, arrived=True)


async def test_no_row_is_kept_of_a_stranger_whatever_they_do_to_the_group_or_the_bot(harness: GroupHarness) -> None:
    await harness.lobby("Ana", "Bo")
    known = {row.address for row in harness.rows(Player)}
    await harness.say("Dee", i.PrivateChatBlocked(), where=None, by="nothing")
    updates: tuple[i.ChatUpdate, ...] = (
        i.MemberLeft(),
        i.MembersJoined((777,)),
        ARRIVED,
        i.BotMembershipChanged(present=True, ephemeral_allowed=False, can_write=False),
        i.TopicReopened(),
        i.ChatMoved(-100999),
    )
    for what in updates:
        await harness.say("Dee", what, by="nothing")
        await harness.service.handle(replace(harness.intent("Dee", what, by="nothing"), who=NOBODY))
        assert {row.address for row in harness.rows(Player)} == known, what
        assert harness.rows(Member) == [], what


async def test_a_group_is_greeted_once_in_the_language_of_the_stranger_who_adds_the_bot(harness: GroupHarness) -> None:
    intent = harness.intent("Dee", replace(ARRIVED, ephemeral_allowed=False), by="nothing")
    await harness.service.handle(replace(intent, who=replace(intent.who, language="it")))
    await harness.say("Ana", i.BotMembershipChanged(present=True, ephemeral_allowed=True), by="nothing")
    assert [(row.language, row.ephemeral) for row in harness.rows(Chat)] == [("it", True)]
    assert [(each.notice.kind, each.chat, each.language) for each in harness.envelopes()] == [("help", GROUP, "it")]


async def refuse(harness: GroupHarness, envelope: Envelope, *, everybody: bool = False, once: bool = False) -> None:
    harness.mark_all_sent()
    await harness.service.handle(PrivateRouteFailed(envelope, 1, everybody=everybody, once=once))


async def test_a_refused_way_gives_way_to_the_next_and_is_remembered(harness: GroupHarness) -> None:
    await harness.game("22222", "33333", sent=True)
    harness.update_row(Chat, 1, ephemeral=True)
    await harness.call("3x4")
    ephemeral_sent_at = hand(harness)
    await refuse(harness, ephemeral_sent_at, everybody=True)
    assert harness.rows(Chat)[0].ephemeral is False
    assert harness.waiting_kinds() == [("hand", BO), ("hand", ANA)], "the private chats are next"
    await refuse(harness, harness.envelopes()[0])
    await harness.service.handle(PrivateRoutesWork("telegram", frozenset({BO})))
    assert harness.player("Bo").direct == "refused", "an older success proves nothing"
    assert harness.waiting_kinds() == [("table", GROUP)], "then the table's own keyboard"
    assert (harness.notices("table")[0].shared, harness.notices("table")[0].unreachable) == (True, True)
    harness.mark_all_sent()
    await harness.call("4x4")
    harness.mark_all_sent()
    await harness.call("5x4")
    assert harness.waiting_kinds() == [("table", GROUP), ("hand", ANA)], "nothing more is sent where nothing arrives"


@pytest.mark.parametrize("ended", ["refused", "blocked", "an admin"])
async def test_bids_that_wait_for_a_way_that_has_ended_take_the_next(harness: GroupHarness, ended: str) -> None:
    await harness.game("22222", "33333", "44444", calls="6x3", sent=True)
    await harness.call("dudo")
    assert (hand(harness).chat, hand(harness).receiver) == (ANA, None)
    reveal = next(each for each in private(harness, ANA) if each.notice.kind == "reveal")
    harness.update_row(RoundEnd, (1, 1), seen_at=harness.now)
    match ended:
        case "refused":
            await harness.service.handle(PrivateRouteFailed(reveal, 1))
        case "blocked":
            await harness.say("Ana", i.PrivateChatBlocked(), where=None, by="nothing")
        case _:
            await harness.say("Ana", i.BotMembershipChanged(present=True, ephemeral_allowed=True), by="nothing")
    if ended == "an admin":
        assert (hand(harness).chat, hand(harness).receiver) == (GROUP, ANA)
        assert {each.receiver for each in harness.envelopes() if each.notice.kind == "hand"} == {ANA, BO, CY}
    else:
        assert {each.notice.kind for each in private(harness, ANA)} <= {"outdated"}
        assert [notice.shared for notice in harness.notices("table")] == [True]


async def test_a_refused_answer_to_a_tap_closes_that_way_alone(harness: GroupHarness) -> None:
    await harness.game("22222", "33333", sent=True)
    await harness.tap("Ana", BidHere(), reply_handle="q1")
    (ephemeral_sent_at,) = harness.envelopes()
    assert ephemeral_sent_at.reply_handle == "q1"
    await refuse(harness, ephemeral_sent_at, everybody=True)
    chat = harness.rows(Chat)[0]
    assert (chat.ephemeral, chat.ephemeral_replies) == (None, False)
    assert harness.waiting_kinds() == [("hand", ANA)]


async def test_hello_in_private_is_answered_by_the_way_to_a_game(harness: GroupHarness) -> None:
    await harness.say("Ana", UnparsedText(None), where=None)
    assert harness.waiting_kinds() == [("welcome", ANA)]
    await harness.game("22222", "33333", sent=True)
    await harness.say("Ana", UnparsedText(None), where=None)
    (told,) = (message_html(each, EN) for each in harness.notices("rejection"))
    assert told == "I didn't catch that. A bid is a number and a face: the smallest now is 1x2."


async def test_my_dice_in_the_group_bring_lost_bids_back_in_the_private_chat(harness: GroupHarness) -> None:
    await harness.game("22222", "33333", sent=True)
    assert isinstance((await harness.tap("Bo", SeeDice())).toast, DiceNotice)
    assert harness.waiting_kinds() == [], "it is not his turn"
    assert isinstance((await harness.tap("Ana", SeeDice())).toast, DiceNotice)
    (again,) = harness.envelopes()
    assert again.edits, "they are the newest message of her chat, unless she has deleted it"
    harness.mark_all_sent()
    harness.shows("hand:1", 11, chat=ANA, followed=True)
    assert isinstance((await harness.tap("Ana", SeeDice())).toast, DiceNotice)
    (bids,) = harness.envelopes()
    assert isinstance(bids.notice, HandNotice)
    assert (bids.chat, bids.notice.view.on_turn, bids.edits) == (ANA, True, False)


async def test_a_refusal_long_after_brings_no_old_dice(harness: GroupHarness) -> None:
    await harness.game("22222", "33333")
    old = next(envelope for envelope in harness.envelopes() if envelope.notice.kind == "hand" and envelope.chat == BO)
    await harness.call("6x2")
    await harness.call("dudo")
    await refuse(harness, old)
    assert "hand" not in [kind for kind, _ in harness.waiting_kinds()]
    assert harness.player("Bo").direct == "refused"


async def test_bid_here_whispers_once_and_opens_the_shared_keyboard_at_the_second_tap(harness: GroupHarness) -> None:
    await harness.game("22222", "33333", sent=True)
    await harness.tap("Ana", BidHere(), reply_handle="q0", where=None)
    (envelope,) = harness.envelopes()
    assert (envelope.chat, envelope.receiver, envelope.reply_handle) == (ANA, None, None), "in private it comes there"
    assert envelope.notice.kind == "hand"
    harness.mark_all_sent()
    assert confirmation_of((await harness.tap("Ana", BidHere(), reply_handle="q1")).toast) is Confirmation.DICE_SENT
    (row,) = harness.waiting()
    assert row.expires_at == harness.now + QUERY_SECONDS
    assert harness.envelopes()[0].receiver == ANA
    harness.mark_all_sent()
    shown = (await harness.tap("Ana", BidHere(), reply_handle="q2")).toast
    assert confirmation_of(shown) is Confirmation.BIDS_SHOWN_TO_ALL
    assert harness.notices("table")[0].shared
    toast = (await harness.tap("Bo", BidHere(), reply_handle="q3")).toast
    assert isinstance(toast, RejectionNotice)
    assert (toast.reason, toast.on_turn) == (RejectionReason.ILLEGAL, "Ana")


def private(harness: GroupHarness, chat: int) -> list[Envelope]:
    return [envelope for envelope in harness.envelopes() if envelope.chat == chat]


def words(envelope: Envelope, language: str = "en") -> str:
    return message_html(envelope.notice, catalogue(language)) or ""


async def test_a_bid_that_the_bot_makes_for_somebody_is_not_called_theirs(database: Database) -> None:
    harness = GroupHarness(database, clock=AUTO_CLOCK)
    await harness.game("22222", "33333", sent=True)
    await harness.run_deadlines(60)
    (mine,) = [envelope for envelope in private(harness, ANA) if envelope.notice.kind == "hand"]
    assert "💤 I bid" in words(mine)
    harness.mark_all_sent()
    await harness.call("6x3")
    harness.mark_all_sent()
    await harness.run_deadlines(5)
    assert private(harness, ANA) == [], "whoever sleeps is not told again and again"


async def test_the_callers_message_says_what_they_called(harness: GroupHarness) -> None:
    await harness.game("22222", "33333", "44444", calls="3x2", sent=True)
    await harness.call("dudo")
    called, reveal, new = private(harness, BO)
    assert "You said <b>dudo</b>." in words(called)
    assert "Bo: 3️⃣ 3️⃣ 3️⃣ 3️⃣ 3️⃣" in words(reveal)
    assert "round 2" in words(new)
    called, reveal, new = private(harness, ANA)
    assert "<b>Dudo!</b> Bo doubts Ana's <b>3 × 2️⃣</b>" in words(called)
    assert (called.edits, reveal.edits, new.edits) == (True, True, False)
    assert "Ana: [2️⃣] [2️⃣] [2️⃣] [2️⃣] [2️⃣] → <b>5</b>" in words(reveal)


async def test_an_answer_lands_in_the_topic_of_the_table_or_of_the_only_live_one(harness: GroupHarness) -> None:
    harness.group = i.Place("telegram", GROUP, 7, "Friends")
    await harness.game("22222", "33333", sent=True)
    await harness.tap("Ana", Leave(), where=i.Place("telegram", -1002, 0, "Others", topic_known=False))
    assert harness.envelopes() == [], "a forged table of another group tells no topic"
    old_message = replace(harness.group, topic=0, topic_known=False)
    await harness.tap("Ana", Leave(), where=old_message)
    await harness.say("Ana", SeeHelp(), where=old_message)
    assert [(each.notice.kind, each.topic) for each in harness.envelopes()] == [("confirm", 7), ("help", 7)]
    assert [chat.topic for chat in harness.rows(Chat)] == [7], "no table and no chat was made for General"


async def test_help_in_a_group_promises_what_the_bot_can_read(harness: GroupHarness) -> None:
    await harness.lobby("Ana")
    for admin, replies_only in ((True, False), (False, True), (None, True)):
        harness.update_row(Chat, 1, ephemeral=admin)
        harness.mark_all_sent()
        await harness.say("Ana", SeeHelp())
        await harness.say("Ana", SeeHelp(), where=None)
        promised = [HelpNotice(private=False, replies_only=replies_only), HelpNotice(private=True)]
        assert harness.notices("help") == promised, admin


async def test_bids_that_were_asked_for_stay_in_the_message_of_all_for_that_turn(harness: GroupHarness) -> None:
    await harness.game("22222", "33333", "44444", sent=True)
    await harness.tap("Ana", BidHere())
    assert [notice.shared for notice in harness.notices("table")] == [True]
    harness.mark_all_sent()
    await harness.say("Bo", SeeStatus())
    assert [notice.shared for notice in harness.notices("table")] == [True], "the message is shown again"
    harness.mark_all_sent()
    await harness.call("2x2")
    assert [notice.shared for notice in harness.notices("table")] == [False]


def tips(harness: GroupHarness, name: str) -> list[str]:
    address = harness.person(name).address
    hands = [each.notice for each in harness.envelopes() if each.chat == address]
    told = [tip_text(each.tip, each.view, Format(EN, Medium.CHAT)) for each in hands if isinstance(each, HandNotice)]
    return [tip for tip in told if tip]


async def test_a_new_player_gets_each_tip_when_it_helps_and_never_twice(harness: GroupHarness) -> None:
    rules = harness.service.config.rules.with_options(lost_dice="visible")
    harness.service.config = replace(harness.service.config, rules=rules)
    await harness.game("16", "23", "45", sent=True)
    harness.update_row(Player, harness.player("Bo").id, tips_told=[])
    given = []
    for call in ("1x2", "2x2", "2x3", "3x3", "3x4", "4x4", "4x5", "5x5", "5x6", "6x6"):
        await harness.call(call)
        told = tips(harness, "Bo")
        given += told
        for _ in range(2):
            harness.mark_all_sent()
            await harness.say("Bo", SeeDice())
            assert tips(harness, "Bo") == told, "a hand that is shown again"
        harness.mark_all_sent()
    wild = "⭐ is a one. Ones count as any face."
    assert given == [wild, "Dudo: you think there are fewer.", "You hold 0 of those, and 4 dice are unseen."]
    assert harness.player("Bo").tips_told == ["wild", "dudo", "unseen"]


@pytest.mark.parametrize("why", ["off in the settings", "three games are finished"])
async def test_who_needs_no_tips_gets_none(harness: GroupHarness, why: str) -> None:
    await harness.game("16", "23", sent=True)
    bo = harness.player("Bo").id
    if why == "off in the settings":
        await harness.tap("Bo", Choose("tips", False), where=None)
    else:
        over: dict[str, Any] = {"chat_id": 1, "live": False, "status": "finished", "state": {}}
        for number in (101, 102, 103):
            with harness.database.transaction() as session:
                session.add(GameTable(id=number, code=str(number), created_at=0, updated_at=0, **over))
                session.flush()
                session.add(TableSeat(table_id=number, player_id=bo, live=False))
    harness.update_row(Player, bo, tips_told=[])
    await harness.call("1x2")
    assert tips(harness, "Bo") == []
