"""A group plays on while its operator moves to another database."""

from random import Random

from telegram_bot.storage.copy_database import copy_database
from test_support.game_driver import GameDriver
from test_support.postgres import PostgresServer
from test_support.shown_game import assert_shown_as_recorded
from test_support.world import Setting
from tests.end_to_end.conftest import OpenWorld


async def test_a_game_begun_on_sqlite_is_played_on_on_postgresql(
    open_world: OpenWorld, postgresql: PostgresServer
) -> None:
    with postgresql.fresh(migrated=False) as new_url:
        async with open_world(Setting(plan={"clock": {"seconds": 0}})) as world:
            driver = await GameDriver(world, world.group, world.some("Ana", "Bo", "Cy"), Random(3)).seat()
            await driver.play(5)
            await world.settled()
            assert await world.stop_bot() == 0

            copy_database(world.database_url, new_url, tell=print, sleep=lambda _: None)
            world.database_url = new_url
            await world.restart()
            await driver.play()
            await world.settled()
            assert len(assert_shown_as_recorded(driver).placings or ()) == 3
            assert len(driver.actions()) > 5
