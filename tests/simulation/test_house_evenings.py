"""Whole evenings of the whole bot in virtual time. `python -m test_support.simulation SEED` repeats one."""

from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from telegram_sandbox import virtual_time
from test_support.simulation import checks, evening
from test_support.simulation.evening import drawn, played
from test_support.simulation.world import House

SEEDS = (19, 1453, 1958, 2189, 11635, 14280)
"""Each kind of fault, of people and of settings is in one of these evenings: no fault in 19 and 1958, a release in 1958
and 14280, PostgreSQL and a second process in 1453, a tournament in 2189."""


@pytest.mark.parametrize("seed", SEEDS)
def test_an_evening_comes_to_rest_with_all_that_people_should_see(
    seed: int, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    house = played(drawn(seed), tmp_path, lambda: request.getfixturevalue("postgresql"))
    assert house.failures == [], house.retold()


def test_the_same_seed_gives_the_same_evening(tmp_path: Path) -> None:
    one, other = (played(replace(drawn(306), acts=14), tmp_path / str(time)) for time in range(2))
    assert one.trace == other.trace


@pytest.mark.parametrize("lasts", [1, 100])
def test_a_turn_that_ends_at_a_look_at_an_evening_is_a_fault_only_if_its_end_is_never_shown(
    monkeypatch: pytest.MonkeyPatch, lasts: int
) -> None:
    looks = iter([["never shown"]] * lasts + [[]])
    monkeypatch.setattr(checks, "at_rest", lambda _: next(looks))
    monkeypatch.setattr(evening, "due_soon", lambda _: True)
    found = virtual_time.run(evening.faults_at_rest(cast("House", None)))
    assert bool(found) == (lasts > 1)
