"""Stored states, actions and events, and what clients see and send: what the library did not write is refused."""

import json
from collections.abc import Callable
from functools import partial
from itertools import islice
from time import process_time
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from jsonschema import Draft202012Validator

import perudo_core as pc
from tests.perudo_core.notation import table
from tests.perudo_core.test_properties import RULES, SCHEMAS, SEATS, SEED, play

ACES = pc.Rules.preset("aces").with_options(palifico_with_two_players=True)
AT_PLAY = table(pc.Rules(calza=True), "234", "", "55", "16", calls="1x2 2x2")
BIDDING = pc.dump_state(table(ACES, "1123", "", "5", opener=2, palifico=2, calls="1x5 2x5"))
CONTEST = pc.dump_state(pc.new_game(pc.Rules.preset("azteca"), 3))
BEFORE_THE_ROLL = pc.dump_state(pc.new_game(pc.Rules(starting_dice=1), 3, opener=0))
OVER, LAST_EVENTS = pc.apply(pc.apply(pc.new_game(pc.Rules(), 3, opener=0), pc.Leave(2)).state, pc.Leave(0))
SEEN = pc.dump_observation(pc.observe(AT_PLAY, 3))
SEEN_AFTER = pc.dump_observation(pc.observe(OVER, None))
CALLS = {"dudo": True, "calza": True}
TABLES_OWN = (pc.Roll(((6, 6), (1, 1))), pc.OpeningRoll(((6,), (1,))), pc.OpenerDraw(1), pc.Concede(1), pc.Leave(1))
NO_TYPE, NO_SCHEMA = "must be an object with a known type", "lacks 'schema', which dump_state writes"
REVEALED = pc.dump_event(pc.Revealed((), pc.Bid(0, 1, 1), 0, True, True, True))
NO_STATES: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    (BIDDING, {"rules": {"joker": True}}, "rules: unknown option 'joker'"),
    (BIDDING, {"rules": None}, "rules must be an object"),
    (BIDDING, {"seats": ["Ana"]}, "seats do not fit the rules"),
    (BIDDING, {"seats": [1, 2, 3]}, r"seats\[0\] must be a text"),
    (BIDDING, {"phase": "shuffling"}, "phase must be one of opening, rolling, bidding, over"),
    (BIDDING, {"phase": "over"}, "phase does not fit the dice"),
    (BIDDING, {"phase": "rolling"}, "no dice, bids or turn while rolling"),
    (BIDDING, {"phase": "opening"}, "no opener and no palifico while opening"),
    (BIDDING, {"round": 0}, "nobody can have lost"),
    (BIDDING, {"round": -1}, "round must be a whole number"),
    (BIDDING, {"round": 1.0}, "round must be a whole number"),
    (BIDDING, {"dice_counts": [4, 1]}, "dice_counts must have one for each seat"),
    (BIDDING, {"dice_counts": [10**9, 0, 1]}, "dice_counts above the start"),
    (BIDDING, {"dice_counts": [0, 0, 0], "eliminated": [0, 1, 2]}, "phase does not fit the dice"),
    (BIDDING, {"dice": [[1, 1, 2], [], [5]]}, "dice do not fit dice_counts"),
    (BIDDING, {"dice": [[1, 1, 2, 3], [5]]}, "dice must have one hand for each seat"),
    (BIDDING, {"dice": [[1, 1, 2, 9], [], [5]]}, "must be a whole number from 1 to 6, not 9"),
    (BIDDING, {"opener": 1}, "opener must be a player still in"),
    (BIDDING, {"opener": 0}, "palifico must be the opener with one die"),
    (BIDDING, {"turn": 0}, "turn does not follow the bids"),
    (BIDDING, {"bids": [{"seat": 2, "quantity": 9, "face": 5}]}, "an illegal bid: bid/above_maximum"),
    (BIDDING, {"bids": [{"seat": 2, "quantity": 1}]}, r"bids\[0\] lacks 'face'"),
    (BIDDING, {"bids": [{"seat": 2, "quantity": 1, "face": "5"}]}, r"bids\[0\].face must be a whole number"),
    (BIDDING, {"palifico": 0}, "palifico must be the opener with one die"),
    (BIDDING, {"contenders": [0]}, "contenders without a contest"),
    (BIDDING, {"had_palifico": [3]}, "had_palifico names no seat"),
    (BIDDING, {"had_palifico": []}, "had_palifico lacks the player"),
    (BIDDING, {"rules": pc.Rules.preset("aces").to_dict()}, "no palifico with two players"),
    (
        BIDDING,
        {"rules": ACES.to_dict() | {"sudden_death": True}},
        "nobody can have lost some of their dice and kept some",
    ),
    (BIDDING, {"rules": ACES.to_dict() | {"palifico": False}, "palifico": None}, "had_palifico where nobody can drop"),
    (BIDDING, {"eliminated": []}, "eliminated must be the seats without dice"),
    (BIDDING, {"secret": 1}, "state has an unknown key 'secret'"),
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
    (pc.dump_state(OVER), {"opener": 1}, "no opener and no palifico while over"),
]
"""States, with changes after which no game can be in them."""
NO_OBSERVATIONS: list[tuple[dict[str, Any], str]] = [
    ({"schema": "perudo-observation/2"}, "observation has the unknown schema 'perudo-observation/2', not perudo-"),
    ({"secret": 1}, "observation has an unknown key 'secret'"),
    ({"seat": 4}, "observation: seat must be a whole number from 0 to 3, not 4"),
    ({"seat": 0}, "observation: dice do not fit dice_counts"),
    ({"dice_counts": [3, 0, 2]}, "observation: dice_counts must have one for each seat"),
    ({"had_palifico": [2, 0]}, "observation: had_palifico does not follow from the rest"),
    ({"turn": 0}, "observation: turn does not follow the bids"),
    ({"max_quantity": 19}, "observation: max_quantity does not follow from the rest: 19"),
    ({"outcome": {"winner": 0, "placements": [1, 2, 3, 4]}}, "observation: outcome does not follow from the rest"),
    ({"legal_calls": ["dudo"]}, r"legal_calls must be an object, not \['dudo'\]"),
    ({"legal_calls": CALLS | {"bids": [[1, 1, 20]]}}, "observation: legal_calls does not follow from the rest"),
    ({"legal_calls": CALLS | {"bids": [[1, 1]]}}, "must be a list of 3, not"),
    ({"seats": []}, "observation: seat must be a whole number from 0 to 0, not 3"),
    ({"seats": [], "seat": None}, "observation: seats do not fit the rules"),
]
NO_OUTCOMES = ({"winner": 1, "placements": [1]}, {"winner": 0, "placements": [1]}, None)
NO_CALLS_OF_A_CLIENT: list[tuple[Any, str]] = [
    *((pc.dump_action(action), r'a call is \{"type": "bid", .* or a text such as "5x3"') for action in TABLES_OWN),
    *((text, "a call is ") for text in ("leave", "concede", "forfeit", "roll", "", "\u0665x\u0663")),
    *((data, "a call is ") for data in (None, [], ["dudo"], 5, True, {}, {"type": None}, {"type": ["dudo"]})),
    ({"type": "dudo", "seat": 0}, "dudo.seat must be 1, the client's own, or left out, not 0"),
    ({"type": "dudo", "seat": True}, "dudo.seat must be 1, the client's own, or left out, not True"),
    ({"type": "bid", "seat": 2, "quantity": 5, "face": 3}, "bid.seat must be 1"),
    ({"type": "bid", "quantity": 5}, "bid lacks 'face'"),
    ({"type": "dudo", "dice": [[6]]}, "dudo has an unknown key 'dice'"),
]


