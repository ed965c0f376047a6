"""Two people, one browser: a whole game by what people see, from the command that `make play` runs."""

import asyncio
import os
import re
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Locator, Page, ViewportSize, expect
from playwright.async_api import TimeoutError as Impatience

from perudo_core import FairRecord
from test_support.world import AT_ONCE
from tests.telegram_sandbox.browsing import phone

PEOPLE = ("Ana", "Bo")
DESK_WIDTH = ViewportSize(width=1600, height=900)
PATIENCE_SECONDS = 280

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest_asyncio.fixture(loop_scope="session")
async def address(tmp_path: Path) -> AsyncIterator[str]:
    """The page of a sandbox that was started as a newcomer starts it; only the waiting and the game are shortened."""
    rules = tmp_path / "short.toml"
    rules.write_text('preset = "box_2009"\nstarting_dice = 1\n')
    environment = {
        **os.environ,
        "PERUDO_TABLE__RULEBOOK": str(rules),
        "PERUDO_LIMITS__PER_CHAT_SECONDS": "0.05",
        "PERUDO_LIMITS__PER_GROUP_PER_MINUTE": "1000",
        "PERUDO_PICTURES__REVEALS": "true",
        "PERUDO_COMPUTER_PLAYERS__THINK_LEAST_SECONDS": "0.1",
        "PERUDO_COMPUTER_PLAYERS__THINK_MOST_SECONDS": "0.2",
        **AT_ONCE,
    }
    command = (sys.executable, "-m", "telegram_bot.cli", "sandbox", "--port", "0", "--no-flood-limits", "--judge")
    process = await asyncio.create_subprocess_exec(*command, env=environment, stdout=asyncio.subprocess.PIPE)
    assert process.stdout is not None
    try:
        line = (await process.stdout.readline()).decode()
        found = re.search(r"http://\S+", line)
        assert found is not None, line
        yield found[0]
        process.send_signal(signal.SIGINT)
        assert await process.wait() == 0
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def look_at(page: Page, name: str, chat: str) -> Locator:
    await phone(page, name).get_by_role("tab", name=chat).click()
    panel = phone(page, name).get_by_role("tabpanel").filter(visible=True)
    await expect(panel).to_be_visible()
    return panel


async def play_a_turn(page: Page, name: str) -> bool:
    """Make the call that this person's private chat asks for, if any: doubt a high bid, else raise boldly."""
    chat = await look_at(page, name, "Perudo bot")
    last = chat.get_by_role("article").last
    words = await last.inner_text()
    if "Your turn" not in words and "You open" not in words:
        return False
    dudo = last.get_by_role("button", name=re.compile("Dudo"))
    bids = last.get_by_role("button", name=re.compile("×"))
    try:
        await (dudo if await dudo.count() else bids).last.click(timeout=2_000)
    except Impatience:  # the keyboard was taken away under the finger
        return False
    return True


async def play_to_the_end(page: Page) -> None:
    """Look at each private chat in turn until the group has a winner. Ana's phone tells of her practice game too."""
    over = phone(page, "Bo").get_by_text(re.compile(r"(Ana|Bo) wins!"))
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not await over.count():
            for name in PEOPLE:
                await play_a_turn(page, name)
            await page.wait_for_timeout(300)


async def test_people_play_a_whole_game_by_clicking_and_open_a_seat(browser: Browser, address: str) -> None:
    """A key of the page begins practice, the game has no clock, and the schema accepts every call of the bot."""
    page = await browser.new_page(viewport=DESK_WIDTH, reduced_motion="reduce")
    mistakes: list[str] = []
    page.on("pageerror", lambda error: mistakes.append(str(error)))
    page.on("console", lambda line: mistakes.append(line.text) if line.type == "error" else None)
    await page.goto(address)
    for size in (ViewportSize(width=375, height=553), DESK_WIDTH):
        await page.set_viewport_size(size)
        await expect(page.get_by_role("heading", name="Play a game of Perudo")).to_be_in_viewport(ratio=1)
    await page.get_by_role("button", name="Practise alone").click()
    await expect(phone(page, "Ana").get_by_text("How many do you want to play against")).to_be_visible()
    group = await look_at(page, "Ana", "Friends")
    await page.get_by_role("button", name="Start a game").click()
    await expect(group.get_by_role("article").filter(has_text="who's in?")).not_to_contain_text("2 minutes")

    for name in PEOPLE:
        await look_at(page, name, "Perudo bot")
        await expect(phone(page, name).get_by_text(f"Hi {name}!")).to_be_visible()
    await (await look_at(page, "Bo", "Friends")).get_by_role("button", name="🙋 Join").click()
    await expect(phone(page, "Bo").get_by_text("You're in!").filter(visible=True)).to_be_visible()
    group = await look_at(page, "Ana", "Friends")
    await group.get_by_role("button", name="▶️ Start").click()
    await expect(group.get_by_text("Round 1")).to_be_visible()

    await play_to_the_end(page)

    group = await look_at(page, "Ana", "Friends")
    await expect(group.get_by_text("🥇")).to_be_visible()
    await group.get_by_role("button", name="More", exact=True).click()
    await group.get_by_role("button", name="Check the dice").click()
    async with page.expect_download() as downloading:
        await group.get_by_role("article").filter(has_text="perudo_core verify").get_by_role("link").click()
    record = await (await downloading.value).path()
    assert FairRecord.from_json(record.read_text(encoding="utf-8")).verify().rolls
    await group.get_by_role("button", name="Play again").click()
    await expect(group.get_by_text("who's in?")).to_be_visible()
    await expect(group.get_by_role("article").last).to_contain_text("Bo")
    calls = page.get_by_role("button", name=re.compile("Bot calls"))
    await expect(calls).to_have_text(re.compile("all accepted by the schema$"))

    await group.get_by_role("button", name="▶️ Start").click()
    await expect(group.get_by_role("article").last).to_contain_text("Round 1")
    app = phone(page, "Ana").get_by_role("region", name="Mini App of Perudo bot")
    for chat in ("Perudo bot", "Friends"):
        await (await look_at(page, "Ana", chat)).get_by_role("button", name="Open the table").last.click()
        seat = app.frame_locator("iframe")
        await expect(seat.get_by_role("button", name="Lift the cup")).to_be_visible()
        await app.get_by_role("button", name="Close the Mini App").click()
        await page.get_by_role("dialog").get_by_role("button", name="Close").click()
        await expect(app).to_have_count(0)
    await page.close()
    assert mistakes == []
