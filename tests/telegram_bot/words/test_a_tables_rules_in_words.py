"""The sentences of a table's rules in English are in `approved_options.txt`; the tests here hold for any rules."""

from dataclasses import fields
from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from perudo_core import PRESETS, CalzaBy, LostDice, OpenerMethod, PlainRaise, Rules, RulesError
from telegram_bot.words.catalogue import LANGUAGES, Catalogue, catalogue
from telegram_bot.words.rules import option_label, option_value_label, options_differing, rules_text

ENGLISH = catalogue("en")
BOOK = Rules.preset("box_2009")


def told(rules: Rules) -> str:
    return "\n".join(rules_text(rules, ENGLISH))


def test_the_rules_are_told_from_the_options_and_never_from_the_book() -> None:
    for preset, other in product(PRESETS, repeat=2):
        assert told(Rules.from_dict(Rules.preset(preset).to_dict() | {"preset": other})) == told(Rules.preset(preset))


def mixed_rules() -> st.SearchStrategy[Rules]:
    def build(options: dict[str, object]) -> Rules | None:
        try:
            return Rules.from_dict(options)
        except RulesError:
            return None

    values: dict[str, st.SearchStrategy[object]] = {
        "preset": st.sampled_from([*PRESETS, "custom"]),
        "starting_dice": st.integers(1, 10),
        "min_seats": st.integers(2, 4),
        "max_seats": st.none() | st.integers(4, 10),
        "opener": st.sampled_from(list(OpenerMethod)),
        "plain_raise": st.sampled_from(list(PlainRaise)),
        "calza_by": st.sampled_from(list(CalzaBy)),
        "lost_dice": st.sampled_from(list(LostDice)),
    } | {field.name: st.booleans() for field in fields(Rules) if isinstance(field.default, bool)}
    return st.fixed_dictionaries({}, optional=values).map(build).filter(bool).map(lambda rules: rules or BOOK)


@given(rules=mixed_rules(), w=st.sampled_from(LANGUAGES).map(catalogue))
def test_any_house_has_short_and_whole_sentences(rules: Rules, w: Catalogue) -> None:
    for paragraph in rules_text(rules, w):
        assert paragraph[0].isupper()
        assert paragraph.endswith(".")
        assert not set("{}<>&") & set(paragraph)
        assert all(len(sentence) <= 150 for sentence in paragraph.split(". "))
    assert len("\n".join(rules_text(rules, w))) < 3500  # with a heading it fits one message
    for phrase in options_differing(rules, w):
        assert 0 < len(phrase) <= 50


@given(rules=mixed_rules(), w=st.sampled_from(LANGUAGES).map(catalogue))
def test_every_option_of_any_house_has_a_name_and_a_value(rules: Rules, w: Catalogue) -> None:
    for name, value in rules.to_dict().items():
        assert 0 < len(option_label(name, w)) <= 24
        assert 0 < len(option_value_label(name, value, w)) <= 24
        native = rules.book if name == "preset" else getattr(rules, name)
        assert option_value_label(name, native, w) == option_value_label(name, value, w)
