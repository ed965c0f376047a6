"""People who leave: by the button, with their account, or the group."""

from test_support.game_driver import GameDriver
from test_support.shown_game import replay_from_database
from test_support.world import World


async def test_who_leaves_the_game_the_group_or_telegram_is_out_and_the_others_play_on(world: World) -> None:
    world.expect_error("Forbidden: user is deactivated", must=False)
    world.expect_sending("failed: forbidden: user is deactivated", must=False)
    ana, bo, cy, dee = world.some("Ana", "Bo", "Cy", "Dee")
    driver = await GameDriver(world, world.group, [ana, bo, cy, dee]).seat()
    await driver.raise_it()
    await bo.say("/leave", world.group)
    question = await bo.sees("Bo, leave the game in Friends", world.group)
    assert await bo.tap("Leave the game", on=question) == "You left the table."
    await ana.sees("🚪 Bo left the game", world.group)
    await world.act("DELETE", f"/people/{cy.id}")
    await ana.sees("🚪 Cy left the game", world.group)
    driver.people = [ana, dee]
    await world.settled()
    await driver.raise_it()
    await world.act("DELETE", f"/chats/{world.group.id}/members/{ana.id}")
    await dee.sees("🏆 Dee wins!", world.group)
    await world.settled()
    assert replay_from_database(world, driver.table).placings == ("Dee", "Ana", "Cy", "Bo")
    assert not [call for call in world.recorder.calls if "deactivated" in (call["error"] or "")][3:]
