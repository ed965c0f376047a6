"""Calza: in turn, out of turn, and what happens when several want to speak at once."""

from __future__ import annotations

import time
from typing import Any

from test_support.game_driver import GameDriver
from test_support.person import Person
from test_support.shown_game import replay_from_database
from test_support.world import Setting, World
from tests.end_to_end.conftest import OpenWorld

ANA_OPENS = [[0, 3], *(2, 3, 4, 5, 6), *(2, 2, 3, 4, 5), *(3, 3, 4, 5, 6)]


def calza_setting(window: float, dice: list[Any] = ANA_OPENS, **rules: Any) -> Setting:
    plan = {
        "clock": {"seconds": 0},
        "timings": {"claim_window_seconds": window},
        "rules": {"calza": True, **rules},
        "dice": dice,
    }
    return Setting(plan=plan)


async def three(world: World) -> tuple[GameDriver, Person, Person, Person]:
    driver = await GameDriver(world, world.group, world.some("Ana", "Bo", "Cy")).seat()
    ana, bo, cy = driver.people
    assert (await driver.turn()).person is ana
    await ana.say("2x4")
    await bo.sees("🔸 2 × 4️⃣")
    return driver, ana, bo, cy


async def test_calza_by_the_player_on_turn_counts_at_once(open_world: OpenWorld) -> None:
    async with open_world(calza_setting(5)) as world:
        driver, _, bo, _ = await three(world)
        assert await bo.tap("Calza!") == "Calza! Cups up!"
        shown = await world["Dee"].sees("🎯 Calza! Bo says that Ana's 2 × 4️⃣ is exact", world.group)
        assert "Counted 3" in shown.text
        assert "💥 Bo called calza and loses a die." in shown.text
        await world.settled()
        assert [action["type"] for action in driver.actions()] == ["bid", "calza"]


async def test_calza_out_of_turn_counts_when_nobody_acts_first(open_world: OpenWorld) -> None:
    async with open_world(calza_setting(0.5)) as world:
        driver, _, _, cy = await three(world)
        assert await cy.tap("Calza!", world.group) == "Calza! It counts if nobody acts first."
        await world["Dee"].sees("🎯 Calza! Cy says", world.group)
        await world.settled()
        assert [action["type"] for action in driver.actions()] == ["bid", "calza"]
        assert (await driver.turn()).person is cy, "the caller opens"


async def test_a_claim_is_void_when_the_player_on_turn_acts_first(open_world: OpenWorld) -> None:
    async with open_world(calza_setting(3)) as world:
        driver, _, bo, cy = await three(world)
        assert await cy.tap("Calza!", world.group) == "Calza! It counts if nobody acts first."
        assert await cy.tap("Calza!", world.group) == "That counted already."
        assert await bo.tap("3 × 4️⃣") == "You bid 3 × 4️⃣."
        await world["Dee"].sees("🔸 3 × 4️⃣ fours, says Bo", world.group)
        await world.settled()
        assert [action["type"] for action in driver.actions()] == ["bid", "bid"]
        ((due,),) = world.rows("SELECT due_at FROM game_table")
        assert due > time.time() + 3600, "no window is open any more"


async def test_of_several_claims_the_one_nearest_to_the_bidders_left_counts(open_world: OpenWorld) -> None:
    dice = [[0, 4], *(2, 3, 4, 5, 6), *(2, 2, 3, 4, 5), *(3, 3, 4, 5, 6), *(2, 2, 3, 3, 5)]
    async with open_world(calza_setting(1.0, dice)) as world:
        driver = await GameDriver(world, world.group, world.some("Ana", "Bo", "Cy", "Dee")).seat()
        ana, _, cy, dee = driver.people
        await ana.say("2x4")
        await dee.sees("🔸 2 × 4️⃣", world.group)
        assert await dee.tap("Calza!", world.group) == "Calza! It counts if nobody acts first."
        assert await cy.tap("Calza!", world.group) == "Calza! It counts if nobody acts first."
        await ana.sees("🎯 Calza! Cy says", world.group)
        await world.settled()
        assert driver.actions("calza") == [{"type": "calza", "seat": 2}]
        replay_from_database(world, driver.table)


async def test_the_bidder_cannot_say_calza(open_world: OpenWorld) -> None:
    async with open_world(calza_setting(1)) as world:
        driver, ana, _, _ = await three(world)
        assert await ana.tap("Calza!", world.group) == "That bid is your own."
        await ana.say("calza")
        await ana.sees("That bid is your own")
        await world.settled()
        assert [action["type"] for action in driver.actions()] == ["bid"]


async def test_a_right_calza_wins_a_die_back(open_world: OpenWorld) -> None:
    dice = [
        [0, 3],
        *(2, 3, 4, 5, 6),
        *(2, 2, 3, 4, 5),
        *(3, 3, 4, 5, 6),
        *(2, 3, 4, 5, 6),
        *(2, 2, 3, 4),
        *(3, 3, 4, 5, 6),
    ]
    async with open_world(calza_setting(0.3, dice, lost_dice="visible")) as world:
        driver, _, bo, cy = await three(world)
        assert await bo.tap("Dudo!") == "Dudo! Cups up!"
        await bo.sees("👉 Bo 🎲🎲🎲🎲\n", world.group)
        await bo.say("3x4")
        await cy.sees("🔸 3 × 4️⃣")
        assert await cy.tap("Calza!") == "Calza! Cups up!"
        shown = await world["Dee"].sees("🎯 Calza! Cy says(?s:.*)exactly right", world.group)
        assert "🎯 Cy has no lost die to win back." in shown.text
        await world.settled()
        assert len(driver.actions("calza")) == 1
