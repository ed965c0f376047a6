"""A phone at its table, drawn from cards alone. There is no bot."""

import json
import re
from typing import Any

import pytest
from playwright.async_api import Page, Route, expect

from perudo_core import Rules
from perudo_core.agents import Level
from telegram_bot.channels.web.static_files import page_html
from telegram_bot.notices import AwayNotice, ConfirmNotice, HandNotice, LobbyNotice
from telegram_bot.presentation.cards import Card, card_of
from telegram_bot.tables.faces import Face
from telegram_bot.tables.model import ComputerPlayer, Table
from telegram_bot.tables.tip_rules import Tip
from telegram_bot.tables.views import hand_view, lobby_view
from telegram_bot.words.catalogue import language_names
from telegram_bot.words.page import page_catalogue, page_words
from telegram_bot.words.phrases import plain_name
from tests.end_to_end.test_web_seat_in_the_browser import (
    HEARING,
    LARGE_TELEVISION,
    LEAST_LOUD_PX,
    OUT_OF_REACH,
    OVERLAPS,
    PHONES,
    boxes,
    without_findings,
)
from tests.telegram_bot.channels.web.stored_pages import HELLO, ORIGIN, ROOM, Event, Site, answers, asked, serve
from tests.telegram_bot.channels.web.test_television_as_host import reveal_card, the_end, the_last_game
from tests.telegram_bot.channels.web.test_television_as_host import the_round as shown
from tests.telegram_bot.conftest import EN, after_call, lobby_table, running_table

pytestmark = pytest.mark.asyncio(loop_scope="session")

SMALL = {"width": 320, "height": 568}
TAKE_ON_A_PHONE = "async (card) => (await import('/seat/static/guest.js')).page.card(card)"
LEAST_OF_A_HAND = 1 / 6
"""A die of a hand below a television, as a share of the phone's shorter side."""
NO_SESSION = {"error": "no_session", "text": "Open the link."}
IN = {"state": "in", "code": "TABLE2", "tables": []}
BO = {"player": 5, "name": "Bo", "face": "🦁"}
HAS_SCREEN = ("door", {"screen": True, "gone": [2]})
WIDE = "W" * 32
"""Names have up to 32 letters, and need no space."""
LARGER = "size => { document.documentElement.style.fontSize = size }"
OPEN_ALL = "all => all.forEach((each) => { each.open = true; })"
SCROLLS = "document.scrollingElement.scrollHeight - innerHeight"
TURNED_UP = ", ".join(f".up{face} > .s{face}" for face in range(1, 7)) + ", .cup"
"""The upper side of each of my dice, and the cup."""
TRANSLATE = """
for (const part of document.querySelectorAll("body *")) {
  for (const text of part.translate ? [...part.childNodes] : []) {
    if (text.nodeType !== Node.TEXT_NODE || !text.data.trim()) continue;
    const font = document.createElement("font");
    font.textContent = `«${text.data}»`;
    text.replaceWith(font);
  }
}
"""
"""Translates a page as browsers do: other nodes take the place of its texts."""
BEYOND_THE_SCREEN = """
() => [...document.querySelectorAll("main *")].filter((part) => {
  const { left, right, width } = part.getBoundingClientRect();
  return width && (left < -1 || right > innerWidth + 1);
}).map((part) => part.outerHTML.slice(0, 120))
"""
TOO_SMALL = """
() => [...document.querySelectorAll("button, summary, select, a")].filter((key) => key.offsetParent).map((key) => {
  key.scrollIntoView({ block: "center" });
  const { left, top, width, height } = key.getBoundingClientRect();
  const isKey = (x, y) => key.contains(document.elementFromPoint(left + width / 2 + x, top + height / 2 + y));
  const reach = (x, y) => Array.from({ length: 60 }, (_, i) => isKey(x * i, y * i)).concat(false).indexOf(false);
  const across = reach(1, 0) + reach(-1, 0), down = reach(0, 1) + reach(0, -1);
  return across < 44 || down < 44 ? `${key.className} ${key.innerText}: ${across} x ${down}` : "";
}).filter(Boolean)
"""
"""The keys whose places, seen from their middle, are smaller than a thumb."""
CUT = """
parts => [...document.querySelectorAll(parts)]
  .filter((part) => part.scrollWidth > part.clientWidth).map((part) => part.innerText)
"""
"""The elements of a selector whose words do not fit."""
SHOULDER = """
async ([cards, lifted]) => {
  const { SeatPage } = await import("/seat/static/seat_page.js");
  const { loadWords } = await import("/seat/static/words.js");
  await loadWords("en");
  document.body.innerHTML = '<div id="page"></div><div id="live"></div>';
  const page = new SeatPage({ enter: async () => {} });
  page.state = { state: "in", title: "Friends", code: "ABC234", name: "Bo", player: 2, tables: [] };
  page.room.hello({ now: Date.now() / 1000, player: 2 });
  for (const card of cards) page.room.put(card);
  page.room.live = true;
  page.draw();
  page.cup.up = lifted;
  page.draw();
  return document.getElementById("page").innerHTML;
}
"""
"""Draws a seat's page from its cards, with a closed or an open cup."""
NO_CLIPBOARD = "for (const own of ['clipboard', 'share']) Object.defineProperty(navigator, own, { value: undefined });"
NOT_COPIED = "document.execCommand = () => false;"
COPIED = "addEventListener('copy', () => { window.copied = String(document.activeElement.value); });"


