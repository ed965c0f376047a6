"""A bid chosen in the list over the text field, while the bot is killed."""

import json

from test_support.game_driver import GameDriver
from test_support.screen_recorder import PATIENCE, Json
from test_support.virtual_world import VirtualWorld, in_virtual_time
from test_support.world import World
from tests.end_to_end.conftest import OpenWorld

ANA_OPENS = [[0, 2], 2, 3, 4, 5, 6, 2, 2, 3, 4, 5]


def bids(world: World) -> list[Json]:
    rows = world.rows("SELECT action FROM game_action ORDER BY number")
    return [action for (text,) in rows if (action := json.loads(text))["type"] in ("bid", "dudo", "calza")]


@in_virtual_time
async def test_a_kill_between_message_and_answer_neither_loses_nor_doubles_a_call(open_world: OpenWorld) -> None:
    """Whether the report of the choice comes before the message or after it."""
    async with open_world(VirtualWorld, plan={"clock": {"seconds": 0}, "dice": ANA_OPENS}) as world:
        world.expect("log line", ".", must=False)
        world.expect("error", ".", must=False)
        people = world.some("Ana", "Bo")
        await GameDriver(world, world.group, people).seat()
        for number, (person, title) in enumerate(zip(people, ("1 × 6️⃣", "2 × 6️⃣"), strict=True), start=1):
            shown = await person.user.type_inline("", world.group, within=PATIENCE)
            await world.kill()
            bid = next(one for one in shown.results if one.title == title)
            sender = {"id": person.id, "is_bot": False, "first_name": person.name}
            report = {"result_id": bid.id, "from": sender, "query": ""}
            if number == 1:
                world.sandbox.world.tell_bot("chosen_inline_result", report)
            await person.user.choose(bid.title, world.group)
            if number == 2:
                world.sandbox.world.tell_bot("chosen_inline_result", report)
            await world.restart()
            await world.recorder.until(lambda: len(bids(world)) >= number or None, "the bid to count")  # noqa: B023
            await world.kill()
            await world.restart()
            await world.settled()
            assert len(bids(world)) == number
