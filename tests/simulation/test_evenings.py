"""Whole evenings in virtual time: at rest everybody sees what they should, whatever died, failed or came twice.

`python -m test_support.simulation SEED` repeats one, which then goes on.
"""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from telegram_sandbox import virtual_time
from telegram_sandbox.virtual_time import NothingHappensError
from test_support.simulation import __main__ as hunting
from test_support.simulation import checks, evening, world

SEEDS = (11635, 11951, 14838, 15600, 25758, 31108)
"""Each kind of fault, of people and of settings is in one of these evenings, in its first acts: a release and a group
that becomes a supergroup in 11951, two processes with PostgreSQL in 14838, a tournament in 25758, an engine in 15600.
Evenings without faults are in `test_planted_faults.py`."""
ACTS = 24


@pytest.mark.parametrize("seed", SEEDS)
def test_an_evening_comes_to_rest_with_all_that_people_should_see(
    seed: int, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    plan = replace(evening.drawn(seed), acts=ACTS)
    house = evening.played(plan, tmp_path, lambda: request.getfixturevalue("postgresql"))
    assert house.failures == [], house.retold()


@pytest.mark.parametrize("seed", [0, 3])
def test_a_reader_sees_no_difference_before_others_dice_are_shown(seed: int, tmp_path: Path) -> None:
    assert list(evening.early_differences(evening.drawn_secret(seed), tmp_path)) == []


def test_the_same_seed_gives_the_same_evening(tmp_path: Path) -> None:
    one, other = (evening.played(replace(evening.drawn(306), acts=14), tmp_path / str(time)) for time in range(2))
    assert one.trace == other.trace


@pytest.mark.parametrize("lasts", [1, 100])
def test_a_turn_that_ends_at_a_look_at_an_evening_is_a_fault_only_if_its_end_is_never_shown(
    monkeypatch: pytest.MonkeyPatch, lasts: int
) -> None:
    looks = iter([["never shown"]] * lasts + [[]])
    monkeypatch.setattr(checks, "at_rest", lambda _: next(looks))
    monkeypatch.setattr(evening, "due_soon", lambda _: True)
    found = virtual_time.run(evening.faults_at_rest(cast("world.House", None)))
    assert bool(found) == (lasts > 1)


def test_a_hunt_prints_an_evening_that_fails_also_if_nothing_can_happen_any_more_and_a_shorter_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def ends_early(plan: world.Plan, *_: object) -> world.House:
        if plan.acts > 7:
            raise NothingHappensError("nothing can happen any more")
        return cast("world.House", SimpleNamespace(failures=[]))

    monkeypatch.setattr(hunting, "played", ends_early)
    hunt = hunting.Hunt(lambda: pytest.fail("no server"))
    hunt.evening(19, secret=False, again=False)
    printed = capsys.readouterr().out
    assert "nothing can happen any more" in printed
    shorter = eval(printed.partition("shorter: ")[2], vars(world))  # noqa: S307 - printed above
    assert shorter == world.Plan(19, people=("Ana",), acts=8)
    assert hunt.totals["failed"] == 1
