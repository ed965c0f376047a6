"""The reel of an evening: its best reveals, sent once, without the names of hidden players."""

from io import BytesIO

import pytest
from PIL import Image, ImageSequence

from perudo_core import Roll
from telegram_bot.channels.telegram.pictures import picture_of
from telegram_bot.features.story.moment_pictures import SIZE
from telegram_bot.features.story.notices import ReelNotice, StoryAnswer, StoryAnswerNotice, reel_sentences
from telegram_bot.features.story.reel import REVEALED, ReelReveal
from telegram_bot.features.story.requests import ShowReel, reel_keys
from telegram_bot.intents.envelope import Envelope
from telegram_bot.pictures import canvas
from telegram_bot.repositories.repositories import actions_of
from telegram_bot.service.handlers.lobby_requests import Start
from telegram_bot.service.handlers.settings import Choose
from telegram_bot.service.results.bluff_cards import highlight_of
from telegram_bot.statistics.bluff_card import IS_A_FEAT, BluffCard, Feat
from telegram_bot.storage.models import RoundEnd
from telegram_bot.words.catalogue import LANGUAGES, catalogue
from tests.telegram_bot.conftest import GroupHarness
from tests.telegram_bot.features.story.examples import a_reveal
from tests.telegram_bot.pixels import is_near
from tests.telegram_bot.statistics.conftest import PlayGame

ENGLISH = catalogue("en")
LARGEST = 600_000


async def asked(harness: GroupHarness, table: int | None = None) -> StoryAnswer:
    harness.mark_all_sent()
    toast = (await harness.tap("Bo", ShowReel(), table=table)).toast
    assert isinstance(toast, StoryAnswerNotice)
    return toast.answer


def the_reel(harness: GroupHarness) -> ReelNotice:
    (told,) = harness.notices("reel")
    assert isinstance(told, ReelNotice)
    return told


async def test_it_shows_a_bluff_and_a_doubt_of_different_people_the_least_likely_one_last(
    harness: GroupHarness, play_game: PlayGame
) -> None:
    games = [await play_game("Ana", "Bo", "Cy", seed=seed) for seed in (1, 2, 3)]
    assert await asked(harness, games[-1]) is StoryAnswer.TOLD
    reveals = the_reel(harness).reveals
    assert sorted(reveal.card.feat for reveal in reveals) == [Feat.BLUFF, Feat.DUDO], "these rules have no calza"
    assert len({reveal.name for reveal in reveals}) == len(set(reel_sentences(the_reel(harness), ENGLISH))) == 2
    chances = [reveal.card.chance for reveal in reveals]
    assert chances == sorted(chances, reverse=True)
    assert max(chances) <= 100 * IS_A_FEAT
    told = await harness.service.database.run(
        lambda session: highlight_of(harness.service.unit_of_work(session, ""), harness.table(games[-1]))
    )
    assert (told, games[-1]) not in [(reveal.card, reveal.view.table) for reveal in reveals], "the end has told it"
    for reveal in reveals:
        rolls = [action for action, _, _ in await rolled(harness, reveal.view.table)]
        assert reveal.view.dice in [roll.dice for roll in rolls if isinstance(roll, Roll)]
        assert reveal.view.bid is not None
        assert (reveal.card.quantity, reveal.card.face) in {(bid.quantity, bid.face) for bid in reveal.view.bids}


async def rolled(harness: GroupHarness, table: int) -> list[tuple[object, str, float]]:
    return [*await harness.service.database.run(lambda session: actions_of(session, table))]


async def test_games_of_an_earlier_evening_are_not_in_it(harness: GroupHarness, play_game: PlayGame) -> None:
    await play_game("Ana", "Bo", seed=1)
    harness.now += 86_400
    today = await play_game("Ana", "Bo", seed=2)
    await asked(harness, today)
    assert {reveal.view.table for reveal in the_reel(harness).reveals} == {today}


async def test_it_comes_after_the_game(harness: GroupHarness) -> None:
    await harness.lobby("Ana", "Bo")
    await harness.tap("Ana", Start())
    assert await asked(harness) is StoryAnswer.LATER
    assert harness.notices("reel") == []


