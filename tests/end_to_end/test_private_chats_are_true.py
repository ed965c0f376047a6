"""Messages in a private chat remain true after their moment has passed."""

import re

from test_support.game_driver import CALL_LABEL, GameDriver
from test_support.person import Person
from test_support.screen_recorder import Message
from test_support.world import World

ASKS = re.compile("Your turn|You open|your turn is")


def asking(person: Person) -> list[Message]:
    """The messages in the private chat that ask for a call, or offer one."""
    return [
        message
        for message in person.screen()
        if ASKS.search(message.text) or any(CALL_LABEL.search(button.text) for button in message.flat)
    ]


async def test_after_each_move_of_a_whole_game_only_the_player_on_turn_is_asked(world: World) -> None:
    driver = await GameDriver(world, world.group, world.some("Ana", "Bo", "Cy"), doubt=0.6).seat()
    while driver.over() is None:
        await world.settled()
        offer = await driver.next_offer()
        if offer is None:
            break
        for person in driver.people:
            assert [m.number for m in asking(person)] == ([offer.message.number] if person is offer.person else [])
        await driver.move(offer)
    await world.settled()
    for person in driver.people:
        assert asking(person) == []
    out = [person for person in driver.people if any("You're out: place 3 of 3." in m.text for m in person.screen())]
    assert len(out) == 1, "one of three is third"
    for person in driver.people:
        end = person.screen()[-1]
        assert re.search("🏆 .+ wins!", end.text)
        assert "🥇" in end.text
        assert end.button("Play again")
    assert await driver.host.tap("Play again") == f"A new table is open in {world.group.title}. See you there!"
    await driver.host.sees("who's in", world.group, since=world.mark() - 50)
