"""Evenings of the heart: at rest everybody sees what they should, whatever died, failed or came twice."""

from pathlib import Path

import pytest

from test_support.simulation.heart import Call, House, Program, Say, Wait, play
from test_support.simulation.heart_checks import AT_REST, AT_THE_END
from test_support.simulation.heart_mutants import SHARE, evenings
from test_support.simulation.heart_programs import BEGINNING

PART = 10


@pytest.mark.parametrize(("kind", "part"), [(kind, part) for kind in SHARE for part in range(SHARE[kind] // PART)])
def test_evenings_come_to_rest_with_all_that_people_should_see(kind: str, part: int, empty: Path) -> None:
    played, failed, faults = evenings(kind, None, PART, empty, source=part)
    assert failed is None, f"after {played} evenings: {faults}\n{failed!r}"


def test_the_same_program_gives_the_same_evening(empty: Path) -> None:
    acts = (*BEGINNING, *(Call(number % 5, doubts=number % 3 == 2) for number in range(12)), Wait(5), Say("Bo", 4))
    one, other = (play(Program(House(seed=3), acts), empty, AT_REST, AT_THE_END) for _ in range(2))
    assert one.found == []
    assert [(sent.at, sent.number, sent.envelope) for sent in one.messenger.log] == [
        (sent.at, sent.number, sent.envelope) for sent in other.messenger.log
    ]
