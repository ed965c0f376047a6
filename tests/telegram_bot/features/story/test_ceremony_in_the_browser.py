"""The ceremony on a television and each player's card on a phone, by a clock that only the test moves."""

import re
from typing import Any

import pytest
from playwright.async_api import Page, Route, expect

from telegram_bot.features.story.analysis import GameStory, StoryCall, StorySeat
from telegram_bot.features.story.notices import BluffCardNotice, StoryNotice
from telegram_bot.features.story.significance import Measure, Tell
from telegram_bot.features.story.tells import page_words as tells_words
from telegram_bot.notices import GameOverNotice, LobbyNotice
from telegram_bot.presentation.cards import Card, card_of
from telegram_bot.tables.faces import Face
from telegram_bot.tables.result_views import GameOverView
from telegram_bot.tables.views import SeatView, lobby_view
from telegram_bot.words.catalogue import LANGUAGES, Catalogue
from telegram_bot.words.page import page_catalogue, page_words
from test_support.documents import ROOT
from tests.end_to_end.test_web_seat_in_the_browser import LARGE_TELEVISION, MEASURING, TELEVISION, without_findings
from tests.telegram_bot.channels.web.stored_pages import HELLO, ORIGIN, ROOM, Site, answers, asked, serve
from tests.telegram_bot.channels.web.test_television_as_host import A_VOICE, a_television, take
from tests.telegram_bot.conftest import lobby_table
from tests.telegram_bot.features.story.examples import notices

pytestmark = pytest.mark.asyncio(loop_scope="session")

EN = page_catalogue("en")
VOICE = A_VOICE.replace("LANGUAGE", "en-GB")
WINNER_MS, BEAT_MS, LIFT_MS = 4000, 6000, 2000
NAMES = ("Ana", "Bo")
SEATS = (StorySeat(place=2, luck=-1.7, skill=0), StorySeat(place=1, luck=1.7, skill=0, bluffs=5, bluffs_through=4))
EVEN = (StorySeat(place=2, luck=0, skill=0), StorySeat(place=1, luck=0, skill=0))
CARDS = {1: ("The Black Cat", "0 of 0", "\N{MINUS SIGN}1.7"), 2: ("The Fox", "4 of 5", "+1.7")}
BLUFF = StoryCall(seat=0, round=2, call="bid", quantity=5, face=4, dice=(1, 2, 6), chance=12)
STORY = GameStory(
    course=((1, 1), (0, 1)),
    seats=SEATS,
    bluff=BLUFF,
    best=BLUFF.model_copy(update={"seat": 1, "call": "dudo"}),
    decider=BLUFF,
)
BEATS = ["BEST LIAR", "BEST NOSE", "UNLUCKIEST", "THE TURNING POINT", "A TELL", "BO HAS WON!"]
TELL, SAID = Tell(seat=0, measure=Measure.LIFTS, more=True), "Ana lifts the cup more often over a lie."
PHONES = [{"width": 360, "height": 640}, {"width": 375, "height": 553}, {"width": 320, "height": 568}]


def over(w: Catalogue = EN) -> Card:
    bo = SeatView(player=2, name="Bo", dice=1, place=1, colour=1, face=Face.BEAR)
    ana = SeatView(player=1, name="Ana", dice=0, out=True, place=2, face=Face.FROG)
    return card_of(GameOverNotice(view=GameOverView(table=1, seats=(bo, ana), winner=1, rounds=1)), -1, 1, w)


def told(story: GameStory = STORY, language: str = "en", tell: Tell | None = None) -> Card:
    notice = StoryNotice(table=1, story=story, names=NAMES, colours=(0, 1), faces=(Face.FROG, Face.BEAR), tell=tell)
    return card_of(notice, -1, 1, page_catalogue(language))


def the_lobby(*ready: int, awaits_host: bool = False) -> Card:
    known = {"table": 2, "ready": ready, "awaits_host": awaits_host}
    return card_of(LobbyNotice(view=lobby_view(lobby_table(2)).model_copy(update=known)), -1, 2, EN)


