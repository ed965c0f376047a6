"""A link that begins or ends in mid-turn: the turn moves to the player's new channel, and no message comes twice."""

from typing import Any

import pytest
from sqlmodel import select

from perudo_core import Bid
from telegram_bot.delivery.sender import NotSentError
from telegram_bot.intents import intents as i
from telegram_bot.service.handlers.game_requests import MakeBid
from telegram_bot.service.handlers.lobby_requests import OpenLobby, Start, StartPrivateChat
from telegram_bot.service.handlers.phone_requests import UnlinkPhone
from telegram_bot.storage.models import LaneName, NoticeStatus, OutboxEntry, RoundEnd
from telegram_bot.tables.model import Status
from test_support.sms_world import ANA, BO, CY, GROUP, SmsWorld
from test_support.waiting_surfaces import waiting_surfaces


def notices(world: SmsWorld, chat: int) -> list[dict[str, Any]]:
    """The notices for a chat in Telegram, waiting or shown, oldest first; these tests do not send them."""
    with world.database.transaction() as session, session.no_autoflush:
        said = session.exec(select(OutboxEntry).where(OutboxEntry.status == NoticeStatus.PENDING)).all()
        rows = [*sorted(said, key=lambda row: row.id), *(row for row, _ in waiting_surfaces(world.service, session))]
        return [row.notice["notice"] for row in rows if row.lane == LaneName("telegram", chat) and row.notice]


async def dee_on_turn(world: SmsWorld) -> None:
    """Dee, in Telegram, plays with Bo, on the phone, and opens."""
    await world.tap(OpenLobby(), GROUP)
    await world.tap(StartPrivateChat())
    await world.text(BO, f"JOIN {world.table().code} Bo")
    await world.tap(Start(), GROUP)
    if world.table().begun_game.turn != 0:
        await world.text(BO, "1x2")
    world.got(BO)


def hands(world: SmsWorld) -> list[dict[str, Any]]:
    """The dice that Dee is shown in Telegram."""
    return [notice for notice in notices(world, 77) if notice["kind"] == "hand"]


async def dee_on_turn_by_phone(world: SmsWorld) -> None:
    await dee_on_turn(world)
    await world.confirm(ANA, f"LINK {await world.link_code()}")


async def test_a_link_in_mid_turn_brings_the_turn_to_the_phone(world: SmsWorld) -> None:
    await dee_on_turn(world)
    deadline = world.table().running.ends
    dice = hands(world)[-1]["view"]["dice"]
    world.now += 60
    linked, hand = await world.confirm(ANA, f"LINK {await world.link_code()}")
    assert linked == "R1 Linked: this phone plays for Dee."
    assert hand.startswith(f"R1 Your dice: {' '.join(map(str, sorted(dice)))}.")
    assert "text e.g." in hand
    assert hands(world) == [], "what waited for the old place would come twice"
    assert world.table().running.ends == deadline
    await world.text(ANA, "9x6")
    assert world.table().begun_game.current_bid == Bid(0, 9, 6)


async def test_the_end_of_a_link_in_mid_turn_brings_it_back(world: SmsWorld) -> None:
    await dee_on_turn_by_phone(world)
    deadline = world.table().running.ends
    assert await world.confirm(ANA, "UNLINK") == ["This phone doesn't play for Dee any more."]
    [hand] = hands(world)
    assert hand["view"]["on_turn"]
    assert world.table().running.ends == deadline
    assert "Text JOIN" in (await world.text(ANA, "9x6"))[-1], "the phone plays for no one"
    await world.tap(MakeBid(9, 6), GROUP)
    assert world.table().step > 0


async def test_another_phone_takes_the_turn_over_and_the_first_is_told(world: SmsWorld) -> None:
    await dee_on_turn_by_phone(world)
    linked, hand = await world.confirm(CY, f"LINK {await world.link_code()}")
    assert linked.endswith("Linked: this phone plays for Dee.")
    assert "Your dice:" in hand
    assert world.got(ANA) == ["This phone doesn't play for Dee any more."]
    before = world.table().game
    await world.text(ANA, "9x6")
    assert world.table().game == before
    await world.text(CY, "9x6")
    assert world.table().game != before


