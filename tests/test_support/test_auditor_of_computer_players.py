"""The chaos test's auditor knows the calls of computer players, and objects to those that cannot be theirs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from perudo_core import Leave, dump_action
from test_support.chaos.auditor import audit
from test_support.chaos.evidence import COMPUTER, GAP, INVENTED, Evidence
from tests.test_support.test_auditor import PEOPLE, evening, kinds


def with_computers(*seats: int) -> Evidence:
    """The same evening, with computer players on these seats."""
    (game,) = evening().games
    people = tuple(COMPUTER if seat in seats else person for seat, person in enumerate(PEOPLE))
    actions = tuple(
        (number, "computer" if action.get("seat") in seats else cause, action) for number, cause, action in game.actions
    )
    moves = tuple(move for move in evening().moves if PEOPLE.index(move.person) not in seats)
    shown = tuple(shown for shown in evening().shown if shown.person is None or PEOPLE.index(shown.person) not in seats)
    return evening().replace(games=(replace(game, people=people, actions=actions),), moves=moves, shown=shown)


def with_cause(evidence: Evidence, seat: int, cause: str) -> Evidence:
    """The first call of a seat has another cause."""
    (game,) = evidence.games
    at = next(number for number, _, action in game.actions if action["type"] == "bid" and action["seat"] == seat)
    actions = tuple((number, cause if number == at else its, action) for number, its, action in game.actions)
    return evidence.replace(games=(replace(game, actions=actions),))


def test_a_computer_player_is_not_objected_to() -> None:
    evidence = with_computers(2)
    assert sum(cause == "computer" for _, cause, _ in evidence.games[0].actions) > 2
    assert audit(evidence).findings == []
    assert audit(with_cause(evidence, 2, "deadline")).findings == [], "its thought came too late"


@pytest.mark.parametrize(("seat", "cause"), [(0, "computer"), (0, "deadline"), (2, "telegram:1"), (2, "outage")])
def test_a_call_with_a_cause_that_its_player_cannot_have(seat: int, cause: str) -> None:
    assert INVENTED in kinds(with_cause(with_computers(2), seat, cause))


def test_computer_players_do_not_play_on_alone() -> None:
    assert kinds(with_computers(0, 1, 2)) >= {GAP}


def test_a_computer_player_does_not_leave_people() -> None:
    evidence = with_computers(2)
    (game,) = evidence.games
    at = next(number for number, _, action in game.actions if action.get("seat") == 2)
    left = (*game.actions[:at], (at, "computer", dump_action(Leave(2))))
    assert kinds(evidence.replace(games=(replace(game, actions=left),))) >= {GAP}
