"""Who is known, who has left, and what is answered to whom."""

from dataclasses import replace

import pytest

from telegram_bot.service import intents as i
from telegram_bot.service.intents import PrivateRouteFailed
from telegram_bot.service.membership import EPHEMERAL_RETRY_SECONDS
from telegram_bot.service.notices import Confirmation, ConfirmationNotice, Envelope
from telegram_bot.storage.models import Chat, Member, Player, PrivateView
from telegram_bot.tables.events import RejectionReason
from telegram_bot.tables.model import Status
from tests.telegram_bot.conftest import GroupHarness, confirmation_of, rejection_of

GROUP = -1001
ANA, BO, CY = 101, 102, 103


# Ephemeral messages that do not reach one person


async def whispering(harness: GroupHarness) -> None:
    """A game in a group where everybody can be shown something alone."""
    await harness.game("22222", "33333", "44444")
    harness.update_row(Chat, 1, ephemeral=True)
    harness.mark_all_sent()


def hand(harness: GroupHarness) -> Envelope:
    return next(envelope for envelope in harness.envelopes() if envelope.notice.kind == "hand")


async def test_what_one_person_cannot_be_shown_is_still_shown_to_the_others(harness: GroupHarness) -> None:
    await whispering(harness)
    await harness.call("3x4")
    ephemeral_sent_at = hand(harness)
    assert ephemeral_sent_at.receiver == BO
    harness.mark_all_sent()
    await harness.service.handle(PrivateRouteFailed(ephemeral_sent_at, 1))
    assert harness.rows(Chat)[0].ephemeral is True
    assert (hand(harness).chat, hand(harness).receiver) == (BO, None), "the private chat is next for Bo"
    harness.mark_all_sent()
    await harness.call("4x4")
    assert (hand(harness).chat, hand(harness).receiver) == (GROUP, CY)
    harness.mark_all_sent()
    await harness.call("5x4")
    await harness.call("6x4")
    assert [envelope.receiver for envelope in harness.envelopes() if envelope.chat == BO] == [None]


async def test_after_a_while_it_is_tried_again(harness: GroupHarness) -> None:
    await whispering(harness)
    await harness.call("3x4")
    ephemeral_sent_at = hand(harness)
    await harness.service.handle(PrivateRouteFailed(ephemeral_sent_at, 1))
    harness.now += EPHEMERAL_RETRY_SECONDS + 1
    await harness.call("4x4")
    await harness.call("5x4")
    harness.mark_all_sent()
    await harness.call("6x4")
    assert (hand(harness).chat, hand(harness).receiver) == (GROUP, BO)


async def test_an_answer_to_a_tap_that_came_too_late_is_held_against_nobody(harness: GroupHarness) -> None:
    await harness.game("22222", "33333", "44444", sent=True)
    await harness.tap("Ana", i.BidHere(), reply_handle="q1")
    (ephemeral_sent_at,) = harness.envelopes()
    await harness.service.handle(PrivateRouteFailed(ephemeral_sent_at, 1, once=True))
    await harness.call("3x4")
    harness.mark_all_sent()
    assert confirmation_of((await harness.tap("Bo", i.BidHere(), reply_handle="q2")).toast) is Confirmation.DICE_SENT
    assert harness.envelopes()[0].receiver == BO
    await harness.call("4x4")
    await harness.call("5x4")
    assert confirmation_of((await harness.tap("Ana", i.BidHere(), reply_handle="q3")).toast) is Confirmation.DICE_SENT


async def test_who_cannot_be_shown_anything_gets_the_keyboard_under_the_table(harness: GroupHarness) -> None:
    await harness.game("22222", "33333", "44444", sent=True)
    await harness.tap("Ana", i.BidHere(), reply_handle="q1")
    (ephemeral_sent_at,) = harness.envelopes()
    await harness.service.handle(PrivateRouteFailed(ephemeral_sent_at, 1))
    for call in ("3x4", "4x4", "5x4"):
        await harness.call(call)
    assert (
        confirmation_of((await harness.tap("Ana", i.BidHere(), reply_handle="q2")).toast)
        is Confirmation.BIDS_SHOWN_TO_ALL
    )


