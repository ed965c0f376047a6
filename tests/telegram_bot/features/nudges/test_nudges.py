"""Sleepers: a friend calls them, once in a while and not in quiet hours; the host removes them amid a game."""

import pytest

from telegram_bot.channels.web.streams import OPEN_SECONDS
from telegram_bot.features import nudges
from telegram_bot.features.nudges import Called, CallSleepers, RemoveSleeper
from telegram_bot.service.handlers.ending import Leave
from telegram_bot.service.handlers.game_requests import CallDudo, ReturnToSeat
from telegram_bot.service.handlers.lobby_requests import Join, Start
from telegram_bot.service.handlers.settings import Choose
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import GameTable, Player
from telegram_bot.tables.events import RejectionReason
from telegram_bot.tables.quiet_hours import QuietHours
from test_support.web_world import WebWorld, a_room
from tests.telegram_bot.conftest import GroupHarness, rejection_of


async def a_game_with_bo_asleep(harness: GroupHarness) -> int:
    """A game of Ana, Bo and Cy in which the bot plays for Bo; return Bo's number."""
    await harness.game("33456", "22344", "55566", opener=1, sent=True)
    harness.store(harness.table(1).with_seat(1, away=True, misses=1))
    return harness.table(1).seats[1].player


def told(result: object) -> list[Called]:
    toast = getattr(result, "toast", None)
    assert isinstance(toast, nudges.SleepersNotice)
    return [each.called for each in toast.sleepers]


async def test_a_friend_calls_a_sleeper_once_in_a_while_and_no_one_awake_is_removed(harness: GroupHarness) -> None:
    bo = await a_game_with_bo_asleep(harness)
    misses = harness.table(1).seats[1].misses
    assert told(await harness.tap("Cy", CallSleepers(bo))) == [Called.NOW]
    (called,) = harness.notices("called")
    assert called.name == "Cy"
    assert told(await harness.tap("Ana", CallSleepers())) == [Called.LATELY]
    harness.now += nudges.PAUSE_SECONDS[False] + 1
    assert told(await harness.tap("Ana", CallSleepers())) == [Called.NOW]
    assert harness.table(1).seats[1].misses == misses
    await harness.tap("Bo", ReturnToSeat())
    assert told(await harness.tap("Ana", CallSleepers())) == []
    assert rejection_of((await harness.tap("Ana", RemoveSleeper(bo, dice_go=True))).toast) is RejectionReason.STALE
    assert harness.table(1).in_play(1)


@pytest.mark.parametrize("dice_go", [True, False])
async def test_the_host_removes_a_sleeper_with_or_without_their_dice(harness: GroupHarness, *, dice_go: bool) -> None:
    bo = await a_game_with_bo_asleep(harness)
    refused = await harness.tap("Cy", RemoveSleeper(bo, dice_go=dice_go))
    assert rejection_of(refused.toast) is RejectionReason.NOT_HOST
    assert isinstance((await harness.tap("Ana", RemoveSleeper(bo, dice_go=dice_go))).toast, nudges.RemovedNotice)
    assert harness.table(1).in_play(1) is not dice_go
    if dice_go:
        return
    for request in (ReturnToSeat(), CallDudo(), Leave(), Leave(confirmed=True)):
        assert rejection_of((await harness.tap("Bo", request)).toast) is RejectionReason.SENT_OUT
    assert harness.table(1).seats[1].away
    assert told(await harness.tap("Ana", CallSleepers())) == []


async def test_a_sleeper_is_not_called_in_their_quiet_hours(harness: GroupHarness) -> None:
    await harness.say("Bo", Choose("quiet", QuietHours(0, 24 * 60 - 1, "UTC")), where=None)
    harness.now += 7 * 86400
    await a_game_with_bo_asleep(harness)
    harness.update_row(Player, harness.player("Bo").id, awake_until=0)
    assert told(await harness.tap("Ana", CallSleepers())) == [Called.QUIET]
    assert harness.notices("called") == []


async def test_a_guest_is_called_on_an_open_page_alone(database: Database) -> None:
    world = WebWorld(database)
    ana, bo = await a_room(world, "Ana", "Bo")
    for _ in range(2):
        await ana.act("start")
    state = world.table().with_seat(1, away=True).model_dump(mode="json")
    with database.transaction() as session:
        session.get_one(GameTable, 1).state = state
    await ana.cards(anew=True)
    player = world.table().seats[1].player
    world.now += OPEN_SECONDS + 1
    assert (await ana.act("wake", table=1, player=player))["text"] == "I can't reach Bo: their page is closed."
    await bo.cards(anew=True)
    assert (await ana.act("wake", table=1, player=player))["text"] == "I've called Bo."
    assert "Ana calls you" in (await bo.card("note"))["text"]
    assert (await ana.act("sleeper_bot", table=1, player=player))["done"]
    assert [seat["left_to_bot"] for seat in (await ana.card("round"))["seats"]] == [False, True]


async def test_a_phone_is_called_by_text_once_an_hour(harness: GroupHarness) -> None:
    await harness.lobby("Ana", "Cy")
    await harness.text("Bo", Join(harness.table(1).code))
    await harness.tap("Ana", Start())
    harness.mark_all_sent()
    harness.store(harness.table(1).with_seat(2, away=True))
    assert told(await harness.tap("Ana", CallSleepers())) == [Called.NOW]
    harness.now += nudges.PAUSE_SECONDS[False] + 1
    assert told(await harness.tap("Ana", CallSleepers())) == [Called.LATELY]
    harness.now += nudges.PAUSE_SECONDS[True]
    assert told(await harness.tap("Cy", CallSleepers())) == [Called.NOW]
