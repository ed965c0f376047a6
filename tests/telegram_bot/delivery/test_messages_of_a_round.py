"""The new messages that a round makes for a reader of the group and of their own chat."""

from telegram_bot.notices import HandNotice, Notice, OutdatedNotice, RevealNotice
from telegram_bot.notices.rendering import message_html
from telegram_bot.service.handlers.lobby_requests import StartPrivateChat
from telegram_bot.words.catalogue import catalogue
from tests.telegram_bot.conftest import GroupHarness
from tests.telegram_bot.delivery.conftest import ANA, BO, GROUP, DeliveryHarness, RecordingSender

CY = 103


def messages_of(sender: RecordingSender, chat: int) -> list[list[Notice]]:
    """The messages that a chat has now, in order, each with all that it has shown."""
    found: dict[int, list[Notice]] = {}
    chats: dict[int, int] = {}
    number = 1000
    for envelope, target in sender.sent:
        if target is None and envelope.target is None:
            number += 1
        at = number if target is None else target.message
        chats.setdefault(at, envelope.chat)
        if envelope.notice.deletes:
            del found[at]
        elif not isinstance(envelope.notice, OutdatedNotice):
            found.setdefault(at, []).append(envelope.notice)
    return [notices for at, notices in found.items() if chats[at] == chat]


async def begun(harness: GroupHarness, delivery: DeliveryHarness, *, calls: str) -> None:
    for name in ("Ana", "Bo", "Cy"):
        await harness.say(name, StartPrivateChat(), where=None)
    await delivery.drain(ANA, BO, CY)
    await harness.game("22222", "33333", "44444")
    for call in calls.split():
        await delivery.drain(GROUP, ANA, BO, CY)
        await harness.call(call)
    await delivery.drain(GROUP, ANA, BO, CY)


async def test_a_round_makes_three_new_messages_and_its_end_is_an_edit_of_ones_own_board(
    harness: GroupHarness, delivery: DeliveryHarness, sender: RecordingSender
) -> None:
    await begun(harness, delivery, calls="3x4 dudo")
    readers = (ANA, BO, CY)
    before = {chat: len(messages_of(sender, chat)) for chat in (GROUP, *readers)}
    for reader in readers:
        *_, board, new = messages_of(sender, reader)
        assert isinstance(board[-1], RevealNotice)
        assert isinstance(board[0], HandNotice)
        assert isinstance(new[0], HandNotice)
        assert "Counted <b>5</b>" in (message_html(board[-1], catalogue("en")) or ""), "in words"
    for call in ("2x5", "dudo"):
        await harness.call(call)
        await delivery.drain(GROUP, *readers)
    new_in = {chat: len(messages_of(sender, chat)) - count for chat, count in before.items()}
    for reader in readers:
        assert new_in[GROUP] + new_in[reader] <= 3
        *_, board, _ = messages_of(sender, reader)
        assert isinstance(board[-1], RevealNotice), "the first message of the new round has left it"
