"""/stats, /league and /hide, as people in a group and in private see them."""

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import update

from perudo_core import Bid, Dudo, Rules, load_action
from telegram_bot.features.league import HIDDEN, IN_GROUP, NEVER_PLAYED, SeeLeague, SeeStatistics
from telegram_bot.features.league import notices as n
from telegram_bot.features.league.queries import TOLD_AT_ONCE, Season, memories_of, season_at, take_achievements
from telegram_bot.intents import intents as i
from telegram_bot.notices import LobbyNotice, StartedNotice
from telegram_bot.presentation.cards import card_of
from telegram_bot.service.handlers.ending import Leave
from telegram_bot.service.handlers.lobby_requests import Start
from telegram_bot.service.handlers.settings import Choose
from telegram_bot.service.results.game_results import record_places
from telegram_bot.statistics.achievements import ACHIEVEMENTS, FEATS, Achievement
from telegram_bot.statistics.bluff_card import Feat
from telegram_bot.statistics.ratings import GAMES_BEFORE_SHOWN, Rating
from telegram_bot.storage import statistics_models as models
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import GameAction, GameTable, RoundEnd
from telegram_bot.storage.statistics_models import Award
from telegram_bot.tables.events import RejectionReason
from telegram_bot.tables.views import lobby_view
from telegram_bot.words.catalogue import LANGUAGES, catalogue
from test_support.features import features_off
from tests.telegram_bot.channels.telegram.test_updates import message, replying_to, request
from tests.telegram_bot.conftest import ANA, EN, GroupHarness, lobby_table, rejection_of
from tests.telegram_bot.service.test_reveal import by_kind, harness_with_beat
from tests.telegram_bot.statistics.conftest import PlayGame
from tests.telegram_bot.words.notice_examples import words

BO_WRITES = {"id": 102, "is_bot": False, "first_name": "Bo"}
LADDER = SeeLeague(computers=True)


async def ask(harness: GroupHarness, name: str, request: i.AnyRequest, **more: Any) -> Any:
    harness.mark_all_sent()
    await harness.say(name, request, **more)
    return harness.envelopes()[-1].notice


async def stats(harness: GroupHarness, name: str, of: str | None = None, **more: Any) -> Any:
    return await ask(harness, name, SeeStatistics(None if of is None else harness.person(of).address), **more)


async def league(harness: GroupHarness, name: str) -> Any:
    return await ask(harness, name, SeeLeague())


def scores(harness: GroupHarness) -> list[tuple[n.EveningScore, ...]]:
    parts = [part for over in harness.notices("game_over") for part in over.parts if isinstance(part, n.EveningNotice)]
    return [part.evening for part in parts if part.evening]


async def test_stats_are_of_oneself_or_of_whom_one_replies_to(harness: GroupHarness, play_game: PlayGame) -> None:
    for seed in (0, 2):
        await play_game("Ana", "Bo", "Cy", seed=seed)
    mine, theirs = await stats(harness, "Ana"), await stats(harness, "Ana", of="Bo")
    assert (mine.name, mine.own, mine.games) == ("Ana", True, 2)
    assert (theirs.name, theirs.own, theirs.games) == ("Bo", False, 2)
    assert mine.dudos >= mine.dudos_right > 0
    assert theirs.rivals[0].name == "Ana", "whoever asks comes first"
    assert theirs.rivals[0].ahead + theirs.rivals[0].behind == 2
    against = {rival.name: (rival.ahead, rival.behind) for rival in mine.rivals}
    assert against.keys() == {"Bo", "Cy"}, "no one is their own rival"
    assert against["Bo"] == (theirs.rivals[0].behind, theirs.rivals[0].ahead)
    assert mine.rating is None
    harness.update_row(models.PlayerStatistics, harness.player("Ana").id, games=GAMES_BEFORE_SHOWN)
    assert (await stats(harness, "Ana")).rating is not None, "from the tenth game on"


