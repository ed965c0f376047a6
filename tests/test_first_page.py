"""The first page of the site, in a browser that reaches no server."""

import re
import runpy
from mimetypes import guess_type

import jinja2
import pytest
from playwright.async_api import Browser, Route, expect

from test_support.documents import ROOT

ORIGIN = "https://perudo.test"
PAGE = (ROOT / "config/site/theme/first.html").read_text(encoding="utf-8")


@pytest.mark.asyncio(loop_scope="session")
async def test_a_visitor_plays_a_round_against_three_computer_players(workers_browser: Browser) -> None:
    pages = runpy.run_path(str(ROOT / "config/site/pages.py"))["table"]()
    files = {f"play/{name}": content for name, content in pages.items()}
    files[""] = jinja2.Template(PAGE).render(page={"next_page": {}}, config={}).encode()
    drawn = sum(len(files[name]) for name in ("", *re.findall(r'stylesheet" href="([^"]+)', PAGE)))
    assert drawn < 200_000, "a second at 1.6 Mbit/s"
    elsewhere = []

    async def serve(route: Route) -> None:
        path = route.request.url.removeprefix(f"{ORIGIN}/")
        if path in files:
            await route.fulfill(body=files[path], content_type=guess_type(path)[0] or "text/html")
        else:
            elsewhere.append(path)
            await route.abort()

    page = await workers_browser.new_page(viewport={"width": 320, "height": 568})
    await page.route("**", serve)
    await page.clock.install()
    await page.goto(ORIGIN)
    await page.clock.pause_at("2100-01-01")
    await expect(page.get_by_text("Your game never leaves your browser")).to_be_in_viewport()
    await page.get_by_role("button", name="Play now").click()
    await page.get_by_role("button", name="Lift the cup").click()
    await expect(page.locator(".mydice .cube")).to_have_count(5)
    doubt = page.get_by_role("button", name="Dudo!")
    while not await doubt.is_visible():
        await page.clock.run_for(1000)
    for width, height in ((1920, 1080), (320, 568)):
        await page.set_viewport_size({"width": width, "height": height})
        await page.evaluate("scrollTo(0, 0)")
        for key in (doubt, page.get_by_role("button", name=re.compile("^Bid"))):
            await expect(key).to_be_in_viewport(ratio=1)
    facts = page.locator(".facts")
    before = re.sub(r".*· (\d+) dice.*", r"\1", await facts.inner_text())
    await doubt.click()
    await page.get_by_role("button", name="Show all dice").click()
    await expect(page.locator(".result")).to_contain_text(re.compile("loses? a die"))
    await page.get_by_role("button", name="Continue").click()
    await expect(facts).to_contain_text(f"{int(before) - 1} dice")
    assert not elsewhere
    await page.close()
