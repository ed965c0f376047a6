"""An engine that errs is refused with the place, the wanted answer and its own; other ways to answer are allowed."""

import hmac
import pickle
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import cache, partial
from hashlib import sha256
from importlib.resources import files
from itertools import count
from pathlib import Path
from types import MappingProxyType, SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest

from perudo_conformance import ConformanceError, CoreEngine, NotOffered, Refused, Report, check_engine, data
from perudo_conformance._checked_engine import CheckedEngine
from perudo_conformance._games import HOUSES, LEGAL_CALLS
from perudo_conformance._perft import check_perft, count_ways
from perudo_core import Phase, Reason, Record, Roll, Rules, State, apply, legal_calls, new_game, replay
from perudo_core._state import complete_state
from perudo_core.fair import derived_key, numbers
from tests.perudo_core.notation import changed

pytestmark = pytest.mark.usefixtures("untraced")  # the kit is what is tried; it has no lines of the library

Action = dict[str, Any]


def but(**methods: Callable[..., Any]) -> CoreEngine:
    """Our engine, except that each of these methods gets our own one before its arguments."""
    engine = CoreEngine()
    for name, method in methods.items():
        setattr(engine, name, partial(method, getattr(engine, name)))
    return engine


def facts(change: Callable[[Action], Any]) -> CoreEngine:
    return but(facts=lambda own, state: change(own(state)))


def calls(change: Callable[[list[Action]], Any]) -> CoreEngine:
    return but(legal_calls=lambda own, state: change(list(own(state))))


class Sly:
    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        raise RuntimeError

    def __eq__(self, other: object) -> bool:
        raise RuntimeError


class SlyError(Exception):
    def __str__(self) -> str:
        raise RuntimeError


def without(key: str) -> Callable[[Action], Action]:
    return lambda facts: {each: value for each, value in facts.items() if each != key}


def endless(calls: list[Action]) -> Iterator[Action]:
    return ({"type": "bid", "seat": 0, "quantity": quantity, "face": 2} for quantity in count(len(calls)))


def raising(calls: list[Action]) -> Iterator[Action]:
    yield from calls[:2]
    raise ZeroDivisionError("division by zero")


def circle(facts: Action) -> Action:
    facts["placements"] = [facts]
    return facts


def another_key(own: Any, state: State, action: Action) -> Any:
    return own(state, {"type": action["kind"]} if action["type"] == "dudo" else action)


def odds(change: Callable[[Action], Any]) -> CoreEngine:
    return but(odds=lambda own, *question: change(own(*question)))


def blocks_from_one(_own: object, secret: str, context: str, salt: str, label: str, dice: int) -> list[int]:
    key = derived_key(bytes.fromhex(secret), context, salt)
    blocks = (hmac.digest(key, f"{label} block {block}".encode(), "sha256") for block in count(1))
    faces = numbers((byte for block in blocks for byte in block), 6)
    return [next(faces) + 1 for _ in range(dice)]


def one_digit(own: Any, *asked: Any) -> Any:
    *seal, label, dice = asked
    return own(*seal, re.sub(r"^round 1(?=[0-2] )", "round ", label), dice)


def without_results(own: Any, *asked: Any) -> str:
    return "; ".join(part.partition("! ")[0] for part in own(*asked).split("; "))


def another_seat(own: Any, text: str) -> Any:
    record = own(text)
    record["rounds"][2]["calls"][1][0] += 1
    return record


def one_round_more(own: Any, text: str) -> Any:
    record = own(text)
    return {**record, "rounds": [*record["rounds"], {}]}


