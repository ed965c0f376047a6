"""Messages that are shown anew because a player asks for them, or lets the bot in; the host's menu."""

from telegram_bot.delivery.sender import RefusedError, TargetGoneError
from telegram_bot.intents import intents as i
from telegram_bot.intents.envelope import MessageRef
from telegram_bot.notices import DiceNotice
from telegram_bot.service.handlers.game_requests import MakeBid
from telegram_bot.service.handlers.lobby_requests import ChangeOption, OpenMenu, Start, StartPrivateChat
from telegram_bot.service.handlers.phone_requests import LinkPhone, RequestPhoneLink
from telegram_bot.service.handlers.queries import SeeDice, SeeStatus
from telegram_bot.service.handlers.settings import Choose
from telegram_bot.storage.models import LinkCode, PrivateView, SentMessage
from tests.telegram_bot.conftest import GroupHarness
from tests.telegram_bot.delivery.conftest import ANA, BO, GROUP, DeliveryHarness, RecordingSender


def told(delivery: DeliveryHarness, chat: int) -> list[tuple[str, int]]:
    sent = [
        (each.notice.kind, (target or each.target or MessageRef(0)).message)
        for each, target in delivery.sender.sent
        if each.chat == chat
    ]
    delivery.sender.sent.clear()
    return sent


async def test_what_is_asked_for_again_comes_before_the_old_loses_its_keys(
    harness: GroupHarness, delivery: DeliveryHarness
) -> None:
    for begin, kind in ((harness.lobby("Ana", "Bo"), "lobby"), (harness.tap("Ana", Start()), "table")):
        await begin
        await delivery.drain_with_time(GROUP)
        old = delivery.sender.last_message
        delivery.sender.sent.clear()
        for _ in range(2):
            await harness.say("Bo", SeeStatus())
        await delivery.drain_with_time(GROUP)
        assert told(delivery, GROUP) == [(kind, 0), ("outdated", old)], "one message for both"
        await harness.say("Bo", SeeStatus())
        await delivery.drain_with_time(GROUP)
        assert told(delivery, GROUP) == [(kind, 0), ("outdated", delivery.sender.last_message - 1)]


async def test_dice_asked_for_beside_a_phone_lose_their_keys_with_the_turn(
    harness: GroupHarness, delivery: DeliveryHarness
) -> None:
    await harness.game("22222", "33333")
    await harness.say("Ana", RequestPhoneLink(), where=None)
    await harness.text("Ana", LinkPhone(harness.rows(LinkCode)[-1].code))
    await delivery.drain_with_time(GROUP, ANA, BO)
    delivery.sender.hands_have_keyboards = True
    await harness.say("Ana", SeeDice(), where=None)
    await delivery.drain_with_time(ANA)
    assert told(delivery, ANA)[-1] == ("hand", 0)
    first = delivery.sender.last_message
    await harness.say("Ana", SeeDice(), where=None)
    await delivery.drain_with_time(ANA)
    assert told(delivery, ANA) == [("hand", 0), ("outdated", first)], "only the newest has buttons"
    asked = delivery.sender.last_message
    await harness.text("Ana", MakeBid(2, 2))
    await delivery.drain_with_time(ANA)
    assert told(delivery, ANA) == [("outdated", asked)]


async def test_buttons_that_a_blocked_chat_kept_are_taken_away_when_the_player_lets_the_bot_in(
    harness: GroupHarness, delivery: DeliveryHarness, sender: RecordingSender
) -> None:
    sender.hands_have_keyboards = True
    await harness.game("22222", "33333", calls="2x2")
    await delivery.drain_with_time(GROUP, ANA, BO)
    (board,) = [each.message for each in harness.rows(SentMessage) if each.chat == BO and each.keyboard]
    sender.failures[BO] = [RefusedError("bot was blocked by the user")] * 9
    for call in ("3x2", "dudo"):
        await harness.call(call)
        await delivery.drain_with_time(GROUP, ANA, BO)
    sender.failures.clear()
    sender.sent.clear()
    await harness.say("Bo", StartPrivateChat(), where=None)
    await delivery.drain_with_time(GROUP, BO)
    assert ("outdated", board) in told(delivery, BO)


