"""A newcomer, alone: from the page to a practice game, to its end, and to its story, without typing anything."""

import re
from pathlib import Path

import pytest
from playwright.async_api import Browser, Locator, expect

from test_support.world import Setting
from tests.end_to_end.conftest import OpenWorld

MOST_TAPS = 60

pytestmark = pytest.mark.asyncio(loop_scope="session")


def buttons(chat: Locator, label: str) -> Locator:
    return chat.get_by_role("button", name=re.compile(label))


async def play_by_tapping(chat: Locator) -> int:
    """Doubt where the bot offers it, else bid the first offer, and watch the end, until it is over."""
    own_turn = buttons(chat, "Dudo!|^[0-9]+ × |Watch the end").first
    for taps in range(MOST_TAPS):
        await expect(own_turn.or_(buttons(chat, "^More$")).first).to_be_visible()
        if await buttons(chat, "^More$").count():
            return taps
        doubt = buttons(chat, "Dudo!")
        tapped = doubt.last if await doubt.count() else own_turn
        data = await tapped.element_handle()
        await tapped.click()
        if data is not None:
            await data.wait_for_element_state("hidden")
    raise AssertionError("the game does not end")


async def test_page_practice_game_and_story_without_typing(
    open_world: OpenWorld, browser: Browser, tmp_path: Path
) -> None:
    rules = tmp_path / "short.toml"
    rules.write_text('preset = "box_2009"\nstarting_dice = 1\n')
    variables = {
        "PERUDO_TABLE__RULEBOOK": str(rules),
        "PERUDO_PICTURES__REVEALS": "true",
        "PERUDO_COMPUTER_PLAYERS__THINK_LEAST_SECONDS": "0.1",
        "PERUDO_COMPUTER_PLAYERS__THINK_MOST_SECONDS": "0.2",
    }
    async with open_world(Setting(people=("Ana",), variables=variables, plan={})) as world:
        world.expect_error(
            "message is not modified", must=False
        )  # a keyboard that is gone is now and then taken away again
        page = await browser.new_page(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
        await page.goto(world.sandbox.url)
        for width, height in ((375, 553), (1280, 720), (1280, 900)):
            await page.set_viewport_size({"width": width, "height": height})
            await expect(page.get_by_role("heading", name="Play a game of Perudo")).to_be_in_viewport(ratio=1)
        await expect(page.get_by_text("Perudo, or liar's dice")).to_have_count(1)
        phone = page.get_by_role("region", name="Ana's phone")
        await phone.get_by_role("tab", name="Perudo bot").click()
        chat = phone.get_by_role("tabpanel").filter(visible=True)
        await chat.get_by_role("button", name="START").click()
        await buttons(chat, "Practise alone").click()

        assert await play_by_tapping(chat) > 0
        await expect(chat.get_by_text(re.compile("wins!")).first).to_be_visible()
        await buttons(chat, "^More$").click()
        await buttons(chat, "Tell the story").click()
        story = chat.get_by_role("article").filter(has_text="The story of this game")
        await expect(story).to_be_visible()
        await expect(story.get_by_role("img").first).to_be_visible()
        await expect(story).to_contain_text("Luck and skill")
        await expect(buttons(chat, "Play again").first).to_be_visible()
