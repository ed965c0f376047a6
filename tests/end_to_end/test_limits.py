"""Telegram's flood limits, as strict as the real ones: several groups play, and nothing is refused."""

import asyncio
import random

from test_support.game_driver import GameDriver
from test_support.world import Setting
from tests.end_to_end.conftest import OpenWorld

GROUPS = 3
MOVES = 10


async def test_no_group_is_ever_told_to_slow_down(open_world: OpenWorld) -> None:
    """The audit at the end refuses any 429, however quickly people act."""
    names = tuple(f"P{group}{letter}" for group in range(GROUPS) for letter in "abc")
    setting = Setting(people=names, flood_limits=True, plan={"clock": {"seconds": 0}})
    async with open_world(setting) as world:
        parties = []
        for number in range(GROUPS):
            people = world.some(*(f"P{number}{letter}" for letter in "abc"))
            group = await world.found(f"Group {number}", people)
            parties.append(GameDriver(world, group, people, random.Random(number), doubt=0.2, browse=0))
        await asyncio.gather(*(person.start() for person in world.people.values()))

        async def evening(driver: GameDriver) -> None:
            await driver.gather()
            await driver.begin()
            await driver.play(moves=MOVES)

        await asyncio.gather(*(evening(driver) for driver in parties))

        async def close(driver: GameDriver) -> None:
            await driver.host.say("/stop", driver.group)
            await driver.host.tap("Close the table", driver.group)

        await asyncio.gather(*(close(driver) for driver in parties if not driver.over()))
        await world.settled()
        for driver in parties:
            assert driver.host.newest("🏆|closed the table", driver.group) is not None
