"""Bids and wishes in words, and the menus that tell which ones there are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from test_support.game_driver import GameDriver

if TYPE_CHECKING:
    from test_support.world import World


@pytest.mark.parametrize("where", ["private", "reply"])
async def test_bids_in_words(world: World, where: str) -> None:
    driver = await GameDriver(world, world.group, world.some("Ana", "Bo")).seat()
    person = (await driver.turn()).person
    calls = ("2 4", "3x4", "four fours", "I bid 5 fours!", "/bid 6 4", "/bid@perudo_sandbox_bot 7x4", "8 × 4️⃣")
    for quantity, words in enumerate(calls, start=2):
        table = await person.sees(f"👉 {person.name}", world.group)
        await person.say(
            words, *((world.group,) if where == "reply" else ()), reply_to=table if where == "reply" else None
        )
        await world["Dee"].sees(f"🔸 {quantity} × 4️⃣ fours, says {person.name}", world.group)
        await world.settled()
        assert len(driver.actions("bid")) == quantity - 1
        person = next(one for one in driver.people if one is not person)


async def test_dudo_in_words_and_what_is_no_call(world: World) -> None:
    driver = await GameDriver(world, world.group, world.some("Ana", "Bo")).seat()
    first = (await driver.turn()).person
    second = next(person for person in driver.people if person is not first)
    table = await first.sees("👉", world.group)
    await first.say("that was a good game", world.group, reply_to=table)
    await first.say("2 4", world.group)  # not to the bot: it does not even hear it
    await second.say("2x4", world.group, reply_to=table)
    await second.sees(f"It is {first.name}'s turn", world.group)
    await first.say("2x4")
    await second.sees("Your turn")
    await second.say("1x4")
    await second.sees(r"That does not beat 2 × 4️⃣\. The smallest raise is 2 × 5️⃣")
    await second.say("dudoo")
    await second.sees("Did you mean dudo. Send: dudo")
    await second.say("four fuors")
    await second.sees("Did you mean 4x4. Send: 4x4")
    await second.say("what a lovely day")
    await second.sees(r"A bid is a number and a face from 1 to 6\. The smallest now is 2x5")
    await world.settled()
    assert [action["type"] for action in driver.actions()] == ["bid"]
    await second.say("liar!")
    await first.sees("Dudo! .* doubts", world.group)
    await world.settled()
    assert [action["type"] for action in driver.actions()] == ["bid", "dudo"]


async def test_an_edited_message_does_not_bid(world: World) -> None:
    driver = await GameDriver(world, world.group, world.some("Ana", "Bo")).seat()
    person = (await driver.turn()).person
    said = await person.say("good luck everybody")
    await person.sees("A bid is a number and a face")
    await world.act(
        "PATCH",
        "/messages",
        **{"from": person.id, "chat_id": person.id, "message_id": said["message_id"], "text": "2x4"},
    )
    await world.settled()
    assert driver.actions() == []


async def test_words_that_were_sent_before_the_turn_began_do_not_count(world: World) -> None:
    """A message that was on its way for long was meant for an earlier bid."""
    driver = await GameDriver(world, world.group, world.some("Ana", "Bo")).seat()
    person = (await driver.turn()).person
    await person.say("2x4", date=int(world.sandbox.world.clock.now()) - 60)
    await person.sees("That was for an earlier bid")
    await world.settled()
    assert driver.actions() == []


async def test_commands_in_private(world: World) -> None:
    driver = await GameDriver(world, world.group, world.some("Ana", "Bo")).seat()
    ana = world["Ana"]
    await driver.turn()
    for command, answer in {
        "/dice": "Your dice:",
        "/status": "Round 1",
        "/rules": "The rules at this table",
        "/help": "Perudo in a minute",
        "/settings": "How would you like to see your dice",
        "dice": "Your dice:",
        "/nonsense": "Perudo in a minute",
    }.items():
        await world.settled()
        since = world.mark()
        await ana.say(command)
        await ana.sees(answer, since=since)
    assert len([message for message in world["Dee"].screen(world.group) if "Your dice" in message.text]) == 0


async def test_commands_in_the_group(world: World) -> None:
    driver = await GameDriver(world, world.group, world.some("Ana", "Bo")).seat(preset="Azteca")
    ana = world["Ana"]
    await driver.turn()
    for command, answer in {
        "/status": "Round 1",
        "/rules": "The rules at this table · Azteca",
        "/help": "Perudo in a minute",
        "/settings": "This group plays: Azteca",
    }.items():
        await world.settled()
        since = world.mark()
        await ana.say(command, world.group)
        await world["Dee"].sees(answer, world.group, since=since)
    await world.settled()
    since = world.mark()
    await ana.say("/dice", world.group)
    await ana.sees("Your dice:", since=since)
    await world.settled()
    here = len(world.recorder.versions)
    await ana.say("/nonsense", world.group)
    await ana.say("/dice@some_other_bot", world.group)
    await ana.say("2 4 dudo", world.group)
    await world.settled()
    assert not [message for message in world.recorder.versions[here:] if message.sender == world.recorder.bot]


async def test_commands_where_nothing_is_played(world: World) -> None:
    ana = world["Ana"]
    for command, answer in {
        "/status": "There is no game here",
        "/dice": "There is no game here",
        "/leave": "There is no game here",
        "/bid 2 4": "There is no game here",
        "/rules": "The rules at this table · 2009 edition",
    }.items():
        for place in (world.group, None):
            await world.settled()
            since = world.mark()
            await ana.say(command, place)
            await ana.sees(answer, place, since=since)
    since = world.mark()
    await ana.say("/perudo")
    await ana.sees("Add me to a group with your friends", since=since)


async def test_the_menus_offer_what_makes_sense_in_each_place(world: World) -> None:
    menus = {
        call["params"]["scope"]: call["params"]["commands"]
        for call in world.recorder.calls
        if call["method"] == "setMyCommands"
    }
    group = next(commands for scope, commands in menus.items() if "all_group_chats" in str(scope))
    private = next(commands for scope, commands in menus.items() if "all_private_chats" in str(scope))
    for name in ("perudo", "bid", "dice", "status", "rules", "settings", "leave", "stop", "help"):
        assert f'"{name}"' in str(group).replace("'", '"')
        assert (f'"{name}"' in str(private).replace("'", '"')) == (name not in ("perudo", "stop"))


async def test_everybody_is_spoken_to_in_their_language_and_understood_in_any(world: World) -> None:
    ana, bo = people = world.some("Ana", "Bo")
    group = world.group
    for person, language in ((ana, "it"), (bo, "nl")):
        await world.act("PATCH", f"/people/{person.id}", language_code=language)
        await person.start()
    await ana.sees("Ciao Ana!")
    await bo.sees("Hoi Bo!")
    await ana.say("/perudo", group)
    await bo.sees("chi gioca", group)
    assert await bo.tap("Entra", group) == "Je doet mee! Je stenen komen privé bij je."
    assert await ana.tap("Inizia", group) == "Si gioca!"
    await ana.sees("I tuoi dadi:")
    await bo.sees("Je stenen:")

    table = await ana.sees("apre la mano", group)
    first, second = people if "👉 Ana" in table.text else (bo, ana)
    await first.say("dos cuatros")
    await second.sees(f"2 × 4️⃣ quattro, dice {first.name}", group)
    await bo.say("/settings", group)
    await bo.sees("In questo gruppo parlo italiano", group)
    assert await bo.tap("Français", group) == "Nu spreek ik français in deze groep."
    await second.sees(f"2 × 4️⃣ quatre, dit {first.name}", group)
    await second.say("menteur !")
    await first.sees(f"Dudo.!.* {second.name} ne croit pas {first.name}", group)

    await bo.say("/settings")
    await bo.sees("Met jou spreek ik Nederlands")
    assert await bo.tap("Español") == "Ahora contigo hablo español."
    await bo.sees("Tus dados:")
    await world.settled()


async def test_calls_in_words_reach_the_game_of_the_group_they_are_said_in(world: World) -> None:
    """Somebody who plays in two groups is not asked where the place says it."""
    ana, bo, dee = world.some("Ana", "Bo", "Dee")
    club = await world.found("The Club", [ana, dee])
    friends = await GameDriver(world, world.group, [ana, bo]).seat()
    players = await GameDriver(world, club, [ana, dee]).seat(preset="Aces")
    while (await players.turn()).person is not ana:
        await players.raise_it()
    await ana.say("/bid 9 6", club)
    await dee.sees("🔸 9 × 6️⃣ sixes, says Ana", club)
    assert friends.actions() == []