def half_rounded_down(own: Any, state: State) -> Iterable[Action]:
    """Let three ones follow seven of a face, where the rules want four."""
    yield from own(state)
    bid = state.current_bid
    if bid is not None and state.ones_are_wild and bid.face != 1 and bid.quantity % 2 and bid.quantity > 1:
        yield {"type": "bid", "seat": state.turn, "quantity": bid.quantity // 2, "face": 1}


def a_sixth_die(own: Any, state: State, action: Action) -> State:
    """Give it for a right calza."""
    following: State = own(state, action)
    counts = state.dice_counts
    if action["type"] == "calza" and following.dice_counts == counts:
        counts = tuple(count + (seat == action["seat"]) for seat, count in enumerate(counts))
        return changed(following, dice_counts=counts)
    return following


def nobody_leaves(own: Any, state: State, action: Action) -> Any:
    if action["type"] == "leave" and state.phase is Phase.BIDDING:
        raise Refused("call/not_your_turn")
    return own(state, action)


def otherwise(change: Callable[[Refused, State], State]) -> CoreEngine:
    """An engine that refuses in another way: its state is what it returned for the refused call."""

    def apply(own: Any, state: State, action: Action) -> Any:
        try:
            return own(state, action)
        except Refused as refusal:
            return change(refusal, state)

    return but(apply=apply)


def accepts_own_bid_dudo(refusal: Refused, state: State) -> State:
    if refusal.reason == "call/own_bid":
        return state
    raise refusal


def gives_another_reason(refusal: Refused, _state: State) -> State:
    raise Refused(refusal.reason.replace("call/own_bid", "call/not_your_turn"))


def gives_no_reason(refusal: Refused, _state: State) -> State:
    del refusal.reason
    raise refusal


class MutatesTheState:
    core = CoreEngine()

    def new_game(self, rules: dict[str, Any], seats: int, opener: int) -> SimpleNamespace:
        return SimpleNamespace(state=self.core.new_game(rules, seats, opener))

    def apply(self, box: SimpleNamespace, action: Action) -> SimpleNamespace:
        box.state = self.core.apply(box.state, action)
        return box

    def legal_calls(self, box: SimpleNamespace) -> Iterable[Action]:
        return self.core.legal_calls(box.state)

    def facts(self, box: SimpleNamespace) -> Action:
        return self.core.facts(box.state)


class MutatesTheStateThatItRefuses(MutatesTheState):
    """An engine that moves the turn before it checks whether the call is legal."""

    def apply(self, box: SimpleNamespace, action: Action) -> SimpleNamespace:
        try:
            return SimpleNamespace(state=self.core.apply(box.state, action))
        except Refused:
            box.state = complete_state(box.state._setup, None, box.state.bids)
            raise


class MutatesInPerft(MutatesTheState):
    """An engine that forgets the bids of a position once a dudo has ended the round, where a game has 2 dice each."""

    def apply(self, box: SimpleNamespace, action: Action) -> SimpleNamespace:
        following = SimpleNamespace(state=self.core.apply(box.state, action))
        if action["type"] == "dudo" and box.state.max_quantity == 4 and len(box.state.bids) == 1:
            box.state = complete_state(box.state._setup, None, box.state.bids)
        return following


@cache
def our_own() -> Report:
    return check_engine(presets=["aces"])


def refused(engine: Any, preset: str, said: str) -> None:
    """The report names the place and the error, in a line that can be printed."""
    with pytest.raises(ConformanceError) as caught:
        check_engine(engine, presets=[preset])
    error = caught.value
    assert str(error) == f"{error.place}: wanted {error.wanted}, got {error.got}" == said
    assert said.isprintable()


ACES = "playthroughs.json: records/schema_1_aces.json: "
BOX = "playthroughs.json: records/schema_1_box_2009.json: "
NEW, NONE, ROLLED = f"{ACES}new game", f"{ACES}new game: legal calls", f"{ACES}step 1, roll: legal calls"
FACTS, DICE = f"{NEW}: wanted facts by their names, got", f"{NEW}: dice_counts"
FLOAT = "{'type': 'bid', 'seat': 2, 'quantity': 1.0, 'face': 2}"
UNPRINTABLE = "a dict that cannot be printed"
REFUSALS = "refusals.json: aces, calza: [A 22256 B 12344 C 22334]"
OWN_DUDO, NO_SEAT = f"{REFUSALS} A 5x2 A dudo!: step 3, A dudo", f"{REFUSALS} D 1x2: step 2, D 1x2"
PERFT = "perft.json: aces as printed, 2 seats: new game, roll, A 1x2, a call: the state before: legal calls"
ODDS = "odds.json: dice [], 0 unknown, 0x1, ones wild"
CHANCES = f"{ODDS}: wanted chances by their names"
FIRST_DICE = "fair.json: secret 0001..., salt ''"
LINE = "notation_2.json: records/schema_1_aces.json"
LEAVES = "playthroughs.json: records/schema_2_box_2009.json: step 36, B leave"
FULL = f"{LINE}: full line: character 117"
CUT = "2x1 C 5x4 A 6x1 B 13x1 A calza"
LEAVE, ROLL = {"type": "leave", "seat": 0}, {"type": "roll", "dice": []}
WRONG: list[tuple[Any, str]] = [
    (facts(lambda own: own | {"dice_counts": [5.0] * 3}), f"{DICE}: wanted [5, 5, 5], got [5.0, 5.0, 5.0]"),
    (facts(lambda _: None), f"{FACTS} None"),
    (facts(without("palifico")), f"{NEW}: palifico: wanted None, got nothing"),
    (facts(lambda own: own | {"turn": Sly()}), f"{NEW}: turn: wanted None, got a Sly that cannot be printed"),
    (facts(lambda own: own | {"ones_wild": 1}), f"{NEW}: ones_wild: wanted True, got 1"),
    (but(facts=Mock(side_effect=SlyError())), f"{FACTS} SlyError"),
    (but(facts=Mock(side_effect=Refused("no\n0"))), f"{FACTS} refused, no\\n0"),
    (calls(lambda own: own * 2), f"{ROLLED}: wanted each call once, got C 1x2 2 times"),
    (calls(lambda own: own[1:]), f"{ROLLED}: wanted 75 calls with C 1x2, got 74 calls without C 1x2"),
    (calls(lambda own: [*own[1:], LEAVE]), f"{NONE}: wanted 0 calls without A leave, got 1 calls with A leave"),
    (
        calls(lambda own: [{**call, "quantity": 1.0} for call in own]),
        f"{ROLLED}: wanted 75 calls with C 1x2 without {FLOAT}, got 75 calls with {FLOAT} without C 1x2",
    ),
    (
        calls(lambda own: [*own, {"type": Sly()}]),
        f"{NONE}: wanted 0 calls without {UNPRINTABLE}, got 1 calls with {UNPRINTABLE}",
    ),
    (calls(lambda own: [*own, ROLL]), f"{NONE}: wanted 0 calls without {ROLL}, got 1 calls with {ROLL}"),
    (calls(lambda own: {"calls": own}), f"{NONE}: wanted a list of calls, got {{'calls': []}}"),
    (calls(lambda _: None), f"{NONE}: wanted a list of calls, got None"),
    (calls(endless), f"{NONE}: wanted at most 10000 calls, got more"),
    (calls(raising), f"{NONE}: wanted a list of calls, got ZeroDivisionError: division by zero"),
    (
        but(apply=lambda own, state, action: None if action["type"] == "calza" else own(state, action)),
        f"{ACES}step 8, A calza: wanted a state, got None",
    ),
    (but(apply=another_key), f"{ACES}step 22, B dudo: wanted a state, got KeyError: 'kind'"),
    (
        but(legal_calls=half_rounded_down),
        f"{BOX}step 4, B 3x5: legal calls: wanted 30 calls without C 1x1, got 31 calls with C 1x1",
    ),
    (but(apply=a_sixth_die), f"{ACES}step 29, C calza: dice_counts: wanted [2, 5, 5], got [2, 5, 6]"),
    (but(apply=nobody_leaves), f"{LEAVES}: wanted a state, got refused, call/not_your_turn"),
    (otherwise(accepts_own_bid_dudo), f"{OWN_DUDO}: wanted refused, call/own_bid, got accepted"),
    (otherwise(gives_another_reason), f"{OWN_DUDO}: wanted refused, call/own_bid, got refused, call/not_your_turn"),
    (otherwise(gives_no_reason), f"{NO_SEAT}: wanted refused, seat/unknown, got refused, None"),
    (MutatesTheState(), f"{ACES}step 1, roll: the state before: phase: wanted 'rolling', got 'bidding'"),
    (MutatesTheStateThatItRefuses(), f"{NO_SEAT}: the state before: turn: wanted 0, got None"),
    (MutatesInPerft(), f"{PERFT}: wanted 24 calls with B 1x1, got 0 calls without B 1x1"),
    (
        but(odds=lambda own, *asked: own(*asked[:4], asked[4] and asked[3] == 1)),
        "odds.json: dice [], 1 unknown, 0x2, ones wild: exact: wanted 2/3, got 5/6",
    ),
    (odds(lambda own: float(own["holds"])), f"{CHANCES}, holds among them, got 1.0"),
    (odds(lambda own: {"holds": own["holds"]}), f"{CHANCES}, exact among them, got {{'holds': Fraction(1, 1)}}"),
    (odds(lambda own: {**own, "exact": [1, 0]}), f"{ODDS}: exact: wanted 1, got [1, 0]"),
    (odds(lambda own: {**own, "exact": float(own["exact"])}), f"{ODDS}: exact: wanted 1, got 1.0"),
    (odds(lambda own: own["chance"]), f"{CHANCES}, got KeyError: 'chance'"),
    (but(fair_hand=blocks_from_one), f"{FIRST_DICE}, round 1 seat 0: wanted [6], got [2]"),
    (but(fair_hand=one_digit), "fair_record.json: round 10 seat 0: wanted [5, 5, 1, 6], got [4, 1, 4, 1]"),
    (
        but(fair_contest=Mock(side_effect=NotOffered())),
        f"{FIRST_DICE}, contest of 2: 1 dice each: wanted [[3], [5]], got fair_contest is not offered",
    ),
    (
        but(write_game=without_results),
        f"{FULL}: wanted '{CUT}! 3/13 A-1; [A 1222 B 24344 C ', got '{CUT}; [A 1222 B 24344 C 63346] A 2'",
    ),
    (but(read_game=another_seat), f"{LINE}: record: rounds: item 3: calls: item 2: wanted [1, '2x6'], got [2, '2x6']"),
    (but(read_game=one_round_more), f"{LINE}: record: rounds: item 16: wanted nothing, got {{}}"),
    (but(read_game=lambda own, text: without("opener")(own(text))), f"{LINE}: record: opener: wanted 2, got nothing"),
]


@pytest.mark.parametrize(("engine", "said"), WRONG, ids=[said[-60:] for _, said in WRONG])
def test_a_wrong_answer_is_refused_in_a_line_that_can_be_printed(engine: Any, said: str) -> None:
    refused(engine, "box_2009" if "box_2009" in said else "aces", said)


def test_facts_in_a_circle_are_refused_an_engines_exception_is_the_cause_and_a_stored_error_says_the_same() -> None:
    """A traceback that leads into the engine helps its author."""
    with pytest.raises(ConformanceError, match=r"new game: wanted facts by their names, got RecursionError"):
        check_engine(facts(circle))
    with pytest.raises(ConformanceError) as caught:
        check_engine(but(apply=another_key), presets=["aces"])
    assert isinstance(caught.value.__cause__, KeyError)
    error = ConformanceError("perft.json: aces", "20", "19")
    assert str(pickle.loads(pickle.dumps(error))) == str(error) == "perft.json: aces: wanted 20, got 19"  # noqa: S301 - our own


@pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize("method", ["facts", "commitment"])
def test_a_stop_is_no_mistake_of_the_engine(stop: type[BaseException], method: str) -> None:
    with pytest.raises(stop):
        check_engine(but(**{method: Mock(side_effect=stop())}), presets=["aces"])


@pytest.mark.parametrize(
    ("options", "preset", "place"),
    [
        ({"palifico_face_change": True}, "aces", "houses_2.json: another with one die may not change the face: step"),
        ({"plain_raise": "any_higher"}, "box_2009", f"{BOX}step 2, C 1x4: legal calls"),
        ({"palifico_once": False}, "aces", "houses.json: palifico once a game: step 10, B dudo: palifico"),
        ({"lost_dice": "visible"}, "box_2009", f"{BOX}step 9, B calza: max_quantity"),
        ({"wild_ones": False}, "aces", f"{ACES}new game: ones_wild"),
        ({"sudden_death": False}, "box_2009", "houses.json: sudden death: step 3, B dudo: opener"),
        ({"lose_by_difference": False}, "box_2009", "houses.json: lose by the difference, one die at least: step 6"),
        ({"palifico": True}, "box_2009", "houses.json: no wild ones, no palifico: step 4, C dudo: palifico"),
        ({"calza_costs_others": False}, "box_2009", "houses_3.json: a right calza costs the others: step"),
        ({"first_out_wins": False}, "box_2009", "houses_3.json: the first without dice wins: step"),
        ({"reroll_after_bid": False}, "box_2009", "houses_4.json: a bid is followed by rolling the rest again: step"),
        ({"palifico_every_round": False}, "box_2009", "houses_5.json: every round is a palifico round: new game"),
        ({"extra_die": False}, "box_2009", "houses_5.json: the first seat has one more die: new game"),
        ({"reverse_after_call": False}, "box_2009", "houses_3.json: a call turns the order: step"),
        ({"ones_rank": "double"}, "box_2009", "houses_6.json: wild ones are the lowest face in bids, as in most"),
    ],
)
def test_an_engine_that_knows_no_such_option_is_refused(options: dict[str, Any], preset: str, place: str) -> None:
    with pytest.raises(ConformanceError) as caught:
        check_engine(but(new_game=lambda own, rules, *more: own({**rules, **options}, *more)), presets=[preset])
    assert caught.value.place.startswith(place)


def test_counts_that_differ_from_the_published_ones_are_refused() -> None:
    """The published counts refuse even an engine that makes the same error as this library."""
    case = {**data("perft.json")["cases"][0], "ways": [20, 161]}
    with pytest.raises(ConformanceError, match=r"2 seats: ways to make 2 calls: wanted 161, got 160$"):
        check_perft(CheckedEngine(CoreEngine()), case)


def ways(state: State, calls: int) -> int:
    if state.is_terminal or not calls:
        return 1
    return sum(ways(apply(state, call).state, calls - 1) for call in legal_calls(state))


def test_a_game_that_ends_counts_as_one_way() -> None:
    rules = Rules().with_options(starting_dice=1)
    rolled = apply(new_game(rules, 2, opener=0), Roll(((1,), (2,)))).state
    found = count_ways(CheckedEngine(CoreEngine()), rules.to_dict(), 2, 3, "one die each")
    assert found == [ways(rolled, calls) for calls in (1, 2, 3)]
    assert found[:2] == [10, 55]


def other_facts(own: Any, state: State) -> Any:
    more: dict[Any, Any] = {"dice_counts": state.dice_counts, "phase": state.phase, "bids": state.bids, 7: object()}
    return MappingProxyType(own(state) | more)


def other_odds(own: Any, *question: Any) -> Action:
    chances = {name: chance.as_integer_ratio() for name, chance in own(*question).items()}
    return {name: [str(2 * over), 2 * under] for name, (over, under) in chances.items()}


TUPLES_AND_MORE = but(
    facts=other_facts,
    odds=other_odds,
    legal_calls=lambda own, state: map(MappingProxyType, reversed(list(own(state)))),
)
"""Tuples for lists, facts of its own, calls in another order, and fractions not in lowest terms."""


def emptying(at: int) -> Callable[..., Any]:
    """A method that empties this argument: the kit hands out copies."""

    def method(own: Any, *asked: Any) -> Any:
        try:
            return own(*asked)
        finally:
            asked[at].clear()

    return method


CHANGES_ARGUMENTS = but(new_game=emptying(0), apply=emptying(1), write_game=emptying(0))


@pytest.mark.parametrize("engine", [TUPLES_AND_MORE, CHANGES_ARGUMENTS], ids=["answers", "arguments"])
def test_an_engine_may_answer_in_other_ways_and_change_its_arguments(engine: CoreEngine) -> None:
    assert check_engine(engine, presets=["aces"]) == our_own()


def test_what_an_engine_does_not_offer_is_reported_and_an_optional_part_that_fails_is_offered() -> None:
    rules_alone = {name: getattr(CoreEngine(), name) for name in ("new_game", "apply", "legal_calls", "facts")}
    alone = check_engine(SimpleNamespace(**rules_alone), presets=["aces"])
    assert alone == our_own()._replace(odds=None, fair_dice=None, notation=None)
    assert str(alone).endswith(", odds: not offered, fair dice: not offered, notation: not offered")
    silent = Mock(side_effect=NotOffered())
    assert check_engine(but(commitment=silent), presets=["aces"]) == our_own()._replace(fair_dice=None)
    engine = CheckedEngine(SimpleNamespace(commitment=Mock(side_effect=OSError()), write_game=silent))
    assert engine.offers("commitment", "secret")
    assert not engine.offers("write_game", {}, True)
    assert not engine.offers("odds")


DATA = Path(str(files("perudo_conformance"))) / "data"
FROZEN = {
    "fair.json": "71ec67825de4efbc",
    "fair_record.json": "e9a42a9cb14fb2a9",
    "houses.json": "b8871c6571f59b22",
    "houses_2.json": "41bdbe02556a8a9b",
    "houses_3.json": "5a7a5e545fe9776f",
    "houses_4.json": "0b1e621be3a5881a",
    "houses_5.json": "6cfc5d7d0bb08ea4",
    "houses_6.json": "446e4cb356fe61d4",
    "legal_calls.json": "07c10bd307d76781",
    "legal_calls_2.json": "dfefbe7dba1d6ff3",
    "legal_calls_3.json": "1b85f0945cf08118",
    "legal_calls_4.json": "c684cede12e10358",
    "legal_calls_5.json": "cc0509ecfed21e8d",
    "notation.json": "fff19e13aa32bc27",
    "notation_2.json": "91dd1d47cd5f86a7",
    "odds.json": "63621b0a83e62ead",
    "perft.json": "42414f89d0c17ee3",
    "playthroughs.json": "f97d10eb77a469b0",
    "records/schema_1_aces.json": "8801095fe8d6f1c2",
    "records/schema_1_azteca.json": "596a816171fc24dd",
    "records/schema_1_box_2009.json": "b7b40b54b2d1e8d0",
    "records/schema_1_french_guide.json": "e8cc52bfd35f3f35",
    "records/schema_1_italian_box.json": "c02713705fe35a31",
    "records/schema_2_box_2009.json": "385bd386c97f0bfe",
    "refusals.json": "e7e2f56225ec6b43",
    "refusals_2.json": "5f8a8ec9d4432c60",
}
UNREACHABLE = {Reason.ACTION_UNKNOWN, Reason.BID_MALFORMED, Reason.ROLL_WRONG_KIND, Reason.ROLL_MALFORMED}


def test_what_was_published_is_frozen_and_our_own_engine_passes() -> None:
    """A new schema or a new case is a new file; an old one stays as it was, for ports that hold a copy."""
    files = {path.relative_to(DATA).as_posix(): path.read_bytes() for path in DATA.rglob("*.json")}
    assert {name: sha256(content).hexdigest()[:16] for name, content in files.items()} == FROZEN
    report = Report(perft=105, steps=STEPS, refusals=len(REFUSED_RECORDS), odds=384, fair_dice=166, notation=24)
    assert check_engine() == report


PLAYED = ("playthroughs.json", *HOUSES)
REFUSED_RECORDS = [case for file in ("refusals.json", "refusals_2.json") for case in data(file)["cases"]]
STEPS = sum(len(case["steps"]) for name in PLAYED for case in data(name)["cases"])


def test_the_legal_calls_are_as_many_as_the_playthroughs_count() -> None:
    counts = {
        case.get("record") if name == "playthroughs.json" else case["name"]: [step["legal"] for step in case["steps"]]
        for name in PLAYED
        for case in data(name)["cases"]
    }
    listed = {
        case["game"]: [sum(len(line.split()) for _, line in step) for step in case["steps"]]
        for file in LEGAL_CALLS
        for case in data(file)["cases"]
    }
    assert listed == counts


def test_every_reason_that_a_record_can_meet_is_met_no_other_preset_or_file_is_there_and_calls_are_found() -> None:
    met = {case["reason"] for case in REFUSED_RECORDS}
    assert met == set(Reason) - UNREACHABLE - {Reason.ROLL_FACE_UNKNOWN, Reason.REROLL_NONE_SHOWN}
    with pytest.raises(ValueError, match=r"presets must be of box_2009.*, not 'chess'"):
        check_engine(presets=["chess"])
    with pytest.raises(ValueError, match=r"no data file '../x': python -m perudo_conformance prints their folder"):
        data("../x")
    calls = CoreEngine().legal_calls(replay(Record.from_dict(data("records/schema_1_aces.json"))).steps[0].state)
    assert isinstance(calls, Collection)
    assert next(iter(calls)) in calls
    assert {"type": "dudo", "seat": 0} not in calls
