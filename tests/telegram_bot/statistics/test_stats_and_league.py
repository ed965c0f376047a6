"""/stats, /league and /hide, as people in a group and in private see them."""

from collections import Counter
from dataclasses import replace

import pytest

from perudo_core import Bid, Dudo, load_action
from telegram_bot.service import intents as i
from telegram_bot.service.notices import (
    ComputerRatingsNotice,
    GameOverNotice,
    LeagueNotice,
    StartedNotice,
    StatisticsNotice,
)
from telegram_bot.service.results.rivals import memories_of
from telegram_bot.statistics.ratings import GAMES_BEFORE_SHOWN, Rating, rate
from telegram_bot.statistics.seasons import Season, season_at
from telegram_bot.storage.models import GameAction, GameTable
from telegram_bot.storage.statistics_models import ComputerStatistics, PlayerKind, PlayerStatistics, SeatResult
from telegram_bot.tables.events import RejectionReason
from telegram_bot.tables.views import lobby_view
from telegram_bot.words.catalogue import LANGUAGES, catalogue
from telegram_bot.words.chat.render import message_html
from tests.telegram_bot.conftest import GroupHarness
from tests.telegram_bot.statistics.conftest import PlayGame

MONTH = 32 * 86400


def last_notice(harness: GroupHarness) -> object:
    return harness.envelopes()[-1].notice


async def stats(harness: GroupHarness, name: str, of: str | None = None) -> StatisticsNotice:
    harness.mark_all_sent()
    await harness.say(name, i.SeeStatistics(None if of is None else harness.person(of).address))
    notice = last_notice(harness)
    assert isinstance(notice, StatisticsNotice)
    return notice


async def league(harness: GroupHarness, name: str) -> LeagueNotice:
    harness.mark_all_sent()
    await harness.say(name, i.SeeLeague())
    notice = last_notice(harness)
    assert isinstance(notice, LeagueNotice)
    return notice


async def test_stats_are_of_oneself_or_of_whom_one_replies_to(harness: GroupHarness, play_game: PlayGame) -> None:
    for seed in range(3):
        await play_game("Ana", "Bo", "Cy", seed=seed)
    mine, theirs = await stats(harness, "Ana"), await stats(harness, "Ana", of="Bo")
    assert (mine.name, mine.own, mine.games) == ("Ana", True, 3)
    assert (theirs.name, theirs.own, theirs.games) == ("Bo", False, 3)
    assert mine.dudos >= mine.dudos_right > 0
    assert theirs.rivals[0].name == "Ana", "whoever asks comes first"
    assert theirs.rivals[0].ahead + theirs.rivals[0].behind == 3
    against = {rival.name: (rival.ahead, rival.behind) for rival in mine.rivals}
    assert against.keys() == {"Bo", "Cy"}, "nobody is their own rival"
    assert against["Bo"] == (theirs.rivals[0].behind, theirs.rivals[0].ahead)


async def test_a_group_is_told_nothing_of_who_plays_in_another_group(
    harness: GroupHarness, play_game: PlayGame
) -> None:
    await play_game("Ana", "Bo")
    elsewhere = i.Place("telegram", -1002, 0, "Others")
    for where in (elsewhere, replace(elsewhere, topic=7)):
        for of in (None, harness.person("Bo").address):
            harness.mark_all_sent()
            await harness.say("Ana", i.SeeStatistics(of), where=where)
            notice = last_notice(harness)
            assert isinstance(notice, StatisticsNotice)
            assert notice.rivals == ()
    assert [rival.name for rival in (await stats(harness, "Ana")).rivals] == ["Bo"]


async def test_in_private_people_see_whom_they_met_themselves(harness: GroupHarness, play_game: PlayGame) -> None:
    await play_game("Ana", "Bo")
    for of, rivals in ((None, ["Bo"]), (harness.person("Bo").address, [])):
        harness.mark_all_sent()
        await harness.say("Ana", i.SeeStatistics(of), where=None)
        notice = last_notice(harness)
        assert isinstance(notice, StatisticsNotice)
        assert [rival.name for rival in notice.rivals] == rivals


async def test_whoever_has_not_played_is_told_how_to(harness: GroupHarness) -> None:
    notice = await stats(harness, "Ana")
    assert notice.games == 0
    assert "/perudo" in (message_html(notice, catalogue("en")) or "")
    harness.mark_all_sent()
    await harness.say("Ana", i.SeeStatistics(999))
    assert harness.notices("rejection")[0].reason is RejectionReason.NEVER_PLAYED


async def test_the_rating_is_shown_from_the_tenth_game(harness: GroupHarness, play_game: PlayGame) -> None:
    await play_game("Ana", "Bo")
    ana = harness.player("Ana").id
    assert (await stats(harness, "Ana")).rating is None
    harness.update_row(PlayerStatistics, ana, games=GAMES_BEFORE_SHOWN)
    assert (await stats(harness, "Ana")).rating is not None


