"""The results of finished games: stored once, the same after a recount, and without forgotten players."""

from typing import Any

import pytest
from sqlalchemy import delete

from perudo_core import Rules
from telegram_bot.errors import OperatorError
from telegram_bot.intents import intents as i
from telegram_bot.operations.forget import PersonDeletion
from telegram_bot.operations.pruning import DAY_SECONDS, Pruning
from telegram_bot.operations.recount import STATISTICS, Recounted, recount, recount_within
from telegram_bot.service.handlers.lobby_requests import Start
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
        harness.update_row(
            PlayerStatistics, player.player_id, streak=2, best_streak=2, drought=9 + player.games, last_places=3
        )
    await play_game("Ana", "Bo", "Cy", seed=2)
    sums: dict[int | None, PlayerStatistics] = {row.player_id: row for row in harness.rows(PlayerStatistics)}
    first, second, last = (
        sums[row.player_id] for row in sorted(harness.rows(SeatResult)[3:], key=lambda row: row.place)
    )
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
    await harness.lobby("Ana", "Bo")
    await harness.tap("Ana", Start())
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
    await harness.lobby("Ana", "Bo")
    await harness.tap("Ana", Start())
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
