"""States and observations in a notebook: a table with the dice as pictures."""

import re
from collections.abc import Callable
from random import Random
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest

import perudo_core as pc
from perudo_core.agents import Memory, new_memory, remember_all
from perudo_core.analysis import weigh
from perudo_core.batch import Batch, play_random
from tests.perudo_core.notation import table
from tests.perudo_core.test_properties import play

Shown = pc.State | pc.Observation
VISIBLE = pc.Rules.preset("aces")


def faces(shown: Shown) -> list[list[str]]:
    rows = ET.fromstring(shown._repr_html_()).findall("tr")  # noqa: S314 - our own
    return [[str(die.get("aria-label")) for die in row.iter("svg")] for row in rows]


def test_a_table_shows_all_dice_that_its_reader_may_see_and_who_bid_what() -> None:
    html = table(VISIBLE, "234", "", "55", calls="1x2 2x2 2x5")._repr_html_()
    assert faces(table(VISIBLE, "234", "", "55", calls="1x2")) == [["2", "3", "4"], [], ["5", "5"]]
    assert re.findall(r"<th>(.*?)</th>.*?<td>([^<]*)</td></tr>", html) == [
        ("Seat 1", "1x2 2x5"),
        ("Seat 2", ""),
        ("Seat 3 ◂", "2x2"),
    ]
    assert "<caption>Round 1, bidding</caption>" in html
    told = table(VISIBLE, "234", "", "55", calls="1x2 2x2")  # in a terminal too
    assert str(told) == "Round 1, bidding\n> Seat 1  2 3 4  1x2\n  Seat 2\n  Seat 3  5 5    2x2"
    assert str(pc.observe(told, 2)).splitlines()[1:] == ["> Seat 1  ? ? ?  1x2", "  Seat 2", "  Seat 3  5 5    2x2"]
    with pytest.raises(ValueError, match="a bystander has no seat"):
        _ = pc.observe(told, None).own_seat


def test_an_observation_shows_the_seats_own_dice_with_their_pips_and_the_backs_of_the_others_or_of_all() -> None:
    state = table(VISIBLE, "234", "", "55", calls="1x2")
    assert faces(pc.observe(state, 2)) == [["hidden"] * 3, [], ["5", "5"]]
    assert faces(pc.observe(state, None)) == [["hidden"] * 3, [], ["hidden"] * 2]
    start = pc.new_game(pc.Rules(starting_dice=2), ["<b>Ana</b>", ""])
    assert faces(start) == [["hidden"] * 2] * 2
    assert faces(pc.apply(start, pc.Leave(0)).state) == [[], ["hidden"] * 2]
    html = start._repr_html_()
    assert "&lt;b&gt;Ana" in html
    assert "<th>Seat 2</th>" in html
    dice = table(VISIBLE, "12345", "6")._repr_html_().split("<svg")[1:]
    for face, svg in enumerate(dice, 1):
        pips = {(int(x), int(y)) for x, y in re.findall(r'cx="(\d+)" cy="(\d+)"', svg.partition("</svg>")[0])}
        assert len(pips) == face
        assert {(24 - x, 24 - y) for x, y in pips} == pips, "centred"
    assert len(dice) == 6


def memory_of_a_game(record: pc.Record) -> Memory:
    events = [event for step in pc.replay_steps(record) for event in step.events]
    return remember_all(new_memory(record.rules, len(record.seats)), events)


WHOLE_GAME = pc.record_of(pc.Rules(), 6, [played.action for played in play(pc.Rules(), 6, 1)])
SEEN = pc.observe(pc.set_up(VISIBLE, ((2,), (3,))), 0)
BEGUN = pc.set_up(VISIBLE, ((1, 2, 3, 4, 5),) * 50)


@pytest.mark.parametrize(
    ("make", "begins"),
    [
        (lambda: pc.legal_calls(BEGUN), "<LegalCalls: Bid(seat=0, quantity=1, face=2), 1248 more, Bid("),
        (lambda: pc.observe(BEGUN, 0), "Observation(seat=0, rules=Rules.preset('aces'), "),
        (lambda: WHOLE_GAME, "Record(schema='perudo-record/1', rules=Rules(), "),
        (lambda: pc.FairRecord(WHOLE_GAME, "Friday", "0" * 64, "", None, ()), "FairRecord(record=Record("),
        (lambda: pc.replay(WHOLE_GAME), "Replay(start=<State: round 0, "),
        (lambda: pc.Recorder(pc.new_game(pc.Rules(), 6, opener=0)), "<Recorder: <State: round 0, "),
        (lambda: pc.chance_outcomes(pc.new_game(pc.Rules(), 4, opener=0)), "<ChanceOutcomes: 3656158440062976>"),
        (lambda: Batch(pc.Rules(), 2, 10, np.random.default_rng(1)), "<Batch: 10 of 10 games running>"),
        (lambda: play_random(pc.Rules(), 2, 100, np.random.default_rng(1)), "<BatchResult: 100 games>"),
        (lambda: weigh(SEEN, new_memory(VISIBLE, 2), Random(1), worlds=4), "<Weighing: 6 calls, the best WeighedCall("),
        (lambda: memory_of_a_game(WHOLE_GAME), "Memory(rules=Rules(), habits=(Habits("),
    ],
)
def test_what_is_long_is_shown_on_one_screen(make: Callable[[], Any], begins: str) -> None:
    shown = repr(make())
    assert shown.startswith(begins)
    assert len(shown) < 1600, "twenty lines of a terminal"
