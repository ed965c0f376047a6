"""The sentences of a table's rules in English are in `approved_options.txt`; the tests here hold for any rules."""

import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perudo_core import PRESETS, Bid, CalzaBy, LostDice, OnesRank, OpenerMethod, PlainRaise, Rules, RulesError
from telegram_bot.notices import Confirmation, ConfirmationNotice, HelpNotice, Notice, RulesNotice
from telegram_bot.tables.house_rules import with_effect
from telegram_bot.tables.tip_rules import fitting_tips
from telegram_bot.tables.views import bid_view, calza_stakes, hand_view
from telegram_bot.words import rules as rule_words
from telegram_bot.words.catalogue import LANGUAGES, Catalogue, catalogue
from telegram_bot.words.lines import Format, Medium, plain
from telegram_bot.words.sms import game_texts
from telegram_bot.words.sms.layout import TextReader
from telegram_bot.words.tip_words import tip_text
from tests.perudo_core.test_properties import mixes
from tests.telegram_bot.conftest import running_table
from tests.telegram_bot.words.notice_examples import feature_examples

ENGLISH = catalogue("en")


def told(rules: Rules) -> str:
    return "\n".join(rule_words.rules_text(rules, ENGLISH))


def test_the_rules_are_told_from_the_options_and_never_from_the_book() -> None:
    for preset, other in product(PRESETS, repeat=2):
        assert told(Rules.from_dict(Rules.preset(preset).to_dict() | {"preset": other})) == told(Rules.preset(preset))


def test_one_die_and_the_extra_one_are_enough_to_roll_again() -> None:
    two, one = (Rules(starting_dice=1, extra_die=extra, reroll_after_bid=True) for extra in (True, False))
    assert ["roll the others again" in told(rules) for rules in (two, one)] == [True, False]


ANY_RULES = mixes(
    starting_dice=st.integers(1, 9),
    min_seats=st.integers(2, 4),
    max_seats=st.none() | st.integers(4, 10),
    opener=st.sampled_from(OpenerMethod),
    plain_raise=st.sampled_from(PlainRaise),
    ones_rank=st.sampled_from(OnesRank),
    calza_by=st.sampled_from(CalzaBy),
    lost_dice=st.sampled_from(LostDice),
)


@given(rules=ANY_RULES, w=st.sampled_from(LANGUAGES).map(catalogue))
def test_any_house_has_short_and_whole_sentences(rules: Rules, w: Catalogue) -> None:
    for paragraph in rule_words.rules_text(rules, w):
        assert paragraph[0].isupper()
        assert paragraph.endswith(".")
        assert not set("{}<>&") & set(paragraph)
        assert all(len(sentence) <= 150 for sentence in paragraph.split(". "))
    assert len("\n".join(rule_words.rules_text(rules, w))) < 3500  # with a heading it fits one message
    for phrase in rule_words.options_differing(rules, w):
        assert 0 < len(phrase) <= 50


@given(rules=ANY_RULES, w=st.sampled_from(LANGUAGES).map(catalogue))
def test_every_option_of_any_house_has_a_name_and_a_value(rules: Rules, w: Catalogue) -> None:
    for name, value in rules.to_dict().items():
        assert 0 < len(rule_words.option_label(name, w)) <= 24
        assert 0 < len(rule_words.option_value_label(name, value, w)) <= 24
        native = rules.book if name == "preset" else getattr(rules, name)
        assert rule_words.option_value_label(name, native, w) == rule_words.option_value_label(name, value, w)