async def test_a_point_for_each_player_who_is_out_before_and_the_best_first(
    harness: GroupHarness, play_game: PlayGame
) -> None:
    for seed in range(3):
        await play_game("Ana", "Bo", "Cy", seed=seed)
    found = await league(harness, "Bo")
    assert [row.rank for row in found.rows] == [1, 2, 3]
    assert sum(row.points for row in found.rows) == 3 * (2 + 1 + 0)
    assert sum(row.wins for row in found.rows) == 3
    places: dict[int | None, int] = {}
    for row in harness.rows(SeatResult):
        places[row.player_id] = places.get(row.player_id, 0) + 3 - row.place
    assert {row.name: row.points for row in found.rows} == {
        name: places[harness.player(name).id] for name in ("Ana", "Bo", "Cy")
    }
    assert [row.points for row in found.rows] == sorted(places.values(), reverse=True)


async def test_a_new_month_is_a_new_season_which_names_the_champion_of_the_last(
    harness: GroupHarness, play_game: PlayGame
) -> None:
    await play_game("Ana", "Bo")
    winner = (await league(harness, "Ana")).rows[0].name
    harness.now += MONTH
    assert (await league(harness, "Ana")).rows == ()
    assert (await league(harness, "Ana")).champion == winner


async def test_another_group_has_another_league_and_topics_share_one(
    harness: GroupHarness, play_game: PlayGame
) -> None:
    group = harness.group
    await play_game("Ana", "Bo")
    harness.group = i.Place("telegram", group.address, 7, "Friends")
    await play_game("Ana", "Bo", seed=2)
    assert {row.games for row in (await league(harness, "Ana")).rows} == {2}
    harness.group = i.Place("telegram", -5005, 0, "Others")
    assert (await league(harness, "Ana")).rows == ()


async def test_who_hides_is_in_no_league_and_nobodys_statistics_and_comes_back(
    harness: GroupHarness, play_game: PlayGame
) -> None:
    await play_game("Ana", "Bo", "Cy")
    await harness.say("Bo", i.Choose("hidden", value=True))
    assert "in no league" in (message_html(harness.notices("confirmation")[-1], catalogue("en")) or "")
    found = await league(harness, "Ana")
    assert sorted(row.name for row in found.rows) == ["Ana", "Cy"]
    assert "Bo" not in [rival.name for rival in (await stats(harness, "Ana")).rivals]
    harness.mark_all_sent()
    await harness.say("Ana", i.SeeStatistics(harness.person("Bo").address))
    assert harness.notices("rejection")[0].reason is RejectionReason.HIDDEN
    assert (await stats(harness, "Bo")).hidden
    await harness.say("Bo", i.Choose("hidden", value=False))
    assert len((await league(harness, "Ana")).rows) == 3


async def test_a_league_is_a_groups(harness: GroupHarness) -> None:
    await harness.say("Ana", i.SeeLeague(), where=None)
    assert harness.notices("rejection")[0].reason is RejectionReason.LEAGUE_IN_GROUP


async def test_the_second_game_of_an_evening_tells_the_score(harness: GroupHarness, play_game: PlayGame) -> None:
    await play_game("Ana", "Bo")
    assert not any(notice.evening for notice in harness.notices("game_over"))
    harness.mark_all_sent()
    await play_game("Ana", "Bo", seed=2)
    scores = [notice.evening for notice in harness.notices("game_over") if notice.evening]
    assert [sum(each.wins for each in score) for score in scores] == [2]
    harness.mark_all_sent()
    harness.now += 86400
    await play_game("Ana", "Bo", seed=3)
    assert not any(notice.evening for notice in harness.notices("game_over")), "another evening"


@pytest.mark.parametrize("language", LANGUAGES)
async def test_no_line_of_a_league_is_wider_than_a_phone(
    harness: GroupHarness, play_game: PlayGame, language: str
) -> None:
    await play_game("Ana", "Bo")
    found = await league(harness, "Ana")
    rows = [
        row.model_copy(update={"name": "Maximiliane 🎲漢字漢字漢字", "rating": 1812, "points": 118})
        for row in found.rows
    ]
    html = message_html(found.model_copy(update={"rows": tuple(rows)}), catalogue(language)) or ""
    table = html.partition("<pre>")[2].partition("</pre>")[0]
    assert all(len(line) <= 28 for line in table.splitlines())
    assert "1812" in table


