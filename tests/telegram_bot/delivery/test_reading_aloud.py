"""What is read aloud to a group delays nobody; to a person it may be all that they perceive."""

import pytest

from telegram_bot.delivery.limits import Urgency, urgency_of
from telegram_bot.delivery.outbox import follows_a_round
from telegram_bot.service.notices import Confirmation, ConfirmationNotice, Envelope, SpokenNotice
from tests.telegram_bot.conftest import GroupHarness
from tests.telegram_bot.delivery.conftest import ANA, GROUP, DeliveryHarness, named_notice

SPOKEN = SpokenNotice(told=ConfirmationNotice(done=Confirmation.DUDO))


@pytest.mark.parametrize(
    ("chat", "turn", "said"), [(GROUP, 1, ["turn"]), (GROUP, None, ["spoken", "turn"]), (ANA, 1, ["spoken", "turn"])]
)
async def test_only_a_group_goes_without_and_only_in_a_hurry(
    harness: GroupHarness, delivery_harness: DeliveryHarness, chat: int, turn: int | None, said: list[str]
) -> None:
    harness.enqueue(SPOKEN, chat=chat)
    harness.enqueue(named_notice("turn"), chat=chat, turn=turn)
    await delivery_harness.drain(chat)
    assert delivery_harness.sender.texts(chat) == said


def test_it_comes_last_and_stands_below_the_rounds_message() -> None:
    envelope = Envelope(channel="telegram", chat=-1, notice=SPOKEN)
    assert urgency_of(envelope, is_new=True) is Urgency.LATER
    assert follows_a_round(envelope)
