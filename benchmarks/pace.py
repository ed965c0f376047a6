"""Print how long players wait for their keyboard and their dice, in each private way, within Telegram's limits.

Four people play at a human pace in the sandbox, which refuses what Telegram would refuse; then two groups of six people
play as fast as they can. Run it with `python -m benchmarks.pace` from the project's folder.
"""

import argparse
import asyncio
import random
import sys
import tempfile
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from telegram_sandbox import Chat
from test_support.game_driver import GameDriver, Offer
from test_support.person import SECOND_TAP_SECONDS
from test_support.world import World, opened

PEOPLE = ("Ana", "Bo", "Cy", "Dee")
SIX = ("Ana", "Bo", "Cy", "Dee", "Eve", "Fay", "Gus", "Hal", "Ivy", "Jo", "Kim", "Lee")
DOUBT = 0.2
NO_CLOCK = {"clock": {"seconds": 0}}
QUOTAS = {
    "PERUDO_QUOTAS__PERSON_TAPS_PER_MINUTE": "0",
    "PERUDO_QUOTAS__CHAT_TAPS_PER_MINUTE": "0",
}
LOBBY_SECONDS = 30
"""How long people sit in the lobby: there, too, each message counts against the group's limits."""
ALERT = "When I tap My dice"


@dataclass(frozen=True, slots=True)
class Way:
    """A private way: the settings of the bot and of the people before the game."""

    name: str
    admin: bool = False
    started: bool = False
    alert: bool = False
    people: tuple[str, ...] = PEOPLE
    groups: int = 1


WAYS = (
    Way("private chat", started=True),
    Way("ephemeral, bot is admin", admin=True),
    Way("shared keyboard", started=False),
    Way("alert", alert=True),
)


@dataclass(slots=True)
class Waits:
    """People's waiting times, in seconds."""

    after_bid: list[float] = field(default_factory=list)
    after_dudo: list[float] = field(default_factory=list)
    dice: list[float] = field(default_factory=list)
    moves: int = 0
    seconds: float = 0
    most_in_a_minute: int = 0
    refusals: int = 0


@dataclass(slots=True)
class Player:
    """Plays a table at a pace, and notes how long the next one waits."""

    driver: GameDriver
    think: tuple[float, float]
    waits: Waits
    doubts: list[tuple[int, float]] = field(default_factory=list)
    """The number of the last event before each dudo, and its time."""

    async def play(self, seconds: float) -> None:
        """Play for so many seconds, or until a player wins."""
        recorder = self.driver.world.recorder
        began = time.time()
        offer = await self.driver.next_offer(within=90)
        while offer is not None and time.time() < began + seconds:
            await asyncio.sleep(self.driver.rng.uniform(*self.think))
            mark = len(recorder.versions)
            doubted, at = await self._move(offer)
            self.waits.moves += 1
            following = await self.driver.next_offer(within=90)
            if following is None:
                break
            waited = following.message.at - at
            (self.waits.after_dudo if doubted else self.waits.after_bid).append(waited)
            if doubted:
                self.doubts.append((mark, at))
            offer = following
        self.waits.seconds = max(self.waits.seconds, time.time() - began)

    async def _move(self, offer: Offer) -> tuple[bool, float]:
        """Tap a bid or dudo; whether it was dudo, and the time of the tap, the second one if the bot asks for it."""
        dudo, bids = offer.dudo, offer.bids
        chosen = dudo if dudo and (not bids or self.driver.rng.random() < DOUBT) else self.driver.rng.choice(bids[:3])
        self.driver.steps.add((offer.table, offer.step))
        at = time.time()
        tap = await offer.person.press(offer.message, chosen["callback_data"])
        if chosen is dudo and "once more" in await offer.person.answer_to(tap):
            await asyncio.sleep(SECOND_TAP_SECONDS)
            at = time.time()
            await offer.person.press(offer.message, chosen["callback_data"])
        return chosen is dudo, at

    def note_dice(self) -> None:
        """How long everyone waited for new dice after each dudo."""
        recorder = self.driver.world.recorder
        for number, (mark, at) in enumerate(self.doubts):
            until = self.doubts[number + 1][0] if number + 1 < len(self.doubts) else len(recorder.versions)
            for person in self.driver.people:
                hands = [
                    message.at
                    for message in recorder.versions
                    if mark < message.first <= until
                    and person.id in (message.seen_by, message.chat_id)
                    and "Your dice:" in message.text
                ]
                self.waits.dice += [min(hands) - at] if hands else []


