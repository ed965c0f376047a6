"""A hand in the text field: whole games by lists over the text field, and what a chosen result does where."""

import asyncio
import json
import random
import re
from typing import Any

import pytest

from test_support.game_driver import GameDriver
from test_support.person import Person
from test_support.screen_recorder import Json
from test_support.shown_game import assert_shown_as_recorded
from test_support.world import Setting, World
from tests.end_to_end.conftest import OpenWorld

HANDS = [[0, 2], 2, 3, 4, 5, 6, 2, 2, 3, 4, 5]
"""Ana opens."""
STILL: dict[str, Any] = {"clock": {"seconds": 0}}
PLANNED: dict[str, Any] = STILL | {"dice": HANDS}


def titles(shown: Json) -> list[str]:
    return [result["title"] for result in shown["results"]]


def bids(world: World) -> list[Json]:
    rows = world.rows("SELECT action FROM game_action ORDER BY number")
    return [action for (text,) in rows if (action := json.loads(text))["type"] in ("bid", "dudo", "calza")]


async def feedback(world: World, share: float) -> None:
    await world.act("POST", "/inline", feedback=share)


async def begin(world: World, *names: str, private: bool = True) -> GameDriver:
    return await GameDriver(world, world.group, world.some(*names)).seat(private=private)


def on_turn(driver: GameDriver) -> Person | None:
    table = driver.table_message()
    found = None if table is None else re.search(r"👉 (\w+)", table.text)
    return None if found is None else next(person for person in driver.people if person.name == found[1])


async def play_by_inline(world: World, driver: GameDriver, rng: random.Random) -> int:
    """Play to the end from the list over the text field alone; return how many calls were made."""
    calls = 0
    while True:
        await world.recorder.until(lambda: driver.over() or on_turn(driver), "somebody's turn")
        person = on_turn(driver)
        if driver.over() is not None or person is None:
            return calls
        shown = await person.type_inline("", world.group)
        if len(titles(shown)) == 1:
            await asyncio.sleep(0.05)  # the table's message is older than the table
            continue
        before = len(bids(world))
        doubted = "🗣 Dudo!" in titles(shown) and rng.random() < 0.4
        bid = rng.choice([title for title in titles(shown)[1:6] if "×" in title] or ["Dudo"])
        await person.choose(shown, "Dudo" if doubted else bid, world.group)
        await world.recorder.until(lambda before=before: len(bids(world)) > before or None, "the call to count")  # type: ignore[misc]
        await world.settled()
        calls += 1


async def test_a_whole_game_is_played_from_the_text_field_alone(open_world: OpenWorld) -> None:
    async with open_world(Setting(plan=STILL)) as world:
        world.expect_error("Forbidden: bot can't initiate", must=False)
        world.expect_sending("failed: forbidden: bot can't initiate", must=False)
        await feedback(world, 1.0)
        driver = await begin(world, "Ana", "Bo", private=False)
        calls = await play_by_inline(world, driver, random.Random(3))
        await world.settled()
        assert len(bids(world)) == calls
        assert_shown_as_recorded(driver)


async def test_a_result_chosen_where_its_game_is_not_plays_nothing_and_says_so(open_world: OpenWorld) -> None:
    async with open_world(Setting(plan=PLANNED)) as world:
        ana, bo = world.some("Ana", "Bo")
        other = await world.found("Others", [ana, bo])
        await begin(world, "Ana", "Bo")
        await ana.choose(await ana.type_inline("", other), "1 × 6️⃣", other)
        await ana.sees("That game is in another chat, so nothing happened.", other)
        alone = await ana.type_inline("")
        assert titles(alone) == ["🎲 Your dice: 2️⃣ 3️⃣ 4️⃣ 5️⃣ 6️⃣"]
        assert "Your bids are in Friends" in alone["results"][0]["description"]
        # Posted where the bot is not: only Telegram's report tells that it was chosen.
        shown = await ana.type_inline("", world.group)
        bid = next(one for one in shown["results"] if one["title"] == "1 × 5️⃣")
        since = world.mark()
        report = {"result_id": bid["id"], "from": {"id": ana.id, "is_bot": False, "first_name": "Ana"}, "query": ""}
        world.sandbox.world.tell_bot("chosen_inline_result", report)
        told = await ana.sees("That game is in another chat, so nothing happened.", since=since)
        assert told.chat == ana.id
        assert bids(world) == []
        await ana.choose(shown, "1 × 6️⃣", world.group)
        await world.settled()
        assert len(bids(world)) == 1


@pytest.mark.parametrize("report_first", [True, False])
async def test_a_kill_between_the_message_and_the_answer_neither_loses_nor_doubles_a_call(
    open_world: OpenWorld, report_first: bool
) -> None:
    async with open_world(Setting(plan=PLANNED)) as world:
        world.expect_log(".", must=False)
        world.expect_error(".", must=False)
        ana = world["Ana"]
        await begin(world, "Ana", "Bo")
        shown = await ana.type_inline("", world.group)
        await world.kill()
        bid = next(one for one in shown["results"] if one["title"] == "1 × 6️⃣")
        report = {"result_id": bid["id"], "from": {"id": ana.id, "is_bot": False, "first_name": "Ana"}, "query": ""}
        if report_first:
            world.sandbox.world.tell_bot("chosen_inline_result", report)
        await ana.choose(shown, "1 × 6️⃣", world.group)
        if not report_first:
            world.sandbox.world.tell_bot("chosen_inline_result", report)
        await world.restart()
        await world.recorder.until(lambda: bids(world) or None, "the bid to count")
        await world.kill()
        await world.restart()
        await world.settled()
        assert len(bids(world)) == 1
