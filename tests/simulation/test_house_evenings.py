"""Whole evenings of the whole bot in virtual time. `python -m test_support.simulation SEED` repeats one."""

from pathlib import Path

import pytest

from test_support.simulation.evening import drawn, played

SEEDS = (1, 2, 4, 5, *range(7, 12), 14, 15, *range(17, 26))
"""Evenings that are not too long; each kind of fault is in some, PostgreSQL in 1, 8 and 17, a release in 8 and 15,
a tournament in 7, 17, 18, 21 and 23."""


@pytest.mark.parametrize("seed", SEEDS)
def test_an_evening_comes_to_rest_with_all_that_people_should_see(
    seed: int, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    house = played(drawn(seed), tmp_path, lambda: request.getfixturevalue("postgresql"))
    assert house.failures == [], house.retold()


def test_the_same_seed_gives_the_same_evening(tmp_path: Path) -> None:
    first, second = (played(drawn(14), tmp_path / name) for name in ("first", "second"))
    assert first.trace == second.trace
