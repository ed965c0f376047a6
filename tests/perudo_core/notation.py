"""Positions and calls in a few words, for the tests of rules."""

from typing import Any

from perudo_core import Bid, Call, Calza, Dudo, Roll, Rules, Seat, State, Transition, apply, new_game
from perudo_core._round_setup import replaced
from perudo_core._state import complete_state


def parse(state: State, call: str) -> Call:
    """`4x2`, `dudo` and `calza` are the player on turn's; `2:calza` is seat 2's."""
    seat_text, _, word = call.rpartition(":")
    assert state.turn is not None
    seat = int(seat_text) if seat_text else state.turn
    if word in {"dudo", "calza"}:
        return Dudo(seat) if word == "dudo" else Calza(seat)
    quantity, face = word.split("x")
    return Bid(seat, int(quantity), int(face))


def say(state: State, call: str) -> Transition:
    return apply(state, parse(state, call))


def changed(state: State, **fields: Any) -> State:
    """A state with other fields, even one that no game reaches."""
    return complete_state(replaced(state._setup, **fields), state.turn, state.bids)


def table(rules: Rules, *hands: str, opener: Seat = 0, palifico: Seat | None = None, calls: str = "") -> State:
    """A round with these dice after some calls; `11236` is a hand, an empty string a seat that is out."""
    start = changed(
        new_game(rules, len(hands), opener=opener),
        dice_counts=tuple(map(len, hands)),
        eliminated=tuple(seat for seat, hand in enumerate(hands) if not hand),
        palifico=palifico,
    )
    state = apply(start, Roll(tuple(tuple(map(int, hand)) for hand in hands))).state
    for call in calls.split():
        state = say(state, call).state
    return state
