"""What the bot says is refused, slow, lost, or arrives without anybody telling the bot."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING

import pytest

from test_support.game_driver import GameDriver
from test_support.world import Setting, World

if TYPE_CHECKING:
    from tests.end_to_end.conftest import OpenWorld

NEXT_ROUND = r"Round 2\b(?s:.*)👉"


@pytest.fixture
def setting() -> Setting:
    """A bot that reads the group: the reveal is an edit, and the next message is the next round's."""
    return Setting(privacy_mode=False)


def tables(world: World) -> set[str]:
    """The messages in the group that opened the second round."""
    shown = (message for message in world.recorder.versions if message.chat == world.group.id)
    return {message.key for message in shown if re.search(NEXT_ROUND, message.text)}


async def ready_to_doubt(world: World) -> GameDriver:
    driver = await GameDriver(world, world.group, world.some("Ana", "Bo")).seat()
    await driver.raise_it()
    await driver.turn()
    await world.settled()
    return driver


async def doubt_it_in_trouble(world: World, kind: str) -> GameDriver:
    """A dudo whose message meets a cut line."""
    driver = await ready_to_doubt(world)
    await world.fault(kind, "sendMessage", chat_id=world.group.id)
    world.expect_sending("^unknown: ")
    await driver.doubt_it()
    return driver


async def test_a_message_that_may_have_been_sent_is_not_sent_again(world: World) -> None:
    """A line that is cut does not say whether the message is there. It is."""
    driver = await doubt_it_in_trouble(world, "reset_after")
    await world["Dee"].sees(NEXT_ROUND, world.group)
    await world.settled()
    assert len(tables(world)) == 1
    _, bid = await driver.raise_it()
    await world["Dee"].sees(f"🔸 {bid}", world.group)


async def test_a_message_that_was_lost_with_its_answer_costs_nobody_the_game(world: World) -> None:
    driver = await doubt_it_in_trouble(world, "reset_before")
    await world.settled()
    assert tables(world) == set()
    _, bid = await driver.raise_it()
    await world["Dee"].sees(rf"Round 2\b(?s:.*)🔸 {bid}", world.group)


async def test_a_pause_of_a_chat_outlives_a_restart(world: World) -> None:
    driver = await GameDriver(world, world.group, world.some("Ana", "Bo")).seat()
    await driver.turn()
    await world.settled()
    await world.fault("refuse", chat_id=world.group.id, code=429, retry_after=8)
    world.expect_error("Too Many Requests: retry after 8")
    began = time.monotonic()
    _, bid = await driver.raise_it()
    await world.recorder.until(
        lambda: any(call["error_code"] == 429 for call in world.recorder.calls) or None, "the refusal"
    )
    refused = time.monotonic()
    # A kill before the pause is written down leaves a send of unknown fate, which is another story.
    paused = "SELECT name FROM lane WHERE paused_until > 0"
    await world.recorder.until(lambda: world.rows(paused) or None, "the pause")
    await world.kill()
    await world.restart()
    await world["Dee"].sees(f"🔸 {bid}", world.group)
    assert time.monotonic() - began >= 8
    assert time.monotonic() - refused < 16
    tries = [call for call in world.recorder.calls if call["error_code"] == 429]
    assert len(tries) == 1, "nothing was tried before its time"


async def test_a_message_for_one_member_that_never_arrives_is_asked_for_again(open_world: OpenWorld) -> None:
    async with open_world(Setting(bot_is_admin=True)) as world:
        ana, bo = world.some("Ana", "Bo")
        driver = GameDriver(world, world.group, [ana, bo])
        await driver.gather()
        # The first one only asks the server whether it knows such messages.
        await world.fault("lose", "sendMessage", times=None)
        await driver.begin()
        table = await world["Dee"].sees("👉", world.group)
        await world.settled()
        assert not any(message.to for message in world.recorder.versions), "nobody was shown anything"
        await world.act("DELETE", "/faults")
        turn = re.search(r"👉 (\w+)", table.text)
        assert turn is not None
        person = world[turn[1]]
        dice = table.button("My dice")
        assert dice is not None
        assert dice.data is not None
        answer = await person.answer_to(await person.press(table, dice.data))
        assert answer.alert
        assert answer.text.startswith("Your dice: ")
        assert await person.tap("Bid here", world.group) == "Only you can see your buttons. Not there? Tap again."
        offer = await driver.turn()
        assert (offer.person, offer.message.to) == (person, person.id)
        await driver.raise_it()
        await driver.raise_it()


async def test_a_pause_that_telegram_asks_for_costs_nobody_the_turn(open_world: OpenWorld) -> None:
    """Whoever is on turn cannot know it while the message waits; afterwards the clock runs as ever."""
    turn, pause = 4, 9
    setting = Setting(plan={"clock": {"seconds": turn, "on_timeout": "lose_die"}, "timings": {"reminder_seconds": 0}})
    async with open_world(setting) as world:
        driver = await GameDriver(world, world.group, world.some("Ana", "Bo")).seat()
        first = await driver.turn()
        other = next(person for person in driver.people if person is not first.person)
        await world.settled()
        await world.fault("refuse", chat_id=other.id, code=429, retry_after=pause)
        world.expect_error("Too Many Requests: retry after 9")
        _, bid = await driver.raise_it()
        began = time.monotonic()
        hand = await other.sees(f"🔸 {bid}(?s:.*)👉 Your turn", within=4 * pause)
        assert time.monotonic() - began >= pause - 1
        assert driver.actions("concede") == []
        assert hand.button("🗣 Dudo")
        await world.recorder.until(lambda: driver.actions("concede") or None, "a die to be lost", within=turn * 4)
