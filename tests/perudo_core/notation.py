from typing import Any

import pytest

import perudo_core as pc
from perudo_core._round_setup import replaced
from perudo_core._state import complete_state

BOOKS = [pc.Rules.preset(preset) for preset in pc.PRESETS]
by_each_book = pytest.mark.parametrize("book", BOOKS, ids=pc.PRESETS)


def parse(state: pc.State, call: str) -> pc.Call:
    """`4x2`, `dudo` and `calza` are the player on turn's; `2:calza` is seat 2's."""
    seat_text, _, word = call.rpartition(":")
    assert state.turn is not None
    seat = int(seat_text) if seat_text else state.turn
    if word in {"dudo", "calza"}:
        return pc.Dudo(seat) if word == "dudo" else pc.Calza(seat)
    quantity, face = word.split("x")
    return pc.Bid(seat, int(quantity), int(face))


def say(state: pc.State, call: str) -> pc.Transition:
    return pc.apply(state, parse(state, call))


def assert_bids(state: pc.State, legal: str = "", **illegal: str) -> None:
    """The player on turn may make the first bids; the others are refused, `too_low="5x3"` with Reason.BID_TOO_LOW."""
    expected: dict[str, pc.Reason | None] = dict.fromkeys(legal.split())
    for reason, bids in illegal.items():
        expected |= dict.fromkeys(bids.split(), pc.Reason[f"BID_{reason.upper()}"])
    assert {bid: pc.why_illegal(state, parse(state, bid)) for bid in expected} == expected, state.rules


def changed(state: pc.State, **fields: Any) -> pc.State:
    """A state with other fields, even one that no game reaches."""
    return complete_state(replaced(state._setup, **fields), state.turn, state.bids)


def table(rules: pc.Rules, *hands: str, opener: int = 0, palifico: int | None = None, calls: str = "") -> pc.State:
    """A round with these dice after some calls; `11236` is a hand, an empty string a seat that is out."""
    start = changed(
        pc.new_game(rules, len(hands), opener=opener),
        dice_counts=tuple(map(len, hands)),
        eliminated=tuple(seat for seat, hand in enumerate(hands) if not hand),
        palifico=palifico,
    )
    state = pc.apply(start, pc.Roll(tuple(tuple(map(int, hand)) for hand in hands))).state
    for call in calls.split():
        state = say(state, call).state
    return state