async def test_a_hosts_menu_is_edited_until_the_game_begins_and_is_deleted_then(delivery: DeliveryHarness) -> None:
    harness = delivery.harness
    await harness.say("Ana", StartPrivateChat(greeted=False), where=None)
    await harness.lobby("Ana", "Bo")
    await delivery.drain_with_time(GROUP)
    await delivery.drain_with_time(ANA)
    menu = delivery.sender.last_message
    delivery.sender.sent.clear()

    async def shown() -> list[tuple[str, int]]:
        await delivery.drain_with_time(GROUP, ANA)
        return told(delivery, ANA)

    await harness.tap("Ana", OpenMenu("rules"), where=None)
    assert await shown() == [("lobby", menu)]
    await harness.tap("Ana", ChangeOption("rulebook", "aces"), where=None)
    assert await shown() == [("lobby", menu)]
    await harness.tap("Ana", OpenMenu("table"))
    assert await shown() == [("lobby", 0), ("outdated", menu)], "a key of an earlier version in the group"
    menu = delivery.sender.last_message
    await harness.tap("Ana", Start())
    assert ("outdated", menu) in await shown()


async def looks(delivery: DeliveryHarness, chat: int) -> list[str]:
    """Return what the worker sends to a chat within 30 seconds: before it compares all chats."""
    delivery.sender.sent.clear()
    for _ in range(30):
        with delivery.harness.database.transaction() as session:
            found = delivery.delivery.look(session)
        delivery.delivery.wake(found)
        await delivery.delivery.idle()
        delivery.harness.pass_time(1)
    return [kind for kind, _ in told(delivery, chat)]


async def test_who_chooses_their_private_chat_on_their_turn_gets_their_bids_there(delivery: DeliveryHarness) -> None:
    harness = delivery.harness
    await harness.lobby("Ana", "Bo")
    await harness.say("Ana", Choose("view", PrivateView.SHARED), where=None)
    await harness.tap("Ana", Start())
    await harness.set_dice("22", "33")
    await delivery.drain_with_time(GROUP, ANA, BO)
    assert "hand" not in [kind for kind, _ in told(delivery, ANA)]
    await harness.say("Ana", Choose("view", PrivateView.DIRECT), where=None)
    assert "hand" in await looks(delivery, ANA)


async def test_a_person_who_lets_the_bot_in_again_reads_what_was_shown_meanwhile(delivery: DeliveryHarness) -> None:
    """The bot was blocked when Ana's last die was lost; she is out, so no bids wait for her."""
    harness = delivery.harness
    await harness.game("2", "33", "44", calls="1x5")
    await delivery.drain_with_time(GROUP, ANA, BO, 103)
    await harness.call("dudo")
    await harness.say("Ana", i.PrivateChatBlocked(), where=None, by="nothing")
    await delivery.drain_with_time(GROUP, ANA, BO, 103)
    assert "knocked_out" not in [kind for kind, _ in told(delivery, ANA)]
    await harness.say("Ana", StartPrivateChat(greeted=False), where=None, by="nothing")
    assert "knocked_out" in await looks(delivery, ANA)


async def test_a_deleted_board_comes_anew_when_its_player_asks_for_their_dice(delivery: DeliveryHarness) -> None:
    harness = delivery.harness
    await harness.game("22", "33")
    await delivery.drain_with_time(GROUP, ANA, BO)
    delivery.sender.sent.clear()
    delivery.sender.failures[ANA] = [TargetGoneError("message to edit not found")]
    result = await harness.tap("Ana", SeeDice())
    assert isinstance(result.toast, DiceNotice)
    await delivery.drain_with_time(GROUP, ANA, BO)
    (board,) = [(envelope.notice, target) for envelope, target in delivery.sender.sent if envelope.chat == ANA]
    assert board[0].kind == "hand"
    assert board[1] is None, "a new message"
