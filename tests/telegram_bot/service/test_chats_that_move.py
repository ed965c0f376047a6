"""A group that becomes a supergroup: its table, and what was heard at the new address before."""

from telegram_bot.service import intents as i
from telegram_bot.service.intents import ChatAddressChanged
from telegram_bot.service.notices import Confirmation
from telegram_bot.storage.models import (
    Chat,
    GameTable,
    SentMessage,
)
from tests.telegram_bot.conftest import GroupHarness, confirmation_of

GROUP = -1001
ANA, BO, CY = 101, 102, 103


async def test_a_group_that_moves_takes_its_game_along(harness: GroupHarness) -> None:
    await harness.game("22222", "33333")
    with harness.database.transaction() as session:
        session.add(SentMessage(table_id=1, slot="deal:1", chat=GROUP, message=55))
        session.add(SentMessage(table_id=1, slot="hand:1", chat=ANA, message=56))
    await harness.say("Ana", i.ChatMoved(-100777), by="nothing")
    assert {chat for kind, chat in harness.waiting_kinds() if kind in ("table", "started")} == {-100777}
    assert {row.lane for row in harness.waiting()} == {"telegram:-100777", "telegram:101", "telegram:102"}
    assert [row.slot for row in harness.rows(SentMessage)] == ["hand:1"], "old messages cannot be edited any more"
    harness.group = i.Place("telegram", -100777, 0, "Friends")
    assert confirmation_of((await harness.call("3x4")).toast) is Confirmation.BID
    await harness.service.handle(ChatAddressChanged("telegram", GROUP, -100777))
    assert [row.address for row in harness.rows(Chat)] == [-100777], "told twice is told once"


async def test_a_group_that_moved_may_have_been_heard_from_at_its_new_address_already(harness: GroupHarness) -> None:
    """Telegram tells of the move in the old group, and of the bot's standing in the new one, in any order."""
    await harness.game("22222", "33333")
    new = i.Place("telegram", -100777, 0, "Friends")
    await harness.say("Ana", i.BotMembershipChanged(present=True, ephemeral_allowed=False), where=new, by="nothing")
    await harness.say("Ana", i.ChatMoved(-100777), by="nothing")
    harness.group = new
    assert confirmation_of((await harness.call("3x4")).toast) is Confirmation.BID
    assert [row.address for row in harness.rows(Chat)] == [-100777]


async def test_a_running_game_outlives_a_lobby_opened_at_the_new_address_before_the_move_was_heard(
    harness: GroupHarness,
) -> None:
    await harness.game("22222", "33333", sent=True)
    harness.group = i.Place("telegram", -100777, 0, "Friends")
    await harness.say("Bo", i.OpenLobby())
    with harness.database.transaction() as session:
        session.add(SentMessage(table_id=2, slot="lobby", chat=-100777, message=9, keyboard=True))
    harness.mark_all_sent()
    await harness.service.handle(ChatAddressChanged("telegram", GROUP, -100777))
    assert sorted((row.id, row.live) for row in harness.rows(GameTable)) == [(1, True), (2, False)]
    assert harness.waiting_kinds() == [("closed", -100777), ("table", -100777)], "the lobby says so, the game is shown"
    assert confirmation_of((await harness.call("3x4")).toast) is Confirmation.BID


async def test_a_game_begun_at_the_new_address_stays_and_the_old_one_closes(harness: GroupHarness) -> None:
    await harness.game("22222", "33333")
    harness.group = i.Place("telegram", -100777, 0, "Friends")
    await harness.say("Bo", i.OpenLobby())
    await harness.say("Cy", i.Join())
    await harness.tap("Bo", i.Start(), table=2)
    await harness.service.handle(ChatAddressChanged("telegram", GROUP, -100777))
    assert sorted((row.id, row.live) for row in harness.rows(GameTable)) == [(1, False), (2, True)]
