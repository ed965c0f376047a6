"""Whole evenings of the whole bot in virtual time. `python -m test_support.simulation SEED` repeats one."""

from pathlib import Path

import pytest

from test_support.simulation.evening import drawn, played

SEEDS = (1, 8, 9, 10, 11, 15, 17, 19, 20, 21, 22, 23, 25)
"""Evenings that are not too long; each kind of fault is in one of them or in 14, PostgreSQL in 1, 8 and 17, a release
in 8 and 15, a tournament in 17, 21 and 23, two workers in 10, 14, 15, 19, 20, 22 and 23."""


@pytest.mark.parametrize("seed", SEEDS)
def test_an_evening_comes_to_rest_with_all_that_people_should_see(
    seed: int, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    house = played(drawn(seed), tmp_path, lambda: request.getfixturevalue("postgresql"))
    assert house.failures == [], house.retold()


def test_the_same_seed_gives_the_same_evening(tmp_path: Path) -> None:
    first, second = (played(drawn(14), tmp_path / name) for name in ("first", "second"))
    assert first.failures == [], first.retold()
    assert first.trace == second.trace
