"""The private ways to a player: ephemeral message, private chat, alert, the shared keyboard."""

from __future__ import annotations

from telegram_bot.service import intents as i
from telegram_bot.service.handlers.queries import QUERY_SECONDS
from telegram_bot.service.intents import PrivateRouteFailed, PrivateRouteWorks
from telegram_bot.service.notices import Confirmation, Envelope, RejectionNotice
from telegram_bot.storage.models import Chat, PrivateView
from telegram_bot.tables.events import RejectionReason
from tests.telegram_bot.conftest import GroupHarness, confirmation_of

GROUP = -1001
ANA, BO, CY = 101, 102, 103


async def test_the_first_way_that_works_is_taken(harness: GroupHarness) -> None:
    await harness.game("22222", "33333")
    harness.update_row(Chat, 1, ephemeral=True)
    harness.mark_all_sent()
    await harness.call("3x4")
    (ephemeral_sent_at,) = [envelope for envelope in harness.envelopes() if envelope.notice.kind == "hand"]
    assert (ephemeral_sent_at.chat, ephemeral_sent_at.receiver, ephemeral_sent_at.reply_handle) == (GROUP, BO, None)
    await harness.say("Ana", i.Choose("view", PrivateView.DIRECT), where=None)
    harness.mark_all_sent()
    await harness.call("4x4")
    assert ("hand", ANA) in harness.waiting_kinds()


async def test_whoever_chose_alerts_gets_the_shared_keyboard(harness: GroupHarness) -> None:
    await harness.game("22222", "33333")
    await harness.say("Bo", i.Choose("view", PrivateView.ALERT))
    harness.mark_all_sent()
    await harness.call("3x4")
    assert harness.waiting_kinds() == [("table", GROUP), ("hand", ANA)], "Ana sees what she said, Bo gets no message"
    (notice,) = harness.notices("table")
    assert (notice.shared, notice.unreachable) == (True, False), "they do not want a link"


async def refuse(harness: GroupHarness, envelope: Envelope, *, everybody: bool = False, once: bool = False) -> None:
    harness.mark_all_sent()
    await harness.service.handle(PrivateRouteFailed(envelope, 1, everybody=everybody, once=once))


async def test_a_refused_way_gives_way_to_the_next_and_is_remembered(harness: GroupHarness) -> None:
    await harness.game("22222", "33333")
    harness.update_row(Chat, 1, ephemeral=True)
    harness.mark_all_sent()
    await harness.call("3x4")
    ephemeral_sent_at = next(envelope for envelope in harness.envelopes() if envelope.notice.kind == "hand")
    await refuse(harness, ephemeral_sent_at, everybody=True)
    assert harness.rows(Chat)[0].ephemeral is False
    assert harness.waiting_kinds() == [("hand", BO)], "the private chat is next"
    await refuse(harness, harness.envelopes()[0])
    assert harness.player("Bo").direct == "refused"
    assert harness.waiting_kinds() == [("table", GROUP)], "then the table's own keyboard"
    assert (harness.notices("table")[0].shared, harness.notices("table")[0].unreachable) == (True, True)
    harness.mark_all_sent()
    await harness.call("4x4")
    harness.mark_all_sent()
    await harness.call("5x4")
    assert harness.waiting_kinds() == [("table", GROUP), ("hand", ANA)], "nothing more is sent where nothing arrives"


async def test_a_refused_answer_to_a_tap_closes_that_way_alone(harness: GroupHarness) -> None:
    await harness.game("22222", "33333")
    harness.mark_all_sent()
    await harness.tap("Ana", i.BidHere(), reply_handle="q1")
    (ephemeral_sent_at,) = harness.envelopes()
    assert ephemeral_sent_at.reply_handle == "q1"
    await refuse(harness, ephemeral_sent_at, everybody=True)
    chat = harness.rows(Chat)[0]
    assert (chat.ephemeral, chat.ephemeral_replies) == (None, False)
    assert harness.waiting_kinds() == [("hand", ANA)]


async def test_a_refusal_long_after_brings_no_old_dice(harness: GroupHarness) -> None:
    await harness.game("22222", "33333")
    old = next(envelope for envelope in harness.envelopes() if envelope.notice.kind == "hand" and envelope.chat == BO)
    await harness.call("6x2")
    await harness.call("dudo")
    await refuse(harness, old)
    assert harness.waiting_kinds() == []
    assert harness.player("Bo").direct == "refused"


async def test_opening_the_private_chat_brings_the_dice_of_the_running_game(harness: GroupHarness) -> None:
    await harness.game("22222", "33333")
    await harness.say("Bo", i.PrivateChatBlocked(), where=None, by="nothing")
    assert harness.player("Bo").direct == "refused"
    harness.mark_all_sent()
    await harness.say("Bo", i.StartPrivateChat(), where=None)
    assert harness.waiting_kinds() == [("hand", BO), ("table", GROUP)]
    assert not harness.notices("table")[0].unreachable


async def test_a_private_message_that_arrived_is_remembered(harness: GroupHarness) -> None:
    await harness.lobby("Ana")
    await harness.service.handle(PrivateRouteWorks("telegram", ANA))
    assert harness.player("Ana").direct == "open"
    await harness.say("Ana", i.PrivateChatBlocked(), where=None)
    await harness.service.handle(PrivateRouteWorks("telegram", ANA))
    assert harness.player("Ana").direct == "refused", "an older success proves nothing"


async def test_bid_here_whispers_once_and_opens_the_shared_keyboard_at_the_second_tap(harness: GroupHarness) -> None:
    await harness.game("22222", "33333")
    harness.mark_all_sent()
    assert confirmation_of((await harness.tap("Ana", i.BidHere(), reply_handle="q1")).toast) is Confirmation.DICE_SENT
    (row,) = harness.waiting()
    assert row.expires_at == harness.now + QUERY_SECONDS
    assert harness.envelopes()[0].receiver == ANA
    harness.mark_all_sent()
    assert (
        confirmation_of((await harness.tap("Ana", i.BidHere(), reply_handle="q2")).toast)
        is Confirmation.BIDS_SHOWN_TO_ALL
    )
    assert harness.notices("table")[0].shared
    toast = (await harness.tap("Bo", i.BidHere(), reply_handle="q3")).toast
    assert isinstance(toast, RejectionNotice)
    assert (toast.reason, toast.on_turn) == (RejectionReason.ILLEGAL, "Ana")


async def test_bid_here_in_the_private_chat_brings_the_keyboard_there(harness: GroupHarness) -> None:
    await harness.game("22222", "33333")
    harness.mark_all_sent()
    await harness.tap("Ana", i.BidHere(), reply_handle="q1", where=None)
    (envelope,) = harness.envelopes()
    assert (envelope.chat, envelope.receiver, envelope.reply_handle) == (ANA, None, None)
    assert envelope.notice.kind == "hand"