def test_a_season_is_a_month_of_utc() -> None:
    assert season_at(1_700_000_000) == Season(2023, 11)
    assert Season(2023, 12).after == Season(2024, 1)
    assert Season(2024, 1).before == Season(2023, 12)
    assert season_at(Season(2024, 3).begins) == Season(2024, 3)
    assert season_at(Season(2024, 3).begins - 1) == Season(2024, 2)


def test_a_rating_begins_at_1500_and_follows_the_places() -> None:
    assert Rating().shown == 1500
    first, second, third = rate([Rating()] * 3, [1, 2, 3])
    assert first.shown > second.shown > third.shown
    assert first.sigma < Rating().sigma


async def test_computer_players_have_a_list_of_their_own_with_ratings_from_the_tenth_game(
    harness: GroupHarness, play_game: PlayGame
) -> None:
    await play_game("Ana", computers=2)
    harness.mark_all_sent()
    kinds = harness.rows(ComputerStatistics)
    await harness.say("Ana", i.SeeLeague(computers=True), where=harness.group)
    assert last_notice(harness) == ComputerRatingsNotice(rows=(), unrated=len(kinds)), "a group reads nobody's ladder"
    best = kinds[0]
    harness.update_row(ComputerStatistics, (best.level, best.character), games=GAMES_BEFORE_SHOWN, mu=40.0, wins=7)
    harness.mark_all_sent()
    await harness.say("Bo", i.SeeLeague(computers=True))
    found = last_notice(harness)
    assert isinstance(found, ComputerRatingsNotice)
    (row,) = found.rows
    assert (row.computer.level, row.computer.character) == (best.level, best.character)
    assert (row.rating, row.games, row.wins) == (Rating(40.0, best.sigma).shown, GAMES_BEFORE_SHOWN, 7)
    assert f"<b>{row.rating}</b> regular, " in (message_html(found, catalogue("en")) or "")
    assert [each.name for each in (await league(harness, "Ana")).rows] == [], "and no place in the group's league"


async def test_the_ladder_tells_in_private_whom_somebody_has_finished_ahead_of(
    harness: GroupHarness, play_game: PlayGame
) -> None:
    for seed in range(1, 4):
        await play_game("Ana", seed=seed, computers=2)
    ana = next(row for row in harness.rows(SeatResult) if row.player_id is not None).player_id
    places = {row.result_id: row.place for row in harness.rows(SeatResult) if row.player_id == ana}
    beaten = {
        (row.level, row.character)
        for row in harness.rows(SeatResult)
        if row.kind == PlayerKind.COMPUTER and row.place > places[row.result_id]
    }
    assert beaten
    harness.mark_all_sent()
    await harness.say("Ana", i.SeeLeague(computers=True), where=None)
    found = last_notice(harness)
    assert isinstance(found, ComputerRatingsNotice)
    assert {(each.level, each.character) for each in found.beaten or ()} == beaten
    told = message_html(found, catalogue("en")) or ""
    assert "Your ladder" in told
    assert "Next: finish ahead of a computer player like this: novice, calm." in told


async def test_a_computer_player_remembers_who_doubted_it_in_the_last_game(
    harness: GroupHarness, play_game: PlayGame
) -> None:
    number = await play_game("Ana", "Bo", seed=2, computers=2)
    table = harness.table(number)
    doubted = Counter[tuple[str, str]]()
    bidder = 0
    for row in sorted(harness.rows(GameAction), key=lambda row: row.number):
        action = load_action(row.action)
        if isinstance(action, Bid):
            bidder = action.seat
        elif isinstance(action, Dudo) and table.is_computer(bidder) and not table.is_computer(action.seat):
            doubted[table.seats[bidder].name, table.seats[action.seat].name] += 1
    assert doubted
    with harness.service.database.transaction() as session:
        uow = harness.service.unit_of_work(session, "test")
        chat = harness.rows(GameTable)[0].chat_id
        memories = memories_of(uow, table, chat)
        assert memories_of(uow, table, chat + 1) == (), "what was played in another place stays there"
    assert [doubted[each.rival, each.name] for each in memories] == sorted(doubted.values(), reverse=True)[:2]
    notice = StartedNotice(view=lobby_view(table), memories=memories)
    told = message_html(notice, catalogue("en")) or ""
    assert all(f"{each.rival} remembers: {each.name}, you doubted me" in told for each in memories)


async def test_the_score_of_the_evening_counts_the_wins_of_computer_players_together(
    harness: GroupHarness, play_game: PlayGame
) -> None:
    for seed in range(3):
        await play_game("Ana", seed=seed, computers=3)
    over = [each for each in harness.notices("game_over") if each.seat is None][-1]
    assert isinstance(over, GameOverNotice)
    assert sum(each.wins for each in over.evening) == 3
    assert {each.name for each in over.evening} <= {"Ana", "🤖"}
    assert "🤖" in {each.name for each in over.evening}