async def measure(folder: Path, way: Way, think: tuple[float, float], seconds: float, seed: int) -> Waits:
    """Play in one private way, for so many seconds."""
    waits = Waits()
    async with opened(
        folder,
        World,
        plan=NO_CLOCK,
        variables=QUOTAS,
        people=way.people,
        bot_is_admin=way.admin,
        flood_limits=True,
    ) as world:
        everybody = list(world.people.values())
        if way.started or way.alert:
            for person in everybody:
                await person.say("/start")
        if way.alert:
            for person in everybody:
                await person.say("/settings")
                await person.sees("How would you like to see your dice")
                await person.tap(ALERT)
        size = len(everybody) // way.groups
        parties = []
        for number in range(way.groups):
            people = everybody[number * size : (number + 1) * size]
            group = (
                world.group
                if way.groups == 1
                else world.sandbox.add_group(f"Group {number}", [each.user for each in people])
            )
            parties.append((GameDriver(world, group, people, random.Random(seed + number)), group))
        players = [Player(driver, think, waits) for driver, _ in parties]

        async def evening(player: Player) -> None:
            await player.driver.gather(private=False)
            await asyncio.sleep(LOBBY_SECONDS)
            await player.driver.begin()
            await player.play(seconds)

        await asyncio.gather(*map(evening, players))
        await asyncio.sleep(2)
        for player in players:
            player.note_dice()
        _count_sends(world, (group for _, group in parties), waits)
    return waits


def _count_sends(world: World, groups: Iterable[Chat], waits: Waits) -> None:
    waits.refusals = len(world.sandbox.world.calls.flood_refusals)
    for call in world.sandbox.world.calls.flood_refusals:
        print(f"refused: {call.method}, chat {call.params.get('chat_id')}, {call.error}", file=sys.stderr)
    for group in groups:
        times = sorted(message.at for message in world.recorder.versions if message.chat_id == group.id)
        waits.most_in_a_minute = max(
            waits.most_in_a_minute, *(sum(start <= at < start + 60 for at in times) for start in times)
        )


def part(times: list[float], share: float) -> str:
    """Return a percentile, in seconds."""
    if not times:
        return "-"
    ordered = sorted(times)
    return f"{ordered[min(len(ordered) - 1, int(share * len(ordered)))]:.2f}"


def row(name: str, waits: Waits) -> str:
    """Return one row of the table."""
    cells = [name, f"{waits.moves / max(1.0, waits.seconds) * 60:.0f}"]
    for times in (waits.after_bid, waits.after_dudo, waits.dice):
        cells += [part(times, 0.5), part(times, 0.95)]
    cells += [str(waits.most_in_a_minute), str(waits.refusals)]
    return f"| {' | '.join(cells)} |"


HEAD = (
    "| way, seconds of thought | moves a minute | bid to keyboard, p50 | p95 | dudo to keyboard, p50 | p95 "
    "| dudo to new dice, p50 | p95 | most in a group's minute | refused |\n"
    "|---|---|---|---|---|---|---|---|---|---|"
)


async def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=180, help="how long each row is played")
    parser.add_argument("--think", action="append", help="seconds of thought, as 4-8; may be given several times")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--ways", default="", help="only ways whose names contain this")
    chosen = parser.parse_args()
    paces = [tuple(map(float, pace.split("-"))) for pace in chosen.think or ["4-8", "2-4"]]
    print(HEAD, flush=True)
    with tempfile.TemporaryDirectory() as folder:
        plays = [(way, (pace[0], pace[1])) for pace in paces for way in WAYS if chosen.ways in way.name]
        fast = Way("two groups of six, as fast as they can", started=True, people=SIX, groups=2)
        plays += [(fast, (0.0, 0.0))] if chosen.ways in fast.name else []

        async def one(number: int, way: Way, think: tuple[float, float]) -> None:
            place = Path(folder) / str(number)
            place.mkdir()
            try:
                waits = await measure(place, way, think, chosen.seconds, chosen.seed)
            except AssertionError as error:
                print(f"{way.name} was not measured: {str(error).splitlines()[0]}", file=sys.stderr)
                return
            name = way.name if think == (0.0, 0.0) else f"{way.name}, {think[0]:g}-{think[1]:g}"
            print(row(name, waits), flush=True)

        for first in range(0, len(plays), len(WAYS)):
            here = list(enumerate(plays))[first : first + len(WAYS)]
            await asyncio.gather(*(one(number, way, think) for number, (way, think) in here))


if __name__ == "__main__":
    asyncio.run(main())
