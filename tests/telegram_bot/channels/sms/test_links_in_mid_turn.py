"""A link that begins or ends in mid-turn: the turn moves to the player's new channel, and no message comes twice."""

from typing import Any

import pytest
from sqlmodel import select

from telegram_bot.delivery.sender import NotSentError
from telegram_bot.intents import intents as i
from telegram_bot.service.handlers.game_requests import MakeBid
from telegram_bot.service.handlers.lobby_requests import OpenLobby, Start, StartPrivateChat
from telegram_bot.service.handlers.phone_requests import RequestPhoneLink, UnlinkPhone
from telegram_bot.storage.models import LaneName, NoticeStatus, OutboxEntry, RoundEnd
from telegram_bot.tables.model import Status
from test_support.sms_world import ANA, BO, CY, SmsWorld
from test_support.waiting_surfaces import waiting_surfaces

DEE = i.Person("telegram", 77, "Dee", language="en")
GROUP = i.Place("telegram", -5, title="Group")


_causes = iter(range(10**6))


async def tap(world: SmsWorld, request: i.AnyRequest, where: i.Place | None = None, *, who: i.Person = DEE) -> None:
    await world.service.handle(i.Intent("telegram", f"t{next(_causes)}", who, request, where))
    await world.settle()


async def link_code(world: SmsWorld) -> str:
    await tap(world, RequestPhoneLink())
    codes = [notice["code"] for notice in notices(world, LaneName("telegram", 77)) if notice["kind"] == "link_code"]
    return str(codes[-1])


def notices(world: SmsWorld, lane: LaneName) -> list[dict[str, Any]]:
    """The notices of a Telegram lane, waiting or sent, oldest first; these tests do not send them."""
    with world.database.transaction() as session, session.no_autoflush:
        said = session.exec(select(OutboxEntry).where(OutboxEntry.status == NoticeStatus.PENDING)).all()
        rows = [*sorted(said, key=lambda row: row.id), *(row for row, _ in waiting_surfaces(world.service, session))]
        return [row.notice["notice"] for row in rows if row.lane == lane and row.notice]


async def dee_on_turn(world: SmsWorld) -> None:
    """Dee, in Telegram, plays with Bo, on the phone, and opens."""
    await tap(world, OpenLobby(), GROUP)
    await tap(world, StartPrivateChat())
    await world.text(BO, f"JOIN {world.table().code} Bo")
    await tap(world, Start(), GROUP)
    game = world.table().begun_game
    if game.turn != 0:
        await world.text(BO, "1x2")
    assert world.table().game is not None
    world.got(BO)


def hands(world: SmsWorld, lane: LaneName) -> list[dict[str, Any]]:
    return [notice for notice in notices(world, lane) if notice["kind"] == "hand"]


async def test_a_link_in_mid_turn_brings_the_turn_to_the_phone(world: SmsWorld) -> None:
    await dee_on_turn(world)
    deadline = world.table().running.ends
    dice = hands(world, LaneName("telegram", 77))[-1]["view"]["dice"]
    world.now += 60
    code = await link_code(world)
    linked, hand = await world.confirm(ANA, f"LINK {code}")
    assert linked == "R1 Linked: this phone plays for Dee."
    assert hand.startswith(f"R1 Your dice: {' '.join(map(str, sorted(dice)))}.")
    assert "text e.g." in hand
    assert hands(world, LaneName("telegram", 77)) == [], "what waited for the old place would come twice"
    assert world.table().running.ends == deadline
    await world.text(ANA, "9x6")
    game = world.table().begun_game
    assert game.current_bid is not None
    assert (game.current_bid.quantity, game.current_bid.seat) == (9, 0)


async def test_the_end_of_a_link_in_mid_turn_brings_it_back(world: SmsWorld) -> None:
    await dee_on_turn(world)
    await world.confirm(ANA, f"LINK {await link_code(world)}")
    deadline = world.table().running.ends
    assert await world.confirm(ANA, "UNLINK") == ["This phone doesn't play for Dee any more."]
    [hand] = hands(world, LaneName("telegram", 77))
    assert hand["view"]["on_turn"]
    assert world.table().running.ends == deadline
    assert "Text JOIN" in (await world.text(ANA, "9x6"))[-1], "the phone plays for no one"
    await tap(world, MakeBid(9, 6), GROUP)
    assert world.table().step > 0