async def a_phone(
    site: Site,
    *cards: Card | Event,
    language: str = "en",
    player: int = 1,
    script: str = "",
    clock: bool = False,
    room: dict[str, Any] | None = None,
) -> Page:
    """The phone of the table's first player, or of another person, after these cards and other events."""
    phone = await site.page(SMALL, script=script, clock=clock)
    answers(phone, "words", page_words(page_catalogue(language)) | {"languages": language_names()})
    if room is not None:
        answers(phone, "room", room)
    told(phone, *cards, player=player, language=language)
    await phone.goto(f"{ORIGIN}/t/TABLE2#KEY")
    return phone


def told(phone: Page, *cards: Card | Event, player: int = 1, language: str = "en") -> None:
    events = [each if isinstance(each, tuple) else ("card", each) for each in cards]
    serve(phone, ("hello", HELLO | {"player": player, "language": language}), *events)


async def at_the_door(site: Site, link: str = "TABLE2#KEY", door: Any = None, me: Any = NO_SESSION) -> Page:
    """The phone of a visitor without a session."""
    phone = await site.page(SMALL)
    answers(phone, "me", me, 401)
    if door is not None:
        answers(phone, "door", {"title": "", "absent": [], "mine": None} | door)
    await phone.goto(f"{ORIGIN}/t/{link}")
    return phone


def the_lobby(table: Table | int, *engines: str, language: str = "en") -> Card:
    """The lobby; the last player is an engine if there are some."""
    table = lobby_table(table) if isinstance(table, int) else table
    if engines:
        table = table.with_seat(-1, computer=ComputerPlayer(level=Level.REGULAR, engine=engines[0]))
    return card_of(LobbyNotice(view=lobby_view(table), engines=engines), -1, 7, page_catalogue(language))


def a_game(people: int, **more: Any) -> Table:
    table = running_table(*["11346"] * people, **more)
    for seat in range(people):
        table = table.with_seat(seat, face=list(Face)[seat])
    return table


def own_turn(table: Table, **more: Any) -> list[Card]:
    """The table, where hints are allowed, and its first player's dice."""
    hand = HandNotice(view=hand_view(table, 0), player=1, title="", deal=1, **more)
    return [shown(table) | {"acts": [{"act": "coach", "text": "Hint"}]}, card_of(hand, 1, table.id, EN)]


async def on_each_phone(phone: Page, parts: str, *, scrolls: bool = True) -> None:
    """Fail if one of these elements is outside of a phone's screen, or covered; or perhaps if the page scrolls."""
    for width, height in PHONES:
        await phone.set_viewport_size({"width": width, "height": height})
        assert await phone.evaluate(OUT_OF_REACH, parts) == [], (width, height)
        assert scrolls or await phone.evaluate(SCROLLS) == 0, (width, height)


async def question(phone: Page, words: str, choice: str) -> None:
    await phone.get_by_role("dialog").filter(has_text=words).get_by_role("button", name=choice).click()


# A turn


async def test_on_ones_turn_seats_wheel_and_keys_are_on_every_phones_screen_also_with_large_text(site: Site) -> None:
    rules = Rules.preset("box_2009").with_options(calza=True, calza_by="on_turn")
    table = a_game(6, rules=rules, opener=1, calls="1x2 2x2 3x2 4x2 5x2").with_seat(0, name="Cassandra")
    phone = await a_phone(site, *own_turn(table, tip=Tip.DUDO))
    await phone.set_viewport_size({"width": 390, "height": 400})
    await phone.get_by_role("button", name="Lift the cup").click()
    await expect(phone.locator(".seat")).to_have_count(6)
    await expect(phone.locator(".hint")).to_be_visible()
    calza, bid = await boxes(phone, "button.calza", "button.make")
    assert calza["top"] >= bid["bottom"], "calza is apart from the bid"
    assert calza["width"] < bid["width"] / 2
    number = phone.get_by_role("spinbutton", name="How many dice")
    least = await number.get_attribute("aria-valuemin")
    for key, value in (("End", "30"), ("Home", least), ("ArrowDown", least), ("End", "30")):
        await number.press(key)
        await expect(number).to_have_attribute("aria-valuenow", str(value))  # 30 is the widest number
    for width, height in PHONES:
        await phone.set_viewport_size({"width": width, "height": height})
        for size in ("100%", "200%"):
            await phone.evaluate(LARGER, size)
            parts = ".seat .face, .seat .pips, [role=spinbutton], .call-box button"
            seen = parts if size == "200%" else f"{parts}, .middle, .hint, .cube"
            assert await phone.evaluate(OUT_OF_REACH, seen) == [], (width, height, size)
            assert await phone.evaluate("document.documentElement.scrollWidth") <= width, (width, size)
            assert await phone.evaluate(OVERLAPS, TURNED_UP) == [], (width, height)
    await phone.set_viewport_size(SMALL)  # type: ignore[arg-type] # a TypedDict
    await without_findings(phone)