async def test_rivals_of_a_group_are_told_there_and_in_private(harness: GroupHarness, play_game: PlayGame) -> None:
    await play_game("Ana", "Bo")
    elsewhere = i.Place("telegram", -1002, 0, "Others")
    for where in (elsewhere, replace(elsewhere, topic=7), None, harness.group):
        mine, of_bo = [
            [rival.name for rival in (await stats(harness, "Ana", of=of, where=where)).rivals] for of in (None, "Bo")
        ]
        assert mine == (["Bo"] if where in (None, harness.group) else []), where
        assert of_bo == (["Ana"] if where == harness.group else []), where


async def test_whoever_has_not_played_is_told_how_to_and_where_a_league_is(harness: GroupHarness) -> None:
    notice = await stats(harness, "Ana")
    assert notice.games == 0
    assert "/perudo" in words(notice)
    harness.mark_all_sent()
    await harness.say("Ana", SeeStatistics(999))
    await harness.say("Ana", SeeLeague(), where=None)
    assert harness.notices("answer") == [NEVER_PLAYED, IN_GROUP]


async def test_a_point_for_each_player_who_is_out_before(harness: GroupHarness, play_game: PlayGame) -> None:
    for seed in range(2):
        await play_game("Ana", "Bo", "Cy", seed=seed)
    found = await league(harness, "Bo")
    assert [row.rank for row in found.rows] == [1, 2, 3]
    assert sum(row.points for row in found.rows) == 2 * (2 + 1 + 0)
    assert sum(row.wins for row in found.rows) == 2
    points = Counter[int | None]()
    for row in harness.rows(models.SeatResult):
        points[row.player_id] += 3 - row.place
    assert all(row.points == points[harness.player(row.name).id] for row in found.rows)
    assert [row.points for row in found.rows] == sorted(points.values(), reverse=True)


async def test_a_league_is_a_groups_and_begins_each_month(harness: GroupHarness, play_game: PlayGame) -> None:
    group = harness.group
    await play_game("Ana", "Bo")
    harness.group = i.Place("telegram", group.address, 7, "Friends")
    await play_game("Ana", "Bo", seed=2)
    rows = (await league(harness, "Ana")).rows
    assert {row.games for row in rows} == {2}
    harness.group = i.Place("telegram", -5005, 0, "Others")
    assert (await league(harness, "Ana")).rows == ()
    harness.group = group
    harness.now += 32 * 86400
    begun = await league(harness, "Ana")
    assert (begun.rows, begun.champion) == ((), rows[0].name)


async def test_hidden_people_are_in_no_league_and_come_back(harness: GroupHarness, play_game: PlayGame) -> None:
    await play_game("Ana", "Bo", "Cy")
    await harness.say("Bo", Choose("hidden", value=True))
    assert "compare you with no one" in words(harness.notices("confirmation")[-1])
    assert sorted(row.name for row in (await league(harness, "Ana")).rows) == ["Ana", "Cy"]
    assert "Bo" not in [rival.name for rival in (await stats(harness, "Ana")).rivals]
    assert await ask(harness, "Ana", SeeStatistics(harness.person("Bo").address)) == HIDDEN
    assert (await stats(harness, "Bo")).hidden
    await harness.say("Bo", Choose("hidden", value=False))
    assert len((await league(harness, "Ana")).rows) == 3


async def test_the_second_game_tells_its_score_without_competitions(harness: GroupHarness, play_game: PlayGame) -> None:
    await play_game("Ana", "Bo")
    assert scores(harness) == []
    harness.mark_all_sent()
    (result,) = harness.rows(models.GameResult)
    ana, bo = (harness.player(name).id for name in ("Ana", "Bo"))
    with harness.database.transaction() as session:
        record_places(session, result.chat_id, harness.now, {bo: 1, ana: 2}, [])
    await play_game("Ana", "Bo", seed=2)
    assert [sum(each.wins for each in score) for score in scores(harness)] == [2]
    assert [row.games for row in (await league(harness, "Ana")).rows] == [3, 3], "a competition counts here"
    harness.mark_all_sent()
    harness.now += 86400
    await play_game("Ana", "Bo", seed=3)
    assert scores(harness) == [], "another evening"


