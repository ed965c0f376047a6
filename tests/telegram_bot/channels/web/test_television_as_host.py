"""The television as the host of a reveal: what it shows when, by a clock that only the test moves. There is no bot."""

import re
from itertools import pairwise, product
from typing import Any, NamedTuple

import pytest
from playwright.async_api import Page, expect

from perudo_core import Rules
from telegram_bot.notices import ClosedNotice, GameOverNotice, RevealNotice, TableNotice, call_notice
from telegram_bot.presentation.cards import Card, card_of
from telegram_bot.tables import play
from telegram_bot.tables.model import CloseReason, Table
from telegram_bot.tables.result_views import RevealView
from telegram_bot.tables.views import table_view
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.page import page_catalogue, page_words
from telegram_bot.words.phrases import plain_name
from tests.end_to_end.test_web_seat_in_the_browser import LARGE_TELEVISION, PHONE, TELEVISION, boxes
from tests.telegram_bot.channels.web.stored_pages import HELLO, ORIGIN, ROOM, Site, answers, serve
from tests.telegram_bot.conftest import EN, START, after_call, at, running_table
from tests.telegram_bot.conftest import the_end as views_of_the_end

pytestmark = pytest.mark.asyncio(loop_scope="session")

CALL_MS = 1200
DRUM_MS = 1500
LEAST_SHOWN_PX = 60
"""The letters of a bid that was followed by another roll: they are read from a sofa."""
LEAST_COUNTED_PX = 118
"""A counted die on a television of 1080 lines: twelve of them fill its felt."""
RECORD = """
() => {
  window.shown = [];
  const began = Date.now();
  const found = (parts) => [...document.querySelectorAll(parts)];
  const all = (parts) => found(parts).map((part) => part.innerText).join(" ").replaceAll(/\\s+/g, " ").trim();
  const look = () => {
    const now = [all(".sting, .loud"), all(".counted b"), found(".die.back").length];
    if (JSON.stringify(shown.at(-1)?.slice(1)) !== JSON.stringify(now)) shown.push([Date.now() - began, ...now]);
  };
  const changes = { subtree: true, childList: true, characterData: true };
  new MutationObserver(look).observe(document.getElementById("page"), changes);
}
"""
"""Records the screen's large words, the count and the closed dice, and when they change."""
A_VOICE = """
window.said = [];
localStorage.setItem("perudo-sound", "on");
class Utterance { constructor(text) { this.text = text; } }
const speech = {
  getVoices: () => [{ lang: "it-IT" }, { lang: "LANGUAGE" }],
  speak: ({ text, lang }) => said.push([Date.now(), lang, text]),
  cancel() {},
  addEventListener() {},
};
for (const [name, value] of Object.entries({ speechSynthesis: speech, SpeechSynthesisUtterance: Utterance })) {
  Object.defineProperty(window, name, { value });
}
"""
"""A browser with sound on and two voices, which records what it says and when."""
VIBRATIONS = """
window.vibrations = [];
navigator.vibrate = (ms) => vibrations.push(ms);
Object.defineProperty(navigator, "userActivation", { value: { hasBeenActive: true } });
"""
"""Records how long a phone vibrates, whose player has touched the page."""


async def a_television(
    site: Site,
    *cards: Card,
    size: dict[str, int] = LARGE_TELEVISION,
    calm: bool = False,
    script: str = "",
    w: Catalogue = EN,
    room: dict[str, Any] | None = None,
) -> Page:
    """A television that is told these cards once it is there, by a clock that only the test moves."""
    page = await site.page(size, script=script, calm=calm, clock=True)
    answers(page, "words", page_words(w))
    if room is not None:
        answers(page, "room", room)
    async with page.expect_request(f"{ORIGIN}/seat/room"):  # once it has read its stream: later cards are news
        await page.goto(f"{ORIGIN}/tv/TABLE2#KEY")
    await take(page, *cards)
    return page


async def take(page: Page, *cards: Card) -> None:
    for card in cards:
        await page.evaluate("async (card) => (await import('/seat/static/tv.js')).take(card)", card)


def a_table(people: int = 3) -> Table:
    return running_table(*(["22345", "33456", "44612"] * 2)[:people], calls="3x5")


def the_round(table: Table, w: Catalogue = EN, **more: Any) -> Card:
    view = table_view(table).model_copy(update=more)
    return card_of(TableNotice(view=view, shared=False, unreachable=False), -1, table.id, w)


