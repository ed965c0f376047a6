"""The highlight of a game, and the reel of an evening: each told once, without the names of hidden players."""

from collections.abc import Callable, Collection
from io import BytesIO
from itertools import cycle
from typing import Any, Literal

import pytest
from PIL import Image, ImageSequence

from telegram_bot.channels.telegram.pictures import picture_of
from telegram_bot.channels.web.card_store import put_card
from telegram_bot.features.story import analysis
from telegram_bot.features.story import notices as n
from telegram_bot.features.story.analysis import GameStory, StoryCall, StorySeat
from telegram_bot.features.story.announcing import story_key
from telegram_bot.features.story.moment_pictures import SIZE
from telegram_bot.features.story.notices import ReelNotice, StoryAnswer
from telegram_bot.features.story.reel import REVEALED, ReelReveal
from telegram_bot.features.story.requests import ShowReel, TellStory, reel_keys
from telegram_bot.intents.envelope import Envelope
from telegram_bot.notices.rendering import caption_html
from telegram_bot.pictures import canvas
from telegram_bot.service.handlers.lobby_requests import Start
from telegram_bot.service.handlers.settings import Choose
from telegram_bot.service.results.bluff_cards import highlight_of
from telegram_bot.statistics.achievements import FEATS
from telegram_bot.statistics.bluff_card import IS_A_FEAT, BluffCard, Feat
from telegram_bot.storage.models import Chat, GameAction, RoundEnd
from telegram_bot.words.catalogue import LANGUAGES, catalogue
from telegram_bot.words.lines import Format, Medium
from test_support.web_world import WebWorld, a_room, keys_of
from tests.telegram_bot.conftest import GroupHarness
from tests.telegram_bot.features.story.examples import a_reveal
from tests.telegram_bot.features.story.test_story import answer_of, story
from tests.telegram_bot.pixels import is_near
from tests.telegram_bot.statistics.conftest import PlayGame
from tests.telegram_bot.words.notice_examples import words

ENGLISH = catalogue("en")
CARD = BluffCard(feat=Feat.BLUFF, seat=0, total=30, chance=3, quantity=9, face=1)