async def test_a_phone_on_its_side_has_its_keys_next_to_the_wheel_and_a_hint_has_its_own(site: Site) -> None:
    table = a_game(4)
    phone = await a_phone(site, *own_turn(table))
    await phone.set_viewport_size({"width": 390, "height": 844})
    await expect(phone.get_by_role("button", name="Hint")).to_be_visible()
    for size in ("200%", "100%"):
        await phone.evaluate(LARGER, size)
        assert await phone.evaluate("document.documentElement.scrollWidth") == 390, size
    await phone.set_viewport_size({"width": 844, "height": 390})
    for part in ("[role=spinbutton]", "[role=radiogroup]", "button.make"):
        await expect(phone.locator(part)).to_be_in_viewport(ratio=1)
    make, wheel = await boxes(phone, "button.make", "[role=radiogroup]")
    assert make["left"] >= wheel["right"], "the keys are next to the wheel"
    await without_findings(phone)
    async with phone.expect_response(f"{ORIGIN}/seat/act"):
        await phone.get_by_role("button", name="Hint").click()
    hint = {"card": "coach", "slot": "coach", "lane": "private", "table": table.id, "text": ""}
    await phone.evaluate(TAKE_ON_A_PHONE, hint | {"lines": ["Four."], "call": "4x3", "step": table.step})
    await phone.get_by_role("button", name="Lift the cup").press("Space")
    async with phone.expect_response(f"{ORIGIN}/seat/act"):
        await phone.locator(".hint").get_by_role("button").click()
    sent = [[each.get(name) for name in ("act", "quantity", "face")] for each in asked(phone)]
    assert sent == [["coach", None, None], ["bid", 4, 3]]
    said = after_call(table, "4x3")
    view, _ = the_end(said, "dudo")
    for card in (shown(said), reveal_card(view)):
        await phone.evaluate(TAKE_ON_A_PHONE, card)
    await expect(phone.locator(".result")).to_have_text("The bid holds!🐸 Bo loses a die.")
    await expect(phone.get_by_role("button", name="Continue")).to_be_visible()
    for width, height in PHONES:
        await phone.set_viewport_size({"width": width, "height": height})
        assert await phone.evaluate(OVERLAPS, ".seat .die, .middle") == [], width
        places = await phone.locator(".seat").evaluate_all("all => all.map((seat) => seat.offsetTop)")
        assert [places.count(place) for place in places] == [2, 2, 2, 2], "two rows of two"


async def test_a_palifico_round_is_loud_on_a_small_phone_and_on_the_television(site: Site) -> None:
    table = running_table("2", "345", palifico=0)
    phone, screen = await a_phone(site, *own_turn(table)), await site.page(LARGE_TELEVISION)
    await expect(phone.locator("main.my-turn")).to_be_visible()
    assert await phone.evaluate(OUT_OF_REACH, ".call-box button") == []
    serve(screen, ("hello", HELLO), ("card", shown(table)))
    await screen.goto(f"{ORIGIN}/tv/TABLE2#KEY")
    large = screen.locator(".felt .palifico")
    await expect(large).to_have_text(re.compile(r"Palifico! .* Ones are not wild"))
    assert await large.evaluate("line => parseFloat(getComputedStyle(line).fontSize)") >= LEAST_LOUD_PX / 2.5
    assert await screen.evaluate(OUT_OF_REACH, ".middle > *") == []
    await without_findings(phone, screen)


async def test_a_player_who_missed_a_turn_sees_why_the_bot_plays(site: Site) -> None:
    table = a_game(3, opener=1).with_seat(0, away=True)
    phone = await a_phone(site, *own_turn(table), card_of(AwayNotice(table=table.id, title=""), 1, table.id, EN))
    await expect(phone.locator("main").get_by_text("you missed your turn")).to_be_in_viewport(ratio=1)
    await expect(phone.get_by_role("button", name="I'm back")).to_be_in_viewport(ratio=1)
    await without_findings(phone)


