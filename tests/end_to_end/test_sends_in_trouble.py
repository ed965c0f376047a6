"""What the bot says is refused, slow, lost, or arrives without anybody telling the bot."""

import re

import pytest

from test_support.game_driver import GameDriver
from test_support.world import Setting, World

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
