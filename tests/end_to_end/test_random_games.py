"""People play whole games at random over HTTP; what the group was shown is what was recorded."""

from __future__ import annotations

import asyncio
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from test_support.game_driver import GameDriver
from test_support.shown_game import assert_shown_as_recorded
from test_support.world import Setting

if TYPE_CHECKING:
    from tests.end_to_end.conftest import OpenWorld


@dataclass(frozen=True, slots=True)
class Plan:
    """One group's game."""

    preset: str
    players: int
    options: tuple[str, ...] = ()
    calza: float = 0.0
    typed: float = 0.0
    doubt: float = 0.3


PLANS = {
    "books": (
        Plan("2009 edition", 4),
        Plan("Italian edition", 3, ("Calza",), calza=0.3),
        Plan("Aces", 6),
        Plan("Azteca", 5, ("Calza",), calza=0.3),
        Plan("French guide", 4, typed=0.3),
    ),
    "houses": (
        Plan("2009 edition", 5, ("Calza", "Lost dice"), calza=0.3),
        Plan("Azteca", 2, typed=0.2),
        Plan("Aces", 10, doubt=0.55),
        Plan("French guide", 3, ("Calza",)),
        Plan("Italian edition", 6, ("Lost dice",), typed=0.1),
    ),
}


@pytest.mark.parametrize("plans", [PLANS["books"], PLANS["houses"]], ids=["books", "houses"])
async def test_games_of_every_book_come_to_an_end_and_were_shown_as_recorded(
    open_world: OpenWorld, plans: tuple[Plan, ...]
) -> None:
    names = [[f"P{group}{'abcdefghij'[seat]}" for seat in range(plan.players)] for group, plan in enumerate(plans)]
    setting = Setting(
        people=tuple(name for group in names for name in group),
        plan={"timings": {"claim_window_seconds": 0.1}, "clock": {"seconds": 0}},
    )
    rounds = calzas = 0
    async with open_world(setting) as world:
        parties = []
        for number, (plan, members) in enumerate(zip(plans, names, strict=True)):
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

        await asyncio.gather(*(game(driver, plan) for driver, plan in zip(parties, plans, strict=True)))
        await world.settled()
        for driver, plan in zip(parties, plans, strict=True):
            derived = assert_shown_as_recorded(driver)
            rounds += len(derived.rounds)
            assert len(derived.placings) == plan.players
            calzas += sum(shown.call == "calza" for shown in derived.rounds) + str(driver.answers).count("Calza! It")
    assert rounds >= sum(plan.players for plan in plans) * 4
    assert calzas > 0