async def test_a_game_begins_at_the_top_of_the_page_and_sounds_only_while_that_is_on(site: Site) -> None:
    phone = await a_phone(site, the_lobby(2), script=HEARING)
    sound, made = phone.get_by_role("button", name="Sound"), []
    for _ in range(3):
        await expect(sound).to_be_visible()
        made.append(await phone.evaluate("sounds"))
        await sound.click()
    await sound.click()
    off = await phone.evaluate("sounds")
    await phone.set_viewport_size({"width": 320, "height": 250})
    await phone.evaluate("scrollTo(0, 100)")
    told(phone, shown(a_game(3)))
    await expect(phone.locator(".seat")).to_have_count(3)
    assert await phone.evaluate("scrollY") == 0
    assert made[0] == 0 < made[1] == made[2]
    assert await phone.evaluate("sounds") == off


async def test_a_game_that_waits_says_why_and_what_helps_on_every_phone(site: Site) -> None:
    table = a_game(4, calls="2x3")
    for seat in range(4):
        table = table.with_seat(seat, away=True)
    phone = await a_phone(site, shown(table, page_catalogue("fr"), paused=True, turn=None), language="fr")
    key = phone.locator(".call-box .primary")
    await expect(phone.locator(".paused")).to_contain_text("⏸")
    assert await key.inner_text() in await phone.locator(".paused").inner_text()
    await on_each_phone(phone, ".paused, .call-box .primary, .seat", scrolls=False)
    for width, height in PHONES:
        await phone.set_viewport_size({"width": width, "height": height})
        assert await phone.evaluate(OVERLAPS, ".seat .absence, .seat .bubble, .seat .pips") == [], (width, height)
    await without_findings(phone)


async def test_a_bid_that_did_not_get_through_is_offered_again_and_says_so(site: Site) -> None:
    phone = await a_phone(site, shown(a_game(3)), clock=True)
    make = phone.get_by_role("button", name="Bid ")
    await expect(make).to_be_visible()
    await phone.get_by_role("button", name="More").click()
    chosen = await make.get_attribute("aria-label")
    await phone.route(f"{ORIGIN}/seat/act", lambda route: route.abort())
    await make.click()
    await expect(make).to_be_disabled()
    while not await phone.locator(".call-box").get_by_text("That didn't get through. Try again.").is_visible():
        await phone.clock.run_for(1000)
    await expect(make).to_be_enabled()
    assert await make.get_attribute("aria-label") == chosen


async def test_a_key_that_asks_for_a_second_tap_asks_also_after_the_page_is_loaded_again(site: Site) -> None:
    phone = await a_phone(site, shown(a_game(3, calls="2x3", opener=2)))
    asks = {"done": False, "reason": "tap_again", "text": "Dudo? Tap it again.", "seconds": 30, "explains": False}
    answers(phone, "act", asks)
    await phone.get_by_role("button", name="Dudo!").click()
    await expect(phone.get_by_role("button", name="Dudo? Tap again")).to_be_visible()
    await phone.reload()
    await expect(phone.get_by_role("button", name="Dudo? Tap again")).to_be_visible()


async def test_the_last_of_many_names_counts_when_names_are_taken_again(site: Site) -> None:
    phone = await a_phone(site, shown(a_game(3)), clock=True)
    names: list[str] = []
    taken: list[str] = []

    async def act(route: Route) -> None:
        names.append(json.loads(route.request.post_data or "")["value"])
        if len(names) <= 2:
            await route.fulfill(status=429, json={"error": "too_many"}, headers={"Retry-After": "10"})
        else:
            taken.append(names[-1])
            await route.fulfill(json={"done": True, "text": ""})

    await phone.route(f"{ORIGIN}/seat/act", act)
    for name in ("Eva", "Evita"):
        await phone.get_by_role("button", name="Menu").click()
        await phone.get_by_label("Your name").fill(name)
        async with phone.expect_response(f"{ORIGIN}/seat/act"):
            await phone.get_by_label("Your name").press("Enter")
    async with phone.expect_response(f"{ORIGIN}/seat/act"):
        await phone.clock.run_for(11_000)
    await phone.clock.run_for(11_000)
    assert (names, taken) == (["Eva", "Evita", "Evita"], ["Evita"])


async def test_an_open_cup_offers_to_show_dice_after_a_bid_on_every_phone_and_a_closed_one_does_not(site: Site) -> None:
    table = a_game(3, rules=Rules(reroll_after_bid=True, calza=True), calls="2x3 3x3 4x3 5x3")
    phone = await a_phone(site, *own_turn(table))
    key = phone.get_by_role("button", name="roll the rest")
    await expect(phone.locator(".call-box")).to_be_visible()
    await expect(key).to_have_count(0)
    await phone.get_by_role("button", name="Lift the cup").click()
    await expect(key).to_be_visible()
    await on_each_phone(phone, ".call-box button")
    async with phone.expect_response(f"{ORIGIN}/seat/act"):
        await key.click()
    assert [(each["act"], each["step"]) for each in asked(phone)] == [("reroll", table.step)]


