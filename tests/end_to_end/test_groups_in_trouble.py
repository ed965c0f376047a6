"""Messages that an admin deleted, admins without a name, accounts that are deleted."""

from __future__ import annotations

import re

from test_support.game_driver import BID_LABEL, GameDriver
from test_support.shown_game import replay_from_database
from test_support.world import World


async def test_buttons_of_a_message_that_is_gone_still_work_and_the_table_comes_again(world: World) -> None:
    """Somebody's app still shows it: Telegram then names a message that cannot be read any more."""
    world.expect_error("edit.*: Bad Request: message to edit not found")
    driver = await GameDriver(world, world.group, world.some("Ana", "Bo")).seat()
    person = (await driver.turn()).person
    await world.settled()
    table = driver.table_message()
    assert table is not None
    await world.act("DELETE", "/messages", chat_id=world.group.id, message_id=table.number)
    dice, here = table.button("My dice"), table.button("Bid here")
    assert dice is not None
    assert here is not None
    assert dice.data is not None
    assert here.data is not None
    answer = await person.answer_to(await person.press(table, dice.data))
    assert answer.text.startswith("Your dice: ")
    answer = await person.answer_to(await person.press(table, here.data))
    assert answer.text == "Only you can see your buttons. Not there? Tap again."
    _, bid = await driver.raise_it()
    again = await world["Dee"].sees(f"🔸 {bid}", world.group)
    assert again.number > table.number


async def test_a_hand_that_its_owner_deleted_comes_again(world: World) -> None:
    world.expect_error("edit.*: Bad Request: message to edit not found", must=False)
    driver = await GameDriver(world, world.group, world.some("Ana", "Bo")).seat()
    offer = await driver.turn()
    await world.settled()
    await world.act("DELETE", "/messages", chat_id=offer.person.id, message_id=offer.message.number)
    since = world.mark()
    await offer.person.say("/dice")
    hand = await offer.person.sees("Your dice:", since=since)
    assert any(BID_LABEL.fullmatch(button.text) for button in hand.flat)
    await driver.raise_it()


async def anonymous(world: World, name: str) -> None:
    body = {"user_id": world[name].id, "admin": True, "anonymous": True}
    await world.act("POST", f"/chats/{world.group.id}/admins", **body)


async def test_an_anonymous_admin_is_asked_for_a_tap_and_then_known(world: World) -> None:
    await anonymous(world, "Dee")
    dee = world["Dee"]
    driver = await GameDriver(world, world.group, world.some("Ana", "Bo")).seat()
    await driver.turn()
    await dee.say("/stop", world.group)
    question = await dee.sees("so I cannot see who you are", world.group)
    assert await world["Cy"].tap("Close the table", on=question) == "Only the host or an admin can do that."
    await world.settled()
    assert driver.over() is None
    await dee.tap("Close the table", on=question)
    await world["Cy"].sees("closed the table", world.group)


async def test_an_anonymous_admin_opens_a_table_by_a_tap_and_sits_at_it_by_name(world: World) -> None:
    await anonymous(world, "Dee")
    dee = world["Dee"]
    await dee.say("/perudo", world.group)
    await dee.sees("so I cannot see who you are", world.group)
    await dee.tap("Open a table", world.group)
    lobby = await world["Ana"].sees("who is in", world.group)
    assert "Dee 👑" in lobby.text
    shown = len(world.recorder.versions)
    for text in ("/join", "/leave", "/bid 2 4", "/dice"):
        await dee.say(text, world.group)
    await world.settled()
    assert len(world.recorder.versions) == shown + 4, "the group itself neither joins nor bids"


async def test_who_deletes_the_account_leaves_the_game_and_the_others_play_on(world: World) -> None:
    world.expect_error("Forbidden: user is deactivated", must=False)
    world.expect_sending("failed: forbidden: user is deactivated", must=False)
    driver = await GameDriver(world, world.group, world.some("Ana", "Bo", "Cy")).seat()
    gone = (await driver.turn()).person
    await world.act("DELETE", f"/people/{gone.id}")
    driver.people.remove(gone)
    await world["Dee"].sees(f"🚪 {gone.name} left the game", world.group)
    await driver.play()
    await world.settled()
    derived = replay_from_database(world, driver.table)
    assert derived.placings[-1] == gone.name
    assert not [call for call in world.recorder.calls if re.search("deactivated", call["error"] or "")][2:]
