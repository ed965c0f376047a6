"""An outage in virtual time: a player whose messages could not arrive is not late."""

import asyncio
import time

from test_support.game_driver import BID_LABEL, GameDriver
from test_support.virtual_world import VirtualWorld, in_virtual_time
from test_support.world import Setting
from tests.end_to_end.conftest import OpenWorld

TURN = 4
AWAY = 1.5
"""How long the outage lasts, in turns."""


@in_virtual_time
async def test_the_network_was_away(open_world: OpenWorld) -> None:
    """A request that hangs is worse than a refusal: it does not show that Telegram is away."""
    plan = {"clock": {"seconds": TURN, "on_timeout": "lose_die"}, "timings": {"reminder_seconds": 0}}
    async with open_world(Setting(plan=plan), VirtualWorld) as world:
        world.expect_log("no updates|trying again|cannot be heard|does not answer|could not be answered", must=False)
        world.expect_log("begin anew|has to wait|command menus could not be set", must=False)
        world.expect_error(".", must=False)
        world.expect_sending("^unknown", must=False)
        driver = await GameDriver(world, world.group, world.some("Ana", "Bo")).seat()
        offer = await driver.turn()
        await world.settled()
        await world.act("POST", "/outage", kind="silent")
        bid = next(button for button in offer.message.flat if BID_LABEL.fullmatch(button.text))
        await offer.person.press(offer.message, bid.data or "")  # a dead line may bring the tap, but not the answer
        await asyncio.sleep(AWAY * TURN)
        assert not driver.actions("concede")
        well = time.time()
        await world.act("DELETE", "/outage")
        assert len(driver.actions("bid")) == 1
        await world.recorder.until(lambda: driver.actions("concede") or None, "a die to be lost", within=TURN * 8)
        assert time.time() - well >= TURN, "now that all is well, the clock runs out once a whole turn has passed"
