"""While the bot computes for one person, it answers the others: no long computation in the event loop."""

import asyncio
import os
import re

from test_support.cpu_watch import LONG
from test_support.game_driver import GameDriver
from test_support.screen_recorder import PATIENCE
from test_support.voice_notes import espeak_note
from test_support.world import ROOT, World
from tests.end_to_end.conftest import OpenWorld

PATHS = os.pathsep.join(map(str, (ROOT, ROOT / "perudo_core/src", ROOT / "telegram_sandbox/src")))
WORDS = ("two threes, please", "deux trois", "due tre", "dos treses", "twee drieën", "I don't believe it")


async def a_round_of_all_kinds(driver: GameDriver) -> None:
    """Three bids that are typed, one found under *more…*, a look at the dice, and dudo."""
    for words in ("/bid 1 2", "1x3", "1 four"):
        offer = await driver.turn()
        driver.steps.add((offer.table, offer.step))
        await offer.person.say(words, driver.group, reply_to=driver.table_message())
    offer = await driver.turn()
    await offer.person.tap("…", on=offer.message)
    faces = await offer.person.sees("", button="Back")
    await offer.person.tap(" …", on=faces)
    await offer.person.sees("", button="×", since=faces.changed)
    await driver.raise_it()
    await driver.host.tap("My dice", driver.group)
    await driver.doubt_it()


async def everybody_says_something(world: World) -> None:
    """The first words of each kind after the start, and a game with all of them."""
    ana, *_ = people = world.some("Ana", "Bo", "Cy")
    for person, words in zip(people * 2, WORDS, strict=True):
        await person.say(words)
    await ana.say("/league")
    driver = GameDriver(world, world.group, people, doubt=0.6)
    await driver.seat()
    for typed in ("", "two th", "deux", "dudo"):
        await ana.user.type_inline(typed, world.group, within=PATIENCE)
    on_turn = (await driver.turn()).person
    listener = next(person for person in people if person is not on_turn)
    await listener.user.send_voice(await asyncio.to_thread(espeak_note, "my dice"))
    await world.settled()
    await a_round_of_all_kinds(driver)
    await driver.play()
    await driver.host.sees("wins", world.group)
    await ana.tap("More", world.group)
    await ana.tap("Tell the story", world.group)
    for text in ("Hello Ana, how do I play?", "NEW Gran", "five sixes", "STATS"):
        world.text(text)
    await world.settled()


def setting(**plan: object) -> dict[str, object]:
    own = {"PYTHONPATH": PATHS, "PERUDO_PICTURES__REVEALS": "true"}
    plan = {"clock": {"seconds": 0}, "rules": {"starting_dice": 2}, "watches_cpu": True, **plan}
    return {"variables": own, "plan": plan, "with_phone": True, "with_pages": True}


async def long_computations(world: World) -> set[str]:
    """Let everybody say something; return the functions that computed for long."""
    world.expect("log line", LONG, must=False)
    await everybody_says_something(world)
    return set(re.findall(LONG, world.log.read_text()))


async def test_whatever_people_tap_type_say_and_text_first_nobody_waits_for_it(open_world: OpenWorld) -> None:
    async with open_world(World, **setting()) as world:
        first = await long_computations(world)
    if first:  # a busy machine makes any computation long now and then, but not the same one twice
        async with open_world(World, **setting()) as world:
            assert not first & await long_computations(world)


async def test_words_that_are_read_when_the_first_person_types_would_be_noticed(open_world: OpenWorld) -> None:
    async with open_world(World, **setting(reads_words_late=True)) as world:
        world.expect("log line", LONG)
        await world["Ana"].say("two threes")
        await world["Ana"].sees(".")