@pytest.fixture(autouse=True)
def few_worlds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stories are found in a moment; how sure they are is asked in `test_story.py`."""
    monkeypatch.setattr(analysis, "WORLDS", 10)


async def asked(harness: GroupHarness, table: int | None = None) -> StoryAnswer:
    harness.mark_all_sent()
    return answer_of((await harness.tap("Bo", ShowReel(), table=table)).toast)


def the_only(harness: GroupHarness, kind: Literal["reel", "game_over"]) -> Any:
    (told,) = [notice for notice in harness.notices(kind) if getattr(notice, "in_group", True)]
    return told


async def highlight(harness: GroupHarness, game: int, feats: Collection[Feat] = tuple(Feat)) -> BluffCard | None:
    return await harness.service.database.run(
        lambda session: highlight_of(harness.service.unit_of_work(session, ""), harness.table(game), feats)
    )


async def test_the_least_likely_of_its_reveals_comes_last(harness: GroupHarness, play_game: PlayGame) -> None:
    games = [await play_game("Ana", "Bo", "Cy", seed=seed) for seed in (1, 2, 3)]
    assert await asked(harness, games[-1]) is StoryAnswer.TOLD
    reveals = the_only(harness, "reel").reveals
    assert sorted(reveal.card.feat for reveal in reveals) == [Feat.BLUFF, Feat.DUDO], "these rules have no calza"
    assert (
        len({reveal.name for reveal in reveals}) == len(set(n.reel_sentences(the_only(harness, "reel"), ENGLISH))) == 2
    )
    chances = [reveal.card.chance for reveal in reveals]
    assert chances == sorted(chances, reverse=True)
    assert max(chances) <= 100 * IS_A_FEAT
    told = await highlight(harness, games[-1])
    assert (told, games[-1]) not in [(reveal.card, reveal.view.table) for reveal in reveals], "the end has told it"
    for reveal in reveals:
        rolls = [row.action for row in harness.rows(GameAction) if row.table_id == reveal.view.table]
        assert [*map(list, reveal.view.dice)] in [roll.get("dice") for roll in rolls]
        assert (reveal.card.quantity, reveal.card.face) in {(bid.quantity, bid.face) for bid in reveal.view.bids}


async def test_it_is_sent_once_about_the_games_of_this_evening(harness: GroupHarness, play_game: PlayGame) -> None:
    await play_game("Ana", "Bo", seed=1)
    harness.now += 86_400
    today = await play_game("Ana", "Bo", seed=2)
    assert await asked(harness, today) is StoryAnswer.TOLD
    assert {reveal.view.table for reveal in the_only(harness, "reel").reveals} == {today}
    assert await asked(harness, today) is StoryAnswer.REEL_ABOVE
    await harness.lobby("Ana", "Bo")
    await harness.tap("Ana", Start(), table=today + 1)
    assert await asked(harness, today + 1) is StoryAnswer.LATER
    assert harness.notices("reel") == []


async def test_hidden_players_have_no_name_in_it(harness: GroupHarness, play_game: PlayGame) -> None:
    await harness.say("Ana", Choose("hidden", value=True))
    assert await asked(harness, await play_game("Ana", "Bo", seed=1)) is StoryAnswer.TOLD
    for reveal in the_only(harness, "reel").reveals:
        assert {seat.name for seat in reveal.view.seats} == {"", "Bo"}
        assert reveal.name == "Bo"


def a_reel(reveals: int, players: int) -> ReelNotice:
    view = a_reveal([f"Player {number}" for number in range(players)])
    view = view.model_copy(update={"dice": (*view.dice, *((2, 3, 4, 5, 6),) * (players - 2))})
    return ReelNotice(table=1, reveals=(ReelReveal(card=CARD, view=view),) * reveals, bot="perudo_bot")


def frames_of(notice: ReelNotice, language: str = "en") -> tuple[bytes, list[tuple[Image.Image, int]]]:
    envelope = Envelope(channel="telegram", chat=-1, pictures=True, notice=notice)
    picture = picture_of(envelope, catalogue(language))
    assert picture is not None
    assert picture.animated
    gif = picture.draw()
    frames = ImageSequence.Iterator(Image.open(BytesIO(gif)))
    return gif, [(frame.convert("RGB"), frame.info["duration"]) for frame in frames]


@pytest.mark.parametrize("players", [2, 10])
def test_three_reveals_take_a_quarter_of_a_minute_and_are_upright_and_small(players: int) -> None:
    gif, frames = frames_of(a_reel(len(REVEALED), players))
    assert len(gif) < 600_000
    assert 13_000 <= sum(milliseconds for _, milliseconds in frames) <= 18_000
    assert {frame.size for frame, _ in frames} == {SIZE}


@pytest.mark.parametrize("find", [min, max])
def test_the_sentence_comes_with_the_result_because_it_would_tell_it_before(find: Callable[..., str]) -> None:
    told = a_reel(1, 3)
    shortest_or_longest = find(LANGUAGES, key=lambda language: len(n.reel_sentences(told, catalogue(language))[0]))
    _, frames = frames_of(told, shortest_or_longest)
    written = [
        any(is_near(color, canvas.WHITE) for _, color in frame.crop((0, 70, SIZE[0], 200)).getcolors(1 << 20) or ())
        for frame, _ in frames
    ]
    assert written == [False] * (len(frames) - 1) + [True]


def test_a_key_below_it_brings_the_bot_to_another_group_also_where_it_is_forwarded() -> None:
    ((key,),) = reel_keys(a_reel(1, 2), ENGLISH)
    assert (key.label, key.url) == ("🎲 Play here", "https://t.me/perudo_bot?startgroup=play")


async def test_it_says_that_a_bluff_was_a_voice_note(harness: GroupHarness, play_game: PlayGame) -> None:
    game = await play_game("Ana", "Bo", "Cy")
    for end in harness.rows(RoundEnd):
        view = end.view | {"spoken": [[number, 33] for number in range(len(end.view["bids"]))]}
        harness.update_row(RoundEnd, (game, end.deal), view=view)
    assert await asked(harness, game) is StoryAnswer.TOLD
    (bluff,) = (reveal for reveal in the_only(harness, "reel").reveals if reveal.card.feat is Feat.BLUFF)
    assert bluff.spoken
    assert any(" out loud with none of them" in each for each in n.reel_sentences(the_only(harness, "reel"), ENGLISH))


async def test_only_readers_of_the_room_get_its_animation_and_may_ask_for_it(world: WebWorld) -> None:
    ana, cy = await a_room(world, "Ana", "Cy")
    (room,) = world.rows(Chat)
    with world.database.transaction() as session:
        reel = ReelNotice(table=1, reveals=(ReelReveal(card=CARD, view=a_reveal(["Ana", "Cy"])),))
        assert put_card(session, room.address, "reel", reel, world.now) is not None
    for reader in (ana, cy):
        assert (await reader.card("reel"))["lines"] == ["Ana bid 9 ones with none of them, and got away with it."]
        answer = await reader.client.get("/seat/picture", params={"slot": "reel"})
        assert (answer.status_code, answer.headers["content-type"]) == (200, "image/gif")
        assert Image.open(BytesIO(answer.content)).size == SIZE
    dee = world.browser("192.0.2.9")
    for reader, slot, status in ((ana, "table", 404), (dee, "reel", 401)):
        assert (await reader.client.get("/seat/picture", params={"slot": slot})).status_code == status
    await ana.act("start")
    await dee.enter(key=(await keys_of(ana))[0])
    for act in ("story", "reel"):
        assert (await dee.act(act, table=1))["kind"] == "story_answer"
    assert (await dee.act("story", table=2))["reason"] == "no_table"


FEAT_OF = {"bid": Feat.BLUFF, "dudo": Feat.DUDO, "calza": Feat.CALZA}


@pytest.mark.parametrize("hidden", [False, True])
async def test_an_end_has_its_highlight_as_picture(harness: GroupHarness, play_game: PlayGame, *, hidden: bool) -> None:
    for name in ("Ana", "Bo") * hidden:
        await harness.say(name, Choose("hidden", value=True))
    game = await play_game("Ana", "Bo", seed=1)
    over = the_only(harness, "game_over")
    cards = [part for part in over.parts if isinstance(part, n.BluffCardNotice)]
    assert len(cards) == (not hidden)
    assert (over.picture(ENGLISH) is None) == hidden
    for card in cards:
        (sentence,) = (line.text for line in card.lines(Format(ENGLISH, Medium.CHAT)))
        assert sentence in words(over)
        assert sentence not in (caption_html(over, ENGLISH) or "")
    told = StoryAnswer.NO_REEL if hidden else StoryAnswer.TOLD
    assert (await asked(harness, game), len(harness.notices("reel"))) == (told, not hidden)


@pytest.mark.parametrize(("call", "feat"), [("bid", Feat.BLUFF), ("dudo", Feat.DUDO), ("calza", Feat.CALZA)])
def test_a_story_leaves_out_what_the_end_has_told(call: Literal["bid", "dudo", "calza"], feat: Feat) -> None:
    made = StoryCall(seat=0, round=1, call=call, quantity=9, face=2, dice=(3, 4), chance=10)
    seats = (StorySeat(place=1, luck=0, skill=0), StorySeat(place=2, luck=0, skill=0))
    found = GameStory(course=((5, 5), (5, 0)), seats=seats, bluff=made, best=made)
    card = BluffCard(feat=feat, seat=0, total=10, chance=10, quantity=9, face=2)
    notice = n.StoryNotice(table=1, story=found, names=("Ana", "Bo"), told=(card,))
    assert "9" not in words(notice)
    assert "9" in words(notice.model_copy(update={"told": ()}))
    assert n.beats(notice, ENGLISH), "the ceremony of a television tells it, in place of the highlight"


async def test_an_end_tells_each_wonder_once(harness: GroupHarness, play_game: PlayGame) -> None:
    """In its title, picture and caption, in the story and in the reel."""
    counted, alike = 0, set[bool]()
    for seed, order in zip((1, 2, 3), cycle([("story", "reel"), ("reel", "story")]), strict=False):
        game = await play_game("Ana", "Bo", "Cy", seed=seed)
        over, names = the_only(harness, "game_over"), [seat.name for seat in harness.table(game).seats]
        cards = [(part.name, part.card) for part in over.parts if isinstance(part, n.BluffCardNotice)]
        calls: list[StoryCall] = []
        titles = {(each.name, FEATS[each.key]) for part in over.parts for each in getattr(part, "achievements", ())}
        assert not titles & {(name, card.feat) for name, card in cards}
        found = await story(harness, game)
        named, bluff = await highlight(harness, game, [Feat.BLUFF]), found.bluff
        if named is not None and bluff is not None:
            alike.add((bluff.seat, bluff.quantity, bluff.face) == (named.seat, named.quantity, named.face))
        for what in order:
            harness.mark_all_sent()
            if what == "story":
                await harness.service.key_values.put(story_key(game), found.model_dump_json())
            await harness.tap("Bo", TellStory(found) if what == "story" else ShowReel(), table=game)
            for notice in harness.notices(what)[:1]:
                if what == "story":
                    calls += filter(None, (notice.untold.bluff, notice.untold.best))
                else:
                    cards += [(each.name, each.card) for each in notice.reveals if each.view.table == game]
        told = [(name, card.feat, card.quantity, card.face) for name, card in cards]
        told += [(names[call.seat], FEAT_OF[call.call], call.quantity, call.face) for call in calls]
        assert len(told) == len({*told}), (seed, told)
        counted += len(told)
    assert (counted > 3, alike) == (True, {True}), "more than the highlights, and story and card name the same bluff"