@pytest.mark.parametrize(
    ("load", "data", "reason"),
    [
        *((pc.load_state, state | changes, reason) for state, changes, reason in NO_STATES),
        *((pc.load_observation, SEEN | changes, reason) for changes, reason in NO_OBSERVATIONS),
        *(
            (pc.load_observation, SEEN_AFTER | {"outcome": each}, "outcome does not follow from")
            for each in NO_OUTCOMES
        ),
        *((partial(pc.load_call, seat=1), data, reason) for data, reason in NO_CALLS_OF_A_CLIENT),
        (pc.load_state, None, "state must be an object"),
        (pc.load_state, {}, rf"^state {NO_SCHEMA} \(perudo-state/\d\)$"),
        (pc.load_observation, None, "observation must be an object"),
        (pc.load_observation, {"schema": "perudo-observation/3"}, "observation lacks"),
        (pc.load_action, None, f"{NO_TYPE}, not None"),
        (pc.load_action, {}, NO_TYPE),
        (pc.load_action, {"type": "raise", "seat": 1}, NO_TYPE),
        (pc.load_action, {"type": "dudo"}, "dudo lacks 'seat'"),
        (pc.load_action, {"type": "dudo", "seat": 1, "quantity": 3}, "dudo has an unknown key 'quantity'"),
        (pc.load_action, {"type": "dudo", "seat": "1"}, "dudo.seat must be a whole number from 0 to 1000000000"),
        (pc.load_action, {"type": "roll", "dice": [[1, 2], 3]}, r"roll.dice\[1\] must be a list, not 3"),
        (pc.load_action, {"type": "x" * 500}, r"not \{'type': 'x+\.\.\."),
        (pc.load_event, {"type": "bid", "seat": 1, "quantity": 3, "face": 2}, f"event {NO_TYPE}"),
        (pc.load_event, {"type": "bid_made", "bid": 3}, "bid_made.bid must be an object, not 3"),
        (pc.load_event, {"type": "game_over", "outcome": {"winner": 0}}, "game_over.outcome lacks 'placements'"),
        (pc.load_event, {"type": "dice_rolled", "seat": 0, "dice": [True]}, "a whole number from 1 to 6, not True"),
        (pc.load_event, REVEALED | {"ones_are_wild": 1}, "revealed.ones_are_wild must be true or false, not 1"),
    ],
)
def test_what_no_game_comes_to_and_what_is_no_state_observation_action_event_or_call_of_a_client_is_refused(
    load: Callable[[Any], object], data: Any, reason: str
) -> None:
    with pytest.raises(pc.StateError, match=reason):
        load(data)


