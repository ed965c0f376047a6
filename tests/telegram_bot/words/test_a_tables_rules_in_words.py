from dataclasses import fields
from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from perudo_core import PRESETS, CalzaBy, LostDice, OpenerMethod, PlainRaise, Rules, RulesError
from telegram_bot.words.catalogue import LANGUAGES, Catalogue, catalogue
from telegram_bot.words.rules import (
    option_label,
    option_value_label,
    options_differing,
    preset_label,
    rules_text,
)

ENGLISH = catalogue("en")
BOOK = Rules.preset("box_2009")


def told(rules: Rules) -> str:
    return "\n".join(rules_text(rules, ENGLISH))


def house(**options: object) -> str:
    return told(BOOK.with_options(**options))


SENTENCES: list[tuple[dict[str, object], str]] = [
    ({}, "Everyone starts with 5 dice under a cup."),
    ({"starting_dice": 3}, "Everyone starts with 3 dice under a cup."),
    ({"starting_dice": 1}, "Everyone has one die under a cup."),
    ({}, "For 2 to 6 players."),
    ({"max_seats": None}, "For 2 players or more."),
    ({"min_seats": 4, "max_seats": 4}, "For 4 players."),
    ({}, "Chance picks who opens the game."),
    ({"opener": "highest_die"}, "each rolls one die: the highest opens"),
    ({"opener": "highest_sum"}, "each rolls two dice: the highest sum opens"),
    ({}, "Whoever loses a die opens the next round"),
    ({"extra_die": True}, "5 dice under a cup. Whoever came last gets an extra die."),
    ({"extra_die": True, "starting_dice": 1}, "Whoever drops to one die is palifico"),
    ({"extra_die": True, "calza": True}, "the caller wins a lost die back; if not, the caller loses one."),
    ({}, "The last player with dice wins."),
    ({"first_out_wins": True}, "The first player without dice wins."),
    ({"first_out_wins": True}, "Whoever was wrong opens the next round."),
    ({"first_out_wins": True}, "the bidder gives a die away; if fewer, the doubter does."),
    ({"first_out_wins": True, "lose_by_difference": True}, "Whoever is right gives as many dice away"),
    (
        {"first_out_wins": True, "calza": True},
        "the caller gives a die away; if not, the bidder does.",
    ),
    ({"first_out_wins": True, "reverse_after_call": True}, "One round goes down the list of players"),
    ({}, "if it was the last one, the next player does."),
    ({"reverse_after_call": True}, "One round goes down the list of players, the next one up."),
    ({"reverse_after_call": True, "sudden_death": True}, "When a player is out, the next player opens."),
    ({"reroll_after_bid": True}, "you may show all your dice that count for it and roll the others again."),
    ({"palifico_every_round": True}, "Every round is a palifico round. The face stays as it was opened"),
    ({"palifico_every_round": True}, "Ones are not wild"),
    ({}, "Raise one thing only"),
    ({"plain_raise": "no_decrease"}, "go to a higher face with the same number or more"),
    ({"plain_raise": "any_higher"}, "Raise the number on any face"),
    ({"plain_raise": "ones_highest"}, "Raise the number on any face"),
    ({"plain_raise": "ones_highest"}, "Ones are the highest face: after 5 sixes, 5 ones; after 5 ones, 6 twos."),
    ({"plain_raise": "ones_highest", "wild_ones": False}, "Ones are not wild: they are the lowest face"),
    ({}, "Ones are wild: they count for whatever face was bid."),
    ({}, "with half the number, rounded up: after 7 fours, 4 ones or more."),
    ({}, "after 4 ones, 5 ones or 9 fours."),
    ({}, "No one opens a round with ones, except a palifico round."),
    ({"palifico": False}, "No one opens a round with ones."),
    ({"ones_may_open": True}, "You may open a round with ones."),
    ({"wild_ones": False}, "Ones are not wild: they are the lowest face"),
    ({}, "the doubter loses a die; if fewer, the bidder does."),
    ({"lose_by_difference": True}, "as many dice as the bid was off by, and always at least one."),
    ({"double_dudo": True}, "the doubter loses two dice; if fewer, the bidder loses one."),
    ({"sudden_death": True}, "the doubter is out of the game; if fewer, the bidder is."),
    ({}, "Only the player whose turn it is may say dudo."),
    ({"out_of_turn_dudo": True}, "Anyone but the bidder may say dudo at any time."),
    ({}, "Calza isn't played at this table."),
    ({"calza": True}, "the caller wins a lost die back, up to 5; if not, the caller loses one."),
    ({"calza": True, "starting_dice": 3}, "up to 3"),
    ({"calza": True, "sudden_death": True}, "If it is, nothing is lost; if not, the caller is out of the game."),
    (
        {"calza": True, "calza_costs_others": True},
        "If it is, all the others lose a die; if not, the caller loses one.",
    ),
    ({"calza": True, "calza_costs_others": True}, "No palifico round follows an exact calza."),
    (
        {"calza": True, "calza_costs_others": True, "sudden_death": True},
        "If it is, all the others are out of the game; if not, the caller is.",
    ),
    ({"calza": True}, "Anyone but the bidder may say it."),
    (
        {"calza": True, "calza_by": "bystanders"},
        "Anyone may say it, but not the bidder nor the player whose turn it is.",
    ),
    ({"calza": True, "calza_by": "bystanders"}, "There's no calza once only two players are left."),
    ({"calza": True, "calza_by": "on_turn"}, "Only the player whose turn it is may say it."),
    ({"calza": True, "calza_in_palifico": False}, "There's no calza in a palifico round."),
    ({"calza": True, "calza_with_two_players": False}, "There's no calza once only two players are left."),
    ({}, "Whoever drops to one die is palifico and opens a palifico round."),
    ({}, "In that round ones are not wild, and you may open with them."),
    ({"palifico": False}, "Palifico isn't played at this table."),
    ({"palifico_once": True}, "Each player is palifico once a game at most."),
    ({"palifico_with_two_players": False}, "There's no palifico round once only two players are left."),
    ({"palifico_face_change": True}, "Another player with one die may change the face"),
    ({}, "No one is shown how many dice"),
    ({"lost_dice": "visible"}, "Everyone sees how many dice each player has left."),
]


