"""A host whose clock differs from Telegram's: quick typed bids count, and late ones do not."""

import pytest

from telegram_bot.channels.telegram.source import MOST_SECONDS, REMEMBERED_SECONDS, ClockOffset, TelegramSource
from telegram_bot.storage.inbox_store import StoredUpdate
from tests.telegram_bot.conftest import GroupHarness
from tests.telegram_bot.ingress.conftest import written


@pytest.fixture
def typing(harness: GroupHarness, source: TelegramSource, ahead: float) -> "Typing":
    return Typing(harness, source, ahead)


class Typing:
    """People who type commands, dated by Telegram's clock, from which the host's differs."""

    def __init__(self, harness: GroupHarness, source: TelegramSource, ahead: float) -> None:
        self.harness, self.source, self.ahead = harness, source, ahead
        self.count = 1000

    async def types(self, name: str, text: str, *, before: float = 0) -> None:
        """Deliver a person's message that was sent some seconds before."""
        self.count += 1
        update = written(self.count, name, text)
        update["message"]["date"] = int(self.harness.now - self.ahead - before)
        await self.source.job_for(StoredUpdate(self.count, "telegram", str(self.count), update)).act()


@pytest.mark.parametrize("ahead", [0.0, 10.0, -3.0])
async def test_a_quick_typed_bid_counts_whatever_the_hosts_clock_says(harness: GroupHarness, typing: Typing) -> None:
    await harness.game("22222", "33333")
    await typing.types("Ana", "/bid 2 2")
    harness.now += 0.4
    await typing.types("Bo", "/bid 3 2", before=0.1)
    harness.now += 0.4
    await typing.types("Ana", "/bid 4 2", before=0.1)
    assert harness.table().step == 3


@pytest.mark.parametrize("ahead", [3.0, -10.0])
async def test_a_bid_that_was_typed_before_the_turn_began_does_not(harness: GroupHarness, typing: Typing) -> None:
    await harness.game("22222", "33333")
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
