"""Lobbies, hosts, and leaving."""

from __future__ import annotations

from test_support.game_driver import GameDriver
from test_support.shown_game import replay_from_database
from test_support.world import World


async def test_leaving_a_game_asks_first_and_the_game_goes_on_without(world: World) -> None:
    driver = await GameDriver(world, world.group, world.some("Ana", "Bo", "Cy")).seat()
    await driver.raise_it()
    ana, bo, _ = driver.people
    await bo.say("/leave", world.group)
    question = await bo.sees("Bo, leave the game in Friends", world.group)
    await world.settled()
    assert driver.actions("leave") == []
    # Somebody else's tap on Bo's button costs that other player nothing.
    await ana.tap("Leave the game", on=question)
    await world.settled()
    assert driver.actions("leave") == []
    assert await bo.tap("Stay", on=question) == "The game goes on."
    stays = await ana.sees("^The game goes on", world.group)
    assert not list(stays.flat)
    await bo.say("/leave", world.group)
    question = await bo.sees("Bo, leave the game in Friends", world.group)
    assert await bo.tap("Leave the game", on=question) == "You left the table."
    await ana.sees("🚪 Bo left the game", world.group)
    driver.people.remove(bo)
    assert await bo.tap("Leave the game", on=question) == "You are not in this game any more."
    await driver.play()
    await world.settled()
    derived = replay_from_database(world, driver.table)
    assert derived.placings[-1] == "Bo"
    assert sorted(derived.placings) == ["Ana", "Bo", "Cy"]


async def test_who_leaves_the_group_leaves_the_game(world: World) -> None:
    driver = await GameDriver(world, world.group, world.some("Ana", "Bo", "Cy")).seat()
    await driver.turn()
    await world.act("DELETE", f"/chats/{world.group.id}/members/{world['Cy'].id}")
    await world["Ana"].sees("🚪 Cy left the game", world.group)
    driver.people.remove(world["Cy"])
    await world.settled()
    await driver.raise_it()
    await world.act("DELETE", f"/chats/{world.group.id}/members/{world['Ana'].id}")
    await world["Bo"].sees("🏆 Bo wins!", world.group)
    await world.settled()
    assert replay_from_database(world, driver.table).placings == ("Bo", "Ana", "Cy")
