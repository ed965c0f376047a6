"""A bid chosen in the list over the text field, while the bot is killed."""

import json
from typing import Any

import pytest

from test_support.game_driver import GameDriver
from test_support.screen_recorder import Json
from test_support.virtual_world import VirtualWorld, in_virtual_time
from test_support.world import Setting, World
from tests.end_to_end.conftest import OpenWorld

ANA_OPENS = [[0, 2], 2, 3, 4, 5, 6, 2, 2, 3, 4, 5]
PLANNED: dict[str, Any] = {"clock": {"seconds": 0}, "dice": ANA_OPENS}


def bids(world: World) -> list[Json]:
    rows = world.rows("SELECT action FROM game_action ORDER BY number")
    return [action for (text,) in rows if (action := json.loads(text))["type"] in ("bid", "dudo", "calza")]


@in_virtual_time
@pytest.mark.parametrize("report_first", [True, False])
async def test_a_kill_between_the_message_and_the_answer_neither_loses_nor_doubles_a_call(
    open_world: OpenWorld, report_first: bool
) -> None:
    async with open_world(Setting(plan=PLANNED), VirtualWorld) as world:
        world.expect_log(".", must=False)
        world.expect_error(".", must=False)
        ana = world["Ana"]
        await GameDriver(world, world.group, world.some("Ana", "Bo")).seat()
        shown = await ana.type_inline("", world.group)
        await world.kill()
        bid = next(one for one in shown.results if one.title == "1 × 6️⃣")
        report = {"result_id": bid.id, "from": {"id": ana.id, "is_bot": False, "first_name": "Ana"}, "query": ""}
        if report_first:
            world.sandbox.world.tell_bot("chosen_inline_result", report)
        await ana.user.choose(bid.title, world.group)
        if not report_first:
            world.sandbox.world.tell_bot("chosen_inline_result", report)
        await world.restart()
        await world.recorder.until(lambda: bids(world) or None, "the bid to count")
        await world.kill()
        await world.restart()
        await world.settled()
        assert len(bids(world)) == 1
