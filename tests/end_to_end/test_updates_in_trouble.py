"""What the bot hears comes twice, late, in another order, edited, forwarded, or goes to somebody else."""

from random import Random

from test_support.game_driver import BID_LABEL, GameDriver
from test_support.shown_game import assert_shown_as_recorded
from test_support.world import Setting, World
from tests.end_to_end.conftest import OpenWorld


async def test_a_game_of_which_every_update_is_late_and_many_come_twice(open_world: OpenWorld) -> None:
    async with open_world(Setting(plan={"clock": {"seconds": 0}})) as world:
        driver = await GameDriver(world, world.group, world.some("Ana", "Bo", "Cy"), Random(1), doubt=0.6).seat()
        await world.act("POST", "/delivery", delay_seconds=0.3, repeat=0.4, seed=1)
        world.expect_error("message is not modified", must=False)
        await driver.play()
        await world.act("POST", "/delivery")
        await world.settled()
        assert_shown_as_recorded(driver)
        causes = world.rows(
            "SELECT cause FROM game_action WHERE table_id = ? AND cause LIKE 'telegram:%' AND action NOT LIKE '%roll%'",
            driver.table,
        )
        assert len(causes) == len(set(causes)), "no update acted twice"


async def test_a_tap_that_waited_too_long_to_be_answered_counts_all_the_same(world: World) -> None:
    """Telegram forgets whom to answer after a minute, and keeps the tap for a while longer."""
    driver = await GameDriver(world, world.group, world.some("Ana", "Bo")).seat()
    offer = await driver.turn()
    await world.settled()
    button = next(button for button in offer.message.flat if BID_LABEL.fullmatch(button.text))
    assert button.data is not None
    assert await world.stop_bot() == 0
    await offer.person.press(offer.message, button.data)
    await world.pass_time(100)
    world.expect_error("answerCallbackQuery: Bad Request: query is too old")
    await world.restart()
    await world["Dee"].sees(f"🔸 {button.text}", world.group)
    driver.steps.add(offer.step)
    await driver.raise_it()
    assert len(driver.actions("bid")) == 2
