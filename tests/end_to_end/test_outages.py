"""Outages by the real clock: whoever could not be heard is not late, whatever was out of order."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

from test_support.game_driver import BID_LABEL, GameDriver
from test_support.worker_cluster import WorkerCluster
from test_support.world import Setting, World

if TYPE_CHECKING:
    from test_support.game_driver import Offer
    from tests.end_to_end.conftest import OpenWorld

TURN = 8
AWAY = TURN * 1.5
SETTING = Setting(plan={"clock": {"seconds": TURN, "on_timeout": "lose_die"}, "timings": {"reminder_seconds": 0}})


def losses(driver: GameDriver) -> int:
    return len(driver.actions("concede"))


async def press_a_bid(offer: Offer) -> tuple[str, str]:
    """Tap while nobody listens: the query, and what the answer should be."""
    button = next(button for button in offer.message.flat if BID_LABEL.fullmatch(button.text))
    assert button.data is not None
    return await offer.person.press(offer.message, button.data), f"You bid {button.text}."


async def late_again(world: World, driver: GameDriver) -> None:
    """Now that all is well, the clock does run out."""
    await world.recorder.until(lambda: losses(driver) == 1 or None, "a die to be lost", within=TURN * 4)


def quiet(world: World) -> None:
    """What the bot says of an outage belongs to it."""
    world.expect_log("no updates|trying again|cannot be heard|does not answer|could not be answered", must=False)
    world.expect_log("begin anew|has to wait", must=False)
    world.expect_error(".", must=False)
    world.expect_sending("^unknown", must=False)


async def test_the_process_was_away(open_world: OpenWorld) -> None:
    async with open_world(SETTING) as world:
        quiet(world)
        driver = await GameDriver(world, world.group, world.some("Ana", "Bo")).seat()
        offer = await driver.turn()
        await world.kill()
        await asyncio.sleep(AWAY)
        began = time.time()
        await world.restart()
        await asyncio.sleep(TURN * 0.6)
        assert losses(driver) == 0
        query, answer = await press_a_bid(offer)
        assert (await offer.person.answer_to(query)).text == answer
        driver.steps.add(offer.step)
        assert time.time() - began < 3 * TURN
        await late_again(world, driver)


async def test_the_network_was_away(open_world: OpenWorld) -> None:
    """Silence is worse than a refusal: the question that hangs does not tell that nobody answers."""
    async with open_world(SETTING) as world:
        quiet(world)
        driver = await GameDriver(world, world.group, world.some("Ana", "Bo")).seat()
        offer = await driver.turn()
        await world.settled()
        await world.act("POST", "/outage", kind="silent")
        await press_a_bid(offer)  # a line that has gone dead may bring the tap, but not the answer
        await asyncio.sleep(AWAY)
        assert losses(driver) == 0
        await world.act("DELETE", "/outage")
        assert len(driver.actions("bid")) == 1
        driver.steps.add(offer.step)
        await late_again(world, driver)


async def test_the_webhook_could_not_be_reached(open_world: OpenWorld) -> None:
    async with open_world(SETTING, WorkerCluster) as world:
        assert isinstance(world, WorkerCluster)
        quiet(world)
        driver = await GameDriver(world, world.group, world.some("Ana", "Bo")).seat()
        offer = await driver.turn()
        await world.settled()
        workers = world.balancer.cut()
        query, answer = await press_a_bid(offer)
        await asyncio.sleep(AWAY)
        assert losses(driver) == 0, "Telegram holds what was said"
        world.balancer.workers = workers
        assert (await offer.person.answer_to(query)).text == answer
        driver.steps.add(offer.step)
        await late_again(world, driver)