def the_end(table: Table, call: str) -> tuple[RevealView, Card]:
    view, _, after = views_of_the_end(table, call)
    return view, the_round(after)


def the_last_game(name: str = "Ana") -> Card:
    """The end of a game of two with this name."""
    last = running_table("22345", "3", opener=1, calls="1x6").with_seat(0, name=name).with_seat(1, name=name)
    _, won, _ = views_of_the_end(last)
    assert won is not None
    return card_of(GameOverNotice(view=won), -1, last.id, EN)


def reveal_card(view: RevealView) -> Card:
    return card_of(RevealNotice(view=view), -1, view.table, EN)


DUEL = running_table("22", "34", calls="2x2")
FALL = running_table("2", "3", "4", rules=Rules.preset("aces"), calls="1x2")
"""Bo, who doubts, falls: Ana and Cy go on alone."""


async def is_on_the_felt(page: Page) -> bool:
    """Return whether the words between the seats are within the table."""
    inner, outer = await boxes(page, ".middle", ".table .felt")
    return outer["top"] < inner["top"] < inner["bottom"] < outer["bottom"]


class Shown(NamedTuple):
    """The state of the screen from a moment on."""

    ms: int
    """Since the first card."""
    words: str
    counted: str
    closed: int
    """Dice under cups."""


async def course(page: Page, *cards: Card, late: Card | None = None) -> list[Shown]:
    """The states of the screen after these cards, and one that comes a second late, until all has been shown."""
    await page.evaluate(RECORD)
    await take(page, *cards)
    if late is not None:
        await page.clock.run_for(1000)
        await take(page, late)
    await page.clock.run_for(20_000)
    return [Shown(*each) for each in await page.evaluate("shown")]


def beginning(course: list[Shown], words: str) -> int:
    return next(each.ms for each in course if words in each.words)


def drum(course: list[Shown]) -> tuple[str, int]:
    """The count and the closed dice of the longest pause between two dice."""
    pauses = [(after.ms - each.ms, each) for each, after in pairwise(course) if each.closed]
    longest, before = max(pauses)
    assert longest >= DRUM_MS, pauses
    return before.counted, before.closed


async def test_thirty_dice_are_shown_with_a_card_a_drum_and_a_result_in_ten_seconds(site: Site) -> None:
    before = running_table("22345", "33456", "33456", "24466", "44566", "34566", calls="4x2")
    view, after = the_end(before, "dudo")
    shown = await course(await a_television(site, the_round(before)), reveal_card(view), after)
    assert shown[0] == Shown(0, "Bo DUDO! 4 × Ana", "", 0), "the card, and no cup"
    assert shown[1] == Shown(CALL_MS, "", "0", 30)
    assert drum(shown) == ("3", 5), "before the last cup"
    assert beginning(shown, "ANA LOSES A DIE")
    assert 8000 <= beginning(shown, "ANA OPENS") <= 10_400


async def test_a_call_that_came_before_its_dice_is_shown_no_longer_than_one_that_comes_with_them(site: Site) -> None:
    view, _ = the_end(DUEL, "dudo")
    call = call_notice(view)
    assert call is not None
    page = await a_television(site, the_round(DUEL))
    shown = await course(page, card_of(call, -1, DUEL.id, EN), late=reveal_card(view))
    assert [(each.ms, each.words) for each in shown[:2]] == [(0, "Bo DUDO! 2 × Ana"), (CALL_MS, "")]


async def test_a_page_that_hears_late_of_a_reveal_catches_up_with_the_others(site: Site) -> None:
    before = running_table("22345", "33456", calls="4x2")
    view, _ = the_end(before, "dudo")
    results = []
    for late in (0, 2500, 5000):
        page = await a_television(site, the_round(before))
        shown = await course(page, reveal_card(view) | {"at": START - late / 1000})
        results.append(beginning(shown, "ANA LOSES A DIE"))
        await site.close(page)
    first = results[0]
    assert results == [first, first - 2500, first - 5000]


FALLS = "BO FALLS Place {}. And now in charge of snacks!"
LAST_DUEL = "Ana THE LAST DUEL Two are left. No more hiding! Cy"
MATCH_POINT = "Ana MATCH POINT! One die each. No excuses. Cy"


