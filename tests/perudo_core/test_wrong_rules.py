"""An engine with other rules is refused, with the place, the wanted answer and the engine's own."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import pytest

from perudo_conformance import ConformanceError, CoreEngine, Refused, check_engine, data
from perudo_conformance._checked_engine import CheckedEngine
from perudo_conformance._perft import check_perft, count_ways
from perudo_core import Phase, Roll, Rules, State, apply, legal_calls, new_game
from perudo_core._state import complete_state
from tests.perudo_core.notation import changed
from tests.perudo_core.test_wrong_answers import but, refused

Action = dict[str, Any]


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


@dataclass
class Box:
    """A state that can change."""

    state: State


class MutatesTheState:
    """An engine with one mutable state for the whole game."""

    core = CoreEngine()

    def new_game(self, rules: dict[str, Any], seats: int, opener: int) -> Box:
        return Box(self.core.new_game(rules, seats, opener))

    def apply(self, box: Box, action: Action) -> Box:
        box.state = self.core.apply(box.state, action)
        return box

    def legal_calls(self, box: Box) -> Iterable[Action]:
        return self.core.legal_calls(box.state)

    def facts(self, box: Box) -> Action:
        return self.core.facts(box.state)


class MutatesTheStateThatItRefuses(MutatesTheState):
    """An engine that moves the turn before it checks whether the call is legal."""

    def apply(self, box: Box, action: Action) -> Box:
        try:
            return Box(self.core.apply(box.state, action))
        except Refused:
            box.state = complete_state(box.state._setup, None, box.state.bids)
            raise


class MutatesInPerft(MutatesTheState):
    """An engine that forgets the bids of a position once a dudo has ended the round, where a game has 2 dice each."""

    def apply(self, box: Box, action: Action) -> Box:
        following = Box(self.core.apply(box.state, action))
        if action["type"] == "dudo" and box.state.max_quantity == 4 and len(box.state.bids) == 1:
            box.state = complete_state(box.state._setup, None, box.state.bids)
        return following


ACES = "playthroughs.json: records/schema_1_aces.json"
BOX = "playthroughs.json: records/schema_1_box_2009.json"
REFUSALS = "refusals.json: aces, calza: [A 22256 B 12344 C 22334]"
OWN_DUDO = f"{REFUSALS} A 5x2 A dudo!: step 3, A dudo"


@pytest.mark.parametrize(
    ("engine", "preset", "place", "said"),
    [
        (
            but(legal_calls=half_rounded_down),
            "box_2009",
            f"{BOX}: step 4, B 3x5: legal calls",
            "wanted 30 calls without C 1x1, got 31 calls with C 1x1",
        ),
        (but(apply=a_sixth_die), "aces", f"{ACES}: step 29, C calza: dice_counts", "wanted [2, 5, 5], got [2, 5, 6]"),
        (
            but(apply=nobody_leaves),
            "box_2009",
            "playthroughs.json: records/schema_2_box_2009.json: step 36, B leave",
            "wanted a state, got refused, call/not_your_turn",
        ),
        (
            otherwise(accepts_own_bid_dudo),
            "aces",
            OWN_DUDO,
            "wanted refused, call/own_bid, got accepted",
        ),
        (
            otherwise(gives_another_reason),
            "aces",
            OWN_DUDO,
            "wanted refused, call/own_bid, got refused, call/not_your_turn",
        ),
        (
            otherwise(gives_no_reason),
            "aces",
            f"{REFUSALS} D 1x2: step 2, D 1x2",
            "wanted refused, seat/unknown, got refused, None",
        ),
        (
            MutatesTheState(),
            "aces",
            f"{ACES}: step 1, roll: the state before: phase",
            "wanted 'rolling', got 'bidding'",
        ),
        (
            MutatesTheStateThatItRefuses(),
            "aces",
            f"{REFUSALS} D 1x2: step 2, D 1x2: the state before: turn",
            "wanted 0, got None",
        ),
        (
            MutatesInPerft(),
            "aces",
            "perft.json: aces as printed, 2 seats: new game, roll, A 1x2, a call: the state before: legal calls",
            "wanted 24 calls with B 1x1, got 0 calls without B 1x1",
        ),
    ],
)
def test_an_engine_that_plays_another_game_is_refused(engine: Any, preset: str, place: str, said: str) -> None:
    refused(engine, preset, place, said)


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize(
    ("options", "preset", "place"),
    [
        ({"palifico_face_change": True}, "aces", "houses_2.json: another with one die may not change the face: step"),
        ({"plain_raise": "any_higher"}, "box_2009", f"{BOX}: step 2, C 1x4: legal calls"),
        ({"palifico_once": False}, "aces", "houses.json: palifico once a game: step 10, B dudo: palifico"),
        ({"lost_dice": "visible"}, "box_2009", f"{BOX}: step 9, B calza: max_quantity"),
        ({"wild_ones": False}, "aces", f"{ACES}: new game: ones_wild"),
        ({"sudden_death": False}, "box_2009", "houses.json: sudden death: step 3, B dudo: opener"),
        ({"lose_by_difference": False}, "box_2009", "houses.json: lose by the difference, one die at least: step 6"),
        ({"palifico": True}, "box_2009", "houses.json: no wild ones, no palifico: step 4, C dudo: palifico"),
        ({"calza_costs_others": False}, "box_2009", "houses_3.json: a right calza costs the others: step"),
        ({"first_out_wins": False}, "box_2009", "houses_3.json: the first without dice wins: step"),
        ({"reroll_after_bid": False}, "box_2009", "houses_4.json: a bid is followed by rolling the rest again: step"),
        ({"palifico_every_round": False}, "box_2009", "houses_5.json: every round is a palifico round: new game"),
        ({"extra_die": False}, "box_2009", "houses_5.json: the first seat has one more die: new game"),
        ({"reverse_after_call": False}, "box_2009", "houses_3.json: a call turns the order: step"),
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
    """The number of ways in which a game of one round can continue."""
    if state.is_terminal or not calls:
        return 1
    return sum(ways(apply(state, call).state, calls - 1) for call in legal_calls(state))


def test_a_game_that_ends_counts_as_one_way() -> None:
    rules = Rules().with_options(starting_dice=1)
    rolled = apply(new_game(rules, 2, opener=0), Roll(((1,), (2,)))).state
    found = count_ways(CheckedEngine(CoreEngine()), rules.to_dict(), 2, 3, "one die each")
    assert found == [ways(rolled, calls) for calls in (1, 2, 3)]
    assert found[:2] == [10, 55]
