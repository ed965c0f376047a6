"""Messages that an admin deleted, admins without a name, accounts that are deleted."""

from __future__ import annotations

import re

from test_support.game_driver import GameDriver
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
