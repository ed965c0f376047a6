"""The reveal as a group and its players see it: the call, a beat, the dice, and only then everything else."""

import re

from test_support.game_driver import GameDriver
from test_support.screen_recorder import Message
from test_support.world import AS_SET, Setting, World
from tests.end_to_end.conftest import OpenWorld

BEAT = 1.5
CALL = r"Dudo! .+ doubts .+\n\n🥁 Cups up…"
REVEAL = r"Dudo! .+ doubts(?s:.*)Counted \d+"
NEXT_ROUND = r"Round 2\b(?s:.*)👉"
NEW_HAND = r"· round 2\b"


def first_shown(world: World, pattern: str, chat: int) -> Message:
    """The first version of a message in a chat that matches."""
    return next(m for m in world.recorder.versions if m.chat == chat and re.search(pattern, m.text))


async def test_a_kill_between_call_and_dice_tells_nobody_earlier_and_nothing_twice(
    open_world: OpenWorld,
) -> None:
    still = {"PERUDO_PICTURES__ANIMATIONS": "false"}  # an animation tells both at once
    variables = AS_SET | still | {"PERUDO_TABLE__REVEAL_SECONDS": str(BEAT)}
    async with open_world(Setting(plan={"clock": {"seconds": 0}}, variables=variables)) as world:
        dee = world["Dee"]
        driver = await GameDriver(world, world.group, world.some("Ana", "Bo", "Cy")).seat()
        await driver.raise_it()
        await driver.turn()
        await world.settled()
        before = driver.table_message()
        assert before is not None
        await driver.doubt_it()
        called = await dee.sees(CALL, world.group)
        assert called.key != before.key, "the bot cannot know whether somebody wrote since"
        # A kill before the call is stored as sent leaves a send of unknown fate, which is another story.
        sending = "SELECT id FROM outbox WHERE status = 'sending'"
        await world.recorder.until(lambda: not world.rows(sending) or None, "the call to be stored as sent")
        await world.kill()
        await world.restart()
        shown = await dee.sees(REVEAL, world.group)
        assert shown.key == called.key, "the reveal is an edit of the call"
        assert shown.at - called.at >= BEAT - 0.2
        await dee.sees(NEXT_ROUND, world.group)
        await driver.raise_it()
        await world.settled()
        assert {m.key for m in world.recorder.versions if m.chat == world.group.id and "🥁" in m.text} == {called.key}
        reveal = first_shown(world, REVEAL, world.group.id)
        assert first_shown(world, NEXT_ROUND, world.group.id).changed > reveal.changed
        for person in driver.people:
            assert first_shown(world, NEW_HAND, person.id).changed > reveal.changed