async def test_below_a_television_a_phone_is_a_hand_of_large_dice_with_keys_and_the_bid(site: Site) -> None:
    """And a bid says how often the cup was lifted in its round."""
    phone = await a_phone(site, *own_turn(a_game(3, calls="2x3 3x3 4x3")), HAS_SCREEN)
    for _ in range(3):
        await phone.locator(".cup").click()
    await expect(phone.locator(".cube")).to_have_count(5)
    await expect(phone.locator(".last-bid")).to_contain_text("Cy: 4")
    await expect(phone.locator(".seat, .felt")).to_have_count(0)
    await on_each_phone(phone, ".cube, .call-box button", scrolls=False)
    for width, height in PHONES:
        await phone.set_viewport_size({"width": width, "height": height})
        widths = await phone.locator(".cube").evaluate_all("cubes => cubes.map((cube) => cube.offsetWidth)")
        assert min(widths) >= LEAST_OF_A_HAND * min(width, height), (width, height)
    await without_findings(phone)
    await phone.get_by_role("button", name="Menu").click()
    await phone.get_by_label("I'm not in the room").check()
    await phone.get_by_role("button", name="Close").first.click()
    await expect(phone.locator(".seat")).to_have_count(3)
    await expect(phone.locator(".seat", has_text="Bo")).to_contain_text("no connection")
    async with phone.expect_response(f"{ORIGIN}/seat/act"):
        await phone.locator(".call-box .make").click()
    assert [(each["act"], each["lifts"]) for each in asked(phone)] == [("bid", 2)]


async def test_before_lifting_the_page_is_the_same_for_any_dice(site: Site) -> None:
    """A neighbour who looks over a player's shoulder at the closed cup learns nothing about the dice below it."""

    def cards(dice: str, calls: str, tip: Tip | None) -> list[Card]:
        table = running_table("33456", dice, "23456", calls=calls, opener=0 if calls else 1)
        hand = HandNotice(view=hand_view(table, 1), player=2, title="", deal=1, tip=tip)
        public = shown(table) | {"acts": [{"act": "coach", "text": "Hint"}]}
        advice = {"lines": [f"You have {dice.count('4')} of those."], "call": f"4x{max(dice)}", "step": table.step}
        coach = {"card": "coach", "slot": "coach", "lane": "private", "table": table.id, "text": "", **advice}
        return [public, card_of(hand, 2, table.id, EN), coach]

    page = await site.without_scripts(SMALL)
    for calls, tip in (("", Tip.WILD), ("2x4", Tip.DUDO), ("2x4", Tip.UNSEEN), ("3x5", None)):
        closed = [await page.evaluate(SHOULDER, [cards(dice, calls, tip), False]) for dice in ("11234", "44444")]
        opened = [await page.evaluate(SHOULDER, [cards(dice, calls, tip), True]) for dice in ("11234", "44444")]
        assert closed[0] == closed[1], (calls, tip)
        assert opened[0] != opened[1], "the dice, the wheel and the tip follow the lifted cup"


async def test_a_browser_that_translates_pages_leaves_the_names_and_turns_of_a_table_as_they_are(site: Site) -> None:
    """Texts whose nodes are replaced would stay as they are when the turn goes on."""
    table = a_game(3)
    phone = await a_phone(site, shown(table), player=3)
    await expect(phone.locator("#page")).to_contain_text("It's Ana's turn.")
    await phone.evaluate(TRANSLATE)
    told(phone, shown(after_call(table, "2x3")), player=3)
    await expect(phone.locator("#page")).to_contain_text("It's Bo's turn.")
    for page in ("app", "tv"):
        assert '<html lang="en" translate="no">' in page_html(page, "en")


async def test_a_page_whose_place_a_newer_tab_has_taken_says_so_and_plays_on_once_it_is_touched(site: Site) -> None:
    phone = await a_phone(site, shown(a_game(3)), ("end", {"why": "elsewhere"}))
    said = phone.get_by_text("The table is open in another tab.")
    await expect(said).to_be_visible()
    await phone.locator("header").click()
    await expect(said).to_be_hidden()


# A lobby


async def test_the_hosts_lobby_begins_with_friends_says_why_it_cannot_start_and_hides_the_rules(site: Site) -> None:
    phone = await a_phone(site, the_lobby(1), room=ROOM)
    await expect(phone.get_by_role("button", name="Start")).to_be_disabled()
    await expect(phone.get_by_role("button", name="Start")).to_have_accessible_description(
        "It takes at least 2 players. Invite a friend, or add a computer player."
    )
    parts = phone.locator(".invite"), phone.get_by_text("Computer players", exact=True)
    friends, computers = [await part.bounding_box() for part in parts]
    assert friends is not None
    assert computers is not None
    assert friends["y"] < computers["y"]
    await phone.locator(".rules > summary").click()
    await expect(phone.locator(".example .die").first).to_be_visible()
    rule = phone.get_by_role("checkbox", name="Calza with calza")
    await expect(phone.get_by_role("radio", name="Aces")).to_be_visible()
    await expect(
        phone.get_by_role("checkbox", name="First out wins the first player without dice wins").first
    ).to_be_visible()
    await expect(rule).to_be_hidden()
    await phone.get_by_text("Change one rule").click()
    await expect(rule).to_be_visible()
    await without_findings(phone)


