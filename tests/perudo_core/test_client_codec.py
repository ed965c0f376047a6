"""A client's data: no hidden dice are sent, and only calls of the client's own seat are accepted."""

import json
from itertools import islice
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from jsonschema import Draft202012Validator

import perudo_core as pc
from tests.perudo_core.notation import table
from tests.perudo_core.test_properties import RULES, SCHEMAS, SEATS, SEED, play

CALLS = {"dudo": True, "calza": True}
TABLES_OWN = (pc.Roll(((6, 6), (1, 1))), pc.OpeningRoll(((6,), (1,))), pc.OpenerDraw(1), pc.Concede(1), pc.Leave(1))


def sent(value: object) -> Any:
    """A JSON value after its way over the network."""
    return json.loads(json.dumps(value))


@pytest.fixture
def state() -> pc.State:
    return table(pc.Rules(calza=True), "234", "", "55", "16", calls="1x2 2x2")


def test_a_spectator_sees_no_dice_and_has_no_calls_and_is_told_the_places(state: pc.State) -> None:
    seen = pc.dump_observation(pc.observe(state, None))
    assert (seen["seat"], seen["dice"], seen["dice_counts"]) == (None, [], [3, 0, 2, 2])
    assert seen["legal_calls"] == {"bids": [], "dudo": False, "calza": False}
    over = pc.apply(pc.apply(pc.new_game(pc.Rules(), 3, opener=0), pc.Leave(2)).state, pc.Leave(0)).state
    seen = pc.dump_observation(pc.observe(over, None))
    assert seen["outcome"] == {"winner": 1, "placements": [2, 1, 3]}
    assert pc.load_observation(seen) == pc.observe(over, None)
    for outcome in ({"winner": 1, "placements": [1]}, {"winner": 0, "placements": [1]}, None):
        with pytest.raises(pc.StateError, match="outcome does not follow from the rest"):
            pc.load_observation(seen | {"outcome": outcome})


@pytest.mark.usefixtures("untraced")
@settings(max_examples=15)
@given(RULES, SEATS, SEED)
def test_the_ranges_of_an_observation_are_the_calls_that_can_be_sent_back(
    rules: pc.Rules, seats: int, seed: int
) -> None:
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


def test_the_schemas_know_each_field_and_each_event(state: pc.State) -> None:
    shown = {name: validator.schema for name, validator in SCHEMAS.items()}
    assert shown["observation"]["required"] == list(pc.dump_observation(pc.observe(state, 0)))
    assert shown["state"]["required"] == list(pc.dump_state(state))
    assert shown["rules"]["required"] == list(state.rules.to_dict())
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


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
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
    ],
)
def test_an_observation_that_no_state_gives_is_refused(state: pc.State, changes: dict[str, Any], reason: str) -> None:
    with pytest.raises(pc.StateError, match=reason):
        pc.load_observation(pc.dump_observation(pc.observe(state, 3)) | changes)


def test_a_client_sends_a_call_with_or_without_its_seat_or_a_text() -> None:
    data: Any
    for data in ({"type": "bid", "quantity": 5, "face": 3}, "5x3", " 5 × 3 "):
        assert pc.load_call(data, 1) == pc.Bid(1, 5, 3)
    assert pc.load_call({"type": "bid", "seat": 1, "quantity": 5, "face": 3}, 1) == pc.Bid(1, 5, 3)
    for data in ({"type": "dudo"}, {"type": "dudo", "seat": 1}, "DUDO!"):
        assert pc.load_call(data, 1) == pc.Dudo(1)
    assert pc.load_call({"type": "calza"}, 1) == pc.load_call("calza", 1) == pc.Calza(1)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        *((pc.dump_action(action), r'a call is \{"type": "bid", .* or a text such as "5x3"') for action in TABLES_OWN),
        *((text, "a call is ") for text in ("leave", "concede", "forfeit", "roll", "", "\u0665x\u0663")),
        *((data, "a call is ") for data in (None, [], ["dudo"], 5, True, {}, {"type": None}, {"type": ["dudo"]})),
        ({"type": "dudo", "seat": 0}, "dudo.seat must be 1, the client's own, or left out, not 0"),
        ({"type": "dudo", "seat": True}, "dudo.seat must be 1, the client's own, or left out, not True"),
        ({"type": "bid", "seat": 2, "quantity": 5, "face": 3}, "bid.seat must be 1"),
        ({"type": "bid", "quantity": 5}, "bid lacks 'face'"),
        ({"type": "dudo", "dice": [[6]]}, "dudo has an unknown key 'dice'"),
    ],
)
def test_a_client_sends_nothing_but_a_call_of_its_own(data: Any, reason: str) -> None:
    with pytest.raises(pc.StateError, match=reason):
        pc.load_call(data, 1)


def test_a_refused_call_changes_nothing_and_says_why(state: pc.State) -> None:
    for seat, data, reason in (
        *((3, "2x2", "bid/too_low"), (3, "4x5", "bid/two_things"), (3, "99x2", "bid/above_maximum")),
        (0, "3x2", "call/not_your_turn"),
    ):
        with pytest.raises(pc.IllegalActionError, match=reason):
            pc.apply(state, pc.load_call(data, seat))
