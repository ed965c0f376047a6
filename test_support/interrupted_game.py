"""A game whose bot dies again and again. People continue to tap, sometimes twice, and record the bot's answers."""

import asyncio
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random

from test_support.game_driver import GameDriver, Offer
from test_support.shown_dice import as_signs, sign


@dataclass(slots=True)
class InterruptedGame:
    """A game at one table."""

    driver: GameDriver
    rng: Random
    taps: asyncio.Semaphore | None = None
    """How many taps people may make, or None for all."""
    told: list[tuple[int, str]] = field(default_factory=list)
    """The step of the game, and the toast that said that the move counts."""
    refused: list[str] = field(default_factory=list)
    """The other answers to taps."""
    on: asyncio.Event = field(default_factory=asyncio.Event)
    """Whether the bot runs."""

    async def play(self) -> None:
        self.on.set()
        while self.driver.over() is None:
            try:
                offer = await self.driver.next_offer(within=3)
            except AssertionError:
                await self._ask_for_the_keyboard()
                continue
            if offer is not None:
                if self.taps is not None:
                    await self.taps.acquire()
                await self._tap(offer)

    async def _ask_for_the_keyboard(self) -> None:
        """Ask to see the game: a notice that was being sent as the bot died may have arrived, so it is not repeated."""
        await self.on.wait()
        await asyncio.gather(*(person.say("/dice") for person in self.driver.people))
        await self.driver.host.say("/status", self.driver.group)

    async def _tap(self, offer: Offer) -> None:
        doubts = not offer.bids or self.rng.random() < (0.35 if self.taps is not None else 0.8)
        button = offer.dudo if offer.dudo and doubts else self.rng.choice(offer.bids[:4])
        queries = [
            await offer.person.press(offer.message, button.data or "") for _ in range(self.rng.choice((1, 1, 2)))
        ]
        self.driver.steps.add(offer.step)
        for query in queries:
            try:
                heard = (await offer.person.answer_to(query, within=6)).text
            except AssertionError:
                continue  # the answer was lost; the move may count or not
            if heard.startswith(("You bid", "Dudo!")):
                self.told.append((offer.step, heard))
            else:
                self.refused.append(heard)

    def wrong(self) -> Iterator[str]:
        """Yield each move that was lost or doubled."""
        moves = self.driver.actions()
        if self.driver.placings() is None:
            yield "the game has no end"
        for step, told in self.told:
            if step >= len(moves) or as_signs(told) != toast_for(moves[step]):
                yield f"step {step}: {told!r}, and the game has {moves[step : step + 1]}"
        if len({step for step, _ in self.told}) < len(self.told):
            yield "two taps for one step count"
        query = "SELECT cause, action FROM game_action WHERE table_id = ?"
        recorded = self.driver.world.rows(query, self.driver.table)
        causes = [cause for cause, action in recorded if json.loads(action) in moves]
        if not len(causes) == len(set(causes)) == len(moves):
            yield "an update acted twice"
        if not self.driver.steps >= set(range(len(moves))) or not all(each.startswith("telegram:") for each in causes):
            yield "a move was played that no one tapped"


def toast_for(move: dict[str, object]) -> str:
    if move["type"] == "dudo":
        return "Dudo! Cups up!"
    return f"You bid {move['quantity']} × {sign(int(str(move['face'])))}."
