"""Dice as pictures; the audit of every world compares each one with the words below it."""

from test_support.audit import BOARD
from test_support.game_driver import GameDriver
from test_support.person import Person
from test_support.screen_recorder import Group, Message
from test_support.world import Setting, World
from tests.end_to_end.conftest import OpenWorld

CALM = {"clock": {"seconds": 0}}


PICTURES = {"PERUDO_PICTURES__REVEALS": "true", "PERUDO_PICTURES__ANIMATIONS": "false"}


def hands(person: Person) -> list[Message]:
    return [message for message in person.screen() if BOARD.match(message.text)]


def uploaded(world: World) -> int:
    return len(world.sandbox.world.files)


def reveals(person: Person, group: Group) -> list[Message]:
    return [message for message in person.screen(group) if "🗣 Dudo!" in message.text]


async def test_hands_and_reveals_are_pictures_and_rounds_are_words(open_world: OpenWorld) -> None:
    async with open_world(Setting(plan=CALM, variables=PICTURES)) as world:
        driver = await GameDriver(world, world.group, world.some("Ana", "Bo"), doubt=0.6).seat()
        await driver.play()
        await world.settled()
        for person in driver.people:
            assert hands(person)
            assert all(message.photo for message in hands(person))
        shown = reveals(world["Dee"], world.group)
        assert shown
        assert all(message.photo for message in shown)
        rounds = [message for message in world["Dee"].screen(world.group) if "👉" in message.text]
        assert not any(message.photo for message in rounds), "the next round is a message of its own"
        pictures = world.rows("SELECT picture FROM sent_message WHERE slot LIKE 'hand:%'")
        assert not any(picture for (picture,) in pictures), "the end of the game is words"
