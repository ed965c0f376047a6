"""The reveal as a group and its players see it: the call, a beat, the dice, and only then everything else."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

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


async def test_a_bot_that_reads_the_group_edits_the_newest_message_and_writes_below_what_people_say(
    open_world: OpenWorld,
) -> None:
    setting = with_beat()
    async with open_world(Setting(plan=setting.plan, variables=setting.variables, privacy_mode=False)) as world:
        driver, round_message = await doubted(world)
        assert (await world["Dee"].sees(CALL, world.group)).key == round_message.key
        assert (await world["Dee"].sees(REVEAL, world.group)).key == round_message.key
        await driver.raise_it()
        await driver.turn()
        await world.settled()
        second = driver.table_message()
        assert second is not None
        said = await world["Dee"].say("This one is never true!", world.group)
        await world.settled()
        since = world.mark()
        await driver.doubt_it()
        called = await world["Dee"].sees(CALL, world.group, since=since)
        assert called.key != second.key
        assert called.number > said["message_id"]
        assert (await world["Dee"].sees(REVEAL, world.group, since=since)).key == called.key
        await world.settled()
        assert not list(world.recorder.messages[second.key].flat)


async def test_my_dice_tell_nothing_during_the_beat(open_world: OpenWorld) -> None:
    async with open_world(with_beat()) as world:
        driver, round_message = await doubted(world)
        await world["Dee"].sees(CALL, world.group)
        assert await driver.people[0].tap("My dice", on=round_message) == "One moment: the dice are about to be shown."
        await world["Dee"].sees(REVEAL, world.group)
        assert (await driver.people[0].tap("My dice", on=round_message)).startswith("Your dice:")


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


@pytest.mark.parametrize("code", [429, 500])
async def test_a_reveal_that_must_wait_keeps_the_private_chats_waiting(open_world: OpenWorld, code: int) -> None:
    async with open_world(with_beat()) as world:
        after = {"retry_after": 2} if code == 429 else {}
        driver, _ = await doubted(world)
        await world["Dee"].sees(CALL, world.group)
        await world.fault("refuse", "editMessageText", chat_id=world.group.id, code=code, **after)
        world.expect_error("editMessageText: (Too Many Requests|Internal Server Error)")
        await world["Dee"].sees(NEXT_ROUND, world.group)
        await world.settled()
        told_in_order(world, driver)


async def test_a_reveal_that_is_refused_keeps_nobody_from_playing(open_world: OpenWorld) -> None:
    setting = with_beat()
    words = replace(setting, variables=setting.variables | {"PERUDO_PICTURES__REVEALS": "false"})
    async with open_world(words) as world:
        driver, _ = await doubted(world)
        await world["Dee"].sees(CALL, world.group)
        await world.fault("refuse", "editMessageText", chat_id=world.group.id, code=400, description="Bad Request: no")
        world.expect_error("editMessageText: ")
        world.expect_log("reveal was not accepted")
        world.expect_sending("^failed: ")
        await world["Dee"].sees(NEXT_ROUND, world.group)
        _, bid = await driver.raise_it()
        await world["Dee"].sees(f"🔸 {bid}", world.group)


async def test_the_end_of_a_game_is_celebrated(open_world: OpenWorld) -> None:
    """The loser of a duel is out, and the winner has won: that is celebrated once."""
    async with open_world(with_beat()) as world:
        driver = await GameDriver(world, world.group, world.some("Ana", "Bo")).seat()
        while driver.over() is None:
            await driver.raise_it()
            await driver.doubt_it()
            await world.settled()
        reactions = [call["params"] for call in world.recorder.calls if call["method"] == "setMessageReaction"]
        assert [int(reaction["chat_id"]) for reaction in reactions] == [world.group.id]
        festive = [call["params"] for call in world.recorder.calls if call["params"].get("message_effect_id")]
        assert len(festive) == 1
        winner = next(person for person in driver.people if str(person.id) == str(festive[0]["chat_id"]))
        assert winner.newest(f"🏆 {winner.name} wins!") is not None
        over = driver.over()
        assert over is not None
        assert over.changed > first_shown(world, REVEAL, world.group.id).changed
        reveal = next(m for m in reversed(world.recorder.versions) if "Counted" in m.text and m.chat == world.group.id)
        assert int(reactions[0]["message_id"]) == reveal.number
