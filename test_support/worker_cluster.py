"""A bot of one or two processes that get updates by a webhook: one plays, and sets the webhook to its own address."""

import asyncio
from contextlib import suppress
from typing import Any, Final

import httpx

from telegram_bot.sandbox_launcher import free_port
from test_support.screen_recorder import PATIENCE
from test_support.world import World

PATH: Final = "/telegram"


class WorkerCluster(World):
    """A world whose bot has a webhook."""

    def __init__(self, *arguments: Any, **variables: Any) -> None:
        super().__init__(*arguments, **variables)
        self.ports = [free_port() for _ in range(self.size)]

    def address(self, number: int) -> str:
        """Return where Telegram delivers updates to while this process plays."""
        return f"http://127.0.0.1:{self.ports[number]}"

    def environment(self, number: int) -> dict[str, str]:
        address = {"PERUDO_WEBHOOK__URL": self.address(number) + PATH, "PERUDO_WEB__PORT": str(self.ports[number])}
        return super().environment(number) | address

    async def playing(self) -> int:
        async with asyncio.timeout(PATIENCE), httpx.AsyncClient(timeout=60) as client:
            while True:
                for number, port in enumerate(self.ports):
                    with suppress(httpx.TransportError):
                        if (await client.get(f"http://127.0.0.1:{port}/readyz")).status_code == 200:
                            return number
                await asyncio.sleep(0.05)


class TwoWorkers(WorkerCluster):
    """A world whose bot consists of two processes."""

    size = 2