async def shout(page: Page) -> str:
    """The words that have the screen, or "" for the finale."""
    words = await page.locator(".sting .shout").all_inner_texts()
    return words[0].lstrip("🤥👃🌧️⚡👀 ") if words else ""


async def test_five_beats_of_six_seconds_the_last_one_a_tell_then_the_winner_then_the_finale(site: Site) -> None:
    page = await a_television(site, over())
    await expect(page.locator(".moments .champion")).to_be_visible()
    await page.clock.run_for(1000)
    await take(page, told(tell=TELL))
    await expect(page.locator(".moments .champion")).to_be_visible()
    await expect(page.locator(".story")).to_have_count(0)
    shown, tells, fallen = [], set[bool](), set[str]()
    for _ in range(46):
        shown.append(await shout(page))
        if shown[-1] == "A TELL":
            tells.add(await page.locator(".beat").get_by_text(SAID).is_visible())
        fallen |= {*await page.locator(".fallen li").all_inner_texts()}
        await page.clock.run_for(1000)
    beats = [beat for beat in BEATS for _ in range(BEAT_MS // 1000)]
    assert shown == [""] * (WINNER_MS // 1000 - 1) + beats + [""] * (47 - WINNER_MS // 1000 - len(beats))
    assert tells == {True}
    assert [each.split() for each in fallen] == [["2", Face.FROG.sign, "Ana"]], "in the winner's scene"
    await expect(page.get_by_role("img", name="Dice, round by round")).to_be_visible()
    await expect(page.locator(".story").get_by_text(SAID)).to_be_visible()


async def test_a_story_that_comes_late_begins_at_once_and_leaves_out_beats_with_nothing_to_tell(site: Site) -> None:
    page = await a_television(site, over())
    await page.clock.run_for(WINNER_MS)
    await take(page, told(STORY.model_copy(update={"bluff": None, "best": None, "seats": EVEN})))
    await page.clock.run_for(0)
    assert await shout(page) == "THE TURNING POINT"


@pytest.mark.parametrize("calm", [False, True])
async def test_the_cup_lifts_over_the_liars_dice_unless_motion_is_unwanted(site: Site, calm: bool) -> None:
    page = await a_television(site, over(), told(), calm=calm)
    await page.clock.run_for(WINNER_MS)
    dice = page.locator(".proof .row .die")
    await expect(page.locator(".beat").get_by_text("Ana bid 5 fours, and got away with it.")).to_be_visible()
    assert await dice.first.is_visible() is calm
    await page.clock.run_for(LIFT_MS)
    await expect(dice).to_have_count(3)
    await expect(dice.first).to_be_visible()
    await expect(page.locator(".proof .row .lit")).to_have_count(1)


async def test_a_tell_whose_player_objects_leaves_the_screen_and_the_ceremony_goes_on(site: Site) -> None:
    page = await a_television(site, over(), told(tell=TELL))
    await page.clock.run_for(WINNER_MS + 4 * BEAT_MS)
    assert await shout(page) == "A TELL"
    await take(page, told())
    await page.clock.run_for(0)
    assert await shout(page) == "BO HAS WON!"


async def test_a_player_wants_no_tells_with_one_tap_in_the_menu_and_other_switches_stay_as_they_are(site: Site) -> None:
    phone = await a_phone(site, 1)
    answers(phone, "words", page_words(EN) | tells_words(EN) | {"aloud": "Aloud"})
    story = (ROOT / "telegram_bot/features/story/static/story.js").read_text()
    two = story.replace('["no_tells"]', '["no_tells", "aloud"]')

    async def module(route: Route) -> None:
        await route.fulfill(body=two, content_type="text/javascript")

    await phone.route(f"{ORIGIN}/**/story/story.js", module)
    await phone.reload()
    await phone.get_by_role("button", name="Menu").click()
    box = phone.locator("#menu").get_by_role("checkbox", name="Don't say what gives me away")
    for value in (True, False):
        async with phone.expect_response(f"{ORIGIN}/seat/act"):
            await box.click()
        await expect(box).to_be_checked(checked=value)
        meaning = "I tell no one how long you think" if value else "After a game I may tell the room"
        await expect(phone.locator("#menu").get_by_text(meaning)).to_be_visible()
        await expect(phone.locator("#menu").get_by_role("checkbox", name="Aloud")).to_be_checked()
        assert await phone.locator("#menu > *").evaluate_all(TOO_HIGH) == []
        sent = asked(phone)[-1]
        assert (sent["act"], sent["name"], sent["value"]) == ("switch", "no_tells", value)


async def test_only_a_host_who_plays_again_takes_the_television_to_the_lobby(site: Site) -> None:
    page = await a_television(site, over(), told(), script=VOICE)
    await page.clock.run_for(WINNER_MS)
    await take(page, the_lobby(2, awaits_host=True))
    assert await shout(page) == "BEST LIAR"
    await page.clock.run_for(BEAT_MS)
    assert await shout(page) == "BEST NOSE"
    await take(page, the_lobby(2, 1))
    await expect(page.get_by_text("At the table: 2 of 6")).to_be_visible()
    said = len(await page.evaluate("said"))
    await page.clock.run_for(60_000)
    assert len(await page.evaluate("said")) == said, "no word of the last game"
    await expect(page.get_by_text("At the table: 2 of 6")).to_be_visible()


async def test_the_voice_says_the_sentence_of_each_beat_and_its_key_turns_it_off(site: Site) -> None:
    page = await a_television(site, over(), script=VOICE)
    await page.evaluate("said.length = 0")
    await take(page, told())
    await page.clock.run_for(WINNER_MS + 2 * BEAT_MS)
    await page.get_by_role("button", name="Voice", pressed=True).click()
    await page.clock.run_for(60_000)
    assert [text for _, _, text in await page.evaluate("said")] == [
        "Ana bid 5 fours, and got away with it.",
        "Bo doubted 5 fours, and was right.",
        "Bad luck cost Ana 1.7 dice.",
    ]


async def test_a_television_that_is_loaded_again_shows_the_finale(site: Site) -> None:
    page = await a_television(site)
    serve(page, ("hello", HELLO), ("card", over()), ("card", told()))
    await page.reload()
    await expect(page.get_by_role("img", name="Dice, round by round")).to_be_visible()
    await page.clock.run_for(60_000)
    assert await shout(page) == ""
    await expect(page.locator(".story span", has_text=",").first).to_have_css("white-space", "nowrap")


@pytest.mark.parametrize("last", [over(), the_lobby(2)], ids=["end of a game", "lobby"])
async def test_a_television_of_a_party_that_is_over_invites_nobody_to_play(site: Site, last: Card) -> None:
    page = await a_television(site)
    answers(page, "room", ROOM | {"asking": [], "list": None})
    serve(page, ("hello", HELLO), ("card", last))
    await page.reload()
    invitation = page.get_by_text(re.compile("Tap it on a phone|Scan to join"))
    await expect(invitation).to_be_visible()
    serve(page, ("hello", HELLO), ("end", {"why": "over"}))
    await page.clock.run_for(2000)
    await expect(page.get_by_text("The party is over.")).to_be_visible()
    await expect(invitation).to_have_count(0)


@pytest.mark.parametrize(("size", "language"), [(LARGE_TELEVISION, "en"), (TELEVISION, "fr")], ids=["1080", "720"])
async def test_ten_players_with_long_names_fit_every_scene(site: Site, size: dict[str, int], language: str) -> None:
    names = ["Maximiliana Konstantinopolou", *(f"Wilhelmina {seat}" for seat in range(1, 10))]
    faces, w = tuple(Face)[:10], page_catalogue(language)
    seats = tuple(
        SeatView(player=seat, name=name, dice=0, place=seat, face=face, colour=seat - 1)
        for seat, (name, face) in enumerate(zip(names, faces, strict=True), 1)
    )
    examples = [*notices(names.__getitem__)]
    story = next(each for each in examples if isinstance(each, StoryNotice))
    bluff = next(each for each in examples if isinstance(each, BluffCardNotice))
    ended = GameOverNotice(view=GameOverView(table=1, seats=seats, winner=0, rounds=40), parts=(bluff,))
    shown = [card_of(notice, -1, 1, w) for notice in (ended, story.model_copy(update={"faces": faces}))]
    page = await a_television(site, *shown, size=size, calm=True, script=MEASURING)
    scenes = []
    for wait in (WINNER_MS, *[BEAT_MS] * len(BEATS)):
        await page.evaluate("outside.clear()")
        await page.clock.run_for(wait)
        await page.evaluate("document.querySelector('#page main').append('')")
        scenes.append(await shout(page) != "")
        assert await page.evaluate("[...outside]") == []
        if size is TELEVISION and len(scenes) in (1, len(BEATS), len(BEATS) + 1):  # the other beats are like the first
            await site.without_barrier(page)
    assert scenes == [*[True] * len(BEATS), False], "with a tell"
    sizes = await page.evaluate(
        "[...document.querySelectorAll('.story p')].map((line) => parseFloat(getComputedStyle(line).fontSize))"
    )
    assert len(sizes) == 6
    assert min(sizes) >= size["height"] / 60, "a sentence is read from a sofa"


TOO_HIGH = "all => all.filter((each) => each.scrollHeight > each.clientHeight + 2).map((each) => each.innerText)"
"""The elements whose words do not fit their height."""
BROKEN = """
() => [...document.querySelectorAll(".shout, .over h2")].flatMap((part) => {
  const texts = document.createTreeWalker(part, NodeFilter.SHOW_TEXT), found = [], range = document.createRange();
  while (texts.nextNode()) {
    for (const { 0: word, index } of texts.currentNode.data.matchAll(/\\S+/g)) {
      range.setStart(texts.currentNode, index);
      range.setEnd(texts.currentNode, index + word.length);
      if (new Set([...range.getClientRects()].map(({ top }) => top)).size > 1) found.push(word);
    }
  }
  return found;
})
"""
"""The words in large letters that are on two lines."""


@pytest.mark.parametrize("language", [each for each in LANGUAGES if each != "en"])
async def test_no_word_in_large_letters_is_broken_in_any_language(site: Site, language: str) -> None:
    w = page_catalogue(language)
    lobby = card_of(LobbyNotice(view=lobby_view(lobby_table(2))), -1, 1, w)
    page = await a_television(site, lobby, over(w), told(language=language), calm=True, w=w, room=ROOM)
    await expect(page.locator(".finale-qr")).to_be_visible()
    for wait in (0, WINNER_MS, *[BEAT_MS] * 5):
        await page.clock.run_for(wait)
        assert await page.evaluate(BROKEN) == []
    await expect(page.locator(".over h2")).to_be_visible()


SHARED = """
window.shared = [];
navigator.share = async (what) => shared.push(what);
"""


async def a_phone(site: Site, player: int, *, language: str = "en") -> Page:
    phone = await site.page(PHONES[-1], script=SHARED)
    ended = over() | {"acts": [{"act": "reel", "text": "Best reveals"}]}
    await opened(phone, player, ended, told(language=language), more=("door", {"screen": True}))
    return phone


async def opened(phone: Page, player: int, *cards: Card, more: tuple[str, Any] = ("ready", {})) -> None:
    await phone.goto("about:blank")
    serve(phone, ("hello", HELLO | {"player": player}), *(("card", card) for card in cards), more)
    await phone.goto(f"{ORIGIN}/t/TABLE2#KEY")


async def test_each_phone_shows_its_own_card_and_shares_it_by_one_key_without_scrolling(site: Site) -> None:
    for player, (title, bluffs, luck) in CARDS.items():
        phone = await a_phone(site, player)
        own = phone.locator(".own")
        await expect(own.get_by_role("heading", name=title)).to_be_visible()
        assert await own.locator("dd").all_inner_texts() == [bluffs, "0 of 0", luck]
        key = phone.get_by_role("button", name="Share my card")
        for size in PHONES:
            await phone.set_viewport_size(size)  # type: ignore[arg-type] # a TypedDict
            assert await key.evaluate("key => key.getBoundingClientRect().bottom") <= size["height"]
        await key.click()
        (shared,) = await phone.evaluate("shared")
        assert shared["text"].startswith(f"🎲 At Perudo I was: {title}\n")
        assert await phone.locator("main button:visible").all_inner_texts() == ["Play again", "Share my card"]
        assert await phone.locator("summary:visible", has_text="More").count() == 1
        await without_findings(phone)
    watched = await a_phone(site, 3)
    await expect(watched.get_by_role("heading", name="Bo has won!")).to_be_visible()
    await expect(watched.locator(".own")).to_have_count(0)


@pytest.mark.parametrize("language", LANGUAGES)
async def test_a_card_is_no_wider_than_the_smallest_phone_in_any_language(site: Site, language: str) -> None:
    phone = await a_phone(site, 2, language=language)
    await expect(phone.locator(".own")).to_be_visible()
    too_wide = "all => all.filter((each) => each.scrollWidth > each.clientWidth).map((each) => each.innerText)"
    assert await phone.locator(".own, .own > *").evaluate_all(too_wide) == []


async def test_a_player_keeps_their_card_until_the_lobby_and_finds_it_again_there(site: Site) -> None:
    phone = await a_phone(site, 1)
    waiting = the_lobby(2, awaits_host=True)
    known = ("hello", HELLO | {"player": 1})
    own = phone.get_by_role("heading", name="The Black Cat")
    await expect(own).to_be_visible()
    serve(phone, known, ("card", waiting))
    await expect(phone.get_by_role("main").get_by_text("🙋 1 of 2 wants another")).to_be_visible()
    await expect(own).to_be_visible()
    await without_findings(phone)
    await opened(phone, 1, over(), told(), waiting)
    await expect(phone.get_by_role("main").get_by_text("🙋 1 of 2 wants another")).to_be_visible()
    await expect(own).to_be_visible()
    serve(phone, known, ("card", the_lobby(2, 1, awaits_host=True)))
    await expect(phone.get_by_text("At the table: 2 of 6")).to_be_visible()
    await phone.get_by_role("button", name="Back to my card").click()
    await expect(own).to_be_visible()
    await expect(phone.get_by_role("button", name="Play again")).to_have_count(0)
    await without_findings(phone)
    await phone.get_by_role("button", name="Back to the table").click()
    await expect(phone.get_by_text("At the table: 2 of 6")).to_be_visible()


async def test_the_key_play_again_goes_once_its_player_is_counted_or_the_party_is_over(site: Site) -> None:
    phone = await a_phone(site, 2)
    again, waiting = phone.get_by_role("button", name="Play again"), the_lobby(2, awaits_host=True)
    await expect(again).to_be_visible()
    serve(phone, ("hello", HELLO | {"player": 2}), ("card", waiting))
    await expect(phone.get_by_role("main").get_by_text("🙋 1 of 2 wants another")).to_be_visible()
    await expect(again).to_have_count(0)
    await opened(phone, 2, waiting)
    await expect(phone.get_by_text("Ana starts when everyone is in.")).to_be_visible()
    await expect(again).to_have_count(0)
    await phone.goto("about:blank")
    serve(phone, ("hello", HELLO | {"player": 2}), ("card", over()), ("ready", {}), ("end", {"why": "over"}))
    await phone.goto(f"{ORIGIN}/t/TABLE2#KEY")
    await expect(phone.locator(".actions").get_by_text("The party is over.")).to_be_visible()
    await expect(phone.locator(".toast")).to_have_count(0)
    await expect(phone.get_by_role("heading", name="You've won!")).to_be_visible()
    await expect(again).to_have_count(0)
