"""No screen depends on dice that its player may not know: the same evening with other dice looks the same."""

import json
import re
from typing import Any, TypeAlias

import pytest

from test_support.game_driver import GameDriver
from test_support.person import Person
from test_support.screen_recorder import PATIENCE
from test_support.virtual_world import VirtualWorld, in_virtual_time
from test_support.world import World
from tests.end_to_end.conftest import OpenWorld

Hands: TypeAlias = dict[str, tuple[int, ...]]
FIRST: Hands = {"Ana": (2, 3, 4, 5, 6), "Bo": (2, 2, 3, 4, 5), "Cy": (3, 3, 4, 5, 6)}
OTHERS_HIGH: Hands = {"Bo": (6, 6, 6, 6, 6), "Cy": (1, 1, 1, 1, 1)}
OTHERS_LOW: Hands = {"Bo": (1, 2, 1, 2, 1), "Cy": (4, 4, 4, 5, 4)}
CHANGING = (
    (re.compile(r"\b[0-9a-f]{64}\b"), "<seal>"),
    (re.compile(r"\bj_[A-Z0-9]{6}\b"), "<code>"),
)
"""Drawn anew in each run, and before any dice."""

WAYS = {"private chats": False, "an admin bot": True, "the shared keyboard": False}
"""Whether the bot is an admin of the group."""


def screen_of(world: World, person: Person) -> dict[str, list[Any]]:
    """Everything that a person was shown, chat by chat: chats have no order among each other."""
    shown: dict[str, list[Any]] = {"private": [], "group": [], "alone in the group": []}
    for m in world.recorder.versions:
        if person.id in m.audience:
            place = "private" if m.chat_id == person.id else "alone in the group" if m.seen_by else "group"
            shown[place].append((m.text, m.service, m.silent, m.reply_markup))
    answers = (tap for tap, _ in world.recorder.answers.values())
    shown["alerts"] = [(tap.text, tap.show_alert) for tap in answers if tap.user_id == person.id]
    return shown


def same(one: object) -> str:
    text = repr(one)
    for pattern, instead in CHANGING:
        text = pattern.sub(instead, text)
    return text


async def lists_of(world: World, person: Person) -> list[Any]:
    """The lists over Ana's or Dee's text field, in the group and in private; the others' own dice differ."""
    if person.name not in ("Ana", "Dee"):
        return []
    return [
        await person.user.type_inline(typed, chat, within=PATIENCE)
        for chat in (world.group, None)
        for typed in ("", "4", "2x", "5 fours", "dudo")
    ]


async def play_evening(world: World, way: str) -> list[Any]:
    """One script: a round to its end, then a second one until the moment before dudo; return Ana's and Dee's lists."""
    lists: list[Any] = []
    ana, bo, cy, dee = world.some("Ana", "Bo", "Cy", "Dee")
    driver = GameDriver(world, world.group, [ana, bo, cy])
    if way == "the shared keyboard":
        for person in driver.people:
            await person.say("/settings", world.group)
            await world.settled()
            await person.tap("When I tap My dice", world.group)
    else:
        for person in driver.people:
            await person.say("/start")
            await world.settled()
    await driver.open()
    await world.settled()
    for person in (bo, cy):
        await person.tap("Join", world.group)
        await world.settled()
    await driver.begin()
    await world.settled()
    for words in ("2x4", "dudo"):
        await (ana if words == "2x4" else bo).say(f"/bid {words}" if words != "dudo" else "/dudo", world.group)
        await world.settled()
    # Round two: Bo or Ana has lost a die; the opener follows from round one, which is the same in both runs.
    for watching, raised in (((ana, bo, dee), "2 3"), ((ana,), "3 3"), ((dee,), "4 3")):
        for person in watching:
            table = driver.table_message()
            assert table is not None
            for button in table.buttons:
                if "callback_data" in button and not re.search("Calza|Dudo|×", button["text"]):
                    await person.answer_to(await person.press(table, button["callback_data"]))
                    await world.settled()
            for command in ("/dice", "/status", "/rules", "/bid 1 1", "/bid 90 2"):
                await person.say(command, world.group)
                await world.settled()
            lists += await lists_of(world, person)
        # Typed, because the first bid that is offered follows from the player's own dice.
        offer = await driver.turn()
        await offer.person.say(f"/bid {raised}", world.group)
        driver.steps.add((offer.table, offer.step))
        await world.settled()
    return lists


@in_virtual_time
@pytest.mark.parametrize("way", WAYS)
async def test_an_evening_with_other_dice_under_the_others_cups_looks_the_same(open_world: OpenWorld, way: str) -> None:
    seen: list[dict[str, str]] = []
    logs: list[list[str]] = []

    async def run(others: Hands) -> tuple[dict[str, str], list[str]]:
        hands = {"Ana": (2, 3, 4, 5, 6), **others}
        # In round one Ana's 2 fours are doubted by Bo and hold: Bo has four dice in round two.
        dice: list[Any] = [[0, 3], *(face for hand in FIRST.values() for face in hand)]
        dice += [face for name, hand in hands.items() for face in (hand[:4] if name == "Bo" else hand)]
        plan = {"clock": {"seconds": 0}, "dice": dice, "rules": {"lost_dice": "hidden"}}
        async with open_world(VirtualWorld, bot_is_admin=WAYS[way], plan=plan) as world:
            world.expect("error", "editMessageText: .*message is not modified", must=False)
            lists = await play_evening(world, way)
            await world.settled()
            screens = {name: same(screen_of(world, world[name])) for name in ("Ana", "Bo", "Dee")}
            screens["lists over the text field"] = same(lists)
            dice_shown = re.findall(r"Your dice: [^'\\\\]+", screens["Ana"])
            assert dice_shown, "Ana saw her own"
            log = [re.sub(r"^\S+Z ", "", line) for line in world.log.read_text().splitlines()]
            rolled = world.rows("SELECT action FROM game_action WHERE action LIKE '%\"roll\"%'")
            assert len(rolled) == 2
            assert list(others["Cy"]) in json.loads(rolled[1][0])["dice"], "the planned dice lay there"
            return screens, log

    for others in (OTHERS_HIGH, OTHERS_LOW):
        screens, log = await run(others)
        seen.append(screens)
        logs.append(log)
    assert seen[0].pop("Bo") != seen[1].pop("Bo"), "one's own dice do show"
    assert seen[0] == seen[1]
    assert logs[0] == logs[1]
