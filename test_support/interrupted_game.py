"""A game whose bot dies again and again. People continue to tap, sometimes twice, and record the bot's answers."""

import asyncio
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field

from test_support.game_driver import GameDriver, Offer
from test_support.replayed_game import replay_game
from test_support.shown_dice import bid


@dataclass
class InterruptedGame(GameDriver):
    """A game at one table."""

    doubt: float = 0.8
    taps: asyncio.Semaphore | None = None
    """How many taps people may make, or None for all."""
    told: list[tuple[int, str]] = field(default_factory=list)
    """The step of the game, and the toast that said that the move counts."""
    refused: list[str] = field(default_factory=list)
    """The other answers to taps."""
    power: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held from the bot's death until it runs again."""

    async def next_offer(self, within: float = 3) -> Offer | None:
        """Wait for a keyboard, and ask for it if none comes.

        A notice that was being sent as the bot died may have arrived, so it is not repeated.
        """
        while True:
            with suppress(AssertionError):
                offer = await super().next_offer(within)
                if offer is not None and self.taps is not None:
                    await self.taps.acquire()
                return offer
            async with self.power:
                await asyncio.gather(*(person.say("/dice") for person in self.people))
                await self.host.say("/status", self.group)

    async def tap(self, offer: Offer, button: dict[str, str]) -> str:
        """Tap once or twice, and note what is heard of it."""
        self.steps.add((offer.table, offer.step))
        heard, times = "", self.rng.choice((1, 1, 2))
        for tap in [await offer.person.press(offer.message, button["callback_data"]) for _ in range(times)]:
            try:
                heard = await offer.person.answer_to(tap, within=6)
            except AssertionError:
                continue  # the answer was lost; the move may count or not
            if heard.startswith(("You bid", "Dudo!")):
                self.told.append((offer.step, heard))
            else:
                self.refused.append(heard)
        return heard

    def wrong(self) -> Iterator[str]:
        """Yield each move that was lost or doubled."""
        moves = self.actions()
        if replay_game(self.stored()).outcome is None:
            yield "the game has no end"
        for step, told in self.told:
            if step >= len(moves) or not says(told, moves[step]):
                yield f"step {step}: {told!r}, and the game has {moves[step : step + 1]}"
        if len({step for step, _ in self.told}) < len(self.told):
            yield "two taps for one step count"
        causes = [cause for cause, action in self.stored().actions if action in moves]
        if not len(causes) == len(set(causes)) == len(moves):
            yield "an update acted twice"
        tapped = {step for _, step in self.steps}
        if not tapped >= set(range(len(moves))) or not all(each.startswith("telegram:") for each in causes):
            yield "a move was played that no one tapped"


def says(told: str, move: dict[str, object]) -> bool:
    """Return whether a toast says that this move counts."""
    if move["type"] == "dudo":
        return told == "Dudo! Cups up!"
    return bid(told.removeprefix("You bid ").removesuffix(".")) == (move["quantity"], move["face"])