MOMENTS: tuple[tuple[tuple[str, ...], str, list[str]], ...] = (
    (("22", "3", "44", "55"), "hidden", [FALLS.format(4)]),
    (("22", "3", "44"), "hidden", [FALLS.format(3), LAST_DUEL]),
    (("2", "3", "4"), "visible", [FALLS.format(3), MATCH_POINT]),
    (("22", "33", "44"), "hidden", ["PALIFICO! Bo opens"]),
    (("2", "3", "4"), "hidden", [FALLS.format(3), LAST_DUEL]),
    (("22", "333", "44"), "hidden", []),
)


async def test_great_moments_have_the_screen_after_the_result(site: Site) -> None:
    page = await a_television(site)
    for round_, (hands, lost_dice, told) in enumerate(MOMENTS):
        rules = Rules.preset("box_2009").with_options(lost_dice=lost_dice)
        before = running_table(*hands, rules=rules, calls="1x2")
        view, after = the_end(before, "dudo")
        await take(page, the_round(before) | {"round": 2 * round_})
        shown = await course(page, reveal_card(view) | {"round": 2 * round_}, after | {"round": 2 * round_ + 1})
        result = next(i for i, each in enumerate(shown) if "BO " in each.words)
        assert [each.words for each in shown[result + 1 :] if "OPENS" not in each.words] == told, hands
        assert shown[-1].words.endswith("OPENS")
        assert shown[-1].ms - shown[result].ms <= 4200 + 1800 * max(0, len(told) - 1)


async def test_where_motion_is_unwanted_the_card_stays_and_all_dice_are_opened_at_once(site: Site) -> None:
    view, _ = the_end(DUEL, "dudo")
    shown = await course(await a_television(site, the_round(DUEL), calm=True), reveal_card(view))
    assert [(each.ms, each.counted, each.closed) for each in shown[:2]] == [(0, "", 0), (CALL_MS, "2", 0)]


async def test_a_card_over_the_whole_screen_has_no_barrier(site: Site) -> None:
    view, _ = the_end(FALL, "dudo")
    page = await a_television(site, the_round(FALL), reveal_card(view))
    looked = []
    for _ in range(20):
        words = await page.locator(".sting").all_inner_texts()
        if words and words not in looked:
            looked.append(words)
            await site.without_barrier(page)
        await page.clock.run_for(600)
    assert len(looked) == 3


async def spoken(page: Page, *cards: Card) -> list[tuple[int, str]]:
    """The sentences of the voice after these cards, each with its milliseconds since the first card."""
    began = await page.evaluate("said.length = 0, Date.now()")
    await take(page, *cards)
    await page.clock.run_for(20_000)
    return [(ms - began, text) for ms, lang, text in await page.evaluate("said") if lang == "en-GB"]


async def a_speaking_television(site: Site, table: Table, language: str = "en-GB") -> Page:
    return await a_television(site, the_round(table), script=A_VOICE.replace("LANGUAGE", language))


async def test_the_voice_speaks_of_the_call_the_result_and_who_falls_in_character_until_it_is_off(site: Site) -> None:
    view, after = the_end(FALL, "dudo")
    page = await a_speaking_television(site, FALL)
    for character, told in (
        ("Dry", ["Dudo. Of course.", "The dice disagree.", "Bo is out. The rest of us have things to do."]),
        ("Grand", ["A challenge! Hold on to your cups!", "A tragedy in one act!", "Farewell, brave Bo!"]),
        (
            "Cheeky",
            ["Liar, liar? Let's have a look!", "Well, that was brave.", "Bye-bye, Bo! You can hold my popcorn."],
        ),
    ):
        await page.get_by_label("The voice's character").select_option(character)
        said = await spoken(page, reveal_card(view), after)
        assert [text for _, text in said[:3]] == told
        assert said[0][0] == 0, "the call is named with its card"
        assert said[1][0] > CALL_MS + DRUM_MS, "the result only after all dice"
    await page.get_by_role("button", name="Voice", pressed=True).click()
    assert await spoken(page, reveal_card(view)) == []
    await expect(page.get_by_label("The voice's character")).to_have_count(0)
    await page.get_by_role("button", name="Voice", pressed=False).click()
    assert await spoken(page, reveal_card(view))


async def test_the_voice_says_nothing_before_the_dice_that_follows_from_them(site: Site) -> None:
    said = []
    for hands in (("22", "34"), ("55", "66")):
        before = running_table(*hands, calls="2x2")
        view, _ = the_end(before, "dudo")
        page = await a_speaking_television(site, before)
        said.append([(ms, text) for ms, text in await spoken(page, reveal_card(view)) if ms <= CALL_MS + DRUM_MS])
    assert said[0] == said[1] != []