async def test_it_is_sent_once(harness: GroupHarness, play_game: PlayGame) -> None:
    game = await play_game("Ana", "Bo", seed=1)
    assert await asked(harness, game) is StoryAnswer.TOLD
    assert await asked(harness, game) is StoryAnswer.REEL_ABOVE
    assert harness.notices("reel") == []


async def test_hidden_players_have_no_name_in_it(harness: GroupHarness, play_game: PlayGame) -> None:
    await harness.say("Ana", Choose("hidden", value=True))
    game = await play_game("Ana", "Bo", seed=1)
    assert await asked(harness, game) is StoryAnswer.TOLD
    for reveal in the_reel(harness).reveals:
        assert {seat.name for seat in reveal.view.seats} == {"", "Bo"}
        assert reveal.name == "Bo"


async def test_without_a_success_there_is_none(harness: GroupHarness, play_game: PlayGame) -> None:
    for name in ("Ana", "Bo"):
        await harness.say(name, Choose("hidden", value=True))
    game = await play_game("Ana", "Bo", seed=1)
    assert await asked(harness, game) is StoryAnswer.NO_REEL
    assert harness.notices("reel") == []


def a_reel(reveals: int, players: int) -> ReelNotice:
    card = BluffCard(feat=Feat.BLUFF, seat=0, total=30, chance=3, quantity=9, face=1)
    view = a_reveal([f"Player {number}" for number in range(players)])
    view = view.model_copy(update={"dice": (*view.dice, *((2, 3, 4, 5, 6),) * (players - 2))})
    return ReelNotice(table=1, reveals=(ReelReveal(card=card, view=view),) * reveals, bot="perudo_bot")


def frames_of(notice: ReelNotice, language: str = "en") -> tuple[bytes, list[tuple[Image.Image, int]]]:
    envelope = Envelope(channel="telegram", chat=-1, pictures=True, notice=notice)
    picture = picture_of(envelope, catalogue(language))
    assert picture is not None
    assert picture.animated
    gif = picture.draw()
    frames = ImageSequence.Iterator(Image.open(BytesIO(gif)))
    return gif, [(frame.convert("RGB"), frame.info["duration"]) for frame in frames]


@pytest.mark.parametrize("players", [2, 6, 10])
def test_three_reveals_take_a_quarter_of_a_minute_and_are_upright_and_small(players: int) -> None:
    gif, frames = frames_of(a_reel(len(REVEALED), players))
    assert len(gif) < LARGEST
    assert 13_000 <= sum(milliseconds for _, milliseconds in frames) <= 18_000
    assert {frame.size for frame, _ in frames} == {SIZE}


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_sentence_comes_with_the_result_because_it_would_tell_it_before(language: str) -> None:
    _, frames = frames_of(a_reel(1, 3), language)
    written = [
        any(is_near(color, canvas.WHITE) for _, color in frame.crop((0, 70, SIZE[0], 200)).getcolors(1 << 20) or ())
        for frame, _ in frames
    ]
    assert written == [False] * (len(frames) - 1) + [True]


def test_a_key_below_it_brings_the_bot_to_another_group_also_where_it_is_forwarded() -> None:
    ((key,),) = reel_keys(a_reel(1, 2), catalogue("en"))
    assert (key.label, key.url) == ("🎲 Play here", "https://t.me/perudo_bot?startgroup=play")


async def test_it_says_that_a_bluff_was_a_voice_note(harness: GroupHarness, play_game: PlayGame) -> None:
    game = await play_game("Ana", "Bo", "Cy")
    for end in harness.rows(RoundEnd):
        view = end.view | {"spoken": [[number, 33] for number in range(len(end.view["bids"]))]}
        harness.update_row(RoundEnd, (game, end.deal), view=view)
    assert await asked(harness, game) is StoryAnswer.TOLD
    (bluff,) = (reveal for reveal in the_reel(harness).reveals if reveal.card.feat is Feat.BLUFF)
    assert bluff.spoken
    assert any(
        " out loud with none of them" in sentence for sentence in reel_sentences(the_reel(harness), catalogue("en"))
    )
