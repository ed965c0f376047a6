"""In a group's lane the player on turn is first, then the end of a round, and needless notices are dropped."""

import pytest

from telegram_bot.delivery.limits import Limits
from telegram_bot.intents.envelope import Envelope
from telegram_bot.notices import BidsNotice, Notice, OutdatedNotice
from telegram_bot.screens.posting import Notification, Urgency, outbox_columns, urgency_of
from telegram_bot.service.handlers.lobby_requests import Start
from telegram_bot.storage.models import Chat, LaneName, Player, PrivateView
from tests.telegram_bot.conftest import GroupHarness
from tests.telegram_bot.delivery.conftest import (
    GROUP,
    DeliveryHarness,
    RecordingSender,
    example_notices,
    named_notice,
    running,
    until,
)

BUSY = Limits(per_bot_per_second=0, per_chat_seconds=0, per_group_per_minute=20)


def sent(sender: RecordingSender) -> list[tuple[str, int | None]]:
    """Each notice to the group with the receiver of an ephemeral one."""
    return [(envelope.notice.kind, envelope.receiver) for envelope, _ in sender.sent if envelope.chat == GROUP]


@pytest.fixture
async def ephemeral(harness: GroupHarness) -> GroupHarness:
    """A game of three by ephemeral messages in the group; no notice is sent yet after the start."""
    await harness.lobby("Ana", "Bo", "Cy")
    harness.update_row(Chat, 1, ephemeral=True)
    return harness


async def begun(harness: GroupHarness) -> None:
    await harness.tap("Ana", Start())
    await harness.set_dice("22222", "33333", "44444")
    harness.mark_all_sent()


async def test_an_earlier_hand_and_that_of_a_past_turn_are_dropped(
    ephemeral: GroupHarness, sender: RecordingSender
) -> None:
    await begun(ephemeral)
    await ephemeral.call("2x2")
    await ephemeral.call("3x2")
    await ephemeral.call("4x2")
    await DeliveryHarness(ephemeral, sender).drain(GROUP)
    told = [("hand", 101), ("table", None), ("outdated", 101)]
    assert sent(sender) == told, "Bo and Cy have bid without their keyboards"


async def test_in_a_full_minute_a_turn_is_sent_and_an_edit_waits(
    ephemeral: GroupHarness, sender: RecordingSender
) -> None:
    await ephemeral.tap("Ana", Start())
    await ephemeral.set_dice("22222", "33333", "44444")
    await DeliveryHarness(ephemeral, sender).drain(GROUP)
    sender.sent.clear()
    delivery = DeliveryHarness(ephemeral, sender, BUSY)
    delivery.use_up(*[Urgency.TOLD] * 18)
    await ephemeral.call("2x2")
    delivery.delivery.wake([LaneName("telegram", GROUP)])
    await delivery.delivery.idle()
    assert sent(sender) == [("hand", 102)]
    await ephemeral.call("3x2")
    delivery.delivery.wake([LaneName("telegram", GROUP)])
    await delivery.delivery.idle()
    assert sent(sender) == [("hand", 102), ("hand", 103)]
    ephemeral.now += 60
    await delivery.drain(GROUP)
    assert sent(sender).count(("table", None)) == 1, "one edit tells both bids"


async def test_keys_that_all_share_overtake_what_waits_a_minute(harness: GroupHarness, sender: RecordingSender) -> None:
    await harness.lobby("Ana", "Bo", "Cy")
    for player in (1, 2, 3):
        harness.update_row(Player, player, view=PrivateView.SHARED)
    await begun(harness)
    harness.enqueue(OutdatedNotice(), slot="an earlier round", key=())
    delivery = DeliveryHarness(harness, sender, BUSY)
    delivery.use_up(*[Urgency.TOLD] * 18)
    await harness.call("2x2")
    delivery.delivery.wake([LaneName("telegram", GROUP)])
    await delivery.delivery.idle()
    assert sent(sender) == [("table", None)]


async def test_what_is_said_once_is_as_urgent_as_its_type_or_the_tap_that_asked_for_it(harness: GroupHarness) -> None:
    table, hand, reveal = await example_notices(harness)

    def urgency(notice: Notice, handle: str | None = None) -> int:
        envelope = Envelope(channel="telegram", chat=GROUP, notice=notice, reply_handle=handle)
        return int(outbox_columns(Notification(envelope), now=0)["urgency"])

    page = BidsNotice(view=table.view, seat=0, face=4, private=False)
    said = [urgency(each) for each in (table, hand, page, reveal, named_notice("x"))]
    assert said == [Urgency.ASKS] * 3 + [Urgency.ENDS, Urgency.TOLD]
    assert urgency(named_notice("x"), handle="q") == Urgency.ASKS


async def test_an_edit_that_asks_nobody_can_wait_and_a_new_round_comes_soon(harness: GroupHarness) -> None:
    table, hand, _ = await example_notices(harness)
    waiting = hand.model_copy(update={"view": hand.view.model_copy(update={"on_turn": False})})
    asked = hand.model_copy(update={"view": hand.view.model_copy(update={"on_turn": True})})
    for notice, edited, new in (
        (waiting, Urgency.TOLD, Urgency.SOON),
        (asked, Urgency.ASKS, Urgency.ASKS),
        (table, Urgency.TOLD, Urgency.SOON),
        (table.model_copy(update={"shared": True}), Urgency.ASKS, Urgency.ASKS),
    ):
        envelope = Envelope(channel="telegram", chat=GROUP, notice=notice)
        found = [urgency_of(Notification(envelope, is_edit=is_edit)) for is_edit in (True, False)]
        assert found == [edited, new]


@pytest.mark.parametrize("set_back", [0, 3600])
async def test_a_group_waits_after_a_restart_if_its_messages_of_a_minute_are_sent_and_not_for_a_clock_that_was_set_back(
    harness: GroupHarness, sender: RecordingSender, set_back: int
) -> None:
    for number in range(20):
        harness.enqueue(named_notice(str(number)))
    await DeliveryHarness(harness, sender).drain()
    harness.now -= set_back
    restarted = DeliveryHarness(harness, sender, BUSY)
    harness.enqueue(named_notice("one more"))
    async with running(restarted.delivery):
        await until(lambda: bool(restarted.timers or "one more" in sender.texts()))
    assert ("one more" in sender.texts()) == (set_back > 0)
