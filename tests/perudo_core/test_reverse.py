"""Rules in which a call turns the order of play round."""

import random

import numpy as np
import pytest

import perudo_core as pc
from perudo_core._learning import observation_of, state_of

RULES = pc.Rules(calza=True, out_of_turn_dudo=True, reverse_after_call=True)
HANDS = ((2, 2), (3, 3), (4, 4), (5, 5))


@pytest.mark.parametrize(("number", "second"), [(1, 2), (2, 0), (3, 2)])
def test_each_round_goes_the_other_way_than_the_one_before(number: int, second: int) -> None:
    state = pc.set_up(RULES, HANDS, [pc.Bid(1, 1, 2)], opener=1, round=number)
    assert (state.turn, state.left_of(1)) == (second, second)
    assert pc.set_up(pc.Rules(), HANDS, [pc.Bid(1, 1, 2)], opener=1, round=number).turn == 2


def test_the_call_turns_the_order_before_the_next_player_opens_for_one_who_is_out() -> None:
    after = pc.apply(pc.set_up(RULES, ((2,), *HANDS[1:]), [pc.Bid(0, 5, 2)]), pc.Dudo(1)).state
    assert (after.opener, after.left_of(1)) == (3, 3)


def test_a_round_that_is_void_counts_as_one() -> None:
    after = pc.apply(pc.set_up(RULES, HANDS, [pc.Bid(0, 1, 2)]), pc.Leave(1)).state
    again = pc.apply(after, pc.sample_roll(after, random.Random(1))).state
    assert (again.turn, pc.apply(again, pc.Bid(0, 1, 2)).state.turn) == (0, 3)


def test_several_who_go_out_at_once_go_out_in_the_new_direction() -> None:
    rules = RULES.with_options(calza_costs_others=True)
    after = pc.apply(pc.set_up(rules, ((2,), (2,), (3,), (3,)), [pc.Bid(0, 2, 2)]), pc.Calza(1)).state
    assert after.eliminated == (0, 3, 2)


def test_those_who_may_call_are_asked_in_the_direction_of_the_round() -> None:
    state = pc.set_up(RULES, HANDS, [pc.Bid(1, 1, 2)], opener=1, round=2)
    doubts = [call for call in pc.legal_calls(state) if not isinstance(call, pc.Bid)]
    assert doubts == [*map(pc.Dudo, (0, 3, 2)), *map(pc.Calza, (0, 3, 2))]
    assert pc.settle_claims(state, [2, 3]) == 3


def test_a_learner_has_the_seats_in_the_order_of_play() -> None:
    view = pc.observe(pc.set_up(RULES, ((2,), (3, 3), (4, 4, 4)), [pc.Bid(1, 1, 2)], opener=1, round=2), 0)
    encoding = pc.ActionEncoding(RULES, 3)
    assert observation_of(view, encoding)["observation"][6:9].tolist() == [1, 3, 2]


def test_a_critic_has_the_seats_in_the_order_of_play() -> None:
    state = pc.set_up(RULES, ((2,), (3, 3), (4, 4, 4)), [pc.Bid(1, 1, 2)], opener=1, round=2)
    seen = state_of(state, pc.ActionEncoding(RULES, 3))
    hands = np.array(seen[:18]).reshape(3, 6)
    assert hands.sum(axis=1).tolist() == seen[18:21].tolist() == [1, 3, 2]
    assert seen[-3:].tolist() == [1, 0, 0]


def test_a_strategy_table_tells_the_directions_apart() -> None:
    texts = [pc.information_state_string(pc.set_up(RULES, HANDS, round=number), 0) for number in (1, 2, 3)]
    assert texts[0] == texts[2]
    assert texts[1] == texts[0].replace("to=left", "to=right") != texts[0]
    assert "to=" not in pc.information_state_string(pc.new_game(pc.Rules(), 2), 0)
