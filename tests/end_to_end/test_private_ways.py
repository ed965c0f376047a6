"""How each player comes to see dice and keyboard alone, and what happens where a way is closed."""

import random

from test_support.game_driver import GameDriver
from test_support.shown_game import assert_shown_as_recorded
from test_support.world import Setting, World
from tests.end_to_end.conftest import OpenWorld


def refused(world: World) -> list[str]:
    return [call["params"]["chat_id"] for call in world.recorder.calls if call["error_code"] == 403]


async def test_an_admin_bot_shows_hand_and_keyboard_in_the_group_to_their_owner_alone(open_world: OpenWorld) -> None:
    async with open_world(Setting(bot_is_admin=True)) as world:
        driver = await GameDriver(world, world.group, world.some("Ana", "Bo", "Cy"), random.Random(4), doubt=0.6).seat(
            private=False
        )
        offer = await driver.turn()
        assert (offer.message.chat, offer.message.to) == (world.group.id, offer.person.id)
        assert offer.message.whisper
        await world.settled()
        for person in world.people.values():
            hands = [message for message in person.history() if "Your dice:" in message.text]
            assert all(message.to == person.id for message in hands)
            assert bool(hands) == (person in driver.people)
        await driver.play()
        await world.settled()
        assert_shown_as_recorded(driver)
        assert not any(call["error"] for call in world.recorder.calls)
        assert not any(message.chat > 0 for message in world.recorder.versions), "no private chat was needed"