async def test_without_a_voice_for_the_language_the_television_is_silent_and_has_no_key(site: Site) -> None:
    view, _ = the_end(DUEL, "dudo")
    page = await a_speaking_television(site, DUEL, language="nl-NL")
    await take(page, reveal_card(view))
    await page.clock.run_for(20_000)
    assert await page.evaluate("said") == []
    await expect(page.get_by_role("button", name="Sound")).to_be_visible()
    await expect(page.get_by_role("button", name="Voice")).to_have_count(0)


async def test_between_six_seats_and_next_to_the_code_the_words_stay_on_the_felt(site: Site) -> None:
    table = running_table(*["11346"] * 6, calls="2x3 3x3 4x3 5x3")
    view, _ = the_end(table, "dudo")
    for language, size in product(("fr", "de"), (TELEVISION, LARGE_TELEVISION)):
        w = page_catalogue(language)
        page = await a_television(site, the_round(table, w), size=size, w=w, room=ROOM)
        end = card_of(RevealNotice(view=view), -1, table.id, w)
        for card, middle in ((the_round(table, w, paused=True, turn=None), ".paused"), (end, ".reveal .verdict")):
            await take(page, card)
            await page.clock.run_for(20_000)
            await expect(page.locator(middle)).to_be_visible()
            await expect(page.locator(".late .qr")).to_be_visible()
            assert await is_on_the_felt(page), (language, size, middle)


async def test_a_turn_between_six_long_names_stays_on_the_felt(site: Site) -> None:
    """A name that is written from right to left is cut at its own end."""
    table = running_table(*["11346"] * 6, calls="2x3 3x3 4x3 5x3")
    page = await a_television(site, room=ROOM)
    for name, size in product(("Donaudampfschifffahrtskapitän", "W" * 32), (TELEVISION, LARGE_TELEVISION)):
        for seat in range(6):
            table = table.with_seat(seat, name=name)
        await page.set_viewport_size(size)  # type: ignore[arg-type] # a TypedDict
        await take(page, the_round(table))
        await expect(page.locator(".seat", has_text=name)).to_have_count(6)
        await expect(page.locator(".late .qr")).to_be_visible()
        assert await is_on_the_felt(page), (name, size)
    hebrew = plain_name("\N{HEBREW LETTER DALET}\N{HEBREW LETTER NUN}\N{HEBREW LETTER HE} Cohen")
    await take(page, the_round(table.with_seat(1, name=hebrew)))
    await expect(page.locator(".seat", has_text=hebrew)).to_be_visible()
    direction = "names => names.map((name) => getComputedStyle(name).direction)"
    assert await page.locator(".seat .name").evaluate_all(direction) == ["ltr", "rtl", *["ltr"] * 4]


async def test_the_end_of_a_game_of_long_names_stays_on_the_screen(site: Site) -> None:
    page = await a_television(site, the_last_game("W" * 32))
    await expect(page.locator(".places li")).to_have_count(2)
    for part in await page.locator(".over h2, .places li, .places .name").all():
        box = await part.bounding_box()
        assert box is not None
        assert 0 < box["x"] < box["x"] + box["width"] < LARGE_TELEVISION["width"] / 2
    await take(page, card_of(ClosedNotice(why=CloseReason.STOPPED, by="Cy"), -1, DUEL.id, EN))
    await expect(page.get_by_role("heading", name="Cy closed the table.", exact=True)).to_be_visible()


async def test_the_screen_goes_on_with_one_key_once_all_dice_are_open(site: Site) -> None:
    view, after = the_end(DUEL, "dudo")
    page = await a_television(site, the_round(DUEL), reveal_card(view), after)
    await page.clock.run_for(CALL_MS)
    await expect(page.get_by_role("button", name=re.compile("Show all dice|Continue"))).to_have_count(0)
    await page.clock.run_for(DRUM_MS + 2500)
    await page.get_by_role("button", name="Continue").click()
    await expect(page.get_by_text("Round 2", exact=True)).to_be_visible()
    await expect(page.get_by_role("button", name="Continue")).to_have_count(0)


