"""Evenings of the heart: at rest everybody sees what they should, whatever died, failed or came twice."""

from pathlib import Path
from typing import Any

import pytest

from telegram_bot.tables.model import OnTimeout
from telegram_sandbox.virtual_time import NothingHappensError
from test_support.simulation import heart, heart_acts, heart_checks
from test_support.simulation.__main__ import told_of_heart
from test_support.simulation.heart import House, Program, play
from test_support.simulation.heart_acts import call, say, wait
from test_support.simulation.heart_checks import AT_REST, AT_THE_END, played
from test_support.simulation.heart_programs import BEGINNING, SHARE, Played, evenings
from test_support.simulation.planted_faults import PLANTED, PlantedFault, planted


@pytest.mark.parametrize("kind", SHARE)
def test_evenings_come_to_rest_with_all_that_people_should_see(kind: str, empty: Path) -> None:
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
    with planted(fault):
        found, _ = played(fault.program, empty)
    assert any(each.startswith(fault.found_by) for each in found), found
    found, _ = played(fault.program, empty)
    assert found == []
