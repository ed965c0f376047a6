"""The bot is killed again and again in mid-game. Every move that was accepted counts, once."""

import asyncio
from random import Random
from typing import Any

import pytest

from test_support.interrupted_game import InterruptedGame
from test_support.postgres import PostgresServer, running_postgres
from test_support.worker_cluster import TwoWorkers
from test_support.world import World
from tests.end_to_end.conftest import OpenWorld

CUTS = 4
CUTS_OF_TWO = 2
"""After each the process that stood by waits for some seconds, then plays."""
MOVES_A_CUT = 3
"""At most, so that a slow machine does not play to the end before the last cut: all but one of the players lose all of
their dice, and a round has two moves at least."""
HEARD = (
    "That counted already",
    "That was for an earlier",
    "You're not in this game any more",  # the second of two taps, after the first cost the last die
    "No game is running here",
    "One moment:",  # the second of two taps, while the dice are about to be shown
)


def plan(dice: int) -> dict[str, Any]:
    """No clock, and so many dice for each player."""
    return {"clock": {"seconds": 0}, "rules": {"starting_dice": dice}}


async def the_evening(world: World, rng: Random, server: PostgresServer | None = None, most: int = CUTS) -> None:
    """A whole game through power cuts of the bot and of its database; then the answers are compared with the record."""
    # A send that the power cut interrupts may have arrived or not: the bot does not repeat it blindly.
    world.expect("sending", "^unknown: None", must=False)
    world.expect("error", "message is not modified", must=False)
    # A deletion may have arrived, and is repeated.
    world.expect("error", "message to (delete|edit) not found", must=False)
    world.expect("error", "query is too old", must=False)
    world.expect("error", "the request ended early", must=False)
    world.expect("log line", "cannot be heard: no clock runs out meanwhile|was left open", must=False)
    taps = asyncio.Semaphore(MOVES_A_CUT)
    game = InterruptedGame(world, world.group, world.some("Ana", "Bo", "Cy"), rng, doubt=0.35, taps=taps)
    await game.seat()
    cuts = 0

    async def cut_the_power() -> None:
        nonlocal cuts
        while cuts < most and not game.over():
            await asyncio.sleep(rng.uniform(0.0, 0.6))
            async with game.power:
                await world.kill()
                if server is not None and cuts == 1:
                    server.stop_hard()
                    server.start()
                cuts += 1
                await world.restart()
            for _ in range(MOVES_A_CUT):
                taps.release()
        game.taps, game.doubt = None, 0.8

    async with asyncio.TaskGroup() as both:
        both.create_task(cut_the_power())
        both.create_task(game.play())
    await world.settled()
    assert cuts == most
    assert list(game.wrong()) == []
    assert len(game.told) > len(game.actions()) * 0.6
    assert [heard for heard in game.refused if not heard.startswith(HEARD)] == []


async def test_no_accepted_move_is_lost_or_doubled_on_one_sqlite_file(open_world: OpenWorld) -> None:
    async with open_world(World, plan=plan(3)) as world:
        await the_evening(world, Random(1))


@pytest.mark.timeout(600)
async def test_no_accepted_move_is_lost_or_doubled_when_another_process_takes_over(open_world: OpenWorld) -> None:
    """The server is stopped hard: no other test uses it."""
    with running_postgres() as server, server.fresh() as url:
        async with open_world(TwoWorkers, plan=plan(2), database_url=url) as world:
            world.expect("log line", "connection|database", must=False)
            await the_evening(world, Random(1), server, CUTS_OF_TWO)
