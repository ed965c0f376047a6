"""The table of the five rulebooks; any options can be combined, and a contradiction is refused with its reason."""

from collections.abc import Callable
from dataclasses import FrozenInstanceError, fields, replace
from functools import partial
from itertools import product
from typing import Any

import pytest

import perudo_core as pc
from perudo_core.english import differences
from tests.perudo_core.notation import BOOKS

MINE = partial(pc.Rulebook.from_toml, "mine")


def house(options: dict[str, Any]) -> pc.Rules:
    return pc.Rules().with_options(**options)


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


@pytest.mark.parametrize("preset", pc.PRESETS)
def test_column_of_the_table_with_the_clause_of_each_option(preset: str) -> None:
    column = {option: row[pc.PRESETS.index(preset)] for option, row in TABLE.items()}
    assert pc.Rules.preset(preset).to_dict() == {"preset": preset, **column}
    book = pc.Rulebook.preset(preset)
    assert list(book.clauses) == list(TABLE) == list(pc.Rules().to_dict())[1:]
    assert all(clause.startswith(f"{preset}: ") for clause in book.clauses.values())
    assert book.title
    assert book.language
    assert book.word_for_one == WORD_FOR_ONE[pc.PRESETS.index(preset)]


def test_options_change_one_thing_and_are_taken_by_their_text() -> None:
    rules = pc.Rules.preset("italian_box").with_options(calza=True)
    assert (rules.calza, rules.calza_by, rules.book) == (True, pc.CalzaBy.BYSTANDERS, "italian_box")
    values: dict[str, Any] = {
        "opener": pc.OpenerMethod.HIGHEST_SUM,
        "plain_raise": pc.PlainRaise.ANY_HIGHER,
        "lost_dice": pc.LostDice.VISIBLE,
        "max_seats": None,
    }
    texts = {"opener": "highest_sum", "plain_raise": "any_higher", "lost_dice": "visible", "max_seats": "unlimited"}
    named = pc.Rules().with_options(**texts)
    assert {name: getattr(named, name) for name in values} == values
    assert named == pc.Rules().with_options(**values)
    for ends in ({"starting_dice": 1}, {"starting_dice": 10}, {"min_seats": 2, "max_seats": 2}, {"max_seats": 50}):
        in_range = pc.Rules().with_options(**ends)
        assert pc.Rules.from_dict(in_range.to_dict()) == in_range


def test_the_repr_of_rules_is_code_in_one_line() -> None:
    aces = pc.Rules.preset("aces").with_options(max_seats=None, lost_dice="hidden", starting_dice=3)
    for rules, code in (
        (pc.Rules(), "Rules()"),
        (pc.Rules(calza=True), "Rules().with_options(calza=True)"),
        (pc.Rules.preset("azteca"), "Rules.preset('azteca')"),
        (aces, "Rules.preset('aces').with_options(starting_dice=3, lost_dice='hidden')"),
        (pc.Rules.from_dict({"preset": "custom", "calza": True}), "Rules().with_options(calza=True)"),
    ):
        assert repr(rules) == code
        assert eval(code, {"Rules": pc.Rules}) == rules  # noqa: S307 - our own


