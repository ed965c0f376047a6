"""Every row of the table of the five rulebooks, and the files that hold them."""

from typing import Any

import pytest

from perudo_core import DEFAULT_PRESET, PRESETS, Rulebook, Rules

TABLE: dict[str, tuple[Any, Any, Any, Any, Any]] = {
    "min_seats": (2, 2, 2, 2, 2),
    "max_seats": (6, 6, None, None, 6),
    "starting_dice": (5, 5, 5, 5, 5),
    "opener": ("random", "random", "random", "highest_die", "highest_sum"),
    "plain_raise": ("one_thing", "one_thing", "no_decrease", "no_decrease", "no_decrease"),
    "wild_ones": (True, True, True, True, True),
    "ones_may_open": (False, False, False, False, False),
    "palifico": (True, True, True, True, True),
    "palifico_once": (False, False, True, False, False),
    "palifico_with_two_players": (True, True, False, True, True),
    "palifico_face_change": (False, False, False, True, False),
    "calza": (False, False, False, False, False),
    "calza_by": ("anyone_but_bidder", "bystanders", "anyone_but_bidder", "bystanders", "on_turn"),
    "calza_in_palifico": (True, False, True, True, True),
    "calza_with_two_players": (True, False, True, True, True),
    "lost_dice": ("hidden", "hidden", "visible", "visible", "hidden"),
    "out_of_turn_dudo": (False, False, False, False, False),
    "lose_by_difference": (False, False, False, False, False),
    "sudden_death": (False, False, False, False, False),
}
WORD_FOR_ONE = ("Paco", "Paco", "ace", "testa di Azteco", "Paco")


@pytest.mark.parametrize("preset", PRESETS)
def test_column_of_the_table(preset: str) -> None:
    column = {option: row[PRESETS.index(preset)] for option, row in TABLE.items()}
    assert Rules.preset(preset).to_dict() == {"preset": preset, **column}


@pytest.mark.parametrize("preset", PRESETS)
def test_each_option_cites_its_clause(preset: str) -> None:
    clauses = Rulebook.preset(preset).clauses
    assert list(clauses) == list(TABLE) == list(Rules().to_dict())[1:]
    assert all(clause.startswith(f"{preset}: ") for clause in clauses.values())


@pytest.mark.parametrize("preset", PRESETS)
def test_about_names_the_edition(preset: str) -> None:
    book = Rulebook.preset(preset)
    assert book.title
    assert book.language
    assert book.word_for_one == WORD_FOR_ONE[PRESETS.index(preset)]


def test_default_is_box_2009() -> None:
    assert Rules() == Rules.preset(DEFAULT_PRESET) == Rules.preset("box_2009")