async def test_a_host_seats_an_engine_by_its_name_or_a_computer_player_by_its_level(site: Site) -> None:
    name = plain_name("\N{HEBREW LETTER DALET}\N{HEBREW LETTER NUN}\N{HEBREW LETTER HE}")
    phone = await a_phone(site, the_lobby(lobby_table(2).with_seat(0, name=name), "engine-of-20-letters"))
    await phone.get_by_text("Computer players", exact=True).click()
    for choice in ("engine-of-20-letters", "strong"):
        await phone.get_by_role("combobox", name="Computer players").select_option(choice)
        async with phone.expect_response(f"{ORIGIN}/seat/act"):
            await phone.locator(".computers button").first.click()
    sent = [[said.get(name) for name in ("act", "count", "level", "engine")] for said in asked(phone)]
    assert sent == [["computers", 1, None, "engine-of-20-letters"], ["computers", 1, "strong", None]]
    await expect(phone.locator("span.badge", has_text="engine-of-20-letters")).to_be_visible()
    aligned = "names => names.map((name) => getComputedStyle(name).textAlign)"
    assert await phone.locator(".people .name").evaluate_all(aligned) == ["left", "left"], "next to their faces"
    assert await phone.evaluate(BEYOND_THE_SCREEN) == []
    await without_findings(phone)


async def test_a_guest_who_was_let_in_without_a_network_comes_in_once_it_is_back(site: Site) -> None:
    cy = [{"player": 8, "name": "Cy"}]
    phone = await a_phone(site, the_lobby(2), room=ROOM | {"asking": cy})
    admitted: list[dict[str, Any]] = []

    async def room(route: Route) -> None:
        said = json.loads(route.request.post_data or "")
        admitted.extend([said] if said["do"] == "admit" else [])
        if said["do"] == "admit" and len(admitted) < 3:
            await route.abort("internetdisconnected")
            return
        await route.fulfill(json=ROOM | {"asking": cy if len(admitted) < 3 else []})

    await phone.route(f"{ORIGIN}/seat/room", room)
    await phone.get_by_role("button", name="Let in").click()
    await expect(phone.get_by_role("button", name="Let in")).to_have_count(0)
    assert admitted == [admitted[0]] * 3, "under one id, so it happens once"


async def test_who_leaves_a_lobby_is_asked_first_and_finds_no_reproach_at_the_door(site: Site) -> None:
    phone = await a_phone(site, the_lobby(2))
    acts: list[str] = []

    async def act(route: Route) -> None:
        acts.append(json.loads(route.request.post_data or "{}")["act"])
        answers(phone, "me", {"state": "nowhere", "text": "Ask the host for the link.", "tables": []})
        told(phone, ("end", {"why": "moved"}))
        await route.fulfill(json={"done": True, "text": ""})

    await phone.route(f"{ORIGIN}/seat/act", act)
    for choice in ("No", "Yes"):
        await phone.get_by_role("button", name="Menu").click()
        await phone.get_by_role("button", name="Leave the table").click()
        await question(phone, "Leave this table?", choice)
    await expect(phone.get_by_role("button", name="Come in")).to_be_visible()
    assert acts == ["leave"]
    await expect(phone.get_by_text("Ask the host for the link.")).to_have_count(0)


async def test_a_host_removes_a_guest_and_closes_a_game_after_a_question_and_reads_its_rules(site: Site) -> None:
    lines = ["The last player with dice wins."]
    phone = await a_phone(site, the_lobby(3), room=ROOM | {"rules": {"title": "Rules", "lines": lines}})
    await phone.get_by_role("button", name="Remove Cy", exact=True).click()
    await without_findings(phone)
    async with phone.expect_response(f"{ORIGIN}/seat/act"):
        await question(phone, "Remove Cy, number 3 in the list?", "Yes")
    await phone.evaluate(TAKE_ON_A_PHONE, shown(a_game(3)))
    await phone.get_by_role("button", name="Menu").click()
    await phone.get_by_text("How to play").click()
    await expect(phone.get_by_text(lines[0])).to_be_visible()
    async with phone.expect_response(f"{ORIGIN}/seat/act"):
        await phone.get_by_role("button", name="Close the table").click()
    closes = ConfirmNotice(table=7, about="stop", title="", player=1, name="Ana")
    await phone.evaluate(TAKE_ON_A_PHONE, card_of(closes, 1, 7, EN))
    await without_findings(phone)
    async with phone.expect_response(f"{ORIGIN}/seat/act"):
        await question(phone, "close this game?", "Yes")
    sent = [tuple(each.get(name) for name in ("act", "player", "confirmed")) for each in asked(phone)]
    assert sent == [("kick", 3, None), ("stop", None, None), ("stop", None, True)]


