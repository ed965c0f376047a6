"""Whole evenings in virtual time: at rest everybody sees what they should, whatever died, failed or came twice.

`python -m test_support.simulation SEED` repeats one of the whole bot.
"""

from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from telegram_bot.tables.model import OnTimeout
from telegram_sandbox import virtual_time
from telegram_sandbox.virtual_time import NothingHappensError
from test_support.simulation import checks, evening, heart, heart_acts, heart_checks, world
from test_support.simulation.__main__ import told_of_heart
from test_support.simulation.heart import House, Program, play
from test_support.simulation.heart_acts import call, say, wait
from test_support.simulation.heart_checks import AT_REST, AT_THE_END, played
from test_support.simulation.heart_programs import BEGINNING, SHARE, Played, evenings
from test_support.simulation.planted_faults import PLANTED, PlantedFault, planted

# The whole bot

SEEDS = (19, 1453, 1958, 2189, 11635, 14280, 36550)
"""Each kind of fault, of people and of settings is in one of these evenings: no fault in 19 and 1958, a release in 1958
and 14280, PostgreSQL and a second process in 1453, a tournament in 2189."""


@pytest.mark.parametrize("seed", SEEDS)
def test_an_evening_of_the_whole_bot_comes_to_rest_with_all_that_people_should_see(
    seed: int, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    house = evening.played(evening.drawn(seed), tmp_path, lambda: request.getfixturevalue("postgresql"))
    assert house.failures == [], house.retold()


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


# The heart


@pytest.mark.parametrize("kind", SHARE)
def test_evenings_of_the_heart_come_to_rest_with_all_that_people_should_see(kind: str, empty: Path) -> None:
    drawn = evenings(kind, 0, empty, most=SHARE[kind])
    assert drawn.failed is None, f"evening {drawn.number}: {drawn.faults}\n{drawn.failed!r}"


def test_an_evening_in_which_nothing_can_happen_any_more_fails_as_any_other(
    empty: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ends_early(*_: Any) -> None:
        raise NothingHappensError("nothing can happen any more")

    monkeypatch.setattr(heart_checks, "play", ends_early)
    drawn = evenings("calm", 0, empty)
    assert (drawn.evenings, drawn.number, drawn.failed is None) == (1, 1, False)
    assert "nothing can happen any more" in drawn.faults[0]


def test_a_hunt_prints_an_evening_that_failed_as_python_that_plays_it_again() -> None:
    program = Program(House(on_timeout=OnTimeout.LOSE_DIE), BEGINNING)
    _, _, python = told_of_heart("calm", 7, Played(failed=program, number=3)).partition("shorter: played(")
    assert eval(python.partition(", empty")[0], vars(heart) | vars(heart_acts)) == program  # noqa: S307 - printed above


def test_the_same_program_gives_the_same_evening(empty: Path) -> None:
    acts = (*BEGINNING, *(call(number % 5, doubts=number % 3 == 2) for number in range(12)), wait(5), say("Bo", 4))
    one, other = (play(Program(House(seed=3), acts), empty, AT_REST, AT_THE_END) for _ in range(2))
    assert one.found == []
    assert [(sent.at, sent.number, sent.envelope) for sent in one.messenger.log] == [
        (sent.at, sent.number, sent.envelope) for sent in other.messenger.log
    ]


@pytest.mark.parametrize("fault", PLANTED, ids=lambda fault: fault.name)
def test_a_program_finds_the_planted_fault_and_nothing_without_it(fault: PlantedFault, empty: Path) -> None:
    with planted(fault.function, fault.right, fault.wrong):
        found, _ = played(fault.program, empty)
    assert any(each.startswith(fault.found_by) for each in found), found
    found, _ = played(fault.program, empty)
    assert found == []
