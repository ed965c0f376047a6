"""Rules of no book: the first without dice wins, a call turns the order of play, the first seat has one die more."""

import random
from typing import Any

import numpy as np
import pytest

import perudo_core as pc
from perudo_core._learning import observation_of, state_of
from perudo_core.agents import create_agent, new_memory
from perudo_core.analysis import analyse, weigh
from tests.perudo_core.notation import say, table
from tests.perudo_core.test_properties import play

# The player who is right gives a die away, and the first without dice wins

FIRST_OUT = pc.Rules(calza=True, first_out_wins=True)
HANDS = ("22", "455", "2666")


def test_liars_dice_who_was_right_gives_a_die_away_and_who_concedes_lets_the_bidder_or_the_next_player_win() -> None:
    costly, few = {"calza_costs_others": True}, ("22", "45", "2666")
    rows: list[tuple[str, dict[str, Any], tuple[str, ...], str, tuple[int, ...], int]] = [
        ("a bid that holds: the doubter opens", {}, HANDS, "3x2 dudo", (1, 3, 4), 1),
        ("a bid that does not hold: the bidder opens", {}, HANDS, "4x2 dudo", (2, 2, 4), 0),
        ("as many as the bid was off by", {"lose_by_difference": True}, HANDS, "5x2 dudo", (2, 1, 4), 0),
        ("a right calza: the caller's die", {}, HANDS, "3x2 2:calza", (2, 3, 3), 2),
        ("a wrong calza: the bidder's die, the caller opens", {}, HANDS, "5x2 2:calza", (1, 3, 4), 2),
        ("right, costs no others", costly, HANDS, "3x2 2:calza", (2, 3, 3), 2),
        ("wrong, costs no others", costly, HANDS, "5x2 2:calza", (1, 3, 4), 2),
        ("one die left by calza, no palifico", {}, few, "3x2 calza", (2, 1, 4), 1),
        ("one die left by dudo, no palifico", {}, few, "9x2 dudo", (2, 1, 4), 0),
    ]
    for clause, options, hands, calls, counts, opener in rows:
        after = table(FIRST_OUT.with_options(**options), *hands, calls=calls)
        assert (after.dice_counts, after.opener, after.palifico) == (counts, opener, None), clause
    for said, conceding, left in (("", 0, (2, 2, 4)), ("1x2", 1, (1, 3, 4))):
        after = pc.apply(table(FIRST_OUT, *HANDS, calls=said), pc.Concede(conceding)).state
        assert (after.dice_counts, after.opener) == (left, conceding)


def test_the_first_without_dice_wins_at_once_the_others_are_placed_by_their_dice_and_the_direction_of_play() -> None:
    state, events = say(table(FIRST_OUT, "22", "4", "266", "", "22", calls="9x2"), "dudo")
    assert state.outcome == pc.Outcome(1, (3, 1, 4, 5, 2))
    assert state.is_terminal
    assert not any(isinstance(event, pc.SeatOut) for event in events)
    assert events[-1] == pc.GameOver(state.outcome)
    assert pc.load_state(pc.dump_state(state)) == state
    assert pc.observe(state, 0).outcome == state.outcome
    left = pc.apply(pc.apply(table(FIRST_OUT, *HANDS), pc.Leave(0)).state, pc.Leave(2)).state
    assert left.outcome == pc.Outcome(1, (3, 1, 2)), "who leaves has lost"
    assert pc.load_state(pc.dump_state(left)) == left
    for reverse, places in ((False, (3, 1, 2)), (True, (2, 1, 3))):
        equals = table(FIRST_OUT.with_options(reverse_after_call=reverse), "22", "4", "26", calls="9x2 dudo")
        assert equals.outcome == pc.Outcome(1, places)
    for changes, fault in (
        ({"rules": pc.Rules(calza=True).to_dict()}, "eliminated must be the seats without dice"),
        ({"dice_counts": [0, 0, 3, 0, 2]}, "phase does not fit the dice"),
    ):
        with pytest.raises(pc.StateError, match=fault):
            pc.load_state(pc.dump_state(state) | changes)


@pytest.mark.parametrize("level", ["novice", "regular", "strong", "expert"])
def test_computer_players_prefer_to_be_right(level: str) -> None:
    impossible = table(FIRST_OUT.with_options(calza=False), "345", "345", "3456", calls="9x2")
    chosen = create_agent(level).choose(pc.observe(impossible, 1), new_memory(FIRST_OUT, 3), random.Random(1))
    assert chosen == pc.Dudo(1)


@pytest.mark.usefixtures("untraced")
def test_an_analysis_counts_a_die_that_is_given_away_as_won() -> None:
    rules = pc.Rules(starting_dice=2, first_out_wins=True)
    game = [*play(rules, 2, 1)]
    outcome = game[-1].after.outcome
    results = [player.result for player in analyse(pc.record_of(rules, 2, [each.action for each in game])).players]
    assert outcome is not None
    assert results.index(max(results)) == outcome.winner
    assert sum(results) == 0


def test_a_coach_weighs_a_calza_by_the_die_that_it_gives_away() -> None:
    for hands in (("3", "3", "3"), ("3", "3")):
        state = table(FIRST_OUT.with_options(starting_dice=1), *hands, calls="1x3")
        weighed = weigh(pc.observe(state, 1), new_memory(FIRST_OUT, len(hands)), random.Random(1), chosen=pc.Calza(1))
        assert -1 <= weighed.of(pc.Calza(1)).worth <= 1