async def test_the_host_answers_whose_phone_it_is_keeps_the_seat_and_changes_the_language(site: Site) -> None:
    seat = {"link": f"{ORIGIN}/t/TABLE2#seat=KEY", "qr": ["1"]}
    claims = [{"player": 9, "name": "Bo", "number": 47}]
    lobby = the_lobby(2) | {"note": "This game counts for no league."}
    phone = await a_phone(site, lobby, room=ROOM | {"claims": claims, "seat": seat})
    await expect(phone.get_by_text("Bo on another phone? It shows the number 47.")).to_be_visible()
    await expect(phone.get_by_role("button", name="It's Bo")).to_be_visible()
    await phone.get_by_role("button", name="Menu").click()
    await phone.get_by_role("button", name="Keep my seat").click()
    dialog = phone.get_by_role("dialog", name="Keep my seat")
    await expect(dialog).to_be_visible()
    await without_findings(phone)
    await dialog.get_by_role("button", name="Close").click()
    await phone.get_by_role("button", name="Menu").click()
    await expect(phone.get_by_text("counts for no league")).to_be_hidden()
    await phone.get_by_text("Who sees what?").click()
    await expect(phone.get_by_text("counts for no league")).to_be_visible()
    answers(phone, "me", {"state": "in", "title": "tavolo di Ana"})
    await phone.get_by_role("combobox", name="Language").select_option("it")
    await expect(phone).to_have_title("tavolo di Ana")


@pytest.mark.parametrize(
    ("player", "keys", "language", "has_screen"),
    [(1, 8, "de", False), (2, 5, "de", True)],
)
async def test_a_lobby_has_eight_keys_for_its_host_and_five_for_a_guest(
    site: Site, player: int, keys: int, language: str, *, has_screen: bool
) -> None:
    lobby = the_lobby(lobby_table(2).replace(secret="ab" * 32), language=language)
    room = ROOM | {"host": player == 1}
    screen = ("door", {"screen": has_screen, "gone": []})
    phone = await a_phone(site, lobby, screen, player=player, language=language, room=room)
    await expect(phone.locator(".invite")).to_be_visible()
    on_page = phone.locator(":is(header, .actions, .box) :is(button, summary, select, input):visible")
    assert await on_page.count() <= keys, await on_page.all_inner_texts()
    for width, height in PHONES:
        await phone.set_viewport_size({"width": width, "height": height})
        assert await phone.evaluate(BEYOND_THE_SCREEN) == [], (width, height)


async def test_no_name_is_wider_than_a_phone_at_the_door_in_the_lobby_at_a_reveal_and_at_the_end(site: Site) -> None:
    asks = ROOM | {"asking": [{"player": 8, "name": WIDE, "face": None}]}
    game = a_game(6, calls="2x3").with_seat(1, name=WIDE)
    reveal, _ = the_end(game, "dudo")
    for player, cards, seen in (
        (1, [the_lobby(lobby_table(3).with_seat(1, name=WIDE))], "At the table"),
        (1, [shown(game), reveal_card(reveal)], "loses a die"),
        (2, [the_last_game(WIDE)], "has won!"),
    ):
        phone = await a_phone(site, *cards, player=player, room=asks)
        await expect(phone.get_by_text(f"{WIDE} would like to come in.")).to_be_visible()
        await expect(phone.get_by_text(seen).first).to_be_visible()
        await phone.locator("details").evaluate_all(OPEN_ALL)
        assert await phone.evaluate(BEYOND_THE_SCREEN) == []


async def test_every_key_has_room_for_a_thumb_and_each_name_for_its_words_on_the_smallest_phone(site: Site) -> None:
    lobby = lobby_table(6)
    for seat in range(1, 6):
        lobby = lobby.with_seat(seat, computer=ComputerPlayer(level=Level.REGULAR))
    for cards in ([the_lobby(lobby)], own_turn(a_game(3, calls="2x3 3x3 4x3"))):
        phone = await a_phone(site, *cards, HAS_SCREEN, room=ROOM)
        if len(cards) > 1:
            await phone.locator(".cup").click()
        await expect(phone.locator(".tray.up, details.rules")).to_be_visible()
        await phone.locator("details").evaluate_all(OPEN_ALL)
        assert await phone.evaluate(TOO_SMALL) == []
        assert await phone.evaluate(CUT, ".people .badge, .people .name") == []


