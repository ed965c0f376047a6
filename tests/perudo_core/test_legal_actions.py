"""The legal calls as a sequence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perudo_core import Bid, Calza, Dudo, Rules, legal_actions, new_game

if TYPE_CHECKING:
    from tests.perudo_core.conftest import Table


def test_bids_by_quantity_and_face_then_dudo_then_calza(table: Table) -> None:
    rules = Rules.preset("aces").with_options(calza=True, out_of_turn_dudo=True)
    legal = legal_actions(table(rules, "1", "2", "3", calls="1x5"))
    bids = [
        Bid(1, 1, 1),
        Bid(1, 1, 6),
        Bid(1, 2, 1),
        Bid(1, 2, 5),
        Bid(1, 2, 6),
        Bid(1, 3, 1),
        Bid(1, 3, 5),
        Bid(1, 3, 6),
    ]
    assert list(legal) == [*bids, Dudo(1), Dudo(2), Calza(1), Calza(2)]
    assert len(legal) == 12
    assert legal[-1] == Calza(2)
    assert legal[:2] == tuple(bids[:2])
    assert Bid(1, 2, 5) in legal
    assert Bid(1, 2, 4) not in legal
    assert Bid(2, 2, 5) not in legal
    assert Bid([], 2, 5) not in legal  # type: ignore[arg-type]


def test_of_one_seat(table: Table) -> None:
    state = table(Rules(calza=True), "1", "2", "3", calls="3x6")
    assert repr(legal_actions(state, 2)) == "<LegalActions: Calza(seat=2)>"
    assert list(legal_actions(state, 0)) == []
    assert Dudo(1) not in legal_actions(state, 2)
    assert list(legal_actions(state, 99)) == []


def test_none_while_the_game_waits_for_chance() -> None:
    assert list(legal_actions(new_game(Rules(), 2))) == []
    assert list(legal_actions(new_game(Rules(), 2, opener=0))) == []
