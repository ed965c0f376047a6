"""States and observations in a notebook: a table with the dice as pictures."""

import re
from xml.etree import ElementTree as ET

import pytest

from perudo_core import Leave, Observation, Rules, State, apply, new_game, observe
from tests.perudo_core.conftest import Table

Shown = State | Observation
VISIBLE = Rules.preset("aces")


def faces(shown: Shown) -> list[list[str]]:
    """The dice of each row, as a reader without pictures is told them."""
    rows = ET.fromstring(shown._repr_html_()).findall("tr")  # noqa: S314 - our own
    return [[str(die.get("aria-label")) for die in row.iter("svg")] for row in rows]


def test_a_state_shows_all_dice_and_who_bid_what(table: Table) -> None:
    html = table(VISIBLE, "234", "", "55", calls="1x2 2x2 2x5")._repr_html_()
    assert faces(table(VISIBLE, "234", "", "55", calls="1x2")) == [["2", "3", "4"], [], ["5", "5"]]
    assert re.findall(r"<th>(.*?)</th>.*?<td>([^<]*)</td></tr>", html) == [
        ("Seat 1", "1x2 2x5"),
        ("Seat 2", ""),
        ("Seat 3 ◂", "2x2"),
    ]
    assert "<caption>Round 1, bidding</caption>" in html


def test_an_observation_shows_the_seats_own_dice_and_the_backs_of_the_others(table: Table) -> None:
    state = table(VISIBLE, "234", "", "55", calls="1x2")
    assert faces(observe(state, 2)) == [["hidden"] * 3, [], ["5", "5"]]
    assert faces(observe(state, None)) == [["hidden"] * 3, [], ["hidden"] * 2]


def test_before_the_roll_all_dice_are_under_the_cups() -> None:
    assert faces(new_game(Rules(starting_dice=2), 2)) == [["hidden"] * 2] * 2
    over = apply(new_game(Rules(starting_dice=2), 2), Leave(0)).state
    assert faces(over) == [[], ["hidden"] * 2]


@pytest.mark.parametrize("face", range(1, 7))
def test_a_die_has_as_many_pips_as_its_face_on_the_die(table: Table, face: int) -> None:
    svg = table(VISIBLE, str(face), "1")._repr_html_().partition("<svg")[2].partition("</svg>")[0]
    pips = re.findall(r'cx="(\d+)" cy="(\d+)"', svg)
    assert len(set(pips)) == face
    assert sorted((24 - int(x), 24 - int(y)) for x, y in pips) == sorted((int(x), int(y)) for x, y in pips), "centred"


def test_a_name_is_no_markup() -> None:
    html = new_game(Rules(), ["<b>Ana</b>", ""])._repr_html_()
    assert "&lt;b&gt;Ana" in html
    assert "<th>Seat 2</th>" in html
