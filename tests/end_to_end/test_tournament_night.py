"""A tournament on the pages as well as in the group."""

import re
from pathlib import Path

import pytest
from playwright.async_api import Browser, expect

from test_support.game_driver import GameDriver
from test_support.world import World, opened

FRIENDS = ("Ana", "Bo", "Cy", "Dee", "Eve", "Fay")
"""With Oma so few as need two tables."""


@pytest.mark.asyncio(loop_scope="session")
async def test_a_guest_joins_on_a_page_and_the_television_shows_every_table(tmp_path: Path, browser: Browser) -> None:
    plan = {"clock": {"seconds": 5}}  # for Oma, who does not play
    async with opened(tmp_path, World, people=FRIENDS, with_pages=True, plan=plan) as world:
        night, ana = GameDriver(world, world.group, world.some(*FRIENDS), doubt=1, stage="stage 1"), world["Ana"]
        for person in night.people:
            await person.say("/start")
        await ana.say("/perudo", world.group)
        await ana.sees("", world.group, button="Join")
        ((code,),) = world.rows("SELECT code FROM game_table")
        door, page, screen = [
            await (await browser.new_context(locale="en-GB", reduced_motion="reduce")).new_page() for _ in range(3)
        ]
        await door.goto(f"{world.pages}/t/{code}")
        await door.get_by_label("Your name").fill("Stranger")
        await door.get_by_role("button", name="Come in").click()
        await expect(door.get_by_text("I've asked the host")).to_be_visible()
        ((key, screen_key),) = world.rows("SELECT key, screen_key FROM web_room")
        await page.goto(f"{world.pages}/t/{code}#{key}")
        await page.get_by_label("Your name").fill("Oma")
        await page.get_by_role("button", name="Come in").click()
        await ana.sees("Oma", world.group)
        await ana.say("/stop", world.group)
        await screen.set_viewport_size({"width": 1280, "height": 720})
        await screen.goto(f"{world.pages}/tv/{code}#{screen_key}")
        await ana.say("/tournament", world.group)
        await ana.sees("Several tables at once", world.group)
        for person in night.people[1:]:
            await person.tap("Join", world.group)
        await page.get_by_role("button", name="Join").click()
        await expect(page.locator(".panel")).to_contain_text("Oma")
        await expect(screen.locator(".panel")).to_contain_text("Oma")
        ((list_code,),) = world.rows("SELECT code FROM tournament")
        await expect(screen.locator(".panel .code")).to_have_text(list_code)
        scanned = await (await browser.new_context(locale="en-GB", reduced_motion="reduce")).new_page()
        await scanned.goto(f"{world.pages}/t/{list_code}#{key}")
        await scanned.get_by_label("Your name").fill("Opa")
        await scanned.get_by_role("button", name="Come in").click()
        await expect(screen.locator(".panel")).to_contain_text("Opa")
        await scanned.get_by_role("button", name="Leave").click()
        await expect(screen.locator(".panel")).not_to_contain_text("Opa")
        assert await ana.tap("Start", world.group) == "It begins!"
        await expect(page.get_by_role("heading", level=1)).to_have_text(re.compile(r"^🏆 Friends \d$"))
        await expect(page.locator(".seats")).to_contain_text("Oma")
        await expect(screen.locator("header")).to_contain_text("Tournament, stage 1 · Table 2")
        await expect(screen.locator(".bracket h3")).to_contain_text(["Table 1", "Table 2", "The grand final"])
        await expect(screen.locator(".bracket aside")).to_be_visible()
        await expect(screen.locator(".bracket li")).to_have_count(len(FRIENDS) + 1)
        ((night.table,),) = world.rows("SELECT televised FROM tournament")
        await night.play(2)  # a quicker table would show its next dice before the result of these
        await expect(screen.locator(".televised .reveal .verdict")).to_be_visible()
