"""A host whose clock differs from Telegram's: quick typed bids count, and late ones do not."""

from typing import Any

import pytest
from telegram import Bot, User

from telegram_bot.channels.telegram.sender import TelegramSender
from telegram_bot.channels.telegram.source import MOST_SECONDS, REMEMBERED_SECONDS, ClockOffset, TelegramSource
from telegram_bot.storage.inbox_store import StoredUpdate
from tests.telegram_bot.conftest import GroupHarness

Json = dict[str, Any]


def make_source(harness: GroupHarness) -> TelegramSource:
    bot = Bot("424242:none")
    bot._bot_user = User(424242, "Perudo", is_bot=True, username="perudo_bot")
    return TelegramSource(bot, harness.service, TelegramSender(bot))


class Typing:
    """People who type commands, dated by Telegram's clock, from which the host's differs."""

    def __init__(self, harness: GroupHarness, ahead: float) -> None:
        self.harness = harness
        self.source = make_source(harness)
        self.ahead = ahead
        self.count = 1000

    async def types(self, name: str, text: str, *, before: float = 0) -> None:
        """Deliver a person's message that was sent some seconds before."""
        self.count += 1
        who = self.harness.person(name)
        message: Json = {
            "message_id": self.count,
            "date": int(self.harness.now - self.ahead - before),
            "chat": {"id": -1001, "type": "supergroup", "title": "Friends"},
            "from": {"id": who.address, "is_bot": False, "first_name": name},
            "text": text,
        }
        update = {"update_id": self.count, "message": message}
        await self.source.job_for(StoredUpdate(self.count, "telegram", str(self.count), update)).act()


@pytest.mark.parametrize("ahead", [0.0, 10.0, -3.0])
async def test_a_quick_typed_bid_counts_whatever_the_hosts_clock_says(harness: GroupHarness, ahead: float) -> None:
    await harness.game("22222", "33333")
    typing = Typing(harness, ahead)
    await typing.types("Ana", "/bid 2 2")
    harness.now += 0.4
    await typing.types("Bo", "/bid 3 2", before=0.1)
    harness.now += 0.4
    await typing.types("Ana", "/bid 4 2", before=0.1)
    assert harness.table().step == 3


@pytest.mark.parametrize("ahead", [3.0, -10.0])
async def test_a_bid_that_was_typed_before_the_turn_began_does_not(harness: GroupHarness, ahead: float) -> None:
    await harness.game("22222", "33333")
    typing = Typing(harness, ahead)
    await typing.types("Ana", "/bid 2 2")
    harness.now += 60
    await harness.call("3x2")
    harness.now += 1
    await typing.types("Ana", "/bid 4 2", before=30)
    assert harness.table().step == 2


def test_messages_that_waited_for_the_bot_are_not_taken_for_a_difference_of_clocks() -> None:
    now = 1_000_000.0
    offset = ClockOffset(lambda: now)
    assert offset.to_own_clock(now - 3600) == now - 3600 + MOST_SECONDS
    assert offset.to_own_clock(now - 0.5) == now
    assert offset.to_own_clock(now - 600) == now - 599.5
    now += REMEMBERED_SECONDS + 1
    assert offset.to_own_clock(now - 4) == now, "by now the clock may have been set"
