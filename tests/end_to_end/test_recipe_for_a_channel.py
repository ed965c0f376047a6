"""The recipe for a channel, followed literally in a copy of the bot: lines and Telegram at one table."""

import asyncio
import os
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from telegram_bot.sandbox_launcher import free_port
from test_support.documents import ROOT
from test_support.game_driver import GameDriver
from test_support.recipes import copy_bot, follow, read_recipe
from test_support.world import World
from tests.end_to_end.conftest import OpenWorld

MODEL = "tests/end_to_end/line_channel.py"


class LinePlayer:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    async def type(self, line: str) -> None:
        self.writer.write(f"{line}\n".encode())
        await self.writer.drain()

    async def close(self) -> None:
        self.writer.close()
        await self.writer.wait_closed()

    async def sees(self, text: str) -> None:
        async with asyncio.timeout(60):
            await self.reader.readuntil(text.encode())


Connect = Callable[[str], Awaitable[LinePlayer]]
ANA_OPENS = [[0, 3], 2, 2, 2]


@asynccontextmanager
async def bot_with_lines(open_world: OpenWorld, folder: Path) -> AsyncIterator[tuple[World, Connect]]:
    """A copy of the bot to which the recipe has been applied, and a way to connect to its lines."""
    copy = copy_bot(folder)
    recipe = read_recipe("A channel")
    channel, *_ = recipe.steps
    follow(copy, recipe)
    shutil.copy(ROOT / MODEL, copy / channel)
    port = free_port()
    path = os.pathsep.join(map(str, (copy, ROOT / "perudo_core/src", ROOT)))
    plan = {"clock": {"seconds": 0}, "rules": {"starting_dice": 1, "palifico": False}, "dice": [*ANA_OPENS, 3, 3]}
    own = {"PYTHONPATH": path, "PERUDO_LINE_PORT": str(port)}
    async with AsyncExitStack() as stack, open_world(World, variables=own, plan=plan) as world:

        async def connect(name: str) -> LinePlayer:
            player = LinePlayer(*await asyncio.open_connection("127.0.0.1", port))
            stack.push_async_callback(player.close)
            await player.type(name)
            return player

        yield world, connect


async def test_a_channel_added_by_the_recipe_plays_a_whole_game(open_world: OpenWorld, tmp_path: Path) -> None:
    async with bot_with_lines(open_world, tmp_path) as (world, connect):
        bo, cy = await connect("Bo"), await connect("Cy")
        ana = world["Ana"]

        await ana.say("/start")
        await GameDriver(world, world.group, [ana]).gather(private=False)
        ((code,),) = world.rows("SELECT code FROM game_table")
        for number, player in ((2, bo), (3, cy)):
            await player.type(f"join {code}")
            await player.sees("You're in")
            await ana.sees(rf"(?m)^{number}\. .*(Bo|Cy)$", world.group)
        await ana.tap("Start", world.group)
        for player in (bo, cy):
            await player.sees("Your dice")
        await ana.say("2x2")
        await bo.sees("2 × 2️⃣")
        await bo.type("dudo")
        await ana.sees("Counted 3", world.group)
        await bo.sees("Counted 3")
        await cy.sees("Counted 3")
        await cy.sees("Your dice")
        await cy.type("1x3")
        await ana.sees("1 × 3️⃣", world.group)
        await ana.say("dudo")
        await ana.sees("Cy wins", world.group)
        for player in (bo, cy):
            await player.sees("Cy wins")

        await world.settled()
        assert world.rows("SELECT status FROM game_table ORDER BY id") == [("finished",)]
        assert world.rows("SELECT count(*) FROM outbox WHERE lane LIKE 'line:-%'") == [(0,)], "nothing for no one"
