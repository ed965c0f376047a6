"""Stored states, actions and events: what the library did not write is refused."""

from collections.abc import Callable
from time import process_time
from typing import Any

import pytest

import perudo_core as pc
from tests.perudo_core.notation import table

ACES = pc.Rules.preset("aces").with_options(palifico_with_two_players=True)


@pytest.fixture
def bidding() -> pc.State:
    return table(ACES, "1123", "", "5", opener=2, palifico=2, calls="1x5 2x5")


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"rules": {"joker": True}}, "rules: unknown option 'joker'"),
        ({"rules": None}, "rules must be an object"),
        ({"seats": ["Ana"]}, "seats do not fit the rules"),
        ({"seats": [1, 2, 3]}, r"seats\[0\] must be a text"),
        ({"phase": "shuffling"}, "phase must be one of opening, rolling, bidding, over"),
        ({"phase": "over"}, "phase does not fit the dice"),
        ({"phase": "rolling"}, "no dice, bids or turn while rolling"),
        ({"phase": "opening"}, "no opener and no palifico while opening"),
        ({"round": 0}, "nobody can have lost"),
        ({"round": -1}, "round must be a whole number"),
        ({"round": 1.0}, "round must be a whole number"),
        ({"dice_counts": [4, 1]}, "dice_counts must have one for each seat"),
        ({"dice_counts": [10**9, 0, 1]}, "dice_counts above the start"),
        ({"dice_counts": [0, 0, 0], "eliminated": [0, 1, 2]}, "phase does not fit the dice"),
        ({"dice": [[1, 1, 2], [], [5]]}, "dice do not fit dice_counts"),
        ({"dice": [[1, 1, 2, 3], [5]]}, "dice must have one hand for each seat"),
        ({"dice": [[1, 1, 2, 9], [], [5]]}, "must be a whole number from 1 to 6, not 9"),
        ({"opener": 1}, "opener must be a player still in"),
        ({"opener": 0}, "palifico must be the opener with one die"),
        ({"turn": 0}, "turn does not follow the bids"),
        ({"bids": [{"seat": 2, "quantity": 9, "face": 5}]}, "an illegal bid: bid/above_maximum"),
        ({"bids": [{"seat": 2, "quantity": 1}]}, r"bids\[0\] lacks 'face'"),
        ({"bids": [{"seat": 2, "quantity": 1, "face": "5"}]}, r"bids\[0\].face must be a whole number"),
        ({"palifico": 0}, "palifico must be the opener with one die"),
        ({"contenders": [0]}, "contenders without a contest"),
        ({"had_palifico": [3]}, "had_palifico names no seat"),
        ({"had_palifico": []}, "had_palifico lacks the player"),
        ({"rules": pc.Rules.preset("aces").to_dict()}, "no palifico with two players"),
        ({"rules": ACES.to_dict() | {"sudden_death": True}}, "nobody can have lost some of their dice and kept some"),
        ({"rules": ACES.to_dict() | {"palifico": False}, "palifico": None}, "had_palifico where nobody can drop"),
        ({"eliminated": []}, "eliminated must be the seats without dice"),
        ({"secret": 1}, "state has an unknown key 'secret'"),
    ],
)
def test_a_state_no_game_can_be_in_is_refused(bidding: pc.State, changes: dict[Any, Any], reason: str) -> None:
    with pytest.raises(pc.StateError, match=reason):
        pc.load_state(pc.dump_state(bidding) | changes)


CONTEST = pc.dump_state(pc.new_game(pc.Rules.preset("azteca"), 3))
BEFORE_THE_ROLL = pc.dump_state(pc.new_game(pc.Rules(starting_dice=1), 3, opener=0))


@pytest.mark.parametrize(
    ("state", "changes", "reason"),
    [
        (CONTEST, {"contenders": [0]}, "contenders must be players still in"),
        (CONTEST, {"contenders": [0, 7]}, "contenders must be players still in"),
        (CONTEST, {"contenders": [1, 0]}, "contenders must be in order"),
        (CONTEST, {"round": 3}, "no round while opening"),
        (CONTEST, {"opener": 0}, "no opener"),
        (CONTEST, {"dice_counts": [4, 5, 5]}, "nobody can have lost some of their dice and kept some"),
        (BEFORE_THE_ROLL, {"dice": [[1], [], []]}, "no dice, bids or turn while rolling"),
        (BEFORE_THE_ROLL, {"bids": [{"seat": 0, "quantity": 1, "face": 2}]}, "no dice, bids or turn while rolling"),
        (BEFORE_THE_ROLL, {"turn": 0}, "no dice, bids or turn while rolling"),
        (BEFORE_THE_ROLL, {"round": 1, "palifico": 0}, "palifico is for who dropped to one die"),
    ],
)
def test_a_contest_or_a_round_before_its_roll_that_no_game_comes_to_is_refused(
    state: dict[str, Any], changes: dict[str, Any], reason: str
) -> None:
    with pytest.raises(pc.StateError, match=reason):
        pc.load_state(state | changes)


