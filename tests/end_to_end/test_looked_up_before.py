"""The bot is killed between a look-up and its step: it asks nobody again, and the step is made once."""

import asyncio
import sqlite3
from contextlib import closing

from test_support.screen_recorder import PATIENCE
from test_support.world import World

ENDLESS_STEP = f"""
CREATE TRIGGER endless_step BEFORE UPDATE OF done_at ON inbox WHEN OLD.facts IS NOT NULL
BEGIN SELECT count(*) FROM {", ".join(f"json_each('{list(range(100))}') AS n{n}" for n in range(8))}; END
"""  # noqa: S608 - nobody else's words
"""The step after a look-up counts to 100 to the power of 8."""


def execute(world: World, statement: str) -> None:
    with closing(sqlite3.connect(world.folder / "perudo.db", timeout=10)) as connection, connection:
        connection.execute(statement)


async def looked_up(world: World) -> None:
    async with asyncio.timeout(PATIENCE):
        while not world.rows("SELECT 1 FROM inbox WHERE facts IS NOT NULL"):  # noqa: ASYNC110 - another process writes it
            await asyncio.sleep(0.02)


async def test_a_bot_killed_between_look_up_and_step_asks_nobody_again(world: World) -> None:
    ana, bo = world.some("Ana", "Bo")
    await bo.say("/perudo", world.group)
    await bo.sees("Bo", world.group)
    await world.settled()
    questions = world.sandbox.world.calls.named
    asked = len(questions("getChatMember"))
    execute(world, ENDLESS_STEP)

    await ana.say("/stop", world.group)
    await looked_up(world)
    await world.kill()
    assert world.rows("SELECT status FROM game_table") == [("lobby",)]
    assert len(questions("getChatMember")) == asked + 1
    execute(world, "DROP TRIGGER endless_step")
    await world.restart()

    await world.settled()
    assert world.rows("SELECT status FROM game_table") == [("closed",)], "Ana is the group's owner, not the host"
    assert len(questions("getChatMember")) == asked + 1
    assert world.rows("SELECT count(*) FROM inbox WHERE facts IS NOT NULL") == [(0,)]
