"""People who leave, groups that move, and an outage."""

import asyncio
import time

from test_support.game_driver import GameDriver
from test_support.virtual_world import VirtualWorld, in_virtual_time
from test_support.world import Setting
from tests.end_to_end.conftest import OpenWorld

TURN = 4
"""Seconds."""


@in_virtual_time
async def test_a_game_follows_its_group_to_a_new_address(open_world: OpenWorld) -> None:
    async with open_world(Setting(), VirtualWorld) as world:
        people = world.some("Ana", "Bo", "Cy")
        basic = world.sandbox.add_group("Basic", [person.user for person in people], "group")
        driver = await GameDriver(world, basic, people).seat()
        await driver.raise_it()
        await world.settled()
        driver.group = world.sandbox.migrate(basic)
        await world.settled()
        driver.began = world.mark()
        for person in people:
            await person.say("/dice")
        await driver.turn()
        _, bid = await driver.raise_it()
        await people[0].sees(f": {bid}", driver.group)


@in_virtual_time
async def test_who_leaves_the_game_the_group_or_telegram_is_out_and_the_others_play_on(open_world: OpenWorld) -> None:
    async with open_world(Setting(), VirtualWorld) as world:
        world.expect_error("Forbidden: user is deactivated", must=False)
        world.expect_sending("failed: forbidden: user is deactivated", must=False)
        ana, bo, cy, dee = world.some("Ana", "Bo", "Cy", "Dee")
        driver = await GameDriver(world, world.group, [ana, bo, cy, dee]).seat()
        await driver.raise_it()
        await bo.say("/leave", world.group)
        question = await bo.sees("Bo, leave the game in Friends", world.group)
        assert await bo.tap("Leave the game", on=question) == "You left the table."
        await ana.sees("🚪 Bo left the game", world.group)
        await world.settled()
        await cy.user.delete_account()
        await ana.sees("🚪 Cy left the game", world.group)
        driver.people = [ana, dee]
        await world.settled()
        await driver.raise_it()
        await world.settled()
        await ana.user.leave(world.group)
        await dee.sees("🏆 Dee wins!", world.group)
        await world.settled()
        assert driver.placings() == ("Dee", "Ana", "Cy", "Bo")
        assert not [call for call in world.recorder.calls if "deactivated" in (call["error"] or "")][3:]


@in_virtual_time
async def test_a_player_whose_messages_could_not_arrive_is_not_late(open_world: OpenWorld) -> None:
    plan = {"clock": {"seconds": TURN, "on_timeout": "lose_die"}, "timings": {"reminder_seconds": 0}}
    async with open_world(Setting(plan=plan), VirtualWorld) as world:
        world.expect_log("no updates|trying again|cannot be heard|does not answer|could not be answered", must=False)
        world.expect_log("begin anew|has to wait|command menus could not be set", must=False)
        world.expect_error(".", must=False)
        world.expect_sending("^unknown", must=False)
        driver = await GameDriver(world, world.group, world.some("Ana", "Bo")).seat()
        offer = await driver.turn()
        await world.settled()
        world.sandbox.begin_outage("silent")
        bid = offer.bids[0]
        await offer.person.press(offer.message, bid.data or "")  # a dead line may bring the tap, but not the answer
        await asyncio.sleep(1.5 * TURN)
        assert not driver.actions("concede")
        well = time.time()
        world.sandbox.end_outage()
        assert len(driver.actions("bid")) == 1
        await world.recorder.until(lambda: driver.actions("concede") or None, "a die to be lost", within=TURN * 8)
        assert time.time() - well >= TURN, "now that all is well, the clock runs out once a whole turn has passed"