async def test_a_game_counts_while_the_league_is_off(harness: GroupHarness, play_game: PlayGame) -> None:
    with features_off(["league"]):
        for seed in range(2):
            await play_game("Ana", "Bo", seed=seed)
    assert scores(harness) == []
    assert (await stats(harness, "Ana")).games == 2


def a_league(name: str, rating: int | None = None) -> n.LeagueNotice:
    row = n.LeagueRow(rank=1, name=name, points=118, wins=57, games=99, rating=rating)
    return n.LeagueNotice(title="Friends", year=2026, month=9, rows=(row,))


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_line_of_a_league_is_wider_than_a_phone(language: str) -> None:
    html = words(a_league("Maximiliane 🎲漢字漢字漢字", rating=1812), catalogue(language))
    table = html.partition("<pre>")[2].partition("</pre>")[0]
    assert all(len(line) <= 28 for line in table.splitlines())
    assert "1812" in table


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("❤️❤️❤️❤️❤️❤️", "❤️❤️❤️❤️…"),
        ("Ana ❤️", "Ana ❤️"),
        ("👍🏽👨‍👩‍👧👩🏽‍🚀🇮🇹🇫🇷", "👍🏽👨‍👩‍👧👩🏽‍🚀🇮🇹🇫🇷"),
        ("👍🏽👨‍👩‍👧👩🏽‍🚀🇮🇹🇫🇷👍🏽", "👍🏽👨‍👩‍👧👩🏽‍🚀🇮🇹…"),
        ("漢字漢字漢字", "漢字漢字…"),
        ("⌚︎ Bo", "⌚︎ Bo"),
    ],
)
def test_the_columns_of_a_league_are_even_whatever_signs_a_name_has(name: str, shown: str) -> None:
    line = words(a_league(name)).partition("<pre>")[2].splitlines()[0]
    seen, _, rest = line.removeprefix(" 1 ").partition(" 118")
    assert rest
    assert seen.rstrip() == shown
    width = {"⌚︎": 1, "❤️": 2, "…": 1, "👍🏽": 2, "👨‍👩‍👧": 2, "👩🏽‍🚀": 2, "🇮🇹": 2, "🇫🇷": 2, "漢": 2, "字": 2}
    wide = sum(seen.count(sign) * columns for sign, columns in width.items())
    assert wide + sum(character.isascii() for character in seen) == 10


def test_a_season_is_a_month_of_utc_and_a_rating_begins_with_1500() -> None:
    assert season_at(1_700_000_000) == Season(2023, 11)
    assert Season(2023, 12).after == Season(2024, 1)
    assert Season(2024, 1).before == Season(2023, 12)
    assert season_at(Season(2024, 3).begins) == Season(2024, 3)
    assert season_at(Season(2024, 3).begins - 1) == Season(2024, 2)
    assert Rating().shown == 1500


async def test_computer_players_have_their_own_list(harness: GroupHarness, play_game: PlayGame) -> None:
    await play_game("Ana", computers=2)
    kinds = harness.rows(models.ComputerStatistics)
    unrated = await ask(harness, "Ana", LADDER)
    assert unrated == n.ComputerRatingsNotice(rows=(), unrated=len(kinds)), "a group reads no one's ladder"
    best = kinds[0]
    harness.update_row(
        models.ComputerStatistics, (best.level, best.character), games=GAMES_BEFORE_SHOWN, mu=40.0, wins=7
    )
    found = await ask(harness, "Bo", LADDER)
    (row,) = found.rows
    assert (row.computer.level, row.computer.character) == (best.level, best.character)
    assert (row.rating, row.games, row.wins) == (Rating(40.0, best.sigma).shown, GAMES_BEFORE_SHOWN, 7)
    assert f"<b>{row.rating}</b> regular, " in words(found)
    assert (await league(harness, "Ana")).rows == (), "and no place in the group's league"


