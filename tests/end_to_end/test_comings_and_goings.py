"""Lobbies, hosts, and leaving."""

from __future__ import annotations

import asyncio
import re

from test_support.game_driver import GameDriver
from test_support.shown_game import assert_shown_as_recorded, replay_from_database
from test_support.world import Setting, World
from tests.end_to_end.conftest import OpenWorld


async def test_a_join_link_seats_and_opens_the_private_chat_at_once(world: World) -> None:
    ana, bo = world.some("Ana", "Bo")
    await ana.say("/perudo", world.group)
    lobby = await bo.sees_button("Join in private", world.group)
    link = lobby.button("Join in private")
    assert link is not None
    found = re.fullmatch(r"https://t\.me/perudo_sandbox_bot\?start=(j_[A-Z0-9]{6})", link.url or "")
    assert found is not None
    await bo.start(found[1])
    await bo.sees("You are in! Your dice come to you in private")
    await ana.sees("(?m)^2. Bo$", world.group)
    since = world.mark()
    await bo.start(found[1])
    await bo.sees("You sit at the table in Friends", since=since)
    dee = world["Dee"]
    await dee.start("j_NOSUCH")
    await dee.sees("There is no game here")
    await ana.start()
    await ana.tap("Start", world.group)
    await bo.sees("Your dice:")
    await dee.start(found[1])
    await dee.sees("That game has started already")


async def test_the_next_player_is_host_when_the_host_leaves_the_lobby(world: World) -> None:
    ana, bo, cy = world.some("Ana", "Bo", "Cy")
    await asyncio.gather(*(person.start() for person in (ana, bo, cy)))
    driver = GameDriver(world, world.group, [ana, bo, cy])
    await driver.gather()
    assert await bo.tap("Start", world.group) == "Only the host can do that."
    assert await bo.tap("By the book", world.group) == "Only the host can do that."
    assert await ana.tap("Leave", world.group) == "You left the table."
    lobby = await cy.sees("(?m)^1. Bo 👑$", world.group)
    assert "Ana" not in lobby.text
    assert await ana.tap("Leave", world.group) == "You do not sit at this table. Join the next game!"
    assert await bo.tap("Start", world.group) == "The game is on!"
    await cy.sees("Your dice:")


async def test_the_last_to_leave_closes_the_lobby(world: World) -> None:
    ana = world["Ana"]
    await ana.say("/perudo", world.group)
    assert await ana.tap("Leave", world.group) == "You left the table."
    closed = await ana.sees("Everyone left, so I closed the table", world.group)
    assert not list(closed.flat)


async def test_the_host_sends_somebody_away(world: World) -> None:
    driver = GameDriver(world, world.group, world.some("Ana", "Bo", "Cy"))
    await driver.gather()
    ana, bo, cy = driver.people
    assert await ana.tap("Remove a player", world.group) == ""
    assert await cy.tap("🚪 Bo", world.group) == "Only the host can do that."
    await ana.tap("🚪 Bo", world.group)
    lobby = await ana.sees(r"1\. Ana 👑\n2\. Cy\n", world.group)
    assert "Bo" not in lobby.text
    await ana.tap("Back", world.group)
    assert await bo.tap("Join", world.group) == "The host took you off this table. Join the next one!"


async def test_an_idle_lobby_closes_itself(open_world: OpenWorld) -> None:
    async with open_world(Setting(plan={"clock": {"seconds": 0}, "timings": {"lobby_idle_seconds": 1.0}})) as world:
        await world["Ana"].say("/perudo", world.group)
        closed = await world["Bo"].sees("Nobody moved for a while, so I closed the table", world.group)
        assert not list(closed.flat)
        since = world.mark()
        await world["Bo"].say("/perudo", world.group)
        await world["Ana"].sees("(?m)^1. Bo 👑$", world.group, since=since)


async def test_perudo_again_brings_the_open_table_down_and_opens_no_second_one(world: World) -> None:
    ana, bo = world.some("Ana", "Bo")
    await asyncio.gather(ana.start(), bo.start())
    await ana.say("/perudo", world.group)
    first = await bo.sees("who is in", world.group)
    await bo.say("/newgame", world.group)
    second = await bo.sees("who is in", world.group, since=first.changed + 1)
    await world.settled()
    lobbies = [message for message in bo.screen(world.group) if "who is in" in message.text]
    assert [bool(list(message.flat)) for message in lobbies] == [False, True]
    assert "1. Ana 👑" in second.text
    await bo.tap("Join", world.group)
    await ana.tap("Start", world.group)
    round_one = await bo.sees("👉", world.group)
    await world.settled()
    await bo.say("/perudo", world.group)
    await world.settled()
    again = bo.screen(world.group)[-1]
    assert "👉" in again.text
    assert again.number > round_one.number
    assert not list(world.recorder.messages[round_one.key].flat)
    assert world.rows("SELECT count(*) FROM game_table") == [(1,)]


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


