"""Every message comes, although a group moves, the clock is set back, or one table has a fault."""

from telegram_bot.delivery.sender import TargetGoneError
from telegram_bot.intents import intents as i
from telegram_bot.notices import DiceNotice
from telegram_bot.service.handlers.game_requests import MakeBid
from telegram_bot.service.handlers.lobby_requests import Start, StartPrivateChat
from telegram_bot.service.handlers.queries import SeeDice
from telegram_bot.service.handlers.settings import Choose
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import PrivateView
from tests.telegram_bot.conftest import GroupHarness
from tests.telegram_bot.delivery.conftest import GROUP, DeliveryHarness, RecordingSender

PRIVATE = (101, 102, 103)


async def test_after_the_clock_was_set_back_typed_words_still_count(harness: GroupHarness) -> None:
    await harness.game("22", "33", "44", sent=True)
    await harness.call("1x5")
    harness.mark_all_sent()
    harness.pass_time(5)
    harness.now -= 3600
    await harness.restart_clocks(fresh=False)
    harness.now += 3
    await harness.say("Bo", MakeBid(2, 5), said_at=harness.now)
    assert harness.table().step == 2


async def looks(delivery: DeliveryHarness, seconds: int = 30) -> None:
    """Let time pass while the worker looks for marked messages: for less time than until all are compared."""
    for _ in range(seconds):
        with delivery.harness.database.transaction() as session:
            found = delivery.delivery.look(session)
        delivery.delivery.wake(found)
        await delivery.delivery.idle()
        delivery.harness.pass_time(1)


async def test_a_player_who_chooses_their_private_chat_on_their_turn_gets_their_bids_there(
    database: Database, sender: RecordingSender
) -> None:
    harness = GroupHarness(database)
    delivery = DeliveryHarness(harness, sender)
    await harness.lobby("Ana", "Bo")
    await harness.say("Ana", Choose("view", PrivateView.SHARED), where=None)
    await harness.tap("Ana", Start())
    await harness.set_dice("22", "33")
    await delivery.drain_with_time(GROUP, *PRIVATE)
    assert (101, "hand") not in [(envelope.chat, envelope.notice.kind) for envelope, _ in sender.sent]
    await harness.say("Ana", Choose("view", PrivateView.DIRECT), where=None)
    await looks(delivery)
    assert (101, "hand") in [(envelope.chat, envelope.notice.kind) for envelope, _ in sender.sent]


async def test_a_person_who_lets_the_bot_in_again_reads_what_was_shown_meanwhile(
    database: Database, sender: RecordingSender
) -> None:
    """The bot was blocked when Ana's last die was lost; she is out, so no bids wait for her."""
    harness = GroupHarness(database)
    delivery = DeliveryHarness(harness, sender)
    await harness.game("2", "33", "44", calls="1x5")
    await delivery.drain_with_time(GROUP, *PRIVATE)
    await harness.call("dudo")
    await harness.say("Ana", i.PrivateChatBlocked(), where=None, by="nothing")
    await delivery.drain_with_time(GROUP, *PRIVATE)
    assert (101, "knocked_out") not in [(envelope.chat, envelope.notice.kind) for envelope, _ in sender.sent]
    await harness.say("Ana", StartPrivateChat(greeted=False), where=None, by="nothing")
    await looks(delivery)
    assert (101, "knocked_out") in [(envelope.chat, envelope.notice.kind) for envelope, _ in sender.sent]


async def test_a_player_who_has_deleted_their_board_gets_it_anew_when_they_ask_for_their_dice(
    database: Database, sender: RecordingSender
) -> None:
    harness = GroupHarness(database)
    delivery = DeliveryHarness(harness, sender)
    await harness.game("22", "33")
    await delivery.drain_with_time(GROUP, 101, 102)
    sender.sent.clear()
    sender.failures[101] = [TargetGoneError("message to edit not found")]
    result = await harness.tap("Ana", SeeDice())
    assert isinstance(result.toast, DiceNotice)
    await delivery.drain_with_time(GROUP, 101, 102)
    (board,) = [(envelope.notice, target) for envelope, target in sender.sent if envelope.chat == 101]
    assert board[0].kind == "hand"
    assert board[1] is None, "a new message"
