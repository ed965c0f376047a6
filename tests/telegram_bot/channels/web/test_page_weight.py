"""The bytes that a browser receives for a page: the first time, and again."""

import re
from pathlib import Path

import pytest
from playwright.async_api import Browser, Route

from telegram_bot.channels.web.static_files import page_html
from telegram_bot.features import FEATURES
from test_support.page_weight import MOST_AGAIN_KB, MOST_FIRST_KB, received, serving
from test_support.web_world import WebWorld
from tests.end_to_end.test_web_seat_in_the_browser import PHONE
from tests.telegram_bot.channels.web.stored_pages import ORIGIN, Site

assert FEATURES
pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_a_phone_receives_little_the_first_time_and_less_again(world: WebWorld, browser: Browser) -> None:
    async with serving(world.app) as address:
        first, again = await received(browser, f"{address}/t/ABCDEF")
    assert first <= MOST_FIRST_KB
    assert again <= MOST_AGAIN_KB


@pytest.mark.parametrize(("name", "path"), [("guest", "t/TABLE2"), ("tv", "tv/TABLE2"), ("app", "app")])
async def test_a_page_asks_early_for_the_modules_that_it_needs_and_for_no_other(
    site: Site, name: str, path: str
) -> None:
    html, needed = page_html(name, "en"), set()

    async def without_links(route: Route) -> None:
        await route.fulfill(body=re.sub('<link rel="modulepreload".*', "", html), content_type="text/html")

    async def note(route: Route) -> None:
        needed.add(route.request.url.removeprefix(ORIGIN))
        await route.fallback()

    page = await site.page(PHONE)
    await page.route(f"{ORIGIN}/{path}", without_links)
    await page.route("**/*.js", note)
    await page.goto(f"{ORIGIN}/{path}")
    await page.evaluate("async () => (await import('/seat/static/features.js')).loaded")
    links = re.findall(r'modulepreload" href="([^"]+)"', html)
    assert sorted(links) == sorted(each for each in needed if Path(each).name != "start.js")


@pytest.mark.parametrize("tag", ["{0}", "W/{0}", '"other", {0}'])
async def test_a_file_that_a_browser_has_is_not_sent_again(world: WebWorld, tag: str) -> None:
    client = world.browser().client
    for path in ("/t/ABCDEF", "/seat/static/net.js", "/seat/static/features.css", "/seat/words?language=de"):
        sent = await client.get(path, headers={"Accept-Encoding": "gzip"})
        assert sent.headers["content-encoding"] == "gzip"
        kept = {"If-None-Match": tag.format(sent.headers["etag"].removeprefix("W/"))}
        assert (await client.get(path, headers=kept)).status_code == 304
        assert "content-encoding" not in (await client.get(path, headers={"Accept-Encoding": "identity"})).headers
