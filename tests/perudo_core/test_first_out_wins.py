"""Rules in which the player who is right gives a die away, and the first without dice wins."""

import random

import pytest

import perudo_core as pc
from perudo_core.agents import create_agent, new_memory
from perudo_core.analysis import analyse, weigh
from tests.perudo_core.notation import say, table

RULES = pc.Rules(calza=True, first_out_wins=True)
HANDS = ("22", "455", "2666")


@pytest.mark.parametrize(("bid", "counts", "opener"), [("3x2", (1, 3, 4), 1), ("4x2", (2, 2, 4), 0)])
def test_liars_dice_who_was_right_gives_a_die_away_and_the_other_opens(
    bid: str, counts: tuple[int, ...], opener: int
) -> None:
    after = say(table(RULES, *HANDS, calls=bid), "dudo").state
    assert (after.dice_counts, after.opener, after.palifico) == (counts, opener, None)


def test_as_many_dice_are_given_away_as_the_bid_was_off_by() -> None:
    rules = RULES.with_options(lose_by_difference=True)
    assert say(table(rules, *HANDS, calls="5x2"), "dudo").state.dice_counts == (2, 1, 4)


def test_a_right_calza_gives_the_callers_die_away_and_the_caller_opens() -> None:
    transition = say(table(RULES, *HANDS, calls="3x2"), "2:calza")
    assert pc.DiceLost(2, 1, 3) in transition.events
    assert (transition.state.dice_counts, transition.state.opener) == ((2, 3, 3), 2)


@pytest.mark.parametrize("call", ["calza", "dudo"])
def test_nobody_who_is_left_with_one_die_is_palifico(call: str) -> None:
    after = say(table(RULES, "22", "45", "2666", calls="3x2" if call == "calza" else "9x2"), call).state
    assert (after.dice_counts, after.palifico) == ((2, 1, 4), None)


def test_a_wrong_calza_gives_the_bidders_die_away_and_the_caller_opens() -> None:
    after = say(table(RULES, *HANDS, calls="5x2"), "2:calza").state
    assert (after.dice_counts, after.opener) == ((1, 3, 4), 2)


def test_a_calza_that_costs_the_others_has_no_effect() -> None:
    rules = RULES.with_options(calza_costs_others=True)
    for bid in ("3x2", "5x2"):
        played = [say(table(each, *HANDS, calls=bid), "calza") for each in (RULES, rules)]
        assert played[0].events == played[1].events


@pytest.mark.parametrize(("bids", "counts"), [([], (2, 2, 4)), ([pc.Bid(0, 1, 2)], (1, 3, 4))])
def test_the_round_of_a_player_who_concedes_is_won_by_the_last_bidder_or_else_by_the_next_player(
    bids: list[pc.Bid], counts: tuple[int, ...]
) -> None:
    state = table(RULES, *HANDS, calls=" ".join(map(str, bids)))
    assert state.turn is not None
    after = pc.apply(state, pc.Concede(state.turn)).state
    assert (after.dice_counts, after.opener) == (counts, state.turn)


def won(*hands: str, rules: pc.Rules = RULES) -> tuple[pc.State, list[object]]:
    transition = say(table(rules, *hands, calls="9x2"), "dudo")
    return transition.state, list(transition.events)


def test_the_first_without_dice_wins_at_once_and_the_others_are_placed_by_their_dice() -> None:
    state, events = won("22", "4", "266", "", "22")
    assert state.outcome == pc.Outcome(1, (3, 1, 4, 5, 2))
    assert state.is_terminal
    assert not any(isinstance(event, pc.SeatOut) for event in events)
    assert events[-1] == pc.GameOver(state.outcome)
    assert pc.load_state(pc.dump_state(state)) == state
    assert pc.observe(state, 0).outcome == state.outcome


def test_equals_are_placed_in_the_direction_of_play() -> None:
    hands = ("22", "4", "26")
    usual, _ = won(*hands)
    turned, _ = won(*hands, rules=RULES.with_options(reverse_after_call=True))
    assert (usual.outcome, turned.outcome) == (pc.Outcome(1, (3, 1, 2)), pc.Outcome(1, (2, 1, 3)))


def test_who_leaves_has_lost_and_the_last_one_wins_with_dice() -> None:
    state = table(RULES, *HANDS)
    state = pc.apply(pc.apply(state, pc.Leave(0)).state, pc.Leave(2)).state
    assert state.outcome == pc.Outcome(1, (3, 1, 2))
    assert pc.load_state(pc.dump_state(state)) == state


def test_a_state_in_which_a_seat_without_dice_neither_won_nor_left_is_refused() -> None:
    state, _ = won("22", "4", "266")
    with pytest.raises(pc.StateError, match="eliminated must be the seats without dice"):
        pc.load_state(pc.dump_state(state) | {"rules": RULES.with_options(first_out_wins=False).to_dict()})
    with pytest.raises(pc.StateError, match="phase does not fit the dice"):
        pc.load_state(pc.dump_state(state) | {"dice_counts": [0, 0, 3]})


@pytest.mark.parametrize("level", ["novice", "regular", "strong", "expert"])
def test_computer_players_prefer_to_be_right(level: str) -> None:
    agent, memory = create_agent(level), new_memory(RULES, 3)
    impossible = table(RULES.with_options(calza=False), "345", "345", "3456", calls="9x2")
    chosen = agent.choose(pc.observe(impossible, 1), memory, random.Random(1))
    assert chosen == pc.Dudo(1)


def test_an_analysis_counts_a_die_that_is_given_away_as_won() -> None:
    recorder, rng = (
        pc.Recorder(pc.new_game(pc.Rules(starting_dice=2, first_out_wins=True), 2, opener=0)),
        random.Random(1),
    )
    while not (state := recorder.state).is_terminal:
        turn = state.turn
        recorder.apply(
            pc.sample_roll(state, rng) if turn is None else pc.Dudo(turn) if state.bids else pc.Bid(turn, 1, 2)
        )
    results = [player.result for player in analyse(recorder.record()).players]
    assert state.outcome is not None
    assert results.index(max(results)) == state.outcome.winner
    assert sum(results) == 0


def test_a_coach_weighs_a_calza_by_the_die_that_it_gives_away() -> None:
    for hands in (("3", "3", "3"), ("3", "3")):
        state = table(RULES.with_options(starting_dice=1), *hands, calls="1x3")
        weighed = weigh(pc.observe(state, 1), new_memory(RULES, len(hands)), random.Random(1), chosen=pc.Calza(1))
        assert -1 <= weighed.of(pc.Calza(1)).worth <= 1
