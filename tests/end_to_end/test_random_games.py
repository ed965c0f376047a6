"""People play whole games at random in virtual time; the group was shown what was recorded."""

import asyncio
import random
from dataclasses import dataclass

from test_support.game_driver import GameDriver
from test_support.shown_game import assert_shown_as_recorded
from test_support.virtual_world import VirtualWorld, in_virtual_time
from test_support.world import Setting
from tests.end_to_end.conftest import OpenWorld


@dataclass(frozen=True, slots=True)
class Plan:
    """One group's game."""

    preset: str
    players: int
    options: tuple[str, ...] = ()
    calza: float = 0.0
    typed: float = 0.0
    doubt: float = 0.6
    """High: a round needs few bids, and each book's own rules come with the rounds."""


PLANS = (
    Plan("2009 edition", 3, ("Calza", "Dice left"), calza=0.3),
    Plan("Italian edition", 3, ("Calza",), calza=0.3, typed=0.1),
    Plan("Aces", 3),
    Plan("Azteca", 2, typed=0.2),
    Plan("French guide", 2, typed=0.3),
)


@in_virtual_time
async def test_games_of_every_book_come_to_an_end_and_were_shown_as_recorded(open_world: OpenWorld) -> None:
    names = [[f"P{group}{'abcdef'[seat]}" for seat in range(plan.players)] for group, plan in enumerate(PLANS)]
    setting = Setting(
        people=tuple(name for group in names for name in group),
        plan={"timings": {"claim_window_seconds": 0.1}, "clock": {"seconds": 0}, "secrets": 1},
    )
    rounds = calzas = 0
    async with open_world(setting, VirtualWorld) as world:
        parties = []
        for number, (plan, members) in enumerate(zip(PLANS, names, strict=True)):
            people = world.some(*members)
            group = await world.found(f"Group {number}", people)
            parties.append(
                GameDriver(
                    world, group, people, random.Random(number), calza=plan.calza, typed=plan.typed, doubt=plan.doubt
                )
            )
        await asyncio.gather(*(person.start() for person in world.people.values()))

        async def game(driver: GameDriver, plan: Plan) -> None:
            await driver.gather(plan.preset, plan.options)
            await driver.begin()
            await driver.play()

        await asyncio.gather(*(game(driver, plan) for driver, plan in zip(parties, PLANS, strict=True)))
        await world.settled()
        for driver, plan in zip(parties, PLANS, strict=True):
            derived = assert_shown_as_recorded(driver)
            rounds += len(derived.rounds)
            assert len(derived.placings or ()) == plan.players
            calzas += sum(played.call == "Calza" for played in derived.rounds.values()) + str(driver.answers).count(
                "Calza! It"
            )
    assert rounds >= sum(plan.players for plan in PLANS) * 4
    assert calzas > 0
