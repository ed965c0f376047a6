"""The reveal as a group and its players see it: the call, a beat, the dice, and only then everything else."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING

from test_support.game_driver import GameDriver
from test_support.screen_recorder import Message
from test_support.world import AS_SET, Setting, World

if TYPE_CHECKING:
    from tests.end_to_end.conftest import OpenWorld

BEAT = 1.5
CALL = r"Dudo! .+ doubts .+\n\n🥁 Cups up…"
REVEAL = r"Dudo! .+ doubts(?s:.*)Counted \d+"
NEXT_ROUND = r"Round 2\b(?s:.*)👉"
NEW_HAND = r"round 2\b(?s:.*)Your dice:"


def with_beat(**more: object) -> Setting:
    variables = AS_SET | {"PERUDO_TABLE__REVEAL_SECONDS": str(BEAT)}
    return Setting(plan={"clock": {"seconds": 0}, **more}, variables=variables)


def first_shown(world: World, pattern: str, chat: int) -> Message:
    """The first version of a message in a chat that matches."""
    return next(m for m in world.recorder.versions if m.chat == chat and re.search(pattern, m.text))


async def doubted(world: World, *names: str) -> tuple[GameDriver, Message]:
    """A round that has ended with dudo, and is told; with the message of the round as it was before."""
    driver = await GameDriver(world, world.group, world.some(*(names or ("Ana", "Bo", "Cy")))).seat()
    await driver.raise_it()
    await driver.turn()
    await world.settled()
    round_message = driver.table_message()
    assert round_message is not None
    await driver.doubt_it()
    return driver, round_message


def told_in_order(world: World, driver: GameDriver) -> None:
    """Nobody was told in private, nor anywhere of the next round, before the group had seen the dice."""
    reveal = first_shown(world, REVEAL, world.group.id)
    assert first_shown(world, NEXT_ROUND, world.group.id).changed > reveal.changed
    for person in driver.people:
        assert first_shown(world, NEW_HAND, person.id).changed > reveal.changed


async def test_the_group_reads_the_call_then_the_dice_and_nobody_hears_of_them_before(open_world: OpenWorld) -> None:
    async with open_world(with_beat()) as world:
        driver, round_message = await doubted(world)
        called = await world["Dee"].sees(CALL, world.group)
        assert called.key != round_message.key, "the bot cannot know whether somebody wrote since"
        shown = await world["Dee"].sees(REVEAL, world.group)
        assert shown.key == called.key, "the reveal is an edit of the call"
        assert BEAT - 0.2 <= shown.at - called.at < BEAT + 2
        await world["Dee"].sees(NEXT_ROUND, world.group)
        await world.settled()
        told_in_order(world, driver)
        old = world.recorder.messages[round_message.key]
        assert not list(old.flat)
        assert old.text.startswith("🎲 Round 1\n")
        assert "👉" not in old.text
        assert driver.bids[0][0] in old.text


async def test_a_bot_that_is_killed_during_the_beat_goes_on_where_it_was(open_world: OpenWorld) -> None:
    async with open_world(with_beat()) as world:
        driver, _ = await doubted(world)
        await world["Dee"].sees(CALL, world.group)
        await asyncio.sleep(0.3)
        await world.kill()
        await world.restart()
        await world["Dee"].sees(REVEAL, world.group)
        await world["Dee"].sees(NEXT_ROUND, world.group)
        await driver.raise_it()
        await world.settled()
        told_in_order(world, driver)
        calls = {m.key for m in world.recorder.versions if m.chat == world.group.id and "🥁" in m.text}
        assert len(calls) == 1


async def test_a_reveal_that_must_wait_keeps_the_private_chats_waiting(open_world: OpenWorld) -> None:
    async with open_world(with_beat()) as world:
        driver, _ = await doubted(world)
        await world["Dee"].sees(CALL, world.group)
        await world.fault("refuse", "editMessageText", chat_id=world.group.id, code=429, retry_after=2)
        world.expect_error("editMessageText: Too Many Requests")
        await world["Dee"].sees(NEXT_ROUND, world.group)
        await world.settled()
        told_in_order(world, driver)