ONES = r"ones (are wild|count)|one.* counts as well|half the number"
LOSES_ONE = r"(lose|cost)s? (a die|one)\b"
BACK = r"wins? .*(die|dice) back"
LASTS = r"the last \w+ with dice wins"
UNTRUE: dict[tuple[tuple[str, object], ...], str] = {
    (("wild_ones", True), ("palifico", False)): "ones are not wild",
    (("sudden_death", False),): "out of the game",
    (("lose_by_difference", False),): "bid was off by",
    (("first_out_wins", False),): r"gives? .*(die|dice) away|without dice wins",
    (("wild_ones", False),): ONES,
    (("ones_rank", "highest"),): r"half the number|count double|lowest face in|beat 5 ones",
    (("ones_rank", "lowest"),): r"half the number|count double|highest face|beat(s)? (5 )?six",
    (("palifico_every_round", True),): rf"{ONES}|in number or in face|higher face|drops to one die|only one die left",
    (("first_out_wins", True),): rf"{LASTS}|{LOSES_ONE}|lose (dice|several)|{BACK}|out of the game|losing a die",
    (("sudden_death", True),): rf"{LOSES_ONE}|lose dice|{BACK}|losing a die|drops to one die",
    (("lose_by_difference", True),): rf"(doubt|bidder|wrong|dudo)[^.]*{LOSES_ONE}|losing a die",
    (("calza_costs_others", True),): BACK,
    (("calza", False),): r"say calza|calza says|calza pays|exact! ",
    (("palifico", False),): r"palifico round|is palifico|one die left",
    (("out_of_turn_dudo", True),): r"only the player whose turn it is may say dudo",
    (("lost_dice", "hidden"),): r"everyone sees how many dice",
    (("reroll_after_bid", False),): r"roll the others again",
    (("extra_die", False),): r"extra die",
}
"""For values of options, the words that no explanation may contain under them."""


def explanations(rules: Rules) -> Iterator[str]:
    """Everything that the bot says to explain a game with these rules, on a page, in a chat and by text."""
    yield from rule_words.how_to_play(rules, ENGLISH)
    for word in ("calza", "palifico", "ones", "pass", "same", "dudo"):
        if (word != "calza" or rules.calza) and (word != "palifico" or rules.has_palifico_rounds):
            yield from rule_words.sentences_about(word, rules, ENGLISH)
    palifico = 0 if rules.is_always_palifico else None
    hands = (hand[:dice] for hand, dice in zip(("112346", "22456", "13456"), rules.dice_at_start(3), strict=True))
    hand = hand_view(running_table(*hands, rules=rules, palifico=palifico, calls="2x4 3x4"), 2)
    tips = fitting_tips(hand)
    for tip, medium in product(tips, (Medium.CHAT, Medium.TEXT)):
        yield tip_text(tip, hand, Format(ENGLISH, medium))
    for asked, again in product((None, "asked", "again", "unheard"), (None, *tips)):
        said = game_texts.Said(help=asked, tip=again)  # type: ignore[arg-type]
        yield plain(game_texts.hand(hand, said, Format(ENGLISH, Medium.TEXT), TextReader()))
    bid = bid_view(Bid(1, 3, 4))
    notices: list[Notice] = [
        RulesNotice(rules=rules),
        HelpNotice(private=False, rules=rules),
        ConfirmationNotice(done=Confirmation.TAP_CALZA_AGAIN, bid=bid if rules.calza else None, **calza_stakes(rules)),
    ]
    notices += [each for module in feature_examples() for each in getattr(module, "explanations", lambda _: ())(rules)]
    for notice, medium in product(notices, (Medium.CHAT, Medium.TEXT)):
        yield plain(notice.lines(Format(ENGLISH, medium)))


@pytest.mark.parametrize("others", [{}, {"calza": True}, {"first_out_wins": True}, {"sudden_death": True}], ids=str)
def test_no_sentence_contradicts_an_option_of_the_table(others: dict[str, Any]) -> None:
    """Each value of each option, alone and with one of three others."""
    values = [{}, *({name: value} for name, option in rule_words.OPTIONS.items() for value in option.values)]
    for chosen in values:
        with suppress(RulesError):
            rules = Rules(**(others | chosen))
            said, effect = list(explanations(rules)), with_effect(rules)
            for options, untrue in UNTRUE.items():
                if all(effect.get(name) == value for name, value in options):
                    assert not [each for each in said if re.search(untrue, each, re.IGNORECASE)], chosen
