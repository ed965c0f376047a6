"""At the end of a game each person asks for another one, in any order, and each is counted."""

from collections.abc import Sequence
from itertools import permutations

import pytest

from telegram_bot.service.handlers.ending import Leave, Stop
from telegram_bot.service.handlers.lobby_requests import Join, OpenLobby, PlayAgain, Start
from telegram_bot.storage.database import Database
from telegram_bot.tables.model import Status, Table
from test_support.web_world import WebWorld, a_room, keys_of
from tests.telegram_bot.conftest import GroupHarness

PEOPLE = ("Ana", "Bo", "Cy", "Dee")
"""The host, two players of whom the second one left the game, and a friend who came late and watched."""
FIRST_TWO = {order[:2]: pytest.param(order, id="-".join(order)) for order in permutations(PEOPLE)}
ORDERS = list(FIRST_TWO.values())
"""Each two are first in each order: one half of these are asked on pages, the other half elsewhere."""


def all_want_another(table: Table) -> bool:
    players = {seat.name: seat.player for seat in table.seats}
    return (table.status, set(players), table.host, set(table.ready)) == (
        Status.LOBBY,
        set(PEOPLE),
        players["Ana"],
        set(players.values()),
    )


@pytest.mark.parametrize("order", ORDERS[::2])
async def test_on_pages_each_who_was_in_the_room_is_counted_in_any_order(
    database: Database, order: Sequence[str]
) -> None:
    world = WebWorld(database)
    players = await a_room(world, *PEOPLE[:3])
    await players[0].act("start")
    dee = world.browser("192.0.2.9")
    key, _ = await keys_of(players[0])
    await dee.ask("enter", code=world.table().code, key=key, name="Dee", language="en")
    await players[2].act("leave", confirmed=True)
    await players[0].act("stop", confirmed=True)
    pages = dict(zip(PEOPLE, [*players, dee], strict=True))
    for name in order:
        answer = await pages[name].act("again", table=1)
        assert (answer["done"], answer["reason"]) == (True, None), (name, answer)
    assert all_want_another(world.table(2))


@pytest.mark.parametrize("order", ORDERS[1::2])
async def test_in_a_group_a_private_chat_and_by_text_each_is_counted_in_any_order(
    database: Database, order: Sequence[str]
) -> None:
    harness = GroupHarness(database)
    await harness.say("Ana", OpenLobby())
    await harness.text("Bo", Join(code=harness.table().code))
    await harness.say("Cy", Join())
    await harness.tap("Ana", Start())
    await harness.say("Cy", Leave(confirmed=True))
    harness.mark_all_sent()
    await harness.tap("Ana", Stop(confirmed=True))
    harness.mark_all_sent()
    asks = {
        "Ana": lambda: harness.tap("Ana", PlayAgain()),
        "Bo": lambda: harness.text("Bo", PlayAgain(), table=1),
        "Cy": lambda: harness.tap("Cy", PlayAgain(), where=None),
        "Dee": lambda: harness.tap("Dee", PlayAgain()),
    }
    for name in order:
        await asks[name]()
    assert all_want_another(harness.table(2))
