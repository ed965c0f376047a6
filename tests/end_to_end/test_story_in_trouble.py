"""The bot is killed while it finds out the story of a game: the story is told once, and nothing is left behind."""

import asyncio
import os
import signal

from test_support.child_processes import child_of, orphans_of, parents_of
from test_support.game_driver import GameDriver
from test_support.screen_recorder import PATIENCE
from test_support.world import Setting, World
from tests.end_to_end.conftest import OpenWorld

ANALYSIS = "story:tell_story"


async def analysis_of(world: World) -> int:
    """The process that analyses a game for the bot."""
    assert world.bot is not None
    async with asyncio.timeout(PATIENCE):
        while (found := child_of(world.bot.pid, ANALYSIS)) is None:  # noqa: ASYNC110 - another process starts it
            await asyncio.sleep(0.01)
    return found


async def test_a_bot_killed_in_the_middle_of_an_analysis_tells_the_story_once(open_world: OpenWorld) -> None:
    async with open_world(
        Setting(plan={"preset": "box_2009", "rules": {"starting_dice": 1, "palifico": False}})
    ) as world:
        world.expect_log("was left by another worker", must=False)
        world.expect_error("message is not modified", must=False)
        world.expect_sending("^unknown: None", must=False)  # the kill may hit an answer on its way
        people = world.some("Ana", "Bo")
        game = await GameDriver(world, world.group, people, doubt=0.6).seat()
        await game.play()
        ana, bo = people
        over = await ana.sees("🏆", world.group)
        story = over.button("Tell the story")
        assert story is not None
        await ana.press(over, story.data or "")
        analysis = await analysis_of(world)
        os.kill(analysis, signal.SIGSTOP)
        await world.kill()
        assert world.rows("SELECT count(*) FROM outbox WHERE slot = 'story'") == [(0,)]
        os.kill(analysis, signal.SIGCONT)
        assert await orphans_of(ANALYSIS) == []
        assert analysis not in parents_of(ANALYSIS)

        await world.restart()
        await world.settled(30)
        assert world.rows("SELECT count(*) FROM outbox WHERE slot = 'story' AND status = 'sent'") == [(1,)]
        assert "in the chat already" in await bo.tap("Tell the story", on=over)
        assert world.rows("SELECT count(*) FROM outbox WHERE slot = 'story'") == [(1,)]