# Who plays again


async def over(harness: GroupHarness) -> None:
    await harness.game("2", "33", "44", calls="2x2 dudo")
    harness.mark_all_sent()  # nobody closes a table before the group has seen the dice
    await harness.tap("Ana", i.Stop(confirmed=True))
    harness.mark_all_sent()


async def test_who_left_the_group_is_not_seated_again(harness: GroupHarness) -> None:
    await over(harness)
    await harness.say("Cy", i.MemberLeft(), by="nothing")
    await harness.tap("Bo", i.PlayAgain())
    assert [seat.name for seat in harness.table(2).seats] == ["Ana", "Bo"]


@pytest.mark.parametrize("back", ["heard of", "taps"])
async def test_who_came_back_is_seated_again(harness: GroupHarness, back: str) -> None:
    await over(harness)
    await harness.say("Bo", i.MemberLeft(), by="nothing")
    if back == "heard of":
        await harness.say("Ana", i.MembersJoined((BO, 4711)), by="nothing")
        await harness.tap("Cy", i.PlayAgain())
    else:
        await harness.tap("Bo", i.PlayAgain())
    assert [seat.name for seat in harness.table(2).seats] == ["Ana", "Bo", "Cy"]


async def test_to_have_left_another_group_says_nothing(harness: GroupHarness) -> None:
    await over(harness)
    await harness.say("Cy", i.MemberLeft(), where=i.Place("telegram", -2002, 0, "Family"), by="nothing")
    await harness.tap("Bo", i.PlayAgain())
    assert [seat.name for seat in harness.table(2).seats] == ["Ana", "Bo", "Cy"]


# The record


async def finished(harness: GroupHarness) -> None:
    await harness.lobby("Ana", "Bo")
    await harness.tap("Ana", i.Start())
    await harness.tap("Bo", i.Leave(confirmed=True))
    assert harness.table().status is Status.FINISHED
    harness.mark_all_sent()


async def test_the_record_is_not_sent_again_while_it_stands_right_above(harness: GroupHarness) -> None:
    await finished(harness)
    assert (await harness.tap("Cy", i.SeeRecord())).toast is None
    assert confirmation_of((await harness.tap("Cy", i.SeeRecord())).toast) is Confirmation.RECORD_ABOVE
    harness.mark_all_sent()
    assert confirmation_of((await harness.tap("Bo", i.SeeRecord())).toast) is Confirmation.RECORD_ABOVE
    assert harness.waiting_kinds() == []
    harness.now += 601
    await harness.tap("Bo", i.SeeRecord())
    assert harness.waiting_kinds() == [("record", GROUP)]


# Answers


async def test_an_admin_who_could_not_be_looked_up_is_asked_to_try_again(harness: GroupHarness) -> None:
    await harness.game("22222", "33333")
    assert rejection_of((await harness.tap("Bo", i.Stop(is_admin=None))).toast) is RejectionReason.CANNOT_TELL
    assert harness.table().status is Status.PLAYING
    await harness.tap("Ana", i.Stop(is_admin=None, confirmed=True))
    assert harness.table().status is Status.CLOSED, "the host needs no looking up"


async def test_the_group_hears_of_a_new_host(harness: GroupHarness) -> None:
    await harness.game("22222", "33333", "44444", sent=True)
    await harness.tap("Ana", i.Leave(confirmed=True))
    assert [(notice.name) for notice in harness.notices("host")] == ["Bo"]
    harness.mark_all_sent()
    await harness.tap("Cy", i.Leave(confirmed=True))
    assert harness.notices("host") == []


