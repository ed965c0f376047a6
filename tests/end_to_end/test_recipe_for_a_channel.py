"""CONTRIBUTING's recipe for a channel, followed literally in a copy of the bot: lines and Telegram at one table."""

from __future__ import annotations

import asyncio
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from test_support.documents import ROOT
from test_support.game_driver import GameDriver
from test_support.recipes import copy_bot, follow, read_recipe
from test_support.worker_cluster import free_port
from test_support.world import Setting

if TYPE_CHECKING:
    from tests.end_to_end.conftest import OpenWorld

MODEL = "tests/end_to_end/line_channel.py"


class LinePlayer:
    """A player who reads and writes lines."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer
        self.read = ""

    async def type(self, line: str) -> None:
        self.writer.write(f"{line}\n".encode())
        await self.writer.drain()

    async def close(self) -> None:
        self.writer.close()
        await self.writer.wait_closed()

    async def sees(self, text: str) -> str:
        """Read on until this text appears; return what was read."""
        async with asyncio.timeout(30):
            while text not in self.read:
                piece = (await self.reader.read(65536)).decode()
                assert piece, self.read
                self.read += piece
        seen, _, self.read = self.read.partition(text)
        return seen + text


async def test_a_channel_added_by_the_recipe_plays_a_game_with_telegram(open_world: OpenWorld, tmp_path: Path) -> None:
    copy = copy_bot(tmp_path)
    recipe = read_recipe("A channel")
    channel, *_ = recipe.files
    follow(recipe, copy)
    shutil.copy(ROOT / MODEL, copy / channel)
    port = free_port()
    path = os.pathsep.join(map(str, (copy, ROOT / "perudo_core/src", ROOT)))
    plan = {"clock": {"seconds": 0}, "dice": [[0, 2], 2, 2, 2, 2, 2, 3, 3, 3, 3, 3]}
    setting = Setting(variables={"PYTHONPATH": path, "PERUDO_LINE_PORT": str(port)}, plan=plan)
    async with open_world(setting) as world:
        driver = GameDriver(world, world.group, world.some("Ana"))
        ana = driver.host
        await ana.start()
        await driver.gather()
        [(code,)] = world.rows("SELECT code FROM game_table")
        bo = LinePlayer(*await asyncio.open_connection("127.0.0.1", port))
        await bo.type("Bo")
        await bo.type(f"join {code}")
        await ana.sees(r"2\. .*Bo", world.group)
        await ana.tap("Start", world.group)
        hand = await bo.sees("Your dice")
        assert "Ana" in hand + bo.read
        await ana.say("4x2")
        await bo.sees("4 × 2️⃣")
        await bo.type("dudo")
        await ana.sees("Counted 5", world.group)
        await bo.sees("Counted 5")
        await ana.say("/stop", world.group)
        await bo.sees("closed")
        await bo.close()
