"""The bot is killed again and again in mid-game. Every move that was accepted counts, once."""

import asyncio
import json
from dataclasses import dataclass, field
from random import Random

from test_support.game_driver import BID_LABEL, GameDriver, Offer
from test_support.shown_dice import as_signs, sign
from test_support.shown_game import replayed, untruths
from test_support.world import Setting, World
from tests.end_to_end.conftest import OpenWorld

CUTS = 5
MOVES_A_CUT = 3
"""At most, so that a slow machine does not play to the end before the last cut."""
HEARD = (
    "You bid",
    "Dudo!",
    "That counted already",
    "That was for an earlier",
    "You're not in this game any more",  # the second of two taps, after the first cost the last die
    "No game is running here",
    "One moment:",  # the second of two taps, while the dice are about to be shown
)


@dataclass(slots=True)
class InterruptedGame:
    """A game with power cuts. People continue to tap, sometimes twice, and record the bot's answers."""

    driver: GameDriver
    rng: Random
    cuts: int = 0
    told: list[tuple[int, str]] = field(default_factory=list)
    """The step of the game, and the toast that said that the move counts."""
    on: asyncio.Event = field(default_factory=asyncio.Event)
    taps: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(MOVES_A_CUT))

    async def cut_the_power(self) -> None:
        world = self.driver.world
        while self.cuts < CUTS and self.driver.over() is None:
            await asyncio.sleep(self.rng.uniform(0.0, 0.6))
            self.on.clear()
            await world.kill()
            self.cuts += 1
            await world.restart()
            self.on.set()
            for _ in range(MOVES_A_CUT):
                self.taps.release()

    async def play(self) -> None:
        while self.driver.over() is None:
            try:
                offer = await self.driver.next_offer(within=3)
            except AssertionError:
                await self.ask_for_the_keyboard()
                continue
            if offer is not None:
                if self.cuts < CUTS:
                    await self.taps.acquire()
                await self.tap(offer)

    async def ask_for_the_keyboard(self) -> None:
        """The notice was being sent when the power failed. It may have arrived, so the bot does not send it twice."""
        await self.on.wait()
        await asyncio.gather(*(person.say("/dice") for person in self.driver.people))
        await self.driver.host.say("/status", self.driver.group)

    async def tap(self, offer: Offer) -> None:
        bids = [button for button in offer.message.flat if BID_LABEL.fullmatch(button.text)]
        dudo = offer.message.button("🗣 Dudo")
        doubts = not bids or self.rng.random() < (0.35 if self.cuts < CUTS else 0.8)  # short once the power stays
        button = dudo if dudo and doubts else self.rng.choice(bids[:4])
        assert button is not None
        assert button.data is not None
        taps = self.rng.choice((1, 1, 2))
        queries = [await offer.person.press(offer.message, button.data) for _ in range(taps)]
        self.driver.steps.add(offer.step)
        heard = []
        for query in queries:
            try:
                heard.append((await offer.person.answer_to(query, within=6)).text)
            except AssertionError:
                continue  # the answer was lost; the move may count or not
        assert all(text.startswith(HEARD) for text in heard), heard
        counted = [text for text in heard if text.startswith(("You bid", "Dudo!"))]
        assert len(counted) <= 1, "one tap of two at most"
        self.told += [(offer.step, text) for text in counted]


async def the_evening(world: World, rng: Random) -> None:
    """A whole game through power cuts; then the bot's answers are compared with the record."""
    # A send that the power cut interrupts may have arrived or not: the bot does not repeat it blindly.
    world.expect_sending("^unknown: None", must=False)
    world.expect_error("message is not modified", must=False)
    world.expect_error("query is too old", must=False)
    world.expect_error("the request ended early", must=False)
    world.expect_log("cannot be heard: no clock runs out meanwhile|was left by another worker", must=False)
    driver = await GameDriver(world, world.group, world.some("Ana", "Bo", "Cy"), rng).seat()
    evening = InterruptedGame(driver, rng)
    async with asyncio.TaskGroup() as both:
        both.create_task(evening.cut_the_power())
        both.create_task(evening.play())
    await world.settled()
    assert evening.cuts == CUTS

    placings = replayed(driver).placings
    assert placings is not None
    assert len(placings) == 3
    moves = driver.actions()
    for step, told in evening.told:
        assert as_signs(told) == toast_for(moves[step])
    recorded = world.rows("SELECT cause, action FROM game_action WHERE table_id = ?", driver.table)
    causes = [cause for cause, action in recorded if json.loads(action) in moves]
    assert len(causes) == len(set(causes)) == len(moves), "no update acted twice"
    assert all(cause.startswith("telegram:") for cause in causes)
    assert driver.steps >= set(range(len(moves))), "nothing was played that no one tapped"
    assert len(evening.told) > len(moves) * 0.6
    assert untruths(driver) == []


async def test_no_accepted_move_is_lost_or_doubled(open_world: OpenWorld) -> None:
    """On one SQLite file; the chaos run cuts the power of workers on PostgreSQL."""
    async with open_world(Setting(plan={"clock": {"seconds": 0}})) as world:
        await the_evening(world, Random(1))


def toast_for(move: dict[str, object]) -> str:
    if move["type"] == "dudo":
        return "Dudo! Cups up!"
    return f"You bid {move['quantity']} × {sign(int(str(move['face'])))}."
