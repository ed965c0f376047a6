"""Answers that do not come, as while the server starts again behind a proxy: pages ask again, and show no raw key."""

import re
from collections.abc import Awaitable, Callable

import pytest
from playwright.async_api import Page, Route, expect

from test_support.web_world import init_data
from tests.end_to_end.test_web_seat_in_the_browser import LARGE_TELEVISION, PHONE
from tests.telegram_bot.channels.web.stored_pages import HELLO, ORIGIN, Site, answers, serve
from tests.telegram_bot.channels.web.test_late_pages import after_the_reveal, loaded
from tests.telegram_bot.conftest import START

pytestmark = pytest.mark.asyncio(loop_scope="session")

RAW_KEY = re.compile(r"\b[a-z]+_[a-z_]+\b")
PAGES = {"guest": "/t/TABLE2#KEY", "tv": "/tv/TABLE2#KEY", "app": f"/app#{init_data(1, START)}"}


async def a_served_page(site: Site, name: str) -> Page:
    """A page before it is loaded."""
    page = await site.page(LARGE_TELEVISION if name == "tv" else PHONE)
    player = {} if name == "tv" else {"player": 1}
    serve(page, ("hello", HELLO | player), *loaded(after_the_reveal(90)[: 2 if name == "tv" else 3]))
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


@pytest.mark.parametrize(
    ("name", "path"), [("guest", "words"), ("guest", "me"), ("guest", "room"), ("tv", "words"), ("tv", "screen")]
)
async def test_a_page_that_gets_no_answer_says_so_and_asks_again(site: Site, name: str, path: str) -> None:
    page = await a_served_page(site, name)
    await page.route(f"{ORIGIN}/seat/{path}**", failing(2))
    await page.goto(f"{ORIGIN}{PAGES[name]}")
    if path == "words":
        await expect(page.get_by_role("alert")).to_have_text("No connection. Trying again…")
        assert not RAW_KEY.search(await page.locator("#page").inner_text())
    await expect(page.get_by_text("Ana opens")).to_be_visible()
    await site.close(page)


async def test_the_mini_app_says_that_there_is_no_connection_and_asks_again(site: Site) -> None:
    for path in ("words", "app"):
        page = await a_served_page(site, "app")

        known = {"state": "in", "kind": "telegram", "token": "t", "language": "en", "player": 1, "tables": []}
        answers(page, "app", known)
        await page.route(f"{ORIGIN}/seat/{path}**", failing(1))
        await page.goto(f"{ORIGIN}/app#tgWebAppData=user")
        await expect(page.get_by_role("alert")).to_have_text("No connection. Trying again…")
        await expect(page.get_by_text("Ana opens")).to_be_visible()
        await site.close(page)


@pytest.mark.parametrize(
    ("name", "fault"), [("guest", "missing"), ("guest", "broken"), ("guest", "throws"), ("tv", "missing")]
)
async def test_a_feature_whose_module_fails_is_left_out(site: Site, name: str, fault: str) -> None:
    page = await a_served_page(site, name)
    bodies = {
        "broken": "export const silent = [;",
        "throws": "export const seatView = () => { throw new Error('x'); };",
    }

    async def fail(route: Route) -> None:
        body = bodies.get(fault)
        await route.fulfill(status=200 if body else 502, body=body or "", content_type="text/javascript")

    await page.route(f"{ORIGIN}/seat/static/features/shouts/shouts.js**", fail)
    await page.goto(f"{ORIGIN}{PAGES[name]}")
    await expect(page.get_by_text("Ana opens")).to_be_visible()
    await site.close(page)


async def test_a_feature_whose_module_comes_at_the_second_try_is_there(site: Site) -> None:
    page = await a_served_page(site, "tv")
    await page.route(f"{ORIGIN}/seat/static/features/shouts/shouts.js**", failing(1))
    await page.goto(f"{ORIGIN}{PAGES['tv']}")
    await expect(page.get_by_text("Ana opens")).to_be_visible()
    count = "async () => (await import('/seat/static/features.js')).features.length"
    names = """async () => {
      const lists = ["names", "tv_names"].map((list) => import(`/seat/static/features/${list}.js`));
      return (await Promise.all(lists)).flatMap((list) => list.names).length;
    }"""
    assert await page.evaluate(count) == await page.evaluate(names)


@pytest.mark.parametrize("name", ["guest", "tv"])
async def test_a_page_whose_module_does_not_come_is_loaded_again(site: Site, name: str) -> None:
    page = await a_served_page(site, name)
    await page.route(f"{ORIGIN}/seat/static/net.js", failing(2))  # the link that asks for it early, and the page
    await page.goto(f"{ORIGIN}{PAGES[name]}")
    await expect(page.get_by_text("Ana opens")).to_be_visible()
