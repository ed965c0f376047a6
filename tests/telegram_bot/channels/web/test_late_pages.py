"""Pages that were loaded again, come late, slept or get no answer show what is now or ask again; screens stay awake."""

import re
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from playwright.async_api import Page, Route, expect

from telegram_bot.notices import HandNotice, LobbyNotice
from telegram_bot.presentation.cards import Card, card_of
from telegram_bot.tables.views import hand_view, lobby_view
from tests.end_to_end.test_web_seat_in_the_browser import LARGE_TELEVISION, PHONE
from tests.telegram_bot.channels.web.stored_pages import HELLO, ORIGIN, Site, answers, serve
from tests.telegram_bot.channels.web.test_television_as_host import reveal_card, the_end
from tests.telegram_bot.conftest import EN, START, lobby_table, running_table

pytestmark = pytest.mark.asyncio(loop_scope="session")

BEFORE = running_table("22345", "33456", calls="4x2")
"""Ana has bid, and Bo doubts: she loses a die and opens the next round."""
ALL_DICE_OPEN = 6.1
"""Seconds from the call to the result of ten dice."""


def after_the_reveal(seconds: float) -> list[Card]:
    """The reveal, some seconds ago, the next round, and the hand of Ana, who opens it."""
    view, after = the_end(BEFORE, "dudo")
    table = running_table("2234", "33456")
    hand = HandNotice(view=hand_view(table, 0), player=1, title="", deal=2)
    mine = card_of(hand, 1, BEFORE.id, EN) | {"round": after["round"], "step": after["step"], "on_turn": True}
    return [reveal_card(view) | {"at": START - seconds}, after, mine]


async def a_phone(site: Site, player: int, *events: tuple[str, Any]) -> Page:
    phone = await site.page(PHONE, calm=False, clock=True)
    serve(phone, ("hello", HELLO | {"player": player}), *events)
    await phone.goto(f"{ORIGIN}/t/TABLE2#KEY")
    await expect(phone.locator(".seat").first).to_be_visible()
    return phone


def loaded(cards: list[Card]) -> list[tuple[str, Any]]:
    return [("card", card) for card in cards]


@pytest.mark.parametrize(("seconds", "has_keys"), [(ALL_DICE_OPEN, True), (4, False)])
async def test_a_phone_has_keys_once_the_others_have_seen_the_dice(site: Site, seconds: float, has_keys: bool) -> None:
    phone = await a_phone(site, 1, *loaded(after_the_reveal(seconds)))
    await expect(phone.get_by_role("button", name="Bid ")).to_have_count(int(has_keys))
    await expect(phone.locator(".die.back")).to_have_count(0 if has_keys else 5)
    await phone.clock.run_for(int(1000 * (ALL_DICE_OPEN - 4)))
    await expect(phone.get_by_role("button", name="Bid ")).to_be_visible()


# Answers that do not come, as while the server starts again behind a proxy


PAGES = {"guest": "/t/TABLE2#KEY", "tv": "/tv/TABLE2#KEY", "app": "/app#tgWebAppData=user"}
ASKED = {"guest": ("words", "me", "room"), "tv": ("words", "screen"), "app": ("words", "app")}
KNOWN = {"state": "in", "kind": "telegram", "token": "t", "language": "en", "player": 1, "tables": []}
FAILS = "export const silent = [];" + "".join(
    f"export const {view}View = () => {{ throw new Error('x'); }};"
    for view in ("seat", "round", "turn", "felt", "screen")
)


async def a_served_page(site: Site, name: str) -> Page:
    page = await site.page(LARGE_TELEVISION if name == "tv" else PHONE)
    player = {} if name == "tv" else {"player": 1}
    serve(page, ("hello", HELLO | player), *loaded(after_the_reveal(90)[: 2 if name == "tv" else 3]))
    answers(page, "app", KNOWN)
    return page


def failing(times: int) -> Callable[[Route], Awaitable[None]]:
    """A proxy's answer, for so many requests."""
    left = [times]

    async def fail(route: Route) -> None:
        left[0] -= 1
        if left[0] < 0:
            await route.fallback()
        else:
            await route.fulfill(status=502, body="<html>Bad Gateway</html>", content_type="text/html")

    return fail


def answering(script: str | None) -> Callable[[Route], Awaitable[None]]:
    """A server's answer: a module, or that of a proxy in its place."""
    status = 502 if script is None else 200
    return lambda route: route.fulfill(status=status, body=script or "", content_type="text/javascript")


@pytest.mark.parametrize("name", PAGES)
async def test_a_page_that_gets_no_answers_says_so_and_asks_again(site: Site, name: str) -> None:
    page = await a_served_page(site, name)
    for path in ASKED[name]:
        await page.route(f"{ORIGIN}/seat/{path}**", failing(1))
    await page.goto(f"{ORIGIN}{PAGES[name]}")
    await expect(page.get_by_role("alert")).to_have_text("No connection. Trying again…")
    assert not re.search(r"\b[a-z]+_[a-z_]+\b", await page.locator("#page").inner_text())
    await expect(page.get_by_text("Ana opens")).to_be_visible()
    await expect(page.get_by_text("counted")).to_have_count(0)