# A call turns the order of play round

REVERSE = pc.Rules(calza=True, out_of_turn_dudo=True, reverse_after_call=True)
PAIRS = ((2, 2), (3, 3), (4, 4), (5, 5))


@pytest.mark.parametrize(("number", "second"), [(1, 2), (2, 0), (3, 2)])
def test_each_round_goes_the_other_way_and_asks_those_who_may_call_in_its_direction(number: int, second: int) -> None:
    state = pc.set_up(REVERSE, PAIRS, [pc.Bid(1, 1, 2)], opener=1, round=number)
    assert (state.turn, state.left_of(1)) == (second, second)
    assert pc.set_up(pc.Rules(), PAIRS, [pc.Bid(1, 1, 2)], opener=1, round=number).turn == 2
    asked = (2, 3, 0) if second == 2 else (0, 3, 2)
    doubts = [call for call in pc.legal_calls(state) if not isinstance(call, pc.Bid)]
    assert doubts == [*map(pc.Dudo, asked), *map(pc.Calza, asked)]
    assert pc.settle_claims(state, [2, 3]) == (2 if second == 2 else 3)


def test_the_call_turns_the_order_before_the_next_player_opens_and_others_go_out_in_the_new_direction() -> None:
    after = table(REVERSE, "2", "33", "44", "55", calls="5x2 dudo")
    assert (after.opener, after.left_of(1)) == (3, 3)
    after = table(REVERSE.with_options(calza_costs_others=True), "2", "2", "3", "3", calls="2x2 calza")
    assert after.eliminated == (0, 3, 2)
    void = pc.apply(pc.set_up(REVERSE, PAIRS, [pc.Bid(0, 1, 2)]), pc.Leave(1)).state
    again = pc.apply(void, pc.sample_roll(void, random.Random(1))).state
    assert (again.turn, pc.apply(again, pc.Bid(0, 1, 2)).state.turn) == (0, 3), "a round that is void counts as one"


def test_a_learner_and_a_critic_have_the_seats_in_the_order_of_play_and_a_strategy_table_tells_the_directions() -> None:
    state = pc.set_up(REVERSE, ((2,), (3, 3), (4, 4, 4)), [pc.Bid(1, 1, 2)], opener=1, round=2)
    encoding = pc.ActionEncoding(REVERSE, 3)
    assert observation_of(pc.observe(state, 0), encoding)["observation"][6:9].tolist() == [1, 3, 2]
    seen = state_of(state, encoding)
    assert np.array(seen[:18]).reshape(3, 6).sum(axis=1).tolist() == seen[18:21].tolist() == [1, 3, 2]
    assert seen[-3:].tolist() == [1, 0, 0]
    texts = [pc.information_state_string(pc.set_up(REVERSE, PAIRS, round=number), 0) for number in (1, 2, 3)]
    assert texts[0] == texts[2]
    assert texts[1] == texts[0].replace("to=left", "to=right") != texts[0]
    assert "to=" not in pc.information_state_string(pc.new_game(pc.Rules(), 2), 0)


EXTRA_DIE = pc.Rules(extra_die=True, calza=True)


@pytest.mark.parametrize("lost_dice", pc.LostDice)
def test_the_first_seat_begins_with_one_die_more_which_a_bid_may_count_and_nobody_with_eleven(lost_dice: str) -> None:
    rules = EXTRA_DIE.with_options(lost_dice=lost_dice)
    start = pc.new_game(rules, 3, opener=1)
    assert (start.dice_counts, start.max_quantity, pc.ActionEncoding(rules, 3).max_quantity) == ((6, 5, 5), 16, 16)
    assert pc.apply(start, pc.Roll(((2,) * 6, (3,) * 5, (4,) * 5))).state.max_quantity == 16
    assert pc.new_game(rules.with_options(starting_dice=9), 2, opener=0).dice_counts == (10, 9)
    with pytest.raises(pc.RulesError, match="with extra_die starting_dice must be 1 to 9"):
        rules.with_options(starting_dice=10)


def test_a_right_calza_gives_the_sixth_die_back_and_no_seventh_and_who_begins_with_two_can_drop_to_one() -> None:
    for hand in ("22222", "222222"):
        state = table(EXTRA_DIE, hand, "33333", "44444", opener=2, calls=f"{len(hand)}x2 0:calza")
        assert state.dice_counts == (6, 5, 5)
    assert table(EXTRA_DIE, "222222", "33333", "44444", calls="5x3 1:calza").dice_counts == (6, 5, 5)
    after = table(EXTRA_DIE.with_options(starting_dice=1), "22", "3", "4", calls="3x2 dudo")
    assert (after.dice_counts, after.palifico) == ((1, 1, 1), 0)
    assert pc.load_state(pc.dump_state(after)) == after


def test_a_state_before_the_first_roll_without_the_die_or_with_another_one_is_no_state() -> None:
    start = pc.dump_state(pc.new_game(EXTRA_DIE, 3, opener=0))
    assert pc.load_state(start) == pc.new_game(EXTRA_DIE, 3, opener=0)
    for counts, reason in (([6, 6, 5], "above the start"), ([5, 5, 5], "nobody can have lost")):
        with pytest.raises(pc.StateError, match=reason):
            pc.load_state(start | {"dice_counts": counts})
