import random
from collections.abc import Awaitable, Callable

import pytest

from perudo_core import Rules
from telegram_bot.service.handlers.lobby_requests import AddComputers, Start
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import GameTable
from tests.telegram_bot.conftest import GroupHarness

PlayGame = Callable[..., Awaitable[int]]


@pytest.fixture
def harness(database: Database) -> GroupHarness:
    """Two dice each: the games are short."""
    return GroupHarness(database, rules=Rules(starting_dice=2, palifico=False))


@pytest.fixture
def play_game(harness: GroupHarness) -> PlayGame:
    """Plays a game in the harness's group to its end by chance, and returns the table's number.

    `computers`: how many computer players sit down as well.
    """

    async def play(*names: str, seed: int = 1, computers: int = 0) -> int:
        await harness.lobby(*names)
        number = max(row.id for row in harness.rows(GameTable))
        if computers:
            await harness.tap(names[0], AddComputers(computers), table=number)
        await harness.tap(names[0], Start(), table=number)
        await harness.play_out(number, doubts=0.3, rng=random.Random(seed))
        return number

    return play
