"""The turn clock: who is slow, who is away, who comes back."""

import re

from test_support.game_driver import GameDriver
from test_support.world import Setting
from tests.end_to_end.conftest import OpenWorld


def quick(seconds: int = 1, **clock: object) -> Setting:
    timings = {"reminder_seconds": 0.5, "away_seconds": 0.3, "claim_window_seconds": 0.2}
    return Setting(plan={"clock": {"seconds": seconds, **clock}, "timings": timings})


async def test_the_house_plays_for_the_absent_and_hands_the_seat_back(open_world: OpenWorld) -> None:
    async with open_world(quick(2)) as world:
        driver = await GameDriver(world, world.group, world.some("Ana", "Bo")).seat()
        slow = (await driver.turn()).person
        notice = await slow.sees("You missed your turn in Friends")
        await world["Dee"].sees(rf"{slow.name} 💤 away, so I play", world.group)
        await world["Dee"].sees(rf"🔸 \d+ × \S+ \w+, says {slow.name}", world.group)
        assert await slow.tap("I am back", on=notice) == "Welcome back, the seat is yours again."
        await world.settled()
        table = driver.table_message()
        assert table is not None
        assert "💤" not in table.text or slow.name not in re.findall(r"(\w+) 💤", table.text)
        assert len([action for action in driver.actions("bid") if driver.people[action["seat"]] is slow]) >= 1


async def test_a_deadline_outlives_a_restart(open_world: OpenWorld) -> None:
    async with open_world(quick(600)) as world:
        driver = await GameDriver(world, world.group, world.some("Ana", "Bo")).seat()
        await driver.raise_it()
        await world.settled()
        before = world.rows("SELECT due_at FROM game_table")
        assert await world.stop_bot() == 0
        await world.restart()
        assert world.rows("SELECT due_at FROM game_table") == before
        await driver.raise_it()
        await driver.doubt_it()


async def test_calza_out_of_turn_counts_when_nobody_acts_first(open_world: OpenWorld) -> None:
    dice = [[0, 3], *(2, 3, 4, 5, 6), *(2, 2, 3, 4, 5), *(3, 3, 4, 5, 6)]
    plan = {
        "clock": {"seconds": 0},
        "timings": {"claim_window_seconds": 0.5},
        "rules": {"calza": True},
        "dice": dice,
    }
    async with open_world(Setting(plan=plan)) as world:
        driver = await GameDriver(world, world.group, world.some("Ana", "Bo", "Cy")).seat()
        ana, bo, cy = driver.people
        assert (await driver.turn()).person is ana
        await ana.say("2x4")
        await bo.sees("2 × 4️⃣")
        assert await cy.tap("Calza!", world.group) == "Calza! It counts if nobody acts first."
        await world["Dee"].sees("🎯 Calza! Cy says", world.group)
        await world.settled()
        assert [action["type"] for action in driver.actions()] == ["bid", "calza"]
        assert (await driver.turn()).person is cy, "the caller opens"
