"""The results of finished games: stored once, the same after a recount; and the achievements that they earn."""

from typing import Any

import pytest
from sqlalchemy import delete

from perudo_core import Action, Bid, Calza, Dudo, OpenerDraw, Reroll, Roll, Rules
from telegram_bot.errors import OperatorError
from telegram_bot.intents import intents as i
from telegram_bot.operations.forget import PersonDeletion
from telegram_bot.operations.pruning import DAY_SECONDS, Pruning
from telegram_bot.operations.recount import STATISTICS, Recounted, recount, recount_within
from telegram_bot.statistics.achievements import ACHIEVEMENTS, Career, earned
from telegram_bot.statistics.bluff_card import BluffCard, Feat, find_highlight, shown_successes
from telegram_bot.statistics.game_facts import PlayedAction, SeatFacts, facts_of
from telegram_bot.statistics.ratings import GAMES_BEFORE_SHOWN, Rating
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import Chat
from telegram_bot.storage.process_lock import single_process_lock
from telegram_bot.storage.statistics_models import (
    Award,
    ComputerStatistics,
    GameResult,
    PlayerKind,
    PlayerStatistics,
    SeatResult,
)
from telegram_bot.tables.model import Status
from telegram_bot.tables.play import RESULT
from tests.telegram_bot.conftest import BOTH_DATABASES, GroupHarness
from tests.telegram_bot.statistics.conftest import PlayGame


def stored(harness: GroupHarness) -> dict[str, list[dict[str, Any]]]:
    return {
        model.__name__: in_order([row.model_dump() for row in harness.rows(model)])
        for model in (GameResult, SeatResult, PlayerStatistics, ComputerStatistics, Award)
    }


