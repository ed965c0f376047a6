"""What the database knows of messages that are pictures."""

from telegram_bot.service.notices import Envelope, MessageRef, SendMode
from telegram_bot.storage.models import DiceStyle, SentMessage
from tests.telegram_bot.conftest import GroupHarness
from tests.telegram_bot.delivery.conftest import ANA, GROUP, DeliveryHarness, RecordingSender, example_notices


async def test_an_edit_knows_whether_the_message_is_a_picture(
    harness: GroupHarness, delivery_harness: DeliveryHarness, sender: RecordingSender
) -> None:
    table, hand, reveal = await example_notices(harness)
    for notice in (table, reveal, hand):
        sender.pictures = notice is reveal
        harness.enqueue(notice, slot="deal:1", mode=SendMode.EDIT)
        await delivery_harness.drain()
    targets = [target for _, target in sender.sent]
    assert targets == [None, MessageRef(1001, picture=False), MessageRef(1001, picture=True)]
    assert harness.rows(SentMessage)[0].picture


async def test_the_keyboard_is_taken_off_a_picture_as_one(
    harness: GroupHarness, delivery_harness: DeliveryHarness, sender: RecordingSender
) -> None:
    _, hand, _ = await example_notices(harness)
    sender.pictures = sender.hands_have_keyboards = True
    for _ in range(2):
        harness.enqueue(hand, chat=ANA, slot="hand:1", mode=SendMode.REPLACE)
        await delivery_harness.drain(ANA)
    assert sender.sent[-1][0].target == MessageRef(1001, picture=True)
    assert harness.rows(SentMessage)[0].picture


async def test_what_is_stored_is_read_back_as_it_was(harness: GroupHarness) -> None:
    table, _, _ = await example_notices(harness)
    envelope = Envelope(
        channel="telegram", chat=GROUP, mode=SendMode.TARGET, target=MessageRef(5, ANA), reply_handle="q", notice=table
    )
    assert Envelope.model_validate(envelope.model_dump(mode="json")) == envelope


async def test_a_table_is_shown_again_when_its_dice_are_written_in_another_way(
    harness: GroupHarness, delivery_harness: DeliveryHarness, sender: RecordingSender
) -> None:
    table, _, _ = await example_notices(harness)
    for style in (DiceStyle.KEYCAPS, DiceStyle.WORDS, DiceStyle.WORDS):
        harness.enqueue(table, slot="deal:1", mode=SendMode.EDIT, dice_style=style)
        await delivery_harness.drain()
    assert [envelope.dice_style for envelope, _ in sender.sent] == [DiceStyle.KEYCAPS, DiceStyle.WORDS]
