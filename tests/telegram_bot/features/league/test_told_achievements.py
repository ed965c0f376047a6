"""The end of a game announces achievements."""

import pytest
from sqlalchemy import update

from telegram_bot.features.league.notices import AchievementView, EveningNotice, achievement_words
from telegram_bot.features.league.queries import TOLD_AT_ONCE, take_achievements
from telegram_bot.service.handlers.ending import Leave
from telegram_bot.service.handlers.lobby_requests import Start
from telegram_bot.statistics.achievements import ACHIEVEMENTS, FEATS, Achievement
from telegram_bot.statistics.bluff_card import Feat
from telegram_bot.storage.models import GameTable, RoundEnd
from telegram_bot.storage.statistics_models import Award, GameResult
from telegram_bot.words.catalogue import LANGUAGES, catalogue
from tests.telegram_bot.conftest import GroupHarness
from tests.telegram_bot.statistics.conftest import PlayGame


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
    earned = tuple(AchievementView(name=name, key=achievement.key) for name in ("Ana", "Bo"))
    told = frozenset({("Ana", str(achievement.feat))})
    assert EveningNotice(achievements=earned).without(told).achievements == earned[1:]


async def test_a_game_that_does_not_count_tells_no_achievements_of_games_before_it(
    harness: GroupHarness, play_game: PlayGame
) -> None:
    await play_game("Ana", "Bo", "Cy", seed=1)
    assert harness.rows(Award)
    with harness.database.transaction() as session:
        session.exec(update(Award).values(told=False))
    harness.mark_all_sent()
    await harness.lobby("Ana", "Bo", "Cy")
    table = max(row.id for row in harness.rows(GameTable))
    with harness.database.transaction() as session:
        row = session.get_one(GameTable, table)
        row.state = row.state | {"unrated": True}
        row.version += 1
    await harness.tap("Ana", Start(), table=table)
    for name in ("Ana", "Bo"):
        harness.mark_all_sent()
        await harness.tap(name, Leave(confirmed=True), table=table)
    (over,) = [notice for notice in harness.notices("game_over") if notice.seat is None]
    assert [each for part in over.parts for each in part.achievements] == []


@pytest.mark.parametrize(("hidden", "chat", "told"), [(False, 1, ["marathon"]), (True, 1, []), (False, 2, [])])
async def test_nothing_is_told_of_who_hides_nor_in_another_group(
    harness: GroupHarness, *, hidden: bool, chat: int, told: list[str]
) -> None:
    await harness.lobby("Ana")
    ana = harness.player("Ana")
    harness.update_row(type(ana), ana.id, hidden=hidden)
    with harness.database.transaction() as session:
        result = GameResult(chat_id=1, ended_at=harness.now, counted=True)
        session.add(result)
        session.flush()
        session.add(Award(player_id=ana.id, name="marathon", result_id=result.id))
        session.flush()
        assert [each.key for each in take_achievements(session, [ana.id], chat)] == told
