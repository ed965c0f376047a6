"""Evenings of the heart: at rest everybody sees what they should, whatever died, failed or came twice."""

from pathlib import Path
from typing import Any

import pytest

from telegram_bot.tables.model import OnTimeout
from telegram_sandbox.virtual_time import NothingHappensError
from test_support.simulation import heart, heart_evenings
from test_support.simulation.heart import Call, House, Program, Say, Wait, play
from test_support.simulation.heart_checks import AT_REST, AT_THE_END
from test_support.simulation.heart_evenings import PART, SECRET, SHARE, Played, evenings
from test_support.simulation.heart_hunt import told
from test_support.simulation.heart_programs import BEGINNING
from test_support.simulation.planted_faults import PLANTED, PlantedFault, evening_with


@pytest.mark.parametrize(("kind", "part"), [(kind, part) for kind in SHARE for part in range(SHARE[kind] // PART)])
def test_evenings_come_to_rest_with_all_that_people_should_see(kind: str, part: int, empty: Path) -> None:
    played = evenings(kind, part, empty)
    assert played.failed is None, f"evening {played.number}: {played.faults}\n{played.failed!r}"


def test_an_evening_in_which_nothing_can_happen_any_more_fails_as_any_other(
    empty: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ends_early(*_: Any) -> None:
        raise NothingHappensError("nothing can happen any more")

    monkeypatch.setattr(heart_evenings, "play", ends_early)
    played = evenings("calm", 0, empty)
    assert (played.evenings, played.number, played.failed is None) == (1, 1, False)
    assert "nothing can happen any more" in played.faults[0]


@pytest.mark.parametrize(("kind", "plays"), [("calm", "play("), (SECRET, "early_differences(")])
def test_a_hunt_prints_an_evening_that_failed_as_python_that_plays_it_again(kind: str, plays: str) -> None:
    program = Program(House(on_timeout=OnTimeout.LOSE_DIE), BEGINNING)
    _, _, python = told(kind, 7, Played(failed=program, number=3)).partition(f"shorter: {plays}")
    assert eval(python.partition(", empty")[0], dict(vars(heart))) == program  # noqa: S307 - printed above


def test_the_same_program_gives_the_same_evening(empty: Path) -> None:
    acts = (*BEGINNING, *(Call(number % 5, doubts=number % 3 == 2) for number in range(12)), Wait(5), Say("Bo", 4))
    one, other = (play(Program(House(seed=3), acts), empty, AT_REST, AT_THE_END) for _ in range(2))
    assert one.found == []
    assert [(sent.at, sent.number, sent.envelope) for sent in one.messenger.log] == [
        (sent.at, sent.number, sent.envelope) for sent in other.messenger.log
    ]


@pytest.mark.parametrize("fault", [pytest.param(each, id=each.name) for each in PLANTED if each.found_by])
def test_an_evening_finds_the_planted_fault(fault: PlantedFault, empty: Path) -> None:
    found = evening_with(fault, empty).faults
    assert any(each.startswith(fault.found_by) for each in found), (
        f"{found}: `python -m test_support.simulation.planted_faults` finds its evening again"
    )