def test_each_option_has_its_sentence() -> None:
    assert [(options, words) for options, words in SENTENCES if words not in house(**options)] == []


def test_what_cannot_happen_at_the_table_is_not_told() -> None:
    cases: list[tuple[dict[str, object], dict[str, object], str]] = [
        ({}, {"wild_ones": False}, "In that round ones are not wild"),
        ({}, {"wild_ones": False}, "half the number"),
        ({}, {"palifico": False}, "palifico round"),
        ({}, {"starting_dice": 1}, "alifico"),
        ({}, {"sudden_death": True}, "alifico"),
        ({}, {"first_out_wins": True}, "alifico round"),
        ({}, {"sudden_death": True}, "Whoever loses a die"),
        ({"reroll_after_bid": True}, {"starting_dice": 1}, "roll the others again"),
        ({"palifico_once": True}, {"palifico": False}, "once a game"),
        ({"palifico_once": True}, {"palifico_every_round": True}, "once a game"),
        ({"palifico_with_two_players": False}, {"palifico_every_round": True}, "once only two players"),
        ({"palifico_every_round": True}, {"palifico": False}, "Every round"),
        ({"palifico_every_round": True}, {"first_out_wins": True}, "Every round"),
        ({}, {"palifico_every_round": True}, "half the number"),
        ({"calza": True, "calza_in_palifico": False}, {"palifico": False}, "no calza in"),
        ({"calza": True, "calza_in_palifico": False}, {"calza": False}, "no calza in"),
    ]
    for options, but, words in cases:
        assert words in house(**options)
        assert words not in house(**options | but), but


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


def test_options_and_books_have_short_names() -> None:
    options: dict[tuple[str, object], str] = {
        ("plain_raise", "any_higher"): "more dice, any face",
        ("calza", True): "on",
        ("calza", False): "off",
        ("starting_dice", 1): "1",
        ("max_seats", None): "no limit",
        ("preset", "aces"): "Aces (English)",
    }
    assert {option: option_value_label(*option, ENGLISH) for option in options} == options
    assert option_label("plain_raise", ENGLISH) == "Raises"
    names = [preset_label(preset, ENGLISH) for preset in (*PRESETS, "custom")]
    assert names == ["2009 edition", "Italian edition", "Aces (English)", "Azteca", "French guide", "House rules"]


def test_how_a_table_differs_from_its_book() -> None:
    assert [options_differing(Rules.preset(preset), ENGLISH) for preset in PRESETS] == [[]] * len(PRESETS)
    cases: list[tuple[str, dict[str, object], list[str]]] = [
        ("box_2009", {"calza": True}, ["with calza"]),
        ("aces", {"starting_dice": 3, "plain_raise": "any_higher"}, ["3 dice each", "more dice may be of any face"]),
        ("aces", {"starting_dice": 1}, ["1 die each"]),
        ("azteca", {"opener": "random", "max_seats": 4}, ["at most 4 players", "chance picks who opens"]),
        ("box_2009", {"max_seats": None, "min_seats": 3}, ["at least 3 players", "any number of players"]),
        (
            "italian_box",
            {"wild_ones": False, "sudden_death": True},
            ["ones are not wild", "one lost round and you are out"],
        ),
        ("italian_box", {"palifico": False, "palifico_once": True}, ["no palifico"]),
        ("italian_box", {"calza_by": "on_turn"}, []),  # no one says it at all
        ("italian_box", {"calza": True, "calza_by": "on_turn"}, ["with calza", "calza on your turn only"]),
        ("italian_box", {"lost_dice": "visible"}, ["all see how many dice are left"]),
        ("custom", {"out_of_turn_dudo": True}, ["anyone may say dudo at any time"]),
    ]
    for preset, options, phrases in cases:
        assert options_differing(Rules.from_dict({"preset": preset} | options), ENGLISH) == phrases