@pytest.mark.parametrize(
    ("read", "given", "reason"),
    [
        (house, {"sudden_death": True, "lose_by_difference": True}, "sudden_death puts the loser out at once"),
        (house, {"sudden_death": True, "first_out_wins": True}, "puts the loser out, and by first_out_wins"),
        (
            house,
            {"calza": True, "calza_by": "bystanders", "max_seats": 2},
            "calza is for bystanders, and at a table of two",
        ),
        (house, {"min_seats": 4, "max_seats": 3}, "max_seats 3 is below min_seats 4"),
        (house, {"min_seats": 1}, "min_seats must be 2 to"),
        (house, {"max_seats": 10**5000}, "max_seats must be 2 to"),
        (house, {"starting_dice": 11}, "starting_dice must be 1 to 10"),
        (house, {"starting_dice": True}, "starting_dice must be of type int, not bool"),
        (house, {"min_seats": "azteca"}, "not str: Rules.preset\\('azteca'\\)\\?"),
        (house, {"calza": 1}, "calza must be of type bool, not int"),
        (house, {"calza_by": "dealer"}, "calza_by must be one of anyone_but_bidder, bystanders, on_turn"),
        (house, {"opener": ["random"]}, "opener must be one of"),
        (house, {"preset": "aces"}, "preset is no option: begin with Rules.preset\\('aces'\\) and change its options"),
        (house, {"jokers": True}, "unknown option 'jokers'"),
        (house, {"based_on": "aces"}, "unknown option 'based_on'"),
        (house, {"palifco": True}, r"unknown option 'palifco' \(did you mean palifico\?\)"),
        (pc.Rules.from_toml, "calza = ", "not TOML: Invalid value"),
        (pc.Rules.from_toml, "a = " + "[" * 100_000, "not TOML"),
        (pc.Rules.from_toml, "about = 3", "about must be a table"),
        (pc.Rules.from_toml, "clauses = []", "clauses must be a table"),
        (pc.Rules.from_toml, "preset = 3", "unknown preset 3"),
        (pc.Rules.from_toml, "preset = []", "unknown preset"),
        (pc.Rules.preset, "poker", "unknown preset 'poker'; there are box_2009, "),
        (pc.Rulebook.preset, "box2009", r"'box2009' \(did you mean box_2009\?\); there are box_2009, "),
        (MINE, "[about]\nauthor = 'me'", "about"),
        (MINE, "about = 3", "about must be a table"),
        (MINE, "[about]\ntitle = 3", "title"),
        (MINE, "[clauses]\ncalza = 3", "calza"),
        (MINE, "[clauses]\ncalsa = '?'", r"a clause of no option: 'calsa' \(did you mean calza\?\)"),
        (partial(pc.Rulebook.from_toml, "My own"), "", "small letters"),
        (partial(pc.Rulebook.from_toml, "custom"), "", "is not 'custom'"),
    ],
)
def test_a_bad_option_house_file_or_name_is_refused_with_the_reason_and_the_nearest_one_suggested(
    read: Callable[[Any], object], given: Any, reason: str
) -> None:
    with pytest.raises(pc.RulesError, match=reason):
        read(given)


def test_a_house_file_says_what_differs_and_custom_rules_start_from_the_default() -> None:
    text = 'preset = "azteca"\ncalza = true\n[about]\ntitle = "At Nonna\'s"\n[clauses]\ncalza = "she likes it"\n'
    assert pc.Rules.from_toml(text) == pc.Rules.preset("azteca").with_options(calza=True)
    assert pc.Rules.from_toml("calza = true") == pc.Rules().with_options(calza=True), "the default, without a preset"
    rules = pc.Rules.from_dict({"preset": "custom", "calza": True})
    assert [each.book for each in (rules, rules.with_options(calza=False))] == ["custom", "custom"]
    for book, option in product(BOOKS, ({"sudden_death": True}, {"lose_by_difference": True}, {"palifico": False})):
        assert book.with_options(**option) != book, "an option without effect is no contradiction"


def test_the_options_in_which_rules_differ_are_told_in_words_for_each_value() -> None:
    box, azteca = pc.Rules(), pc.Rules.preset("azteca")
    assert differences(box, box) == ()
    assert differences(pc.Rules(starting_dice=1, max_seats=None), box) == (
        "Any number may play.",
        "Everyone begins with one die.",
    )
    assert len(differences(azteca, box)) == len(differences(box, azteca)) > 0
    for option in (each for each in fields(pc.Rules()) if each.compare):
        default: Any = option.default
        values: Any = [not default] if isinstance(default, bool) else [3] if isinstance(default, int) else type(default)
        for value in values:
            changed = pc.Rules(**{option.name: value})
            both = (*differences(changed, pc.Rules()), *differences(pc.Rules(), changed))
            assert len(set(both)) == (0 if value == default else 2), (option.name, value)


