"""The turn clock in real time: who is away, and an outage, after which nobody is late."""

import asyncio
import time

from test_support.game_driver import BID_LABEL, GameDriver
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


# An outage by the real clock: whoever could not be heard is not late


TURN = 4
AWAY = 1.5
"""How long the outage lasts, in turns."""


async def test_the_network_was_away(open_world: OpenWorld) -> None:
    """Silence is worse than a refusal: the question that hangs does not tell that nobody answers."""
    plan = {"clock": {"seconds": TURN, "on_timeout": "lose_die"}, "timings": {"reminder_seconds": 0}}
    async with open_world(Setting(plan=plan)) as world:
        world.expect_log("no updates|trying again|cannot be heard|does not answer|could not be answered", must=False)
        world.expect_log("begin anew|has to wait", must=False)
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
