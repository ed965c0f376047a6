"""What an outside Bot API server saw: answers in the wrong topic, help that promises too much, slow private ways."""

from __future__ import annotations

import pytest

from telegram_bot.service import intents as i
from telegram_bot.service.intents import PrivateRouteWorks
from telegram_bot.service.notices import HelpNotice
from telegram_bot.storage.models import Chat, DirectMessages, PrivateView
from tests.telegram_bot.conftest import GroupHarness

GROUP = -1001
ANA, BO = 101, 102


async def in_a_topic(harness: GroupHarness) -> None:
    harness.group = i.Place("telegram", GROUP, 7, "Friends")
    await harness.game("22222", "33333")
    harness.mark_all_sent()


UNKNOWN_TOPIC = i.Place("telegram", GROUP, 0, "Friends", topic_known=False)


async def test_the_answer_to_a_tap_on_an_old_message_lands_in_the_tables_topic(harness: GroupHarness) -> None:
    await in_a_topic(harness)
    await harness.tap("Ana", i.Leave(), where=UNKNOWN_TOPIC)
    (question,) = harness.envelopes()
    assert (question.notice.kind, question.topic) == ("confirm_leave", 7)
    assert [chat.topic for chat in harness.rows(Chat)] == [7], "no table and no chat was made for General"


async def test_without_a_table_the_only_live_one_tells_the_topic(harness: GroupHarness) -> None:
    await in_a_topic(harness)
    await harness.say("Ana", i.SeeHelp(), where=UNKNOWN_TOPIC)
    assert [envelope.topic for envelope in harness.envelopes()] == [7]


async def test_a_forged_table_of_another_group_tells_no_topic(harness: GroupHarness) -> None:
    await in_a_topic(harness)
    elsewhere = i.Place("telegram", -1002, 0, "Others", topic_known=False)
    await harness.tap("Ana", i.Leave(), where=elsewhere)
    assert harness.envelopes() == []


@pytest.mark.parametrize(("admin", "replies_only"), [(True, False), (False, True), (None, True)])
async def test_help_in_a_group_promises_what_the_bot_can_read(
    harness: GroupHarness, admin: bool | None, replies_only: bool
) -> None:
    await harness.lobby("Ana")
    harness.update_row(Chat, 1, ephemeral=admin)
    harness.mark_all_sent()
    await harness.say("Ana", i.SeeHelp())
    assert harness.notices("help") == [HelpNotice(private=False, replies_only=replies_only)]
    harness.mark_all_sent()
    await harness.say("Ana", i.SeeHelp(), where=None)
    assert harness.notices("help") == [HelpNotice(private=True)]


async def test_help_that_an_earlier_version_stored_can_be_read() -> None:
    assert HelpNotice.model_validate({"kind": "help", "private": False}) == HelpNotice(private=False)


async def test_whoever_has_opened_the_bot_gets_the_private_chat_and_others_an_ephemeral_message(
    harness: GroupHarness,
) -> None:
    await harness.game("22222", "33333")
    harness.update_row(Chat, 1, ephemeral=True)
    await harness.service.handle(PrivateRouteWorks("telegram", BO))
    harness.mark_all_sent()
    await harness.call("2x2")
    assert harness.waiting_kinds() == [("hand", BO), ("table", GROUP)]
    harness.mark_all_sent()
    await harness.call("3x2")
    hand = harness.envelopes()[0]
    assert (harness.player("Ana").direct, hand.chat, hand.receiver) == (DirectMessages.UNKNOWN, GROUP, ANA)
    await harness.say("Bo", i.Choose("view", PrivateView.EPHEMERAL), where=None)
    harness.mark_all_sent()
    await harness.call("4x2")
    assert harness.envelopes()[0].receiver == BO, "what a player has chosen counts"
