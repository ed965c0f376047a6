"""The card after a game: the bot sends it once, after the end."""

import pytest

from telegram_bot.features.story.notices import BluffCardNotice
from telegram_bot.service.handlers.settings import Choose
from telegram_bot.service.results.bluff_cards import highlight_of
from telegram_bot.statistics.bluff_card import Feat
from tests.telegram_bot.conftest import GroupHarness
from tests.telegram_bot.features.story.test_story import story
from tests.telegram_bot.statistics.conftest import PlayGame


@pytest.mark.parametrize("hidden", [False, True])
async def test_the_group_gets_it_once_behind_the_end_of_the_game(
    harness: GroupHarness, play_game: PlayGame, hidden: bool
) -> None:
    if hidden:
        for name in ("Ana", "Bo"):
            await harness.say(name, Choose("hidden", value=True))
    await play_game("Ana", "Bo", seed=1)
    kinds = [kind for kind, chat in harness.waiting_kinds() if chat == harness.group.address]
    assert kinds.count("bluff_card") == (not hidden)
    if not hidden:
        assert kinds.index("bluff_card") > kinds.index("game_over")
        (told,) = harness.notices("bluff_card")
        assert isinstance(told, BluffCardNotice)
        assert told.name in ("Ana", "Bo")
        assert told.about_table == 1, "pages show it below no later game"


@pytest.mark.parametrize("seed", [15, 19])
async def test_the_card_and_the_story_name_the_same_bluff(
    harness: GroupHarness, play_game: PlayGame, seed: int
) -> None:
    await play_game("Ana", "Bo", "Cy", seed=seed)
    table = harness.table()
    told = await harness.service.database.run(
        lambda session: highlight_of(harness.service.unit_of_work(session, ""), table, (Feat.BLUFF,))
    )
    bluff = (await story(harness)).bluff
    assert told is not None
    assert bluff is None or (bluff.seat, bluff.quantity, bluff.face) == (told.seat, told.quantity, told.face)
