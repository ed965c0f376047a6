"""A phone that is linked to a person of another channel."""

import pytest

from telegram_bot.service import intents as i
from telegram_bot.service.intents import PrivateRouteFailed
from telegram_bot.storage.models import LinkCode, PrivateView
from telegram_bot.tables.events import RejectionReason
from tests.telegram_bot.conftest import GroupHarness
from tests.telegram_bot.service.test_seats_by_text import a_room, kinds, texts

ANA, BO, CY = 501, 502, 503
GROUP = -1001


async def a_mixed_lobby(harness: GroupHarness) -> None:
    """Ana opens a table in the group, Bo texts himself a seat."""
    await harness.say("Ana", i.OpenLobby())
    await harness.text("Bo", i.Join(code=harness.table().code))


async def a_mixed_game(harness: GroupHarness, *hands: str, opener: int = 0) -> None:
    await a_mixed_lobby(harness)
    await harness.tap("Ana", i.Start())
    await harness.set_dice(*hands, opener=opener)
    harness.mark_all_sent()


async def linked(harness: GroupHarness) -> None:
    """Ana of the group has linked her phone."""
    await harness.say("Ana", i.RequestPhoneLink(), where=None)
    (code,) = harness.rows(LinkCode)
    await harness.text("Ana", i.LinkPhone(code.code.lower()))


async def test_a_linked_phone_plays_for_its_owner(harness: GroupHarness) -> None:
    await harness.game("11236", "2345")
    await linked(harness)
    harness.mark_all_sent()
    await harness.text("Ana", i.MakeBid(3, 4))
    assert harness.table().step == 1
    await harness.call("4x4")
    assert kinds(harness, ANA)[-1] == "hand"
    assert harness.player("Ana").view == PrivateView.TEXT


async def test_a_linked_phone_hears_each_bid_if_it_wants_to_and_the_end(harness: GroupHarness) -> None:
    await harness.say("Ana", i.OpenLobby())
    await harness.say("Bo", i.Join())
    await harness.say("Cy", i.Join())
    await linked(harness)
    await harness.text("Ana", i.Choose("verbose", True))
    harness.mark_all_sent()
    await harness.tap("Ana", i.Start())
    await harness.set_dice("1", "2", "6", opener=1)
    harness.mark_all_sent()
    await harness.call("2x6")
    assert kinds(harness, ANA) == ["table"]
    await harness.call("3x6")
    harness.mark_all_sent()
    await harness.text("Ana", i.CallDudo())
    await harness.set_dice("1", "", "6")
    await harness.call("2x5")
    harness.mark_all_sent()
    await harness.call("dudo")
    assert kinds(harness, ANA) == ["game_over"]


async def test_unlinking_gives_both_back_their_own_words(harness: GroupHarness) -> None:
    await harness.game("11236", "2345")
    await linked(harness)
    await harness.text("Ana", i.UnlinkPhone())
    assert harness.player("Ana").phone is None
    assert harness.player("Ana").view == PrivateView.AUTO
    harness.mark_all_sent()
    await harness.text("Ana", i.MakeBid(3, 4))
    assert kinds(harness, ANA) == ["welcome"]  # the phone sits nowhere, and is told how to begin


@pytest.mark.parametrize("late", [False, True])
async def test_a_code_that_is_wrong_or_old_links_nothing(harness: GroupHarness, *, late: bool) -> None:
    await harness.say("Ana", i.RequestPhoneLink(), where=None)
    (code,) = harness.rows(LinkCode)
    harness.now += 901 if late else 0
    await harness.text("Bo", i.LinkPhone(code.code if late else "AAAAAA"))
    assert [envelope.notice.reason for envelope in texts(harness, BO)] == [RejectionReason.LINK_EXPIRED]  # type: ignore[union-attr]
    assert harness.player("Ana").phone is None


async def test_a_code_is_not_said_in_the_group_and_links_once(harness: GroupHarness) -> None:
    await harness.say("Ana", i.RequestPhoneLink())
    assert harness.rows(LinkCode) == []
    await linked(harness)
    assert harness.rows(LinkCode) == []


async def test_a_phone_that_sits_at_a_table_leaves_it_before_it_is_linked(harness: GroupHarness) -> None:
    await a_room(harness)
    await harness.say("Bo", i.RequestPhoneLink(), where=None)
    (code,) = harness.rows(LinkCode)
    harness.mark_all_sent()
    await harness.text("Ana", i.LinkPhone(code.code))
    assert [envelope.notice.reason for envelope in texts(harness, ANA)] == [RejectionReason.STILL_SEATED]  # type: ignore[union-attr]


async def test_the_dice_of_who_linked_it_come_where_they_came_before(harness: GroupHarness) -> None:
    await harness.game("11236", "2345")
    await linked(harness)
    harness.mark_all_sent()
    await harness.text("Ana", i.SeeDice())
    (refused,) = texts(harness, ANA)
    harness.mark_all_sent()
    await harness.service.handle(PrivateRouteFailed(refused, 1))
    assert harness.player("Ana").view == PrivateView.AUTO
    assert harness.waiting_kinds() == [("hand", 101)]
