"""The turn clock: who is slow, who is away, who comes back."""

from test_support.game_driver import GameDriver
from test_support.world import Setting
from tests.end_to_end.conftest import OpenWorld


async def test_the_house_plays_for_the_absent_and_hands_the_seat_back(open_world: OpenWorld) -> None:
    quick = {"clock": {"seconds": 2}, "timings": {"reminder_seconds": 0.5, "away_seconds": 0.3}}
    async with open_world(Setting(plan=quick)) as world:
        driver = await GameDriver(world, world.group, world.some("Ana", "Bo")).seat()
        slow = (await driver.turn()).person
        notice = await slow.sees("You missed your turn in Friends")
        await world["Dee"].sees(rf"{slow.name} 💤 away, so I play", world.group)
        await world["Dee"].sees(rf"🔸 \d+ × \S+ \w+, says {slow.name}", world.group)
        since = world.mark()
        assert await slow.tap("I am back", on=notice) == "Welcome back, the seat is yours again."
        await world["Dee"].sees(rf"(?s)👉(?!.*{slow.name} 💤)", world.group, since=since)
        assert driver.actions("bid")
