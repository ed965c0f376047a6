"""Who never spoke to the bot is not written down, whatever a messenger tells of them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from telegram_bot.service import intents as i
from telegram_bot.storage.models import Chat, Member, Player
from tests.telegram_bot.conftest import GroupHarness

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
