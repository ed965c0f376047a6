"""A position is set up as a game would have come to it, or refused."""

from typing import Any

import pytest

import perudo_core as pc

ACES = pc.Rules.preset("aces")
HANDS = ((2, 2, 5), (), (1, 6), (4,))


def test_a_position_is_the_state_of_a_round() -> None:
    state = pc.set_up(
        ACES, HANDS, [pc.Bid(2, 2, 5), pc.Bid(3, 3, 5)], seats=["Ana", "Bo", "Cy", "Dee"], opener=2, round=7
    )
    assert (state.dice, state.seats) == (HANDS, ("Ana", "Bo", "Cy", "Dee"))
    assert (state.round, state.opener, state.turn) == (7, 2, 0)
    assert (state.dice_counts, state.eliminated, state.current_bid) == ((3, 0, 2, 1), (1,), pc.Bid(3, 3, 5))
    assert pc.load_state(pc.dump_state(state)) == state


def test_a_palifico_round_is_its_players() -> None:
    state = pc.set_up(ACES, HANDS, opener=3, palifico=3)
    assert not state.ones_are_wild
    assert state.had_palifico == {3}
    assert pc.Bid(3, 1, 1) in pc.legal_calls(state)


def test_the_order_of_those_who_went_out_decides_their_places() -> None:
    state = pc.set_up(ACES, ((3,), (), (2,), ()), eliminated=[3, 1])
    assert state.eliminated == (3, 1)
    assert pc.set_up(ACES, ((3,), (), (2,), ())).eliminated == (1, 3)


@pytest.mark.parametrize(
    ("dice", "options", "error", "reason"),
    [
        (((2,), (3,)), {"seats": ["Ana", "Bo", "Cy"]}, pc.StateError, "2 hands for 3 seats"),
        (((2,), (3,), ()), {"eliminated": []}, pc.StateError, "eliminated must be the seats without dice"),
        (((2,), (3,)), {"opener": 2}, pc.RulesError, "the opener must be one of the seats"),
        (((2, 2), (3,), (4,)), {"palifico": 0}, pc.StateError, "palifico must be the opener with one die"),
        (((2,), (7,)), {}, pc.IllegalActionError, pc.Reason.ROLL_FACE_UNKNOWN),
        (((2,), (3,)), {"bids": [pc.Bid(1, 1, 2)]}, pc.IllegalActionError, pc.Reason.NOT_YOUR_TURN),
    ],
)
def test_a_position_that_no_game_can_come_to_is_refused(
    dice: Any, options: dict[str, Any], error: type[pc.PerudoError], reason: str
) -> None:
    with pytest.raises(error, match=reason):
        pc.set_up(ACES, dice, **options)
