"""A position is set up as a game would have come to it, or refused."""

from typing import Any

import pytest

from perudo_core import (
    Bid,
    IllegalActionError,
    PerudoError,
    Reason,
    Rules,
    RulesError,
    StateError,
    dump_state,
    legal_calls,
    load_state,
    set_up,
)

ACES = Rules.preset("aces")
HANDS = ((2, 2, 5), (), (1, 6), (4,))


def test_a_position_is_the_state_of_a_round() -> None:
    state = set_up(ACES, HANDS, [Bid(2, 2, 5), Bid(3, 3, 5)], seats=["Ana", "Bo", "Cy", "Dee"], opener=2, round=7)
    assert state.dice == HANDS
    assert (state.round, state.opener, state.turn) == (7, 2, 0)
    assert state.seats == ("Ana", "Bo", "Cy", "Dee")
    assert state.dice_counts == (3, 0, 2, 1)
    assert state.eliminated == (1,)
    assert state.current_bid == Bid(3, 3, 5)
    assert load_state(dump_state(state)) == state


def test_a_palifico_round_is_its_players() -> None:
    state = set_up(ACES, HANDS, opener=3, palifico=3)
    assert not state.ones_are_wild
    assert state.had_palifico == {3}
    assert Bid(3, 1, 1) in legal_calls(state)


def test_the_order_of_those_who_went_out_decides_their_places() -> None:
    state = set_up(ACES, ((3,), (), (2,), ()), eliminated=[3, 1])
    assert state.eliminated == (3, 1)
    assert set_up(ACES, ((3,), (), (2,), ())).eliminated == (1, 3)


@pytest.mark.parametrize(
    ("dice", "options", "error", "reason"),
    [
        (((2,), (3,)), {"seats": ["Ana", "Bo", "Cy"]}, StateError, "2 hands for 3 seats"),
        (((2,) * 6, (3,)), {}, StateError, "dice_counts above the start"),
        (((2,), ()), {}, StateError, "phase does not fit the dice"),
        (((2,), (3,), ()), {"eliminated": []}, StateError, "eliminated must be the seats without dice"),
        (((2,), (3,), ()), {"opener": 2}, StateError, "opener must be a player still in"),
        (((2,), (3,)), {"opener": 2}, RulesError, "the opener must be one of the seats"),
        (((2,),), {}, RulesError, "1 seats, where these rules seat 2 to"),
        (((2, 2), (3,), (4,)), {"palifico": 0}, StateError, "palifico must be the opener with one die"),
        (((2,), (3,)), {"palifico": 0}, StateError, "no palifico with two players"),
        (((2,), (7,)), {}, IllegalActionError, Reason.ROLL_FACE_UNKNOWN),
        (((2,), (3,)), {"bids": [Bid(1, 1, 2)]}, IllegalActionError, Reason.NOT_YOUR_TURN),
        (((2,), (3,)), {"bids": [Bid(0, 3, 2)]}, IllegalActionError, Reason.BID_ABOVE_MAXIMUM),
    ],
)
def test_a_position_that_no_game_can_come_to_is_refused(
    dice: Any, options: dict[str, Any], error: type[PerudoError], reason: str
) -> None:
    with pytest.raises(error, match=reason):
        set_up(ACES, dice, **options)
