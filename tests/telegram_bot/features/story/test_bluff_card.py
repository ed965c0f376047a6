"""The highlight of a game: the picture of its end, and nothing else at the end tells it again."""

from typing import Literal

import pytest

from telegram_bot.features.story.analysis import GameStory, StoryCall, StorySeat
from telegram_bot.features.story.announcing import story_key
from telegram_bot.features.story.notices import BluffCardNotice, ReelNotice, StoryNotice, beats
from telegram_bot.features.story.requests import ShowReel, TellStory
from telegram_bot.notices import GameOverNotice
from telegram_bot.notices.rendering import caption_html, message_html
from telegram_bot.service.handlers.settings import Choose
from telegram_bot.service.results.bluff_cards import highlight_of
from telegram_bot.statistics.achievements import FEATS
from telegram_bot.statistics.bluff_card import BluffCard, Feat
from telegram_bot.words.catalogue import catalogue
from telegram_bot.words.lines import Format, Medium
from tests.telegram_bot.conftest import GroupHarness
from tests.telegram_bot.features.story.test_story import story
from tests.telegram_bot.statistics.conftest import PlayGame

ENGLISH = catalogue("en")
FEAT_OF = {"bid": Feat.BLUFF, "dudo": Feat.DUDO, "calza": Feat.CALZA}


@pytest.mark.parametrize("hidden", [False, True])
async def test_the_end_of_a_game_is_one_message_with_the_highlight_as_its_picture(
    harness: GroupHarness, play_game: PlayGame, *, hidden: bool
) -> None:
    if hidden:
        for name in ("Ana", "Bo"):
            await harness.say(name, Choose("hidden", value=True))
    await play_game("Ana", "Bo", seed=1)
    (over,) = (
        each.notice
        for each in harness.envelopes()
        if each.chat == harness.group.address and isinstance(each.notice, GameOverNotice)
    )
    cards = [part for part in over.parts if isinstance(part, BluffCardNotice)]
    assert len(cards) == (not hidden)
    assert (over.picture(ENGLISH) is None) == hidden
    for card in cards:
        (sentence,) = (line.text for line in card.lines(Format(ENGLISH, Medium.CHAT)))
        assert sentence in (message_html(over, ENGLISH) or "")
        assert sentence not in (caption_html(over, ENGLISH) or "")


@pytest.mark.parametrize(("call", "feat"), [("bid", Feat.BLUFF), ("dudo", Feat.DUDO), ("calza", Feat.CALZA)])
def test_a_story_in_the_chat_leaves_out_what_the_end_has_told(
    call: Literal["bid", "dudo", "calza"], feat: Feat
) -> None:
    made = StoryCall(seat=0, round=1, call=call, quantity=9, face=2, dice=(3, 4), chance=10)
    seats = (StorySeat(place=1, luck=0, skill=0), StorySeat(place=2, luck=0, skill=0))
    found = GameStory(course=((5, 5), (5, 0)), seats=seats, bluff=made, best=made)
    card = BluffCard(feat=feat, seat=0, total=10, chance=10, quantity=9, face=2)
    notice = StoryNotice(table=1, story=found, names=("Ana", "Bo"), told=(card,))
    assert "9" not in (message_html(notice, ENGLISH) or "")
    assert "9" in (message_html(notice.model_copy(update={"told": ()}), ENGLISH) or "")
    assert beats(notice, ENGLISH), "the ceremony of a television tells it, in place of the highlight"


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


@pytest.mark.parametrize("asked", [("story", "reel"), ("reel", "story")], ids=" before ".join)
async def test_an_end_tells_each_wonder_once_in_title_picture_caption_story_and_reel(
    harness: GroupHarness, play_game: PlayGame, asked: tuple[str, str]
) -> None:
    counted = 0
    for seed in range(1, 7):
        game = await play_game("Ana", "Bo", "Cy", seed=seed)
        (over,) = (each for each in harness.notices("game_over") if isinstance(each, GameOverNotice) and each.in_group)
        names = [seat.name for seat in harness.table(game).seats]
        told = [
            (part.name, part.card.feat, part.card.quantity, part.card.face)
            for part in over.parts
            if isinstance(part, BluffCardNotice)
        ]
        titles = {(each.name, FEATS[each.key]) for part in over.parts for each in getattr(part, "achievements", ())}
        assert not titles & {wonder[:2] for wonder in told}
        for what in asked:
            harness.mark_all_sent()
            request: TellStory | ShowReel = ShowReel()
            if what == "story":
                request = TellStory(found := await story(harness))
                await harness.service.key_values.put(story_key(game), found.model_dump_json())
            await harness.tap("Bo", request, table=game)
            for notice in harness.notices(what)[:1]:
                if isinstance(notice, StoryNotice):
                    calls = filter(None, (notice.untold.bluff, notice.untold.best))
                    told += [(names[call.seat], FEAT_OF[call.call], call.quantity, call.face) for call in calls]
                elif isinstance(notice, ReelNotice):
                    reveals = [each for each in notice.reveals if each.view.table == game]
                    told += [(each.name, each.card.feat, each.card.quantity, each.card.face) for each in reveals]
        assert len(told) == len(set(told)), (seed, told)
        counted += len(told)
    assert counted > 6, "more than the highlights"
