"""A whole game in the log at DEBUG: a reader can follow every move, and finds no secret of a player or the operator."""

import json
import re
from typing import Any

from test_support.game_driver import GameDriver
from test_support.shown_dice import keycap, sign
from test_support.shown_game import assert_shown_as_recorded
from test_support.world import Setting, World
from tests.end_to_end.conftest import OpenWorld

NAMES = ("Xanthippe", "Bartholomäus", "Quetzalli")
GROUP = "Zanzibar nights"
SCRAPER = "scrape-me-if-you-can"


def spellings(hand: list[int]) -> set[str]:
    """The ways in which a log line could spell a hand; three digits alone may be the number of a message."""
    faces = [str(face) for face in hand]
    signs = [sign(face) for face in hand]
    plain = {"".join(faces)} if len(hand) > 3 else set()
    return (
        plain
        | {glue.join(faces) for glue in (" ", ",", ", ", "-", "/")}
        | {" ".join(signs), "".join(signs)}
        | {" ".join(map(keycap, hand))}
    )


def rolls(world: World) -> list[list[int]]:
    rows = world.rows("SELECT action FROM game_action WHERE action LIKE '%\"roll\"%'")
    return [hand for (action,) in rows for hand in json.loads(action)["dice"] if len(hand) > 2]


async def evening(world: World) -> GameDriver:
    driver = GameDriver(world, world.group, world.some(*NAMES), typed=0.5, browse=0.3, peek=0.3, doubt=0.6)
    await driver.seat()
    await driver.host.say("a secret between friends: swordfish", world.group)
    for person in driver.people:
        shown = await person.type_inline("swordfish", world.group)
        await person.choose(shown, "Your dice", world.group)
    await driver.play()
    await driver.host.sees("wins", world.group)
    await world.settled()
    return driver


def told_at_debug() -> Setting:
    variables = {"PERUDO_LOG_LEVEL": "DEBUG", "PERUDO_LOGGING__FORMAT": "json", "PERUDO_METRICS__TOKEN": SCRAPER}
    return Setting(people=NAMES, variables=variables, plan={"clock": {"seconds": 0}})


def assert_no_secret_in_log(world: World, driver: GameDriver) -> None:
    log = world.log.read_text()
    hands = rolls(world)
    assert len(hands) > 10
    addresses = [str(person.id) for person in driver.people] + [str(world.group.id)]
    (seal,) = world.rows("SELECT json_extract(state, '$.secret') FROM game_table")[0]
    assert len(seal) >= 32
    planted = {*NAMES, GROUP, SCRAPER, "swordfish", world.sandbox.token, *addresses, seal}
    assert sorted(secret for secret in planted if secret in log) == []
    for hand in hands:
        assert sorted(written for written in spellings(hand) if re.search(rf"(?<![\d.:]){written}(?![\d.])", log)) == []


async def test_every_move_can_be_followed_to_the_message_and_no_secret_is_told(open_world: OpenWorld) -> None:
    async with open_world(told_at_debug()) as world:
        world.expect_log('"level": "(debug|info)"')
        driver = await evening(world)
        assert_no_secret_in_log(world, driver)
        lines: list[dict[str, Any]] = [json.loads(line) for line in world.log.read_text().splitlines()]
        story = assert_shown_as_recorded(driver)
        causes = dict(world.rows("SELECT number, cause FROM game_action WHERE table_id = ?", driver.table))
    assert story
    saved = [line for line in lines if line["event"] == "table saved" and line["table"] == driver.table]
    assert [line["version"] for line in saved] == list(range(1, len(saved) + 1))
    assert (saved[0]["status"], saved[-1]["status"]) == ("lobby", "finished")
    told = {(line["cause"], line["update"]) for line in saved}
    for cause in causes.values():
        update = cause.partition(":")[2]
        assert ("telegram", update) in told
        assert any(line["event"] == "acted" and line.get("update") == update for line in lines)
    sent = [line for line in lines if line["event"].endswith(" sent")]
    assert {line["table"] for line in sent} >= {driver.table}
    assert all(re.fullmatch(r"telegram:#[0-9a-f]{8}", line["lane"]) for line in sent)
    assert all("update" not in line for line in sent), "a lane sends for many updates"
    assert len({line["lane"] for line in sent if line["table"] == driver.table}) == 4
    assert len({line["worker"] for line in lines}) == 1
