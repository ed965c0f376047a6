"""Whole games with their real dice, so that the stored games can be replayed."""

import random
from collections.abc import Awaitable, Callable

import pytest

from perudo_core import Bid, Dudo, Rules, smallest_raise
from telegram_bot.intents.intents import CallComputed
from telegram_bot.service.handlers.lobby_requests import AddComputers, Start
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import GameTable
from telegram_bot.tables.model import Status
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
        chance = random.Random(seed)
        await harness.lobby(*names)
        number = max(row.id for row in harness.rows(GameTable))
        if computers:
            await harness.tap(names[0], AddComputers(computers), table=number)
        await harness.tap(names[0], Start(), table=number)
        while (table := harness.table(number)).status is Status.PLAYING:
            harness.now += 3
            game = table.begun_game
            bid = smallest_raise(game)
            doubts = game.current_bid is not None and (bid is None or chance.random() < 0.3)
            if game.turn is not None and table.is_computer(game.turn):
                call = Dudo(game.turn) if doubts or bid is None else Bid(game.turn, bid.quantity, bid.face)
                await harness.service.handle(CallComputed(number, table.step, game.turn, call))
                continue
            await harness.call("dudo" if doubts or bid is None else f"{bid.quantity}x{bid.face}", table=number)
        harness.show_dice()
        return number

    return play