async def test_counted_dice_are_large_and_a_count_stands_at_one_less_before_the_die_that_decides(site: Site) -> None:
    """And each end of a call has a felt of its own."""
    hands = ["22345", "22456", "33456", "21466", "21566", "21566"]
    rules = Rules.preset("box_2009").with_options(calza=True)
    page = await a_television(site)
    felts = []
    for round_, (bids, call, words, stands) in enumerate(
        (
            ("2x2 3x2 4x2 12x2", "dudo", "2 SHORT! DEE LOSES A DIE.", ("8", 5)),
            ("2x2 3x2", "dudo", "THE BID HOLDS! CY LOSES A DIE.", ("2", 25)),
            ("2x2 3x2 4x2", "dudo", "THE BID HOLDS! DEE LOSES A DIE.", ("3", 24)),
            ("2x2 10x2", "calza", "EXACTLY RIGHT!", ("8", 5)),
            ("2x2 9x2", "calza", "1 TOO MANY! CY LOSES A DIE.", ("9", 4)),
        ),
        start=1,
    ):
        before = running_table(*hands, rules=rules, calls=bids)
        view, _ = the_end(before, call)
        await take(page, the_round(before) | {"round": round_})
        assert await page.locator(".felt").evaluate("felt => felt.className.trim()") == "felt", "before the last die"
        shown = await course(page, reveal_card(view) | {"round": round_})
        assert any(words in each.words for each in shown), shown
        assert drum(shown) == stands, (bids, call)
        dice = await page.locator(".pile .die").evaluate_all("dice => dice.map((die) => die.offsetWidth)")
        assert len(dice) == view.count
        assert min(dice) >= LEAST_COUNTED_PX
        assert await is_on_the_felt(page)
        felts.append(await page.locator(".felt").evaluate("felt => getComputedStyle(felt).backgroundImage"))
    assert len(set(felts)) == len(felts)


@pytest.mark.parametrize(("has_screen", "elsewhere", "looks_up"), [(1, 0, 1), (0, 0, 0), (1, 1, 0)])
async def test_phones_in_the_room_say_look_up_until_all_dice_are_open_where_a_television_shows_the_table(
    site: Site, has_screen: int, elsewhere: int, looks_up: int
) -> None:
    view, after = the_end(DUEL, "dudo")
    known = (("hello", HELLO | {"player": 1}), ("card", the_round(DUEL)), ("door", {"screen": bool(has_screen)}))
    chosen = 'localStorage.setItem("perudo-elsewhere", "on");' * elsewhere
    phone = await site.page(PHONE, script=VIBRATIONS + chosen, calm=False, clock=True)
    serve(phone, *known, ("ready", {}), ("card", reveal_card(view)), ("card", after))
    await phone.goto(f"{ORIGIN}/t/TABLE2#KEY")
    skips = phone.get_by_role("button", name="Show all dice")
    await expect(phone.locator(".rail")).to_be_visible()
    assert (await phone.locator(".die.back").count() > 0) is not bool(looks_up), "the television has the table"
    await expect(skips).to_have_count(1 - looks_up)
    await expect(phone.get_by_text("Look up!")).to_have_count(looks_up)
    assert await phone.evaluate("vibrations") == [30] * looks_up
    if looks_up:
        await expect(phone.locator(".cube")).to_have_count(2)
        await phone.clock.run_for(CALL_MS + DRUM_MS + 2500)
    else:
        await skips.click()
    await expect(phone.get_by_role("button", name="Continue")).to_be_visible()
    await expect(phone.get_by_text("Look up!")).to_have_count(0)


@pytest.mark.parametrize("lost_dice", ["visible", "hidden"])
async def test_shown_dice_are_large_on_the_felt_and_stay_open_at_their_seat(site: Site, lost_dice: str) -> None:
    rules = Rules(reroll_after_bid=True, lost_dice=lost_dice)
    table = running_table("22145", "33456", "34445", "23456", rules=rules, calls="3x2")
    shown = play.show_dice(table, 0, step=table.step, moment=at()).table
    page = await a_television(site, the_round(shown, page_catalogue("en")))
    line = page.locator(".middle .shows")
    await expect(line).to_have_text("Ana shows and rolls the others.")
    await expect(line.locator(".die")).to_have_count(3)
    assert await line.evaluate("line => parseFloat(getComputedStyle(line).fontSize)") >= LEAST_SHOWN_PX
    seat = page.locator(".seat", has_text="Ana")
    await expect(seat.locator(".row .die")).to_have_count(3)
    await expect(seat.locator(".pips i")).to_have_count(2 if lost_dice == "visible" else 0)
    await take(page, the_round(after_call(shown, "4x2")))
    await expect(line).to_have_count(0)
    await expect(seat.locator(".row .die")).to_have_count(3)
