"""Count the calls to Telegram that each step of a game takes.

Four people who have opened the bot play in the sandbox. Every call of the real bot is counted, except its polls.
"""

from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from test_support.game_driver import GameDriver
from test_support.virtual_world import VirtualWorld
from test_support.world import Setting, World, opened

PEOPLE = ("Ana", "Bo", "Cy", "Dee")
SPELLED = {2: "two", 3: "three", 4: "four"}
NOT_COUNTED = ("getUpdates", "getMe", "setMyCommands")


@dataclass(frozen=True, slots=True)
class Cost:
    """The calls that one step of a game took."""

    what: str
    group: int
    private: int
    answers: int
    other: int

    @property
    def total(self) -> int:
        """All calls."""
        return self.group + self.private + self.answers + self.other


async def cost_of(world: World, what: str, act: Callable[[], Awaitable[object]]) -> Cost:
    """Act in a world where nothing waits, and count the calls until nothing waits again."""
    await world.settled()
    before = len(world.recorder.calls)
    await act()
    await world.settled()
    kinds: Counter[str] = Counter()
    for call in world.recorder.calls[before:]:
        if call["method"] in NOT_COUNTED:
            continue
        chat = int(call["params"].get("chat_id") or 0)
        if call["method"] == "answerCallbackQuery":
            kinds["answers"] += 1
        elif call["method"].startswith("get"):
            kinds["other"] += 1
        else:
            kinds["group" if chat < 0 else "private"] += 1
    return Cost(what, kinds["group"], kinds["private"], kinds["answers"], kinds["other"])


async def measure(folder: Path) -> list[Cost]:
    """Play one game of four people; return the cost of each step in order."""
    costs = []
    # Without reactions, which are left out where much is sent at once.
    variables = {"PERUDO_TABLE__REVEAL_SECONDS": "0.2", "PERUDO_TABLE__CELEBRATE": "false"}
    setting = Setting(people=PEOPLE, plan={"clock": {"seconds": 0}}, variables=variables)
    async with opened(folder, setting, VirtualWorld) as world:
        driver = GameDriver(world, world.group, world.some(*PEOPLE))
        host = driver.host
        for person in driver.people:
            await person.start()

        async def open_lobby() -> None:
            driver.began = world.mark()
            await host.say("/perudo", world.group)
            lobby = await host.sees("who's in", world.group)
            driver.table = int(next(button.data or "" for button in lobby.flat).split(":")[1])

        costs.append(await cost_of(world, "a lobby opens", open_lobby))
        costs += [
            await cost_of(world, "someone joins", partial(person.tap, "Join", world.group))
            for person in driver.people[1:]
        ]
        costs.append(await cost_of(world, "the game starts, four hands are dealt", driver.begin))
        costs += [await cost_of(world, "a bid", driver.raise_it) for _ in range(5)]
        costs.append(await cost_of(world, _reveal(len(PEOPLE), "five bids"), driver.doubt_it))
        while driver.over() is None:
            await driver.raise_it()
            offer = await driver.turn()
            await world.settled()
            text = (driver.table_message() or offer.message).text
            # The reveal before says "☠️ Ana is out."; the list of players has the line "☠️ Ana" for as long as they play.
            out = [line for line in text.splitlines() if "☠️" in line and not line.endswith(" is out.")]
            what = _reveal(len(PEOPLE) - len(out), "one bid")
            costs.append(await cost_of(world, what, driver.doubt_it))
            if driver.over() is not None:
                costs[-1] = Cost("the last dudo, the reveal, the end of the game", *_numbers(costs[-1]))
        costs.append(await cost_of(world, "play again", partial(host.tap, "Play again", world.group)))
    return costs


def _reveal(hands: int, after: str) -> str:
    return f"dudo, the reveal, the next {SPELLED[hands]} hands (after {after})"


def _numbers(cost: Cost) -> tuple[int, int, int, int]:
    return cost.group, cost.private, cost.answers, cost.other


def table(costs: list[Cost]) -> str:
    """Return a Markdown table with the most expensive step of each kind."""
    lines = [
        "| what happens | calls in all | in the group | in private chats | answers to taps (free) | lookups |",
        "|---|---|---|---|---|---|",
    ]
    for what in dict.fromkeys(cost.what for cost in costs):
        worst = max((cost for cost in costs if cost.what == what), key=lambda cost: cost.total)
        numbers = (worst.total, worst.group, worst.private, worst.answers, worst.other)
        lines.append(f"| {what} | {' | '.join(map(str, numbers))} |")
    return "\n".join(lines)