async def test_unlink_in_telegram_tells_the_phone(world: SmsWorld) -> None:
    await dee_on_turn(world)
    await world.confirm(ANA, f"LINK {await link_code(world)}")
    await tap(world, UnlinkPhone())
    assert world.got(ANA) == ["This phone doesn't play for Dee any more."]
    assert len(hands(world, LaneName("telegram", 77))) == 1


async def test_another_phone_takes_the_turn_over_and_the_first_is_told(world: SmsWorld) -> None:
    await dee_on_turn(world)
    await world.confirm(ANA, f"LINK {await link_code(world)}")
    code = await link_code(world)
    linked, hand = await world.confirm(CY, f"LINK {code}")
    assert linked.endswith("Linked: this phone plays for Dee.")
    assert "Your dice:" in hand
    assert world.got(ANA) == ["This phone doesn't play for Dee any more."]
    before = world.table().game
    await world.text(ANA, "9x6")
    assert world.table().game == before
    await world.text(CY, "9x6")
    assert world.table().game != before


async def test_dice_that_wait_for_the_old_phone_never_reach_it(world: SmsWorld) -> None:
    await dee_on_turn(world)
    await world.confirm(ANA, f"LINK {await link_code(world)}")
    await world.text(ANA, "9x6")
    world.air["air"].refuse = NotSentError("no network")
    await world.text(BO, "dudo")
    assert world.got(ANA) == []
    await tap(world, UnlinkPhone())
    world.air["air"].refuse = None
    await world.pass_time(120)
    assert world.got(ANA) == ["This phone doesn't play for Dee any more."]
    [hand] = hands(world, LaneName("telegram", 77))
    assert hand["view"]["table"]["round"] == 2


async def test_who_is_not_on_turn_has_their_dice_where_they_are_now(world: SmsWorld) -> None:
    await dee_on_turn(world)
    await tap(world, MakeBid(1, 6), GROUP)
    code = await link_code(world)
    texts = await world.confirm(ANA, f"LINK {code}")
    assert "Your dice:" in texts[-1]
    assert "It's Bo's turn." in texts[-1]


async def test_an_order_that_comes_again_changes_and_sends_nothing(world: SmsWorld) -> None:
    await dee_on_turn(world)
    question = (await world.text(ANA, f"LINK {await link_code(world)}"))[-1]
    order = question[question.index("LINK ") :][: len("LINK 1234")]
    await world.text(ANA, order, message="once")
    await world.confirm(ANA, "UNLINK")
    after = (world.table(), len(world.rows(OutboxEntry)))
    assert await world.text(ANA, order, message="once") == []
    assert (world.table(), len(world.rows(OutboxEntry))) == after


async def test_without_a_private_chat_the_group_is_offered_the_bids(world: SmsWorld) -> None:
    await dee_on_turn(world)
    await world.confirm(ANA, f"LINK {await link_code(world)}")
    await tap(world, i.PrivateChatBlocked())
    await world.confirm(ANA, "UNLINK")
    shown = [notice for notice in notices(world, LaneName("telegram", -5)) if notice["kind"] == "table"]
    assert shown[-1]["shared"]
    assert world.table().status is Status.PLAYING


# Notices that wait for the morning


async def dees_hand_waits_for_the_morning(world: SmsWorld) -> None:
    """Dee plays on the linked phone, and their next dice wait until the bot may text again."""
    await dee_on_turn(world)
    await world.confirm(ANA, f"LINK {await link_code(world)}")
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
        await tap(world, i.BotMembershipChanged(present=False, ephemeral_allowed=False), GROUP)
        assert world.table().suspension is not None
    if meanwhile == "another phone":
        await world.confirm(CY, f"LINK {await link_code(world)}")
    elif meanwhile != "nothing":
        await tap(world, UnlinkPhone())
    await world.pass_time(20 * 3600)
    told = world.got(ANA)
    assert any("Your dice" in text for text in told) is (meanwhile == "nothing")
    assert meanwhile != "the group is lost" or not any("doubted" in text for text in told)
