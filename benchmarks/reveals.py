"""Print the messages that reveal a round's end before the group has seen it, their delays, and the group's costs.

Groups of four play by their private keyboards in the sandbox, with Telegram's limits. The player to call acts some
seconds after it is possible, and doubts early. Run it with `python -m benchmarks.reveals` from the
project's folder; `--quick` for a look in a minute.
"""

import argparse
import asyncio
import random
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from benchmarks.pace import NO_CLOCK, QUOTAS, part
from test_support.game_driver import GameDriver, Offer
from test_support.screen_recorder import Message
from test_support.world import World, opened

SEATS: Final = 4
DOUBT: Final = 0.7
"""The share of turns on which a player doubts instead of bidding."""
LOBBY_SECONDS: Final = 30
"""Between two games: the costs of the lobby are not measured here."""
ROUND: Final = re.compile(r"(?i)\bround (\d+)")
AS_PICTURES: Final = {"PERUDO_PICTURES__HANDS": "true", "PERUDO_PICTURES__REVEALS": "true"}
"""The bot's own default: tests read texts in place of pictures."""
AS_SET: Final = {"PERUDO_TABLE__REVEAL_SECONDS": "2", "PERUDO_TABLE__CELEBRATE": "true"}
"""The bot's own defaults, because the subject is the reveal."""
ENDED: Final = re.compile(r"🏆|☠️ (?:You're|.* is) out|💥|🎁|Counted \d+")
"""Words that appear only at the end of a round or of a game."""


@dataclass(slots=True)
class Played:
    """One round, with the events of it that the benchmark saw."""

    number: int
    began: int
    """The number of the last event before the game's first round."""
    mark: int
    """The number of the last event before the call that ended it."""
    called: float
    offered: float
    """When the first keyboard of the round came."""
    calls: int
    ended: float | None = None
    """When the first keyboard of the next round came."""


@dataclass(slots=True)
class Findings:
    """The counts; times in seconds."""

    rounds: int = 0
    early: list[str] = field(default_factory=list)
    unseen: int = 0
    """Rounds whose end was never shown to the group."""
    in_group: list[float] = field(default_factory=list)
    in_private: list[float] = field(default_factory=list)
    two_calls: list[float] = field(default_factory=list)
    messages: Counter[int] = field(default_factory=Counter)
    """How many rounds cost the group so many messages besides the edits with a bid."""
    refusals: int = 0


@dataclass(slots=True)
class Table:
    """One group, which plays game after game."""

    driver: GameDriver
    think: float
    played: list[Played] = field(default_factory=list)

    async def evening(self, ends_at: float) -> None:
        """Play until a time."""
        while time.time() < ends_at:
            self.driver.steps.clear()
            await self.driver.gather(private=False)
            await asyncio.sleep(LOBBY_SECONDS)
            await self.driver.begin()
            await self.game(ends_at)

    async def game(self, ends_at: float) -> None:
        """Play until a player wins, or until a time."""
        recorder = self.driver.world.recorder
        number, calls, began = 1, 0, len(recorder.versions)
        offer = await self.driver.next_offer()
        offered = time.time()
        while offer is not None and time.time() < ends_at:
            await asyncio.sleep(max(0.0, offer.message.at + self.think - time.time()))
            mark, at = len(recorder.versions), time.time()
            doubted = await self.move(offer)
            calls += 1
            this = Played(number, began, mark, at, offered, calls)
            offer = await self.driver.next_offer()
            if not doubted:
                continue
            number, calls, offered = number + 1, 0, time.time()
            this.ended = None if offer is None else offer.message.at
            self.played.append(this)

    async def move(self, offer: Offer) -> bool:
        """Tap a bid or dudo; return whether it was dudo."""
        dudo, bids = offer.dudo, offer.bids
        chosen = dudo if dudo and (not bids or self.driver.rng.random() < DOUBT) else self.driver.rng.choice(bids[:3])
        await self.driver.tap(offer, chosen)
        return chosen is dudo

    def found(self, findings: Findings) -> None:
        """Count the findings of the rounds."""
        world = self.driver.world
        shown = world.recorder.versions
        in_group = [one for one in shown if one.chat_id == self.driver.group.id and one.seen_by is None]
        begins = 0
        for this in self.played:
            begins = max(begins, this.began)
            reveal = next((one for one in in_group if one.changed > this.mark and ENDED.search(one.text)), None)
            findings.rounds += 1
            if reveal is None:
                findings.unseen += 1
                continue
            findings.in_group.append(reveal.at - this.called)
            costs = [one for one in in_group if begins < one.changed <= reveal.changed and not is_bid(one)]
            lobby = sum("Round" not in one.text for one in costs)
            findings.messages[len(costs) - lobby] += 1
            begins = reveal.changed
            if this.calls == 2 and this.ended is not None:  # noqa: PLR2004 - an opening and a dudo
                findings.two_calls.append(this.ended - this.offered)
            for person in self.driver.people:
                own = [one for one in shown if one.chat_id == person.id and one.changed > this.began]
                plays = any(this.number in rounds_in(one) for one in own if one.changed <= this.mark)
                told = next((one for one in own if one.changed > this.mark and tells(one, this.number)), None)
                if told is not None and plays:  # who is out is only told of the end
                    findings.in_private.append(told.at - this.called)
                if told is not None and told.changed < reveal.changed:
                    early = f"{reveal.at - told.at:.1f} s: {told.text!r}"
                    findings.early.append(f"{self.driver.group.title}, round {this.number}, {person.name}, {early}")