def test_more_bids_than_a_round_can_have_are_refused_soon() -> None:
    start = pc.new_game(pc.Rules.preset("aces").with_options(plain_raise="any_higher"), 50, opener=0)
    state = pc.dump_state(pc.apply(start, pc.Roll(((1,) * 5,) * 50)).state)
    bids = [{"seat": at % 50, "quantity": 1 + at // 5, "face": 2 + at % 5} for at in range(20_000)]
    started = process_time()
    with pytest.raises(pc.StateError, match="too many bids"):
        pc.load_state(state | {"bids": bids, "turn": 0})
    assert process_time() - started < 2


def test_a_finished_game_loads_and_so_do_its_events() -> None:
    state, events = pc.apply(pc.new_game(pc.Rules(), 2), pc.Leave(0))
    assert [pc.load_event(pc.dump_event(event)) for event in events] == list(events)
    assert pc.load_state(pc.dump_state(state)).outcome == pc.Outcome(1, (2, 1))
    assert pc.load_state(pc.dump_state(pc.new_game(pc.Rules(), 2))).phase is pc.Phase.OPENING
    with pytest.raises(pc.StateError, match="no opener and no palifico while over"):
        pc.load_state(pc.dump_state(state) | {"opener": 1})


NO_TYPE, NO_SCHEMA = "must be an object with a known type", "lacks 'schema', which dump_state writes"
REVEALED = pc.dump_event(pc.Revealed((), pc.Bid(0, 1, 1), 0, True, True, True))


@pytest.mark.parametrize(
    ("load", "data", "reason"),
    [
        (pc.load_state, None, "state must be an object"),
        (pc.load_state, {}, rf"^state {NO_SCHEMA} \(perudo-state/\d\)$"),
        (pc.load_observation, None, "observation must be an object"),
        (pc.load_observation, {"schema": "perudo-observation/3"}, "observation lacks"),
        (pc.load_action, None, f"{NO_TYPE}, not None"),
        (pc.load_action, {}, NO_TYPE),
        (pc.load_action, {"type": "raise", "seat": 1}, NO_TYPE),
        (pc.load_action, {"type": "dudo"}, "dudo lacks 'seat'"),
        (pc.load_action, {"type": "dudo", "seat": 1, "quantity": 3}, "dudo has an unknown key 'quantity'"),
        (
            pc.load_action,
            {"type": "dudo", "seat": "1"},
            "dudo.seat must be a whole number from 0 to 1000000000",
        ),
        (pc.load_action, {"type": "roll", "dice": [[1, 2], 3]}, r"roll.dice\[1\] must be a list, not 3"),
        (pc.load_action, {"type": "x" * 500}, r"not \{'type': 'x+\.\.\."),
        (pc.load_event, {"type": "bid", "seat": 1, "quantity": 3, "face": 2}, f"event {NO_TYPE}"),
        (pc.load_event, {"type": "bid_made", "bid": 3}, "bid_made.bid must be an object, not 3"),
        (pc.load_event, {"type": "game_over", "outcome": {"winner": 0}}, "game_over.outcome lacks 'placements'"),
        (pc.load_event, {"type": "dice_rolled", "seat": 0, "dice": [True]}, "a whole number from 1 to 6, not True"),
        (pc.load_event, REVEALED | {"ones_are_wild": 1}, "revealed.ones_are_wild must be true or false, not 1"),
    ],
)
def test_what_is_no_state_observation_action_or_event_is_refused(
    load: Callable[[Any], object], data: Any, reason: str
) -> None:
    with pytest.raises(pc.StateError, match=reason):
        load(data)


# A position is set up as a game would have come to it, or refused


PLAIN_ACES = pc.Rules.preset("aces")
HANDS = ((2, 2, 5), (), (1, 6), (4,))


def test_a_position_is_the_state_of_a_round() -> None:
    state = pc.set_up(
        PLAIN_ACES, HANDS, [pc.Bid(2, 2, 5), pc.Bid(3, 3, 5)], seats=["Ana", "Bo", "Cy", "Dee"], opener=2, round=7
    )
    assert (state.dice, state.seats) == (HANDS, ("Ana", "Bo", "Cy", "Dee"))
    assert (state.round, state.opener, state.turn) == (7, 2, 0)
    assert (state.dice_counts, state.eliminated, state.current_bid) == ((3, 0, 2, 1), (1,), pc.Bid(3, 3, 5))
    assert pc.load_state(pc.dump_state(state)) == state


def test_a_palifico_round_is_its_players() -> None:
    state = pc.set_up(PLAIN_ACES, HANDS, opener=3, palifico=3)
    assert not state.ones_are_wild
    assert state.had_palifico == {3}
    assert pc.Bid(3, 1, 1) in pc.legal_calls(state)


def test_the_order_of_those_who_went_out_decides_their_places() -> None:
    state = pc.set_up(PLAIN_ACES, ((3,), (), (2,), ()), eliminated=[3, 1])
    assert state.eliminated == (3, 1)
    assert pc.set_up(PLAIN_ACES, ((3,), (), (2,), ())).eliminated == (1, 3)


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
        pc.set_up(PLAIN_ACES, dice, **options)
