"""Each text costs money: none follows from other words, a name, a setting, a restart or an update of the bot."""

import random
from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest

from telegram_bot.service.handlers.game_requests import MakeBid
from telegram_bot.service.handlers.queries import SeeDice, SeeRules, SeeStatus
from telegram_bot.service.handlers.settings import Choose
from telegram_bot.storage.models import DiceStyle, PrivateView
from test_support.sms_world import BO, GROUP, SmsWorld
from tests.telegram_bot.channels.sms.test_links_in_mid_turn import dee_on_turn

CHOICES = (
    Choose("chosen_language", "fr"),
    Choose("dice_style", DiceStyle.WORDS),
    Choose("pictures", value=False),
    Choose("view", PrivateView.SHARED),
    Choose("name", "Dora"),
)


async def chooses(world: SmsWorld) -> SmsWorld:
    for choice in CHOICES:
        await world.tap(choice)
    return world


async def chooses_for_the_group(world: SmsWorld) -> SmsWorld:
    for choice in CHOICES[:3]:
        await world.tap(replace(choice, to_all=True), GROUP)
    return world


async def asks(world: SmsWorld) -> SmsWorld:
    for request in (SeeStatus(), SeeDice(), SeeRules()):
        await world.tap(request, GROUP)
    return world


async def restarts(world: SmsWorld) -> SmsWorld:
    again = SmsWorld(world.database, *world.air.values())
    again.now, again._texts, again._taps, again._read = world.now, world._texts, world._taps, world._read
    await again.settle()
    return again


async def is_updated(world: SmsWorld) -> SmsWorld:
    updated = await restarts(world)
    config = updated.service.config
    updated.service.config = replace(config, languages=("en", "fr"), celebrate=not config.celebrate, numbers=())
    return updated


CHANGES: tuple[Callable[[SmsWorld], Awaitable[SmsWorld]], ...] = (
    chooses, chooses_for_the_group, asks, restarts, is_updated,
)  # fmt: skip


@pytest.mark.parametrize(("seed", "bo_is_on_turn"), [(0, False), (1, True), (2, True)])
async def test_only_the_game_sends_texts(world: SmsWorld, seed: int, *, bo_is_on_turn: bool) -> None:
    await dee_on_turn(world)
    if bo_is_on_turn:
        await world.tap(MakeBid(3, 3), GROUP)
        assert len(world.got(BO)) == 1, "it is his turn"
    changes = random.Random(seed).sample(CHANGES, len(CHANGES))
    for change in changes:
        world = await change(world)
        assert world.got(BO) == [], change.__name__
    if bo_is_on_turn:
        await world.text(BO, "9x3")
    else:
        await world.tap(MakeBid(9, 3), GROUP)
    bids = world.table().begun_game.bids
    assert bids[-1].quantity == 9, "and the game goes on"