def test_more_bids_than_a_round_can_have_are_refused_soon() -> None:
    start = pc.new_game(pc.Rules.preset("aces").with_options(plain_raise="any_higher"), 50, opener=0)
    state = pc.dump_state(pc.apply(start, pc.Roll(((1,) * 5,) * 50)).state)
    bids = [{"seat": at % 50, "quantity": 1 + at // 5, "face": 2 + at % 5} for at in range(20_000)]
    started = process_time()
    with pytest.raises(pc.StateError, match="too many bids"):
        pc.load_state(state | {"bids": bids, "turn": 0})
    assert process_time() - started < 2


# A position is set up as a game would have come to it, or refused


PLAIN_ACES = pc.Rules.preset("aces")
HANDS = ((2, 2, 5), (), (1, 6), (4,))


def test_a_position_is_the_state_of_a_round_and_its_palifico_and_who_went_out_may_be_told() -> None:
    names, bids = ("Ana", "Bo", "Cy", "Dee"), [pc.Bid(2, 2, 5), pc.Bid(3, 3, 5)]
    state = pc.set_up(PLAIN_ACES, HANDS, bids, seats=list(names), opener=2, round=7)
    assert (state.dice, state.seats) == (HANDS, names)
    assert (state.round, state.opener, state.turn) == (7, 2, 0)
    assert (state.dice_counts, state.eliminated, state.current_bid) == ((3, 0, 2, 1), (1,), pc.Bid(3, 3, 5))
    assert pc.load_state(pc.dump_state(state)) == state
    palifico = pc.set_up(PLAIN_ACES, HANDS, opener=3, palifico=3)
    assert (palifico.ones_are_wild, palifico.had_palifico) == (False, frozenset({3}))
    assert pc.Bid(3, 1, 1) in pc.legal_calls(palifico)
    out = [pc.set_up(PLAIN_ACES, ((3,), (), (2,), ()), eliminated=given).eliminated for given in ([3, 1], None)]
    assert out == [(3, 1), (1, 3)], "the order of those who went out decides their places"


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
def test_a_position_that_no_game_can_come_to_is_refused(dice: Any, options: Any, error: Any, reason: str) -> None:
    with pytest.raises(error, match=reason):
        pc.set_up(PLAIN_ACES, dice, **options)


def sent(value: object) -> Any:
    return json.loads(json.dumps(value))


def test_a_spectator_sees_no_dice_and_has_no_calls_and_is_told_the_places() -> None:
    seen = pc.dump_observation(pc.observe(AT_PLAY, None))
    assert (seen["seat"], seen["dice"], seen["dice_counts"]) == (None, [], [3, 0, 2, 2])
    assert seen["legal_calls"] == {"bids": [], "dudo": False, "calza": False}
    assert SEEN_AFTER["outcome"] == {"winner": 1, "placements": [2, 1, 3]}
    assert pc.load_observation(SEEN_AFTER) == pc.observe(OVER, None)
    assert tuple(pc.load_event(pc.dump_event(event)) for event in LAST_EVENTS) == LAST_EVENTS


@pytest.mark.usefixtures("untraced")
@settings(max_examples=15)
@given(RULES, SEATS, SEED)
def test_the_ranges_of_an_observation_are_the_calls_to_send_back(rules: pc.Rules, seats: int, seed: int) -> None:
    for number, played in islice(enumerate(play(rules, seats, seed)), seed % 5, None, 5):
        seat = number % seats if played.after.turn is None or number % 2 else played.after.turn
        observation = sent(pc.dump_observation(pc.observe(played.after, seat)))
        written = observation["legal_calls"]
        bids = [
            {"type": "bid", "quantity": quantity, "face": face}
            for face, lowest, highest in written["bids"]
            for quantity in range(lowest, highest + 1)
        ]
        calls = [*bids, *({"type": name} for name in ("dudo", "calza") if written[name])]
        legal = pc.legal_calls(played.after, seat)
        for call in calls:
            SCHEMAS["call"].validate(call)
        assert {pc.load_call(call, seat) for call in calls} == set(legal)
        assert len(calls) == len(legal)


def test_the_schemas_know_each_field_and_each_event() -> None:
    shown = {name: validator.schema for name, validator in SCHEMAS.items()}
    assert shown["observation"]["required"] == list(SEEN)
    assert shown["state"]["required"] == list(BIDDING)
    assert shown["rules"]["required"] == list(AT_PLAY.rules.to_dict())
    assert len(shown["event"]["oneOf"]) == len(get_args(pc.Event))
    assert len(shown["action"]["oneOf"]) == len(get_args(pc.Action))
    for name, schema in shown.items():
        Draft202012Validator.check_schema(schema)
        assert schema["$id"].startswith(f"urn:perudo-core:{name}:"), "other schemas can refer to it"
    for name in ("observation", "state"):
        version = shown[name]["properties"]["schema"]["const"].rpartition("/")[2]
        assert shown[name]["$id"].endswith(f":{version}")


def test_the_schemas_refuse_other_data() -> None:
    rules = pc.Rules().to_dict()
    for name, data in (
        *(("call", call) for call in ({"type": "bid", "quantity": 5}, {"type": "leave", "seat": 1})),
        *(("action", action) for action in ({"type": "dudo"}, {"type": "bid", "seat": 1, "quantity": 5, "face": 7})),
        *(("rules", each) for each in (rules | {"joker": True}, rules | {"lost_dice": "lost"}, {"preset": "aces"})),
        ("record", {"schema": "perudo-record/1", "rules": {}, "seats": [], "opener": 0, "rounds": [{"dice": []}]}),
        ("event", {"type": "bid_made", "bid": {"type": "bid", "seat": 1, "quantity": 5, "face": 3}}),
    ):
        assert not SCHEMAS[name].is_valid(data), (name, data)


def test_a_client_sends_a_call_with_or_without_its_seat_or_a_text_and_a_refused_one_says_why() -> None:
    data: Any
    for data in ({"type": "bid", "quantity": 5, "face": 3}, "5x3", " 5 × 3 "):
        assert pc.load_call(data, 1) == pc.Bid(1, 5, 3)
    assert pc.load_call({"type": "bid", "seat": 1, "quantity": 5, "face": 3}, 1) == pc.Bid(1, 5, 3)
    for data in ({"type": "dudo"}, {"type": "dudo", "seat": 1}, "DUDO!"):
        assert pc.load_call(data, 1) == pc.Dudo(1)
    assert pc.load_call({"type": "calza"}, 1) == pc.load_call("calza", 1) == pc.Calza(1)
    for seat, words, reason in (
        *((3, "2x2", "bid/too_low"), (3, "4x5", "bid/two_things"), (3, "99x2", "bid/above_maximum")),
        (0, "3x2", "call/not_your_turn"),
    ):
        with pytest.raises(pc.IllegalActionError, match=reason):
            pc.apply(AT_PLAY, pc.load_call(words, seat))