@pytest.mark.parametrize("name", ["guest", "tv"])
async def test_features_that_fail_are_left_out_and_one_that_comes_late_is_not(site: Site, name: str) -> None:
    page = await a_served_page(site, name)
    for feature, script in (("fair_dice", None), ("nudges", "export const silent = [;"), ("coach", FAILS)):
        await page.route(f"{ORIGIN}/seat/static/features/{feature}/{feature}.js**", answering(script))
    await page.route(f"{ORIGIN}/seat/static/features/story/story.js**", failing(1))
    await page.goto(f"{ORIGIN}{PAGES[name]}")
    await expect(page.get_by_text("Ana opens")).to_be_visible()
    known = 0
    for each in ("names", "tv_names")[: 1 + (name == "tv")]:
        known += await page.evaluate(f"import('/seat/static/features/{each}.js').then(({{ names }}) => names.length)")
    there = await page.evaluate("import('/seat/static/features.js').then(({ features }) => features.length)")
    assert there == known - 2


@pytest.mark.parametrize("name", ["guest", "tv"])
async def test_a_page_whose_module_does_not_come_is_loaded_again(site: Site, name: str) -> None:
    page, loads, fail = await a_served_page(site, name), list[Page](), failing(9)
    page.on("load", lambda page: loads.append(page))  # noqa: PLW0108 - playwright takes no built-in function
    await page.route(f"{ORIGIN}/seat/static/net.js", lambda route: route.fallback() if loads else fail(route))
    await page.goto(f"{ORIGIN}{PAGES[name]}")
    await expect(page.get_by_text("Ana opens")).to_be_visible()


LOBBY = card_of(LobbyNotice(view=lobby_view(lobby_table(3))), -1, 7, EN)
AN_IPHONE = """
localStorage.setItem("perudo-sound", "on");
window.resumed = 0;
class Sound extends AudioContext {
  get state() { return window.interrupted ? "interrupted" : "running"; }
  resume() { resumed += 1; window.interrupted = false; }
}
delete window.AudioContext;
window.webkitAudioContext = Sound;
"""
"""Sound by the old name, which a call interrupts."""
COUNTED = """
window.locks = 0;
class Lock extends EventTarget {
  async release() {
    locks -= 1;
    this.dispatchEvent(new Event("release"));
  }
}
const request = async () => {
  locks += 1;
  return new Lock();
};
Object.defineProperty(navigator, "wakeLock", { value: { request } });
"""
"""A browser that keeps the screen awake, and counts how often it has to."""
AWAKE = "Object.defineProperty(navigator, 'wakeLock', { value: { request: async () => new EventTarget() } });"
MAY_SLEEP = "This screen may fall asleep during the game. Turn off its screen saver."


async def test_sound_comes_back_with_the_first_tap_after_a_call(site: Site) -> None:
    phone = await site.page(PHONE, script=AN_IPHONE)
    await phone.goto(f"{ORIGIN}/t")
    await phone.evaluate("import('/seat/static/sound.js').then(({ play }) => play('turn'))")
    assert await phone.evaluate("resumed") == 0
    await phone.evaluate("window.interrupted = true")
    await phone.mouse.click(10, 10)
    assert await phone.evaluate("resumed") == 1


async def test_a_television_says_that_it_may_fall_asleep_and_asks_for_a_press_for_its_sound(site: Site) -> None:
    for script in (AWAKE, 'localStorage.setItem("perudo-sound", "on");'):
        screen = await site.page(LARGE_TELEVISION, script=script)
        serve(screen, ("hello", HELLO), ("card", LOBBY))
        await screen.goto(f"{ORIGIN}/tv/TABLE2#KEY")
        await expect(screen.get_by_text("At the table: 3 of 6")).to_be_visible()
        await expect(screen.get_by_text(MAY_SLEEP)).to_have_count(0 if script == AWAKE else 1)
    prompt = screen.get_by_role("button", name="Turn the sound on")
    await expect(prompt).to_be_visible()
    await screen.get_by_text("At the table: 3 of 6").click()
    await expect(prompt).to_have_count(0)
    await expect(screen.get_by_role("button", name="Sound", pressed=True)).to_be_visible()


@pytest.mark.parametrize(("player", "locks"), [(1, 1), (None, 0)])
async def test_a_phone_stays_awake_for_its_players_game_alone(site: Site, player: int | None, locks: int) -> None:
    phone = await site.page(PHONE, script=COUNTED, clock=True)
    serve(phone, ("hello", HELLO | {"player": player}), ("card", LOBBY))
    await phone.goto(f"{ORIGIN}/t/TABLE2#KEY")
    await expect(phone.get_by_text("Ana").first).to_be_visible()
    await phone.clock.run_for(3000)
    assert await phone.evaluate("locks") == locks
    await phone.evaluate("import('/seat/static/guest.js').then(({ page }) => { page.state = null; })")
    await phone.clock.run_for(3000)
    assert await phone.evaluate("locks") == 0