async def test_dice_that_wait_for_the_old_phone_never_reach_it(world: SmsWorld) -> None:
    await dee_on_turn_by_phone(world)
    await world.text(ANA, "9x6")
    world.air["air"].refuse = NotSentError("no network")
    await world.text(BO, "dudo")
    assert world.got(ANA) == []
    await world.tap(UnlinkPhone())
    world.air["air"].refuse = None
    await world.pass_time(120)
    assert world.got(ANA) == ["This phone doesn't play for Dee any more."]
    [hand] = hands(world)
    assert hand["view"]["table"]["round"] == 2


async def test_who_is_not_on_turn_has_their_dice_where_they_are_now(world: SmsWorld) -> None:
    await dee_on_turn(world)
    await world.tap(MakeBid(1, 6), GROUP)
    hand = (await world.confirm(ANA, f"LINK {await world.link_code()}"))[-1]
    assert "Your dice:" in hand
    assert "It's Bo's turn." in hand


async def test_an_order_that_comes_again_changes_and_sends_nothing(world: SmsWorld) -> None:
    await dee_on_turn(world)
    question = (await world.text(ANA, f"LINK {await world.link_code()}"))[-1]
    order = question[question.index("LINK ") :][: len("LINK 1234")]
    await world.text(ANA, order, message="once")
    await world.confirm(ANA, "UNLINK")
    after = (world.table(), len(world.rows(OutboxEntry)))
    assert await world.text(ANA, order, message="once") == []
    assert (world.table(), len(world.rows(OutboxEntry))) == after


async def test_without_a_private_chat_the_group_is_offered_the_bids(world: SmsWorld) -> None:
    await dee_on_turn_by_phone(world)
    await world.tap(i.PrivateChatBlocked())
    await world.confirm(ANA, "UNLINK")
    shown = [notice for notice in notices(world, -5) if notice["kind"] == "table"]
    assert shown[-1]["shared"]
    assert world.table().status is Status.PLAYING


# Notices that wait for the morning


async def dees_hand_waits_for_the_morning(world: SmsWorld) -> None:
    """Dee plays on the linked phone, and their next dice wait until the bot may text again."""
    await dee_on_turn_by_phone(world)
    await world.text(ANA, "QUIET 13-8")
    await world.text(ANA, "2x6")
    world.got(ANA)
    world.now += 2 * 3600  # it sleeps
    await world.text(BO, "dudo")
    with world.database.transaction() as session:  # the group, whose channel does not run here, is shown the dice
        for end in session.exec(select(RoundEnd)):
            end.seen_at = world.now
    assert world.got(ANA) == []
    assert any(
        row.lane == LaneName("sms", world.phone(ANA).id) and row.status == "pending" for row in world.rows(OutboxEntry)
    )


@pytest.mark.parametrize("meanwhile", ["nothing", "unlinked", "another phone", "the group is lost"])
async def test_a_hand_that_waits_for_the_morning_is_sent_then_if_the_phone_still_plays(
    world: SmsWorld, meanwhile: str
) -> None:
    await dees_hand_waits_for_the_morning(world)
    if meanwhile == "the group is lost":
        await world.tap(i.BotMembershipChanged(present=False, ephemeral_allowed=False), GROUP)
        assert world.table().suspension is not None
    if meanwhile == "another phone":
        await world.confirm(CY, f"LINK {await world.link_code()}")
    elif meanwhile != "nothing":
        await world.tap(UnlinkPhone())
    await world.pass_time(20 * 3600)
    told = world.got(ANA)
    assert any("Your dice" in text for text in told) is (meanwhile == "nothing")
    assert meanwhile != "the group is lost" or not any("doubted" in text for text in told)