async def test_the_ladder_tells_whom_its_reader_has_beaten(harness: GroupHarness, play_game: PlayGame) -> None:
    for seed in range(1, 4):
        await play_game("Ana", seed=seed, computers=2)
    score = scores(harness)[-1]
    assert sum(each.wins for each in score) == 3
    assert {"🤖"} <= {each.name for each in score} <= {"Ana", "🤖"}, "computer players share a line of the score"
    rows = harness.rows(models.SeatResult)
    places = {row.result_id: row.place for row in rows if row.player_id is not None}
    computers = [row for row in rows if row.kind == models.PlayerKind.COMPUTER]
    beaten = {(row.level, row.character) for row in computers if row.place > places[row.result_id]}
    assert beaten
    found = await ask(harness, "Ana", LADDER, where=None)
    assert {(each.level, each.character) for each in found.beaten} == beaten
    assert "Your ladder" in words(found)
    assert "Next: finish ahead of a computer player like this: novice, calm." in words(found)


async def test_a_computer_player_remembers_who_doubted_it(harness: GroupHarness, play_game: PlayGame) -> None:
    longer = Rules.preset("box_2009")  # somebody doubts the same computer player twice
    harness.service.config = replace(harness.service.config, rules=longer)
    number = await play_game("Ana", "Bo", seed=2, computers=2)
    table, doubted = harness.table(number), Counter[tuple[str, str]]()
    bidder = 0
    for row in sorted(harness.rows(GameAction), key=lambda row: row.number):
        action = load_action(row.action)
        if isinstance(action, Bid):
            bidder = action.seat
        elif isinstance(action, Dudo) and table.is_computer(bidder) and not table.is_computer(action.seat):
            doubted[table.seats[bidder].name, table.seats[action.seat].name] += 1
    assert max(doubted.values()) > 1
    with harness.service.database.transaction() as session:
        uow = harness.service.unit_of_work(session, "test")
        here = session.get_one(GameTable, number)
        part = memories_of(uow, here, table)
        session.expunge(here)
        here.chat_id += 1
        assert memories_of(uow, here, table) is None, "what was played in another place stays there"
    assert part is not None
    memories = part.memories
    assert [doubted[each.rival, each.name] for each in memories] == sorted(doubted.values(), reverse=True)[:2]
    told = words(StartedNotice(view=lobby_view(table), parts=(part,)))
    assert all(f"{each.rival} remembers: {each.name}, you doubted me" in told for each in memories)


@pytest.mark.parametrize("hands", [("2", "33"), ("2", "33", "44")], ids=["over", "out"])
async def test_nobody_learns_of_an_end_before_their_group(database: Database, hands: tuple[str, ...]) -> None:
    harness = harness_with_beat(database)
    await harness.game(*hands, calls="1x5 dudo")
    harness.now += 600
    assert "reveal" in by_kind(harness)
    for wish in (SeeStatistics(), LADDER):
        answered = await harness.say("Ana", wish, where=None, by="toast")
        assert rejection_of(answered.toast) is RejectionReason.REVEALING, wish
    await harness.say("Gus", SeeStatistics(of=ANA), where=None)
    assert [notice.games for notice in harness.notices("statistics")] == [0], "as before the call"


def test_the_commands_for_a_league_and_for_the_statistics_of_whom_one_replies_to() -> None:
    assert request(message("/league")) == SeeLeague()
    assert request(message("/league@perudo_bot Bots")) == LADDER
    assert request(message("/stats")) == SeeStatistics()
    assert request(message("/stats", **replying_to(BO_WRITES))) == SeeStatistics(of=102)


@pytest.mark.parametrize(
    ("guests", "said"),
    [(0, ""), (1, "Guests don't count in the league."), (2, "You play as guests, so this game counts for no league.")],
)
def test_a_lobby_says_that_the_games_of_guests_count_for_no_league(guests: int, said: str) -> None:
    table = lobby_table(2)
    for seat in range(guests):
        table = table.with_seat(seat, guest=True)
    lobby = LobbyNotice(view=lobby_view(table))
    assert card_of(lobby, -1, table.id, EN)["note"] == said
    for notice in (lobby, StartedNotice(view=lobby.view)):
        assert ("league" in words(notice)) is bool(guests)
        assert said in words(notice)