async def test_a_call_typed_in_private_is_confirmed_there_unless_the_board_shows_it(harness: GroupHarness) -> None:
    await harness.game("22222", "33333")
    await harness.say("Ana", i.Choose("view", PrivateView.ALERT), where=None)
    harness.mark_all_sent()
    await harness.say("Ana", i.MakeBid(3, 4), where=None)
    (notice,) = harness.notices("confirmation")
    assert isinstance(notice, ConfirmationNotice)
    assert notice.done is Confirmation.BID
    assert notice.bid is not None
    assert (notice.bid.quantity, notice.bid.face) == (3, 4)
    assert ("confirmation", ANA) in harness.waiting_kinds()
    harness.mark_all_sent()
    await harness.say("Bo", i.MakeBid(4, 4))
    assert harness.notices("confirmation") == [], "the group sees its table"


async def test_words_a_little_older_than_the_turn_count_as_clocks_differ_and_older_ones_do_not(
    harness: GroupHarness,
) -> None:
    await harness.game("22222", "33333", "44444")
    await harness.call("3x4")
    turn = harness.table().turn_since
    await harness.say("Bo", i.CallDudo(), said_at=turn - 3)
    assert harness.notices("rejection")[-1].reason is RejectionReason.STALE
    assert harness.table().step == 1
    await harness.say("Bo", i.CallDudo(), said_at=turn - 1.5)
    assert harness.table().step == 2


NOBODY = i.Person("telegram", 0, "")
"""Whom a channel names where Telegram names nobody."""
UPDATES: dict[str, i.ChatUpdate] = {
    "leaves the group": i.MemberLeft(),
    "adds somebody": i.MembersJoined((777,)),
    "adds the bot": i.BotMembershipChanged(present=True, ephemeral_allowed=True, arrived=True),
    "mutes the bot": i.BotMembershipChanged(present=True, ephemeral_allowed=False, can_write=False),
    "reopens a topic": i.TopicReopened(),
    "moves the group": i.ChatMoved(-100999),
}


@pytest.mark.parametrize("what", UPDATES.values(), ids=UPDATES)
@pytest.mark.parametrize("who", ["a stranger", "nobody"])
async def test_no_row_is_kept_of_a_stranger_who(harness: GroupHarness, what: i.ChatUpdate, who: str) -> None:
    await harness.lobby("Ana", "Bo")
    known = {row.address for row in harness.rows(Player)}
    intent = harness.intent("Dee", what, by="nothing")
    await harness.service.handle(intent if who == "a stranger" else replace(intent, who=NOBODY))
    assert {row.address for row in harness.rows(Player)} == known
    assert harness.rows(Member) == []


async def test_no_row_is_kept_of_a_stranger_who_blocks_the_bot(harness: GroupHarness) -> None:
    await harness.say("Dee", i.PrivateChatBlocked(), where=None, by="nothing")
    assert harness.rows(Player) == []


async def test_a_group_is_greeted_in_the_language_of_a_stranger_who_adds_the_bot(harness: GroupHarness) -> None:
    intent = harness.intent("Dee", UPDATES["adds the bot"], by="nothing")
    await harness.service.handle(replace(intent, who=replace(intent.who, language="it")))
    assert [row.language for row in harness.rows(Chat)] == ["it"]
    assert [envelope.language for envelope in harness.envelopes()] == ["it"]


async def test_who_has_played_is_remembered_to_have_left_and_to_be_back(harness: GroupHarness) -> None:
    await harness.lobby("Ana", "Bo")
    await harness.say("Bo", i.MemberLeft(), by="nothing")
    assert [seat.name for seat in harness.table().seats] == ["Ana"]
    assert [row.gone for row in harness.rows(Member)] == [True]
    await harness.say("Dee", i.MembersJoined((harness.person("Bo").address,)), by="nothing")
    assert [row.gone for row in harness.rows(Member)] == [False]
    assert {row.name for row in harness.rows(Player)} == {"Ana", "Bo"}
