"""Count the calls to Telegram that each step of a game takes.

Four people who have opened the bot play in the sandbox. Every call of the real bot is counted, except its polls.
"""

from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeAlias

from telegram_sandbox.call_log import Call
from test_support.game_driver import GameDriver
from test_support.virtual_world import VirtualWorld
from test_support.world import opened

NOT_COUNTED = ("getUpdates", "getMe", "setMyCommands")
Cost: TypeAlias = tuple[str, Counter[str]]
"""A step of a game, and its calls by their place."""


def place_of(call: Call) -> str:
    if call.method == "answerCallbackQuery":
        return "answers"
    if call.method.startswith("get"):
        return "other"
    return "group" if int(call.params.get("chat_id") or 0) < 0 else "private"


async def measure(folder: Path, dice: int = 5) -> list[Cost]:
    costs: list[Cost] = []
    # Without reactions, which are left out where much is sent at once.
    variables = {"PERUDO_TABLE__REVEAL_SECONDS": "0.2", "PERUDO_TABLE__CELEBRATE": "false"}
    plan = {"clock": {"seconds": 0}, "rules": {"starting_dice": dice}}
    async with opened(folder, VirtualWorld, plan=plan, variables=variables) as world:

        async def count(what: str, act: Callable[..., Awaitable[object]], *given: Any) -> None:
            """Act in a world where nothing waits, and count the calls until nothing waits again."""
            await world.settled()
            before = world.sandbox.world.calls.total
            await act(*given)
            await world.settled()
            calls = [call for call in world.sandbox.world.calls.since(before) if call.method not in NOT_COUNTED]
            costs.append((what, Counter(map(place_of, calls))))

        driver = GameDriver(world, world.group, list(world.people.values()))
        for person in driver.people:
            await person.say("/start")
        await count("a lobby opens", driver.open)
        for person in driver.people[1:]:
            await count("someone joins", person.tap, "Join", world.group)
        await count("the game starts, four hands are dealt", driver.begin)
        for _ in range(5):
            await count("a bid", driver.raise_it)
        await count("dudo, the reveal, the next four hands (after five bids)", driver.doubt_it)
        while not driver.over():
            await driver.raise_it()
            await count("dudo, the reveal, the next hands or the end (after one bid)", driver.doubt_it)
        await count("play again", driver.host.tap, "Play again", world.group)
    return costs


def table(costs: list[Cost]) -> str:
    lines = [
        "| what happens | calls in all | in the group | in private chats | answers to taps (free) | lookups |",
        "|---|---|---|---|---|---|",
    ]
    for step in dict.fromkeys(what for what, _ in costs):
        worst = max((calls for what, calls in costs if what == step), key=Counter.total)
        numbers = (worst.total(), *(worst[place] for place in ("group", "private", "answers", "other")))
        lines.append(f"| {step} | {' | '.join(map(str, numbers))} |")
    return "\n".join(lines)
