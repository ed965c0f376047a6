"""Outages by the real clock: whoever could not be heard is not late, whatever was out of order."""

import asyncio
import time

from test_support.game_driver import BID_LABEL, GameDriver, Offer
from test_support.worker_cluster import WorkerCluster
from test_support.world import Setting, World
from tests.end_to_end.conftest import OpenWorld

TURN = 4
LONG_TURN = 9
"""For the webhook, which the bot looks after every 5 seconds."""
AWAY = 1.5
"""How long an outage lasts, in turns."""


def setting(turn: int) -> Setting:
    return Setting(plan={"clock": {"seconds": turn, "on_timeout": "lose_die"}, "timings": {"reminder_seconds": 0}})


def losses(driver: GameDriver) -> int:
    return len(driver.actions("concede"))


async def press_a_bid(offer: Offer) -> tuple[str, str]:
    """Tap while nobody listens: the query, and what the answer should be."""
    button = next(button for button in offer.message.flat if BID_LABEL.fullmatch(button.text))
    assert button.data is not None
    return await offer.person.press(offer.message, button.data), f"You bid {button.text}."


async def late_again(world: World, driver: GameDriver, well: float, turn: int = TURN) -> None:
    """Now that all is well, the clock does run out, once a whole turn has passed."""
    await world.recorder.until(lambda: losses(driver) or None, "a die to be lost", within=turn * 8)
    assert time.time() - well >= turn


def quiet(world: World) -> None:
    """What the bot says of an outage belongs to it."""
    world.expect_log("no updates|trying again|cannot be heard|does not answer|could not be answered", must=False)
    world.expect_log("begin anew|has to wait", must=False)
    world.expect_error(".", must=False)
    world.expect_sending("^unknown", must=False)


async def test_the_network_was_away(open_world: OpenWorld) -> None:
    """Silence is worse than a refusal: the question that hangs does not tell that nobody answers."""
    async with open_world(setting(TURN)) as world:
        quiet(world)
        driver = await GameDriver(world, world.group, world.some("Ana", "Bo")).seat()
        offer = await driver.turn()
        await world.settled()
        await world.act("POST", "/outage", kind="silent")
        await press_a_bid(offer)  # a line that has gone dead may bring the tap, but not the answer
        await asyncio.sleep(AWAY * TURN)
        assert losses(driver) == 0
        well = time.time()
        await world.act("DELETE", "/outage")
        assert len(driver.actions("bid")) == 1
        await late_again(world, driver, well)


async def test_the_webhook_could_not_be_reached(open_world: OpenWorld) -> None:
    async with open_world(setting(LONG_TURN), WorkerCluster) as world:
        assert isinstance(world, WorkerCluster)
        quiet(world)
        driver = await GameDriver(world, world.group, world.some("Ana", "Bo")).seat()
        offer = await driver.turn()
        await world.settled()
        workers = world.balancer.cut()
        query, answer = await press_a_bid(offer)
        await asyncio.sleep(AWAY * LONG_TURN)
        assert losses(driver) == 0, "Telegram holds what was said"
        well = time.time()
        world.balancer.workers = workers
        assert (await offer.person.answer_to(query)).text == answer
        await late_again(world, driver, well, LONG_TURN)
