"""While the bot computes for one person, it answers the others: no long computation in the event loop."""

import asyncio
import os
import re

from test_support.cpu_watch import LONG
from test_support.game_driver import GameDriver
from test_support.voice_notes import espeak_note
from test_support.world import ROOT, Setting, World
from tests.end_to_end.conftest import OpenWorld

PATHS = os.pathsep.join(map(str, (ROOT, ROOT / "perudo_core/src", ROOT / "telegram_sandbox/src")))
WORDS = ("two threes, please", "deux trois", "due tre", "dos treses", "twee drieën", "I don't believe it")


async def everybody_says_something(world: World) -> None:
    """The first words of each kind after the start, and a game with all of them."""
    ana, *_ = people = world.some("Ana", "Bo", "Cy")
    for person, words in zip(people * 2, WORDS, strict=True):
        await person.say(words)
    await ana.say("/league")
    driver = GameDriver(world, world.group, people, typed=0.5, browse=0.3, peek=0.3, doubt=0.6)
    await driver.seat()
    for typed in ("", "two th", "deux", "dudo"):
        await ana.type_inline(typed, world.group)
    on_turn = (await driver.turn()).person
    listener = next(person for person in people if person is not on_turn)
    await listener.speak(await asyncio.to_thread(espeak_note, "my dice"))
    await world.settled()
    await driver.play()
    await driver.host.sees("wins", world.group)
    await ana.tap("More", world.group)
    await ana.tap("Tell the story", world.group)
    (gran,) = world.texts.phones
    for text in ("Hello Ana, how do I play?", "NEW Gran", "five sixes", "STATS"):
        world.texts.text_bot(gran, text)
    await world.settled()


def setting(**plan: object) -> Setting:
    own = {"PYTHONPATH": PATHS, "PERUDO_PICTURES__REVEALS": "true"}
    return Setting(
        variables=own,
        plan={"clock": {"seconds": 0}, "rules": {"starting_dice": 2}, "watches_cpu": True, **plan},
        with_phone=True,
        with_pages=True,
    )


async def long_computations(world: World) -> set[str]:
    """Let everybody say something; return the functions that computed for long."""
    world.expect("log line", LONG, must=False)
    await everybody_says_something(world)
    return set(re.findall(LONG, world.log.read_text()))


async def test_whatever_people_tap_type_say_and_text_first_nobody_waits_for_it(open_world: OpenWorld) -> None:
    async with open_world(setting()) as world:
        first = await long_computations(world)
    if first:  # a busy machine makes any computation long now and then, but not the same one twice
        async with open_world(setting()) as world:
            assert not first & await long_computations(world)


async def test_words_that_are_read_when_the_first_person_types_would_be_noticed(open_world: OpenWorld) -> None:
    async with open_world(setting(reads_words_late=True)) as world:
        world.expect("log line", LONG)
        await world["Ana"].say("two threes")
        await world["Ana"].sees(".")
