"""Pages that were loaded again, come late, slept or get no answer: they show what is now, or ask again."""

import re
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from playwright.async_api import Page, Route, expect

from telegram_bot.notices import HandNotice
from telegram_bot.presentation.cards import Card, card_of
from telegram_bot.tables.views import hand_view
from tests.end_to_end.test_web_seat_in_the_browser import LARGE_TELEVISION, PHONE
from tests.telegram_bot.channels.web.stored_pages import EN, HELLO, ORIGIN, Site, answers, serve
from tests.telegram_bot.channels.web.test_television_as_host import reveal_card, the_end, the_round
from tests.telegram_bot.conftest import START, running_table

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
async def test_a_phone_has_its_keys_once_the_others_have_seen_the_dice(
    site: Site, seconds: float, has_keys: bool
) -> None:
    phone = await a_phone(site, 1, *loaded(after_the_reveal(seconds)))
    await expect(phone.get_by_role("button", name="Bid ")).to_have_count(int(has_keys))
    await expect(phone.locator(".die.back")).to_have_count(0 if has_keys else 5)
    await phone.clock.run_for(int(1000 * (ALL_DICE_OPEN - 4)))
    await expect(phone.get_by_role("button", name="Bid ")).to_be_visible()


async def test_a_player_who_slept_sees_the_rest_of_a_reveal_and_none_whose_time_is_over(site: Site) -> None:
    for seconds, shown in ((7, 1), (90, 0)):
        cards = loaded([the_round(BEFORE), *after_the_reveal(seconds)[:2]])
        phone = await a_phone(site, 2, cards[0], ("ready", {}), *cards[1:])
        await expect(phone.get_by_text("counted")).to_have_count(shown)
        await expect(phone.get_by_role("button", name="Continue")).to_have_count(shown)
        await phone.clock.run_for(4_000)
        await expect(phone.locator(".opens")).to_be_visible()
        await site.close(phone)


async def test_a_television_that_was_loaded_again_after_a_reveal_says_who_opens(site: Site) -> None:
    screen = await site.page(PHONE)
    serve(screen, ("hello", HELLO), *loaded(after_the_reveal(30)[:2]))
    await screen.goto(f"{ORIGIN}/tv/TABLE2#KEY")
    await expect(screen.get_by_text("Ana opens")).to_be_visible()
    await expect(screen.get_by_text("counted")).to_have_count(0)


# Answers that do not come, as while the server starts again behind a proxy


RAW_KEY = re.compile(r"\b[a-z]+_[a-z_]+\b")
PAGES = {"guest": "/t/TABLE2#KEY", "tv": "/tv/TABLE2#KEY", "app": "/app#tgWebAppData=user"}
ASKED = {"guest": ("words", "me", "room"), "tv": ("words", "screen"), "app": ("words", "app")}
KNOWN = {"state": "in", "kind": "telegram", "token": "t", "language": "en", "player": 1, "tables": []}
FAILS = "export const silent = [];" + "".join(
    f"export const {view}View = () => {{ throw new Error('x'); }};"
    for view in ("seat", "round", "turn", "felt", "screen")
)


async def a_served_page(site: Site, name: str) -> Page:
    """A page before it is loaded."""
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

    async def answer(route: Route) -> None:
        status = 502 if script is None else 200
        await route.fulfill(status=status, body=script or "", content_type="text/javascript")

    return answer


@pytest.mark.parametrize("name", PAGES)
async def test_a_page_that_gets_no_answers_says_so_and_asks_again(site: Site, name: str) -> None:
    page = await a_served_page(site, name)
    for path in ASKED[name]:
        await page.route(f"{ORIGIN}/seat/{path}**", failing(1 if name == "app" else 2))
    await page.goto(f"{ORIGIN}{PAGES[name]}")
    await expect(page.get_by_role("alert")).to_have_text("No connection. Trying again…")
    assert not RAW_KEY.search(await page.locator("#page").inner_text())
    await expect(page.get_by_text("Ana opens")).to_be_visible()


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
    page = await a_served_page(site, name)
    await page.route(f"{ORIGIN}/seat/static/net.js", failing(2))  # the link that asks for it early, and the page
    await page.goto(f"{ORIGIN}{PAGES[name]}")
    await expect(page.get_by_text("Ana opens")).to_be_visible()