HOUSE = """
preset = "aces"
calza = true
[about]
title = "Grandmother's rules"
language = "English"
word_for_one = "joker"
[clauses]
calza = "grandmother: calza: whoever is sure may say it"
"""


def test_a_rulebook_of_ones_own_has_its_title_and_clauses_and_a_clause_says_where_a_book_is_silent() -> None:
    book = pc.Rulebook.from_toml("grandmother_1", HOUSE)
    rules = book.rules.with_options(calza=False)
    assert (rules.book, book.word_for_one) == ("grandmother_1", "joker")
    assert pc.clause(pc.Reason.CALZA_NOT_PLAYED, book.rules, book) == "grandmother: calza: whoever is sure may say it"
    assert pc.clause(pc.Reason.BID_TOO_LOW, rules, book) is None
    assert pc.describe(rules, rulebook=book) == "Grandmother's rules. Calza is not played."
    assert pc.describe(rules) == "Rules of an unknown book, grandmother_1."
    assert pc.describe(pc.Rules.from_dict({"preset": "custom"})) == "Rules of no book."
    for name, options in (
        ("azteca", "ones_may_open palifico_once palifico_with_two_players calza_by calza_in_palifico lost_dice"),
        ("french_guide", "calza_in_palifico"),
        ("aces", "opener lost_dice"),
    ):
        silent = [option for option, words in pc.Rulebook.preset(name).clauses.items() if ": not said; " in words]
        assert sorted(silent) == sorted(options.split()), name


def test_rules_are_frozen_and_hash_and_the_name_of_a_rulebook_is_only_a_label_that_a_copy_keeps() -> None:
    named, unnamed = pc.Rules.preset("box_2009"), pc.Rules.from_dict({"preset": "custom"})
    assert named == unnamed == pc.Rulebook(name="the_same_box", title="The same", rules=pc.Rules()).rules
    assert pc.Rules() == pc.Rules.preset(pc.DEFAULT_PRESET) == named
    assert (hash(named), repr(named)) == (hash(unnamed), repr(unnamed))
    with pytest.raises(FrozenInstanceError):
        named.calza = True  # type: ignore[misc]
    azteca = pc.Rules.preset("azteca")
    assert replace(azteca, calza=True) == azteca.with_options(calza=True)
    assert replace(azteca, calza=True).book == "azteca"


def test_every_option_in_full_needs_no_book_and_one_beyond_the_books_is_written_only_where_it_is_played() -> None:
    """A stored game has every option: the name of the house that played it is only a label."""
    options = pc.Rules(calza=True, starting_dice=3).to_dict() | {"preset": "at_bos_house"}
    rules = pc.Rules.from_dict(options)
    assert rules == pc.Rules(calza=True, starting_dice=3)
    assert rules.to_dict() == options
    assert pc.describe(rules) == "Rules of an unknown book, at_bos_house."
    assert pc.clause(pc.Reason.BID_TOO_LOW, rules) == "house: plain_raise = one_thing"
    with pytest.raises(pc.RulesError, match="unknown preset 'At Bo'"):
        pc.Rules.from_dict(options | {"preset": "At Bo"})
    del options["calza"]
    with pytest.raises(pc.RulesError, match="unknown preset 'at_bos_house'"):
        pc.Rules.from_dict(options)
    played = pc.Rules(calza=True, calza_costs_others=True)
    assert "calza_costs_others" not in pc.Rules().to_dict()
    assert played.to_dict() == pc.Rules(calza=True).to_dict() | {"calza_costs_others": True}
    assert pc.Rules.from_dict(played.to_dict()) == pc.Rules.from_toml(played.to_toml()) == played
    assert repr(played) == "Rules().with_options(calza=True, calza_costs_others=True)"
