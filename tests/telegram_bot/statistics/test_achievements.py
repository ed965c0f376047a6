"""Each achievement: a game that earns it, and one that falls just short of it."""

from typing import Any

import pytest
from sqlalchemy import delete

from telegram_bot.service.results.statistics_queries import TOLD_AT_ONCE, take_achievements
from telegram_bot.statistics.achievements import ACHIEVEMENTS, Career, earned
from telegram_bot.statistics.game_facts import SeatFacts
from telegram_bot.storage.statistics_models import Award, GameResult
from telegram_bot.words.catalogue import LANGUAGES, catalogue
from telegram_bot.words.statistics import achievement_words
from tests.telegram_bot.conftest import GroupHarness
from tests.telegram_bot.statistics.conftest import PlayGame

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


def test_each_has_its_own_emoji_and_words_in_every_language() -> None:
    assert len({each.emoji for each in ACHIEVEMENTS}) == len(ACHIEVEMENTS)
    for language in LANGUAGES:
        words = achievement_words(catalogue(language))
        assert list(words) == [each.key for each in ACHIEVEMENTS]
        assert len({title for title, _ in words.values()}) == len(ACHIEVEMENTS), language
        assert all(len(f"{title} ({deed})") <= 100 for title, deed in words.values()), language


async def test_the_end_of_a_game_tells_two_at_most_and_none_twice(harness: GroupHarness, play_game: PlayGame) -> None:
    told: list[tuple[str, str]] = []
    for seed in range(5):
        harness.mark_all_sent()
        await play_game("Ana", "Bo", "Cy", seed=seed)
        (over,) = [notice for notice in harness.notices("game_over") if notice.seat is None]
        assert len(over.achievements) <= TOLD_AT_ONCE
        told += [(each.name, each.key) for each in over.achievements]
    assert len(told) == len(set(told)) >= 6
    names = {harness.player(name).id: name for name in ("Ana", "Bo", "Cy")}
    assert sorted(told) == sorted((names[row.player_id], row.name) for row in harness.rows(Award) if row.told)


@pytest.mark.parametrize(("hidden", "chat", "told"), [(False, 1, ["marathon"]), (True, 1, []), (False, 2, [])])
async def test_nothing_is_told_of_who_hides_nor_in_another_group(
    harness: GroupHarness, play_game: PlayGame, *, hidden: bool, chat: int, told: list[str]
) -> None:
    await play_game("Ana", "Bo")
    ana = harness.player("Ana")
    harness.update_row(type(ana), ana.id, hidden=hidden)
    with harness.database.transaction() as session:
        session.exec(delete(Award))
        result = GameResult(chat_id=1, ended_at=harness.now, counted=True)
        session.add(result)
        session.flush()
        session.add(Award(player_id=ana.id, name="marathon", result_id=result.id))
        session.flush()
        assert [each.key for each in take_achievements(session, [ana.id], chat)] == told