def is_bid(message: Message) -> bool:
    """Return whether a message is an edit with a bid, which shows a round that goes on."""
    return message.first != message.changed and "👉" in message.text


def tells(message: Message, number: int) -> bool:
    """Return whether a message in a private chat reveals that a round has ended."""
    return any(found > number for found in rounds_in(message)) or ENDED.search(message.text) is not None


def rounds_in(message: Message) -> list[int]:
    """Return the numbers of the rounds that a message names."""
    return [int(found) for found in ROUND.findall(message.text)]


async def measure(folder: Path, groups: int, think: float, seconds: float, seed: int) -> Findings:
    """Let groups play for so many seconds."""
    names = tuple(f"{name}{group}" for group in range(groups) for name in ("Ana", "Bo", "Cy", "Dee"))
    variables = QUOTAS | AS_SET | AS_PICTURES
    findings = Findings()
    async with opened(folder, World, people=names, flood_limits=True, plan=NO_CLOCK, variables=variables) as world:
        everybody = list(world.people.values())
        for person in everybody:
            await person.say("/start")
        tables = []
        for number in range(groups):
            people = everybody[number * SEATS : (number + 1) * SEATS]
            group = world.sandbox.add_group(f"Group {number}", [each.user for each in people])
            tables.append(Table(GameDriver(world, group, people, random.Random(seed + number)), think))
        ends_at = time.time() + seconds + LOBBY_SECONDS
        await asyncio.gather(*(table.evening(ends_at) for table in tables))
        await asyncio.sleep(5)
        for table in tables:
            table.found(findings)
        findings.refusals = len(world.sandbox.world.calls.flood_refusals)
    return findings


def report(findings: Findings) -> Iterator[str]:
    """Yield the lines to print."""
    yield "| what | |\n| --- | --- |"
    yield f"| rounds | {findings.rounds} |"
    early = {line.rpartition(",")[0].rpartition(",")[0] for line in findings.early}
    yield f"| told in private before the group | {len(early)} |"
    yield f"| whose end the group was not shown | {findings.unseen} |"
    for name, times in (
        ("from dudo to the dice in the group", findings.in_group),
        ("from dudo to the end of the round in private", findings.in_private),
        ("a round of two calls", findings.two_calls),
    ):
        yield f"| {name}, seconds: median, p95, longest | {part(times, 0.5)}, {part(times, 0.95)}, {part(times, 1)} |"
    for count, rounds in sorted(findings.messages.items()):
        yield f"| rounds of {count} messages in the group besides bids' edits | {rounds} |"
    yield f"| refused by the flood limits | {findings.refusals} |"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a look in a minute")
    parser.add_argument("--groups", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=480)
    parser.add_argument("--think", type=float, default=2.5, help="seconds until someone acts who can")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        found = asyncio.run(
            measure(Path(name), chosen.groups, chosen.think, 60 if chosen.quick else chosen.seconds, chosen.seed)
        )
    sys.stderr.writelines(f"early: {line}\n" for line in found.early)
    sys.stdout.writelines(f"{line}\n" for line in report(found))
