"""A player whose time runs out: the one message about it, which goes when its moment is over."""

import pytest

from telegram_bot.service.handlers.ending import Leave
from telegram_bot.service.handlers.game_requests import ReturnToSeat
from telegram_bot.service.handlers.lobby_requests import Join
from telegram_bot.service.handlers.settings import Choose
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import PrivateView
from tests.telegram_bot.conftest import AUTO_CLOCK, GroupHarness
from tests.telegram_bot.delivery.conftest import ANA, BO, GROUP, DeliveryHarness, RecordingSender

CY = 103


@pytest.fixture
def harness(database: Database) -> GroupHarness:
    return GroupHarness(database, clock=AUTO_CLOCK)


@pytest.fixture
def chats(delivery: DeliveryHarness) -> "Chats":
    return Chats(delivery)


class Chats:
    """The messages in the chats after all was sent."""

    def __init__(self, delivery: DeliveryHarness) -> None:
        self.delivery = delivery

    async def after(self, seconds: float) -> None:
        await self.delivery.harness.run_deadlines(seconds, told=False)
        await self.delivery.drain(GROUP, ANA, BO, CY)

    async def notes(self, chat: int) -> list[str]:
        """The messages of a chat about a missed turn that are shown now."""
        await self.delivery.drain(GROUP, ANA, BO, CY)
        notes = ("reminder", "away", "paused", "seat_handover")
        shown = [notices[-1].kind for notices in self.delivery.sender.messages(chat)]
        return [kind for kind in shown if kind in notes]


@pytest.mark.parametrize("reminded_in", [ANA, GROUP])
async def test_the_reminder_is_deleted_once_its_player_has_called(
    harness: GroupHarness, chats: Chats, reminded_in: int
) -> None:
    await harness.game("22222", "33333", "44444")
    if reminded_in == GROUP:
        await harness.say("Ana", Choose("view", PrivateView.ALERT))
    await chats.after(0)
    await chats.after(30)
    assert await chats.notes(reminded_in) == ["reminder"]
    await harness.call("3x4")
    assert await chats.notes(reminded_in) == []


@pytest.mark.parametrize("under_way", [False, True])
async def test_a_reminder_that_a_call_overtakes_is_not_sent_or_is_deleted_once_it_has_arrived(
    harness: GroupHarness, chats: Chats, sender: RecordingSender, *, under_way: bool
) -> None:
    await harness.game("22222", "33333", "44444")
    await chats.after(0)

    async def call() -> None:
        await harness.call("3x4")

    if under_way:
        sender.failures[ANA] = [call]
        await chats.after(30)
    else:
        await harness.run_deadlines(30, told=False)
        await call()
    assert await chats.notes(ANA) == []
    assert ("reminder" in sender.texts(ANA)) is under_way


async def test_a_missed_turn_is_one_message_which_goes_when_its_player_is_back(
    harness: GroupHarness, chats: Chats, sender: RecordingSender
) -> None:
    await harness.game("22222", "33333", "44444")
    await chats.after(0)
    await chats.after(30)
    before = len(sender.texts(ANA))
    await chats.after(30)
    assert await chats.notes(ANA) == ["away"], "the reminder says it now"
    new = [target for envelope, target in sender.sent if envelope.chat == ANA][before:]
    assert None not in new, "no new message"
    await harness.tap("Ana", ReturnToSeat(), where=None)
    assert await chats.notes(ANA) == []


async def test_no_key_im_back_is_left_when_the_game_goes_on_or_is_over(harness: GroupHarness, chats: Chats) -> None:
    await harness.game("22222", "33333")
    await chats.after(0)
    await chats.after(60)
    assert await chats.notes(ANA) == ["away"]
    await chats.after(60)
    assert (await chats.notes(GROUP), await chats.notes(BO)) == (["paused"], ["away"])
    await harness.tap("Bo", ReturnToSeat())
    assert (await chats.notes(GROUP), await chats.notes(BO)) == ([], [])
    await harness.tap("Bo", Leave(confirmed=True))
    assert await chats.notes(ANA) == []


async def test_who_plays_on_for_a_player_is_told_in_place_of_the_missed_turn(
    harness: GroupHarness, chats: Chats
) -> None:
    await harness.game("22222", "33333", "44444")
    await chats.after(0)
    await chats.after(60)
    assert await chats.notes(ANA) == ["away"]
    await harness.tap("Dee", Join(player=harness.table().seats[0].player))
    assert await chats.notes(ANA) == ["seat_handover"]
    await harness.tap("Ana", ReturnToSeat(), where=None)
    assert await chats.notes(ANA) == []