def in_order(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(rows, key=lambda row: sorted(map(str, row.items())))


def recounted(harness: GroupHarness) -> Recounted:
    with harness.database.transaction() as session:
        return recount_within(session)


async def test_a_game_is_stored_for_each_player_and_rates_them(harness: GroupHarness, play_game: PlayGame) -> None:
    number = await play_game("Ana", "Bo", "Cy")
    (result,) = harness.rows(GameResult)
    assert (result.table_id, result.counted, result.ended_at) == (number, True, harness.now)
    rows = {row.place: row for row in harness.rows(SeatResult)}
    assert sorted(rows) == [1, 2, 3]
    assert sum(row.dudos for row in rows.values()) in (4, 5), "each costs one of six dice"
    sums: dict[int | None, PlayerStatistics] = {row.player_id: row for row in harness.rows(PlayerStatistics)}
    assert [sums[rows[place].player_id].wins for place in (1, 2, 3)] == [1, 0, 0]
    ratings = [Rating(sums[rows[place].player_id].mu, sums[rows[place].player_id].sigma).shown for place in (1, 2, 3)]
    assert ratings[0] > ratings[1] > ratings[2]


async def test_runs_of_wins_and_of_games_without_a_win_go_on_or_end(harness: GroupHarness, play_game: PlayGame) -> None:
    await play_game("Ana", "Bo", "Cy")
    for player in harness.rows(PlayerStatistics):
        before = {"streak": 2, "best_streak": 2, "drought": 9 + player.games, "last_places": 3}
        harness.update_row(PlayerStatistics, player.player_id, **before)
    await play_game("Ana", "Bo", "Cy", seed=2)
    sums: dict[int | None, PlayerStatistics] = {row.player_id: row for row in harness.rows(PlayerStatistics)}
    by_place = sorted(harness.rows(SeatResult)[3:], key=lambda row: row.place)
    first, second, last = (sums[row.player_id] for row in by_place)
    assert [(row.streak, row.best_streak, row.drought, row.last_places) for row in (first, second, last)] == [
        (3, 3, 0, 0),
        (0, 2, 11, 0),
        (0, 2, 11, 4),
    ]
    awards = {award.name for award in harness.rows(Award) if award.player_id == first.player_id}
    assert {"three_in_a_row", "rain_at_last"} <= awards


async def test_computer_players_are_rated_and_rate_no_person(harness: GroupHarness, play_game: PlayGame) -> None:
    await play_game("Ana", "Bo")
    people = stored(harness)["PlayerStatistics"]
    for player in harness.rows(PlayerStatistics):
        harness.update_row(PlayerStatistics, player.player_id, games=GAMES_BEFORE_SHOWN)
    for seed in (2, 3):
        await play_game("Ana", "Bo", seed=seed, computers=3)
    before = stored(harness)
    assert [row | {"games": 1} for row in before["PlayerStatistics"]] == people, "no one's own rating has moved"
    seats = [row for row in harness.rows(SeatResult) if row.kind == PlayerKind.COMPUTER]
    assert len(seats) == 6
    rated = {(row.level, row.character): row for row in harness.rows(ComputerStatistics)}
    assert rated.keys() == {(seat.level, seat.character) for seat in seats}
    assert sum(row.games for row in rated.values()) == len({(seat.result_id, seat.character) for seat in seats})
    assert all(row.mu != Rating().mu and row.sigma < Rating().sigma for row in rated.values())
    opponents = {row.mu for row in harness.rows(SeatResult) if row.player_id is not None and row.result_id > 1}
    assert opponents == {row["mu"] for row in people}, "they are measured by people whose rating is known"


async def test_games_before_there_were_statistics_are_counted(harness: GroupHarness, play_game: PlayGame) -> None:
    await play_game("Ana", "Bo")
    before = stored(harness)
    with harness.database.transaction() as session:
        for model in STATISTICS:
            session.execute(delete(model))
    assert recounted(harness) == Recounted(games=1, first_time=1)
    without_told = in_order([row | {"told": True} for row in before["Award"]])
    assert stored(harness) == before | {"Award": without_told}, "and no one is told of old achievements"


async def test_a_result_counts_once_when_its_dice_are_shown_despite_an_earlier_recount(database: Database) -> None:
    harness = GroupHarness(database, rules=Rules(starting_dice=1))
    await harness.start_game("Ana", "Bo")
    await harness.call("1x2")
    await harness.call("dudo")
    assert (harness.table().status, harness.rows(GameResult)) == (Status.FINISHED, [])
    assert recounted(harness) == Recounted(games=1, first_time=1)
    harness.show_dice()
    assert (len(harness.rows(GameResult)), RESULT in harness.table().timers) == (1, False)


async def test_deleted_games_keep_their_results_and_ratings(harness: GroupHarness, play_game: PlayGame) -> None:
    await play_game("Ana", computers=2)
    harness.now += 40 * DAY_SECONDS
    await play_game("Ana", "Bo", seed=2, computers=2)
    await Pruning(harness.database, lambda: harness.now, keep_games_days=30).run()
    before = stored(harness)
    assert before["ComputerStatistics"]
    assert sorted(row["table_id"] is None for row in before["GameResult"]) == [False, True]
    done = recounted(harness)
    assert done == Recounted(games=1, deleted=1)
    assert "kept" in " ".join(done.lines())
    assert stored(harness) == before


async def test_who_is_forgotten_has_no_statistics_and_others_do(harness: GroupHarness, play_game: PlayGame) -> None:
    for seed in range(2):
        await play_game("Ana", "Bo", "Cy", seed=seed)
    bo = harness.player("Bo").id
    others = [row for row in stored(harness)["PlayerStatistics"] if row["player_id"] != bo]
    lines = await PersonDeletion(harness.service).all_of("@bo", dry_run=False, leave=False)
    assert any("statistics of 2 game(s)" in line for line in lines)
    after = stored(harness)
    assert after["PlayerStatistics"] == others
    assert not [row for kind in ("SeatResult", "Award") for row in after[kind] if row["player_id"] == bo]
    assert all(row["dudos"] == row["bids"] == 0 for row in after["SeatResult"] if row["player_id"] is None)
    assert recounted(harness) == Recounted(games=2)
    assert stored(harness) == after, "the others' ratings follow from those whom they played"


async def test_a_group_that_moves_takes_its_results_along(harness: GroupHarness, play_game: PlayGame) -> None:
    await play_game("Ana", "Bo")
    harness.mark_all_sent()
    old = harness.group
    harness.group = i.Place("telegram", -2002, 0, "Friends")
    await play_game("Ana", "Bo", seed=2)
    harness.group = old
    await harness.say("Ana", i.ChatMoved(-2002), by="nothing")
    (chat,) = harness.rows(Chat)
    assert chat.address == -2002
    assert [row.chat_id for row in harness.rows(GameResult)] == [chat.id, chat.id]


async def test_a_game_that_cannot_be_played_again_ends_all_the_same(harness: GroupHarness) -> None:
    await harness.start_game("Ana", "Bo")
    await harness.set_dice("22", "3")
    await harness.call("1x2")
    await harness.call("dudo")
    assert harness.notices("game_over")
    assert harness.rows(GameResult) == []
    assert recounted(harness).unreadable == [harness.table().code]


@BOTH_DATABASES
async def test_the_command_counts_again_and_finds_the_same_rows(harness: GroupHarness, play_game: PlayGame) -> None:
    await play_game("Ana", "Bo", "Cy")
    await play_game("Ana", "Bo", seed=2, computers=1)
    before = stored(harness)
    assert before["Award"]
    assert before["ComputerStatistics"]
    url = harness.database.engine.url.render_as_string(hide_password=False)
    assert recount(url, tell=print) == Recounted(games=2)
    assert stored(harness) == before


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
async def test_a_file_in_use_is_refused(
    harness: GroupHarness, play_game: PlayGame, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("telegram_bot.storage.process_lock.LOCK_TIMEOUT_SECONDS", 0.1)
    await play_game("Ana", "Bo")
    before = stored(harness)
    url = harness.database.engine.url.render_as_string(hide_password=False)
    with single_process_lock(url), pytest.raises(OperatorError, match="another perudo-bot works with"):
        recount(url, tell=print)
    assert stored(harness) == before


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


RULES = Rules.preset("box_2009").with_options(calza=True)
ANA, BO = 0, 1
BLUFF = (Bid(ANA, 3, 5), Bid(BO, 4, 5), Dudo(ANA))
"""The calls with the dice below: Ana bids three fives without a five, and Bo, who has four, raises."""
DICE = ((2, 2, 3, 4, 6), (5, 5, 5, 5, 6))


def card(dice: tuple[tuple[int, ...], ...], *calls: Action, automatic: bool = False, of: int = ANA) -> BluffCard | None:
    actions = (OpenerDraw(ANA), Roll(dice), *calls)
    return find_highlight(RULES, len(dice), [PlayedAction(each, automatic) for each in actions], [of])


def test_an_uncaught_bluff_and_a_call_against_the_odds_are_worth_telling() -> None:
    assert card(DICE, *BLUFF) == BluffCard(feat=Feat.BLUFF, seat=ANA, total=10, chance=21, quantity=3, face=5)
    calza = card((*DICE, (6, 6, 6, 6, 6)), Bid(ANA, 4, 4), Bid(BO, 4, 5), Calza(ANA))
    assert calza is not None
    assert (calza.feat, calza.quantity, calza.face) == (Feat.CALZA, 4, 5)
    dudo = card(((5, 5, 2, 3, 4), (2, 2, 3, 3, 4)), Bid(ANA, 3, 4), Bid(BO, 3, 5), Dudo(ANA))
    assert dudo is not None
    assert (dudo.feat, dudo.chance) == (Feat.DUDO, 13)


def test_a_bluff_that_was_caught_or_that_the_bot_made_and_a_likely_bid_are_not() -> None:
    assert card(((2, 2, 3, 4, 6), (5, 5, 6, 6, 6)), Bid(ANA, 4, 5), Dudo(BO)) is None
    assert card(DICE, *BLUFF, automatic=True) is None
    assert card(DICE, Bid(ANA, 1, 5), Bid(BO, 4, 5), Dudo(ANA)) is None


def test_a_bid_whose_dice_were_rolled_again_later_was_no_bluff() -> None:
    rules = RULES.with_options(reroll_after_bid=True)
    bids = (OpenerDraw(ANA), Roll(((2, 5, 5, 3, 4), (2, 2, 2, 6, 3))), Bid(ANA, 3, 2), Bid(BO, 4, 2), Bid(ANA, 4, 5))
    again = (*bids, Reroll(ANA, (5, 5), (3, 4, 4)), Dudo(BO))
    actions = [PlayedAction(each, automatic=False) for each in again]
    assert find_highlight(rules, 2, actions, [ANA], (Feat.BLUFF,)) is None
    assert facts_of(rules, 2, actions)[ANA].bluffs == 0


def test_among_the_bluffs_alone_a_less_likely_calza_does_not_count() -> None:
    dice = ((2, 2, 3, 4, 6), (5, 5, 5, 6, 6))
    calls = (OpenerDraw(ANA), Roll(dice), Bid(ANA, 3, 5), Calza(BO))
    actions = [PlayedAction(each, automatic=False) for each in calls]
    highlight = find_highlight(RULES, len(dice), actions, [ANA, BO])
    assert highlight is not None
    assert (highlight.seat, highlight.feat) == (BO, Feat.CALZA)
    bluff = find_highlight(RULES, len(dice), actions, [ANA, BO], [Feat.BLUFF])
    assert bluff is not None
    assert (bluff.seat, bluff.feat) == (ANA, Feat.BLUFF)


@pytest.mark.parametrize("first_out_wins", [False, True])
def test_to_win_from_one_die_is_a_comeback_unless_the_first_player_without_dice_wins(first_out_wins: bool) -> None:
    rules = Rules(starting_dice=1, first_out_wins=first_out_wins)
    calls = (OpenerDraw(ANA), Roll(((2,), (3,))), Bid(ANA, 1, 2), Dudo(BO))
    actions = [PlayedAction(each, automatic=False) for each in calls]
    feats = {success.card.feat for success in shown_successes(rules, 2, actions)}
    assert (Feat.COMEBACK in feats) != first_out_wins