async def test_leaving_from_the_private_chat_asks_there(world: World) -> None:
    driver = await GameDriver(world, world.group, world.some("Ana", "Bo")).seat()
    bo = world["Bo"]
    await bo.say("/leave")
    assert await bo.tap("Leave the game") == "You left the table."
    await world["Ana"].sees("🏆 Ana wins!", world.group)
    await world.settled()
    assert replay_from_database(world, driver.table).placings == ("Ana", "Bo")


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


async def test_who_leaves_the_group_leaves_the_lobby(world: World) -> None:
    driver = GameDriver(world, world.group, world.some("Ana", "Bo"))
    await driver.gather()
    await world.act("DELETE", f"/chats/{world.group.id}/members/{world['Ana'].id}")
    lobby = await world["Bo"].sees("(?m)^1. Bo 👑$", world.group)
    assert "Ana" not in lobby.text


async def test_an_admin_stops_any_game_and_others_do_not(world: World) -> None:
    ana, bo, cy, dee = world.some("Ana", "Bo", "Cy", "Dee")  # Ana owns the group
    driver = await GameDriver(world, world.group, [bo, cy]).seat()
    await driver.turn()
    for person in (cy, dee):
        since = world.mark()
        await person.say("/stop", world.group)
        await person.sees("Only the host or an admin can do that", world.group, since=since)
    await ana.say("/stop", world.group)
    question = await dee.sees("Ana, close the game in Friends for everybody", world.group)
    assert await dee.tap("Close the table", on=question) == "That button is for somebody else."
    await ana.tap("Close the table", on=question)
    await dee.sees("Ana closed the table", world.group)
    await world.settled()
    shown = [*dee.screen(world.group), *bo.screen(), *cy.screen()]
    of_the_table = re.compile(rf"[a-z]+:{driver.table}:")
    assert not any(of_the_table.match(button.data or "") for message in shown for button in message.flat)
    since = world.mark()
    await driver.people[0].say("/dice")
    await bo.sees("There is no game here", since=since)


async def test_the_host_stops_the_lobby(world: World) -> None:
    driver = GameDriver(world, world.group, world.some("Bo", "Cy"))
    await driver.gather()
    await world["Bo"].say("/stop@perudo_sandbox_bot", world.group)
    assert not list((await world["Ana"].sees("closed the table", world.group)).flat)
    since = world.mark()
    await world["Bo"].say("/stop", world.group)
    await world["Bo"].sees("There is no game here", world.group, since=since)


async def test_a_group_remembers_its_rules_and_clock(world: World) -> None:
    driver = GameDriver(world, world.group, world.some("Ana", "Bo"))
    await driver.gather("Aces", clock="5 minutes")
    await driver.host.sees("Aces(?s:.*)5 minutes", world.group)
    await world["Ana"].say("/stop", world.group)
    await world["Ana"].sees("closed the table", world.group)
    since = world.mark()
    await world["Bo"].say("/perudo", world.group)
    await world["Bo"].sees("Aces(?s:.*)5 minutes", world.group, since=since)
    await world["Bo"].say("/settings", world.group)
    await world["Bo"].sees("This group plays: Aces(?s:.*)Turn clock: 5 minutes", world.group)


async def test_play_again_seats_the_same_people_under_the_same_rules(world: World) -> None:
    driver = await GameDriver(world, world.group, world.some("Ana", "Bo", "Cy")).seat(preset="French guide")
    await driver.play()
    await world.settled()
    assert_shown_as_recorded(driver)
    dee, bo = world.some("Dee", "Bo")
    over = await bo.sees_button("Play again", world.group)
    assert await dee.tap("Play again", on=over) == "You do not sit at this table. Join the next game!"
    since = world.mark()
    await bo.tap("Play again", on=over)
    lobby = await dee.sees("who is in", world.group, since=since)
    assert re.findall(r"(?m)^\d\. (\w+)", lobby.text) == ["Ana", "Bo", "Cy"]
    assert "Bo 👑" in lobby.text
    assert "French guide" in lobby.text
    assert "You are in!" in await dee.tap("Play again", on=over)
    await bo.sees("(?m)^4. Dee", world.group)
    assert await bo.tap("Start", world.group) == "The game is on!"
    await world["Cy"].sees("Your dice:", since=since)
    world.expect_error("bot can't initiate conversation")
    world.expect_sending("failed: forbidden")


async def test_a_full_table_and_too_few_players_are_told(open_world: OpenWorld) -> None:
    names = tuple("ABCDEFG")
    async with open_world(Setting(people=names)) as world:
        host = world["A"]
        await host.say("/perudo", world.group)
        lobby = await host.sees("who is in", world.group)
        table = next(button.data or "" for button in lobby.flat).split(":")[1]
        query = await host.press(lobby, f"l:{table}:start")
        assert (await host.answer_to(query)).text == "It takes at least 2 players."
        for name in names[1:6]:
            assert "You are in!" in await world[name].tap("Join", world.group)
        await host.sees("The table is full", world.group)
        assert await world["G"].tap("Join", world.group) == "The table is full: 6 players."
