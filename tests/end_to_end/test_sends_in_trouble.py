"""What the bot says is refused, slow, lost, or arrives without anybody telling the bot."""

import re
import time

import pytest

from test_support.game_driver import GameDriver
from test_support.world import Setting, World

PAUSE = 4
NEXT_ROUND = r"Round 2\b(?s:.*)👉"


@pytest.fixture
def setting() -> Setting:
    """A bot that reads the group: the reveal is an edit, and the next message is the next round's."""
    return Setting(privacy_mode=False)


def tables(world: World) -> set[str]:
    """The messages in the group that opened the second round."""
    shown = (message for message in world.recorder.versions if message.chat == world.group.id)
    return {message.key for message in shown if re.search(NEXT_ROUND, message.text)}


@pytest.mark.parametrize(("line", "arrived"), [("reset_after", 1), ("reset_before", 0)])
async def test_a_line_that_is_cut_costs_nobody_the_game_and_shows_nothing_twice(
    world: World, line: str, arrived: int
) -> None:
    """It does not say whether the message is there: it is not sent again."""
    driver = await GameDriver(world, world.group, world.some("Ana", "Bo")).seat()
    await driver.raise_it()
    await driver.turn()
    await world.settled()
    await world.fault(line, "sendMessage", chat_id=world.group.id)
    world.expect_sending("^unknown: ")
    await driver.doubt_it()
    await world.settled()
    assert len(tables(world)) == arrived
    _, bid = await driver.raise_it()
    await world["Dee"].sees(rf"Round 2\b(?s:.*)🔸 {bid}", world.group)


async def test_a_pause_of_a_chat_outlives_a_restart(world: World) -> None:
    driver = await GameDriver(world, world.group, world.some("Ana", "Bo")).seat()
    await driver.turn()
    await world.settled()
    await world.fault("refuse", chat_id=world.group.id, code=429, retry_after=PAUSE)
    world.expect_error(f"Too Many Requests: retry after {PAUSE}")
    began = time.monotonic()
    _, bid = await driver.raise_it()
    await world.recorder.until(
        lambda: any(call["error_code"] == 429 for call in world.recorder.calls) or None, "the refusal"
    )
    # A kill before the pause is written down leaves a send of unknown fate, which is another story.
    paused = "SELECT name FROM lane WHERE paused_until > 0"
    await world.recorder.until(lambda: world.rows(paused) or None, "the pause")
    await world.kill()
    await world.restart()
    await world["Dee"].sees(f"🔸 {bid}", world.group)
    assert time.monotonic() - began >= PAUSE
    tries = [call for call in world.recorder.calls if call["error_code"] == 429]
    assert len(tries) == 1, "nothing was tried before its time"
