"""Each achievement: a game that earns it, and one that falls just short of it."""

from typing import Any

from perudo_core import Action, Bid, Calza, Dudo, OpenerDraw, Roll, Rules
from telegram_bot.statistics.achievements import ACHIEVEMENTS, Career, earned
from telegram_bot.statistics.game_facts import PlayedAction, SeatFacts, facts_of

WON = {"place": 1}
EXAMPLES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "first_win": ({"career.wins": 1, "career.streak": 1}, {"career.wins": 2, "career.streak": 1}),
    "unharmed": (WON | {"rounds": 3}, WON | {"rounds": 3, "dice_lost": 1}),
    "comeback": (WON | {"fewest_dice": 1, "dice_lost": 4}, WON | {"fewest_dice": 2, "dice_lost": 3}),
    "photo_finish": (WON | {"dice_left": 1, "dice_lost": 4}, WON | {"dice_left": 2, "dice_lost": 4}),
    "three_in_a_row": ({"career.streak": 3}, {"career.streak": 2}),
    "five_in_a_row": ({"career.streak": 5}, {"career.streak": 4}),
    "rain_at_last": (WON | {"career.drought": 10}, WON | {"career.drought": 9}),
    "honest": (WON | {"bids": 5}, WON | {"bids": 5, "bluffs": 1}),
    "born_liar": (WON | {"bids": 6, "bluffs": 3}, WON | {"bids": 6, "bluffs": 2}),
    "pacifist": (WON | {"rounds": 5}, WON | {"rounds": 5, "dudos": 1}),
    "autopilot": (WON | {"automatic": 1}, {"place": 2, "automatic": 1}),
    "poker_face": ({"bluffs": 5, "bluffs_held": 5}, {"bluffs": 6, "bluffs_held": 5}),
    "tall_tale": ({"boldest_bluff": 8}, {"boldest_bluff": 7}),
    "pants_on_fire": ({"caught_far_off": 4}, {"caught_far_off": 3}),
    "on_the_dot": ({"exactly_enough": 2}, {"exactly_enough": 1}),
    "word_of_honour": ({"bids_doubted": 4, "bids_held": 4}, {"bids_doubted": 5, "bids_held": 4}),
    "lie_detector": ({"dudos": 4, "dudos_right": 4}, {"dudos": 5, "dudos_right": 4}),
    "fine_nose": ({"opening_dudos_right": 1}, {}),
    "by_a_hair": ({"tightest_dudos": 3}, {"tightest_dudos": 2}),
    "trust_issues": ({"dudos": 5, "dudos_right": 1}, {"dudos": 4, "dudos_right": 1}),
    "way_off": ({"late_dudos": 1}, {}),
    "bullseye": ({"calzas": 1, "calzas_right": 1}, {"calzas": 1}),
    "robin_hood": ({"calzas": 2, "calzas_right": 2}, {"calzas": 2, "calzas_right": 1}),
    "blind_archer": ({"calzas": 3}, {"calzas": 3, "calzas_right": 1}),
    "lizard": ({"dice_regained": 2}, {"dice_regained": 1}),
    "five_alike": ({"rolled_alike": 5}, {"rolled_alike": 4}),
    "bouncer": ({"knocked_out": 3}, {"knocked_out": 2}),
    "snowball": ({"losing_run": 4}, {"losing_run": 3}),
    "fortress": ({"rounds_unharmed": 8}, {"rounds_unharmed": 7}),
    "auction": ({"longest_round": 12}, {"longest_round": 11}),
    "marathon": ({"rounds": 25}, {"rounds": 24}),
    "early_night": ({"place": 4, "players": 4}, {"place": 4, "players": 4, "has_left": True}),
    "wooden_spoon": ({"career.last_places": 3}, {"career.last_places": 2}),
    "regular": ({"career.games": 10}, {"career.games": 9}),
    "furniture": ({"career.games": 100}, {"career.games": 99}),
}


def earned_by(values: dict[str, Any]) -> list[str]:
    """The achievements of a game in which only these events happened."""
    game: dict[str, Any] = {"players": 3, "place": 2, "fewest_dice": 5, "dice_left": 3}
    career = {name.removeprefix("career."): value for name, value in values.items() if name.startswith("career.")}
    game |= {name: value for name, value in values.items() if not name.startswith("career.")}
    return earned(SeatFacts(**game), Career(**career))


def test_each_is_earned_by_its_example_and_not_by_what_falls_short() -> None:
    assert list(EXAMPLES) == [each.key for each in ACHIEVEMENTS]
    assert [key for key, (enough, _) in EXAMPLES.items() if key not in earned_by(enough)] == []
    assert [key for key, (_, short) in EXAMPLES.items() if key in earned_by(short)] == []


def test_where_the_first_without_dice_wins_whoever_is_wrong_counts_as_harmed() -> None:
    rules = Rules(starting_dice=3, calza=True, first_out_wins=True)
    rounds = (
        (((2, 2, 2), (3, 3, 3)), Bid(0, 3, 2), Dudo(1)),  # holds: Ana gives a die away
        (((2, 2), (3, 3, 3)), Bid(1, 2, 6), Dudo(0)),  # does not: so does she
        (((2,), (3, 3, 3)), Bid(1, 3, 3), Calza(0)),  # exact: so does she, and wins
    )
    actions: list[Action] = [OpenerDraw(0)]
    for dice, bid, answer in rounds:
        actions += [Roll(dice), bid, answer]
    ana, bo = facts_of(rules, 2, [PlayedAction(action, automatic=False) for action in actions])
    assert (ana.place, ana.dice_lost, ana.rounds_unharmed) == (1, 0, 3)
    assert (bo.place, bo.dice_lost, bo.losing_run) == (2, 2, 2)
    assert ana.fewest_dice == 3


def test_a_player_who_began_with_one_die_more_and_lost_none_comes_back_from_nothing() -> None:
    rules = Rules(starting_dice=1, extra_die=True)
    actions: list[Action] = [OpenerDraw(0), Roll(((2, 2), (3,))), Bid(0, 2, 2), Dudo(1)]
    ana, _ = facts_of(rules, 2, [PlayedAction(action, automatic=False) for action in actions])
    assert (ana.place, ana.fewest_dice) == (1, 2)