def test_each_has_its_own_emoji_and_words_in_every_language() -> None:
    assert len({each.emoji for each in ACHIEVEMENTS}) == len(ACHIEVEMENTS)
    for language in LANGUAGES:
        said = n.achievement_words(catalogue(language))
        assert list(said) == [each.key for each in ACHIEVEMENTS]
        assert len({title for title, _ in said.values()}) == len(ACHIEVEMENTS), language
        assert all(len(f"{title} ({deed})") <= 100 for title, deed in said.values()), language


async def test_the_end_of_a_game_tells_two_at_most_and_none_twice(harness: GroupHarness, play_game: PlayGame) -> None:
    told: list[tuple[str, str]] = []
    for seed in range(5):
        harness.mark_all_sent()
        await play_game("Ana", "Bo", "Cy", seed=seed)
        (over,) = [notice for notice in harness.notices("game_over") if notice.seat is None]
        achievements = [each for part in over.parts for each in getattr(part, "achievements", ())]
        assert len(achievements) <= TOLD_AT_ONCE
        stored = max((end for end in harness.rows(RoundEnd) if end.over is not None), key=lambda end: end.table_id)
        assert stored.parts == [part.model_dump(mode="json") for part in over.parts], "shown again it is the same"
        told += [(each.name, each.key) for each in achievements]
    assert len(told) == len(set(told)) >= 6
    names = {harness.player(name).id: name for name in ("Ana", "Bo", "Cy")}
    earned = {(names[row.player_id], row.name) for row in harness.rows(Award) if row.told}
    assert set(told) <= earned
    assert {FEATS[key] for _, key in earned - {*told}} <= {Feat.BLUFF, Feat.CALZA, Feat.COMEBACK}, "highlights tell it"


@pytest.mark.parametrize("achievement", [each for each in ACHIEVEMENTS if each.feat is not None])
def test_an_achievement_that_the_highlight_tells_is_not_told_again(achievement: Achievement) -> None:
    earned = tuple(n.AchievementView(name=name, key=achievement.key) for name in ("Ana", "Bo"))
    told = frozenset({("Ana", str(achievement.feat))})
    assert n.EveningNotice(achievements=earned).without(told).achievements == earned[1:]


async def test_an_unrated_game_tells_no_earlier_achievements(harness: GroupHarness, play_game: PlayGame) -> None:
    earlier = await play_game("Ana", "Bo", seed=1)
    assert harness.rows(Award)
    with harness.database.transaction() as session:
        session.exec(update(Award).values(told=False))
    harness.mark_all_sent()
    await harness.lobby("Ana", "Bo")
    table = harness.table(earlier + 1)
    harness.store(table.replace(unrated=True))
    await harness.tap("Ana", Start(), table=table.id)
    harness.mark_all_sent()
    await harness.tap("Ana", Leave(confirmed=True), table=table.id)
    (over,) = [notice for notice in harness.notices("game_over") if notice.seat is None]
    assert [each for part in over.parts for each in part.achievements] == []


@pytest.mark.parametrize(("hidden", "chat", "told"), [(False, 1, ["marathon"]), (True, 1, []), (False, 2, [])])
async def test_who_hides_is_told_nowhere(harness: GroupHarness, *, hidden: bool, chat: int, told: list[str]) -> None:
    await harness.lobby("Ana")
    ana = harness.player("Ana")
    harness.update_row(type(ana), ana.id, hidden=hidden)
    with harness.database.transaction() as session:
        result = models.GameResult(chat_id=1, ended_at=harness.now, counted=True)
        session.add(result)
        session.flush()
        session.add(Award(player_id=ana.id, name="marathon", result_id=result.id))
        session.flush()
        assert [each.key for each in take_achievements(session, [ana.id], chat)] == told