@pytest.mark.parametrize("is_copied", [True, False])
async def test_a_page_without_encryption_copies_a_link_or_selects_it(site: Site, *, is_copied: bool) -> None:
    """Such a page, as at a party, has no clipboard of its own."""
    phone = await a_phone(site, the_lobby(2), room=ROOM, script=NO_CLIPBOARD + (COPIED if is_copied else NOT_COPIED))
    await phone.get_by_role("button", name="Copy the link").first.click()
    if is_copied:
        await expect(phone.locator(".toasts")).to_contain_text("copied")
        await expect(phone.get_by_role("dialog")).to_have_count(0)
        assert await phone.evaluate("copied") == ROOM["link"]
    else:
        await expect(phone.get_by_role("textbox", name="Copy this:")).to_have_value(str(ROOM["link"]))
        assert await phone.evaluate("getSelection().toString()") == ROOM["link"]
        await phone.get_by_role("dialog").get_by_role("button").click()
        await expect(phone.get_by_role("dialog")).to_have_count(0)


@pytest.mark.parametrize(("place", "said", "has_screen"), [(1, "You've won!", False), (2, "Ana has won!", True)])
async def test_the_winners_phone_says_so_and_only_where_no_television_does_a_phone_shows_the_code_of_the_next_game(
    site: Site, place: int, said: str, *, has_screen: bool
) -> None:
    over = the_last_game()
    player = next(seat["player"] for seat in over["seats"] if seat["place"] == place)
    phone = await a_phone(site, over, ("door", {"screen": has_screen, "gone": []}), player=player, room=ROOM)
    await expect(phone.get_by_role("heading", name=said)).to_be_visible()
    await expect(phone.get_by_role("button", name="Play again")).to_be_visible()
    await expect(phone.locator(".next-table")).to_have_count(int(not has_screen))


# The door


async def test_a_guest_whose_phone_died_says_so_at_the_door_and_reads_a_number_out(site: Site) -> None:
    phone = await at_the_door(site, door={})
    answers(phone, "enter", IN | {"state": "asked", "claim": {"name": "Bo", "number": 47}})
    await phone.get_by_role("button", name="Playing already, on another phone?").click()
    await expect(phone.get_by_text("Nobody is missing yet. One moment…")).to_be_visible()
    answers(phone, "door", {"title": "", "absent": [BO], "mine": None})
    await phone.get_by_role("button", name="I'm Bo").click()
    await expect(phone.locator(".number")).to_have_text("47")
    await without_findings(phone)


async def test_a_page_whose_seat_is_open_elsewhere_says_so_and_can_take_it_back(site: Site) -> None:
    moved = {"error": "seat_moved", "text": "Your seat is open on another device now."}
    phone = await at_the_door(site, door={"absent": [BO]}, me=moved)
    await expect(phone.get_by_role("alert")).to_have_text(moved["text"])
    await expect(phone.get_by_role("button", name="I'm Bo")).to_be_visible()
    await without_findings(phone)


async def test_an_own_link_opens_its_seat_with_one_key(site: Site) -> None:
    phone = await at_the_door(site, "TABLE2#seat=KEY", door={"mine": BO})
    answers(phone, "enter", IN)
    await phone.get_by_role("button", name="Open Bo's seat here").click()
    await expect(phone.locator(".door")).to_have_count(0)
    assert [(each["code"], each["seat"]) for each in asked(phone, "enter")] == [("TABLE2", "KEY")]
    assert phone.url == f"{ORIGIN}/t/TABLE2"


async def test_the_door_names_the_table_shows_all_animals_and_tells_a_browser_without_cookies(site: Site) -> None:
    phone = await at_the_door(site, door={"title": "Ana's table"})
    await expect(phone.get_by_role("heading", name="Ana's table")).to_be_visible()
    for width, height in PHONES:
        await phone.set_viewport_size({"width": width, "height": height})
        part = ".animals label, button" if width < height else ".animals label"
        assert await phone.evaluate(OUT_OF_REACH, part) == [], (width, height)
    await expect(phone.locator(".privacy")).to_have_count(0)
    await without_findings(phone)
    answers(phone, "stream", NO_SESSION, 401)
    answers(phone, "enter", IN)
    await expect(phone.get_by_role("alert")).to_have_count(0)
    await phone.get_by_label("Your name").fill("Ana")
    await phone.get_by_role("button", name="Come in").click()
    await expect(phone.get_by_role("alert")).to_contain_text("This browser keeps no cookies")


async def test_the_door_for_a_code_has_its_key_on_every_phone_and_signs_after_a_link_are_ignored(site: Site) -> None:
    phone = await at_the_door(site, "", door={})
    await expect(phone.get_by_label("The table's code")).to_be_visible()
    await on_each_phone(phone, "form button, input:not([type=radio])")
    await without_findings(phone)
    for fragment in ("KEY-_1).", "KEY-_1?utm_source=x", "seat=KEY-_1."):
        await phone.goto("about:blank")
        await phone.goto(f"{ORIGIN}/t/TABLE2#{fragment}")
        await expect(phone.get_by_role("button", name="Come in")).to_be_visible()
    assert [each.get("key") or each.get("seat") for each in asked(phone, "door")] == ["KEY-_1"] * 3
