"""Whole games on the pages of the web seat, in a real browser, by what players see."""

import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import pytest
from axe_playwright_python.base import AXE_SCRIPT, AxeResults
from playwright.async_api import Browser, Locator, Page, expect
from playwright.async_api import TimeoutError as Impatience

from test_support.chromium import AT_ONCE
from test_support.game_driver import GameDriver
from test_support.web_world import init_data
from test_support.world import World
from tests.end_to_end.conftest import OpenWorld

pytestmark = pytest.mark.asyncio(loop_scope="session")

PHONE = {"width": 320, "height": 640}
TELEVISION = {"width": 1280, "height": 720}
LARGE_TELEVISION = {"width": 1920, "height": 1080}
PHONES = ((390, 664), (375, 553), (360, 640), (320, 568), (844, 390))
"""The screens of phones without the bars of their browsers."""
LEAST_LOUD_PX = 90
"""Read from three metres on a television of 1080 lines."""
MOST_LOOKS = 600
BARRIERS = "axe.run({ resultTypes: ['violations'] }).then(({ violations }) => ({ violations }))"
JOINS = re.compile(r"JOIN (\w+)")
APP_AROUND = """
window.told = [];
window.TelegramWebviewProxy = {
  postEvent(type, json) {
    told.push(type);
    if (type === "web_app_request_theme") {
      Telegram.WebView.receiveEvent("theme_changed", { theme_params: { bg_color: "#17212b", text_color: "#f5f5f5" } });
    }
  },
};
"""
"""The properties of an Android app around the page."""

HEARING = """
window.sounds = 0;
for (const kind of [AudioBufferSourceNode, OscillatorNode]) {
  const { start } = kind.prototype;
  kind.prototype.start = function (...when) {
    sounds += 1;
    return start.apply(this, when);
  };
}
"""
"""Counts the sounds that a page begins."""


MEASURING = """
window.seen = [];
window.outside = new Set();
new MutationObserver(() => {
  for (const line of document.querySelectorAll(".loud")) {
    seen.push([line.innerText, parseFloat(getComputedStyle(line).fontSize)]);
  }
  for (const each of document.querySelectorAll("#page > * *, .confetti ~ *")) {
    if (each.closest(".confetti, .pile, .bids li")) continue;
    const { left, top, right, bottom, width } = each.getBoundingClientRect();
    const across = left >= innerWidth * 0.049 && right <= innerWidth * 0.951;
    const down = top >= innerHeight * 0.049 && bottom <= innerHeight * 0.951;
    if (width && !(across && down)) outside.add(each.outerHTML.slice(0, 80));
  }
  const middle = document.querySelector(".middle"), felt = document.querySelector(".table .felt");
  if (middle && felt) {
    const [inner, outer] = [middle, felt].map((part) => part.getBoundingClientRect());
    if (inner.top < outer.top || inner.bottom > outer.bottom) outside.add(middle.innerText);
  }
}).observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
"""
"""Records the television's large sentences with their size, elements in its outer 5 %, and words beyond the felt."""

OUT_OF_REACH = """
parts => [...document.querySelectorAll(parts)].filter((part) => {
  const { left, top, right, bottom } = part.getBoundingClientRect();
  if (left < 0 || top < 0 || right > innerWidth || bottom > innerHeight) return true;
  const inset = [[left + 4, top + 4], [(left + right) / 2, (top + bottom) / 2], [right - 4, bottom - 4]];
  return !inset.every(([x, y]) => {
    const found = document.elementFromPoint(x, y);
    return part.contains(found) || found.contains(part);
  });
}).map((part) => part.outerHTML.slice(0, 120))
"""
"""The elements of a selector that are outside the screen, or that another element covers."""

OVERLAPS = """
parts => {
  const found = [...document.querySelectorAll(parts)].map((part) => {
    const { left, top, right, bottom } = part.getBoundingClientRect();
    const { outlineStyle, outlineWidth } = getComputedStyle(part);
    const edge = outlineStyle === "none" ? 0 : parseFloat(outlineWidth);
    return [left - edge, top - edge, right + edge, bottom + edge];
  });
  return found.filter(([left, top, right, bottom], i) => found.slice(i + 1).some(
    (other) => left < other[2] && other[0] < right && top < other[3] && other[1] < bottom));
}
"""
"""The elements of a selector that lie, with their outlines, over a later one."""
KEYCAPS = """
window.keycaps = [];
new MutationObserver(() => {
  const shown = document.getElementById("page")?.innerText ?? "";
  if (shown.includes("\u20e3")) keycaps.push(shown);
}).observe(document, { subtree: true, childList: true, characterData: true });
"""
"""Records what a page shows with keycap digits, where other pages draw dice."""


@asynccontextmanager
async def a_bot_with_pages(open_world: OpenWorld, folder: Path, *, dice: int = 2) -> AsyncIterator[tuple[World, str]]:
    """A bot whose games are short, with Gran's telephone, and the address of its pages."""
    rules = folder / "short.toml"
    rules.write_text(f'preset = "box_2009"\nstarting_dice = {dice}\n')
    variables = {
        "PERUDO_TABLE__RULEBOOK": str(rules),
        "PERUDO_COMPUTER_PLAYERS__THINK_LEAST_SECONDS": "0.1",
        "PERUDO_COMPUTER_PLAYERS__THINK_MOST_SECONDS": "0.2",
    }
    plan = {"secrets": 1}
    async with open_world(World, variables=variables, plan=plan, with_phone=True, with_pages=True) as world:
        yield world, world.pages


async def text(world: World, words: str) -> None:
    world.text(words)
    await world.settled()


async def a_page(browser: Browser, viewport: dict[str, int], script: str = "") -> Page:
    """A page in a browser of its own. An error of its scripts fails the test."""
    context = await browser.new_context(viewport=viewport, reduced_motion="reduce", locale="en-GB")  # type: ignore[arg-type] # a TypedDict
    page = await context.new_page()
    page.on("pageerror", _fail)
    if script:
        await page.add_init_script(script)
    return page


def _fail(error: Exception) -> None:
    raise AssertionError(f"the page's script failed: {error}")


async def without_findings(*pages: Page) -> None:
    for page in pages:
        await expect(page.get_by_role("main")).to_be_visible()  # a page draws itself after it is loaded
        if not await page.evaluate("'axe' in window"):
            await page.evaluate(AXE_SCRIPT)
        found = AxeResults(await page.evaluate(BARRIERS))
        assert not found.violations_count, f"{urlsplit(page.url).path}\n{found.generate_report()}"


async def boxes(page: Page, *parts: str) -> list[dict[str, float]]:
    """Where the elements of these selectors are, read in one look, so that nothing moves in between."""
    await expect(page.locator(parts[0])).to_be_visible()
    shown = "parts => parts.map((part) => document.querySelector(part).getBoundingClientRect().toJSON())"
    found: list[dict[str, float]] = await page.evaluate(shown, parts)
    return found


async def play(*pages: Page, others: Callable[[], Awaitable[None]]) -> None:
    """Let everyone do by the keyboard what their page offers, until it tells the winner: raise at first, then doubt."""
    raised = 0
    for _ in range(MOST_LOOKS):
        await others()
        for page in pages:
            if await page.get_by_role("heading", name="won!").count():
                return
            go_on, dudo = page.get_by_role("button", name="Continue"), page.get_by_role("button", name="Dudo")
            make = page.get_by_role("button", name="Bid ")
            try:
                if await go_on.count():
                    await go_on.press("Enter", timeout=2_000)
                elif await dudo.count() and raised % 3:
                    raised += 1
                    await dudo.press("Enter", timeout=2_000)
                elif await make.count():
                    raised += 1
                    await make.press("Enter", timeout=2_000)
            except Impatience:  # someone was quicker, and the button is gone
                continue
        await pages[0].wait_for_timeout(100)
    raise AssertionError("the game does not end")


async def whose(button: str, *pages: Page) -> Page:
    for _ in range(MOST_LOOKS):
        for page in pages:
            if await page.get_by_role("button", name=button).count():
                return page
        await pages[0].wait_for_timeout(50)
    raise AssertionError(f"no one has a button {button}")


async def test_a_guest_the_mini_app_telegram_a_telephone_and_a_computer_finish_a_game_that_is_read_from_a_sofa(
    open_world: OpenWorld, tmp_path: Path, browser: Browser
) -> None:
    async with a_bot_with_pages(open_world, tmp_path, dice=1) as (world, address):
        bo = GameDriver(world, world.group, world.some("Bo"), table=1)
        await world["Ana"].say("/perudo", world.group)
        lobby = await world["Bo"].sees("who's in", world.group)
        await world["Bo"].say("/start")
        await world["Bo"].tap("Join", world.group)
        await text(world, f"JOIN {JOINS.findall(lobby.text)[0]} Gran")
        app = await a_page(browser, PHONE, APP_AROUND)
        token, ana = world.sandbox.token, world["Ana"].id
        launch = init_data(ana, time.time(), "Ana", token=token, language="en", chat_type="group")
        around = {"tgWebAppData": launch, "tgWebAppVersion": "9.1", "tgWebAppPlatform": "android"}
        await app.goto(f"{address}/app#{urlencode(around)}")
        await app.get_by_role("button", name="Television").first.click()
        dialog = app.get_by_role("dialog", name="Television")
        screen_link = await dialog.get_by_role("link", name="Open it on this device").get_attribute("href")
        assert screen_link is not None
        await dialog.get_by_role("button", name="Close").click()
        screen = await a_page(browser, LARGE_TELEVISION, KEYCAPS + HEARING + MEASURING)
        guest = await a_page(browser, PHONE, KEYCAPS)
        await screen.goto(screen_link)
        await expect(screen.get_by_text("Scan to join")).to_be_visible()
        await screen.get_by_role("button", name="Turn the sound on").click()
        await expect(screen.get_by_role("button", name="Turn the sound on")).to_have_count(0)
        heard = await screen.evaluate("sounds")
        await guest.goto(screen_link.replace("/tv/", "/t/"))
        await guest.get_by_label("Your name").fill("Cy")
        await guest.get_by_role("button", name="Come in").click()
        await app.get_by_role("button", name="Let in").click()  # the television's key lets no one sit down
        await expect(app.get_by_role("button", name="Let in")).to_have_count(0)  # the keys below move up
        await app.get_by_text("Computer players", exact=True).click()
        await app.get_by_role("button", name="Add one").click()
        for page in (app, guest, screen):
            await expect(page.get_by_text("At the table: 5 of 6")).to_be_visible()
        assert await screen.evaluate("sounds") > heard, "a guest who comes in is heard"

        async def elsewhere() -> None:
            for offer in bo.offers():
                await bo.move(offer)
            if await screen.locator(".seat.turn", has_text="Gran").count():
                await text(world, "dudo" if await screen.locator(".middle .bid").count() else "1 two")

        await app.get_by_role("button", name="Start").click()
        await app.evaluate(AT_ONCE)
        await expect(screen.locator(".seat")).to_have_count(5)
        await guest.get_by_role("button", name="Lift the cup").press("Space")
        await expect(guest.get_by_role("region", name="Your dice").get_by_role("img")).to_have_count(1)
        await play(app, guest, others=elsewhere)

        for page in (app, guest, screen):
            await expect(page.get_by_role("heading", name="won!")).to_be_visible()
        await without_findings(app, screen)
        told = await app.evaluate("told")
        assert {"web_app_ready", "web_app_expand", "web_app_setup_closing_behavior"} <= set(told)
        await expect(guest.get_by_role("button", name="Share my card")).to_be_visible()
        await guest.locator("summary", has_text="The story of this game").click()
        seen = dict(await screen.evaluate("seen"))
        assert any("'S TURN" in line for line in seen)
        assert any("LOSES A DIE" in line or "IS OUT" in line for line in seen)
        assert min(seen.values()) >= LEAST_LOUD_PX, seen
        assert await screen.evaluate("[...outside]") == []
        await screen.reload()  # from the ceremony to the finale
        for page in (guest, screen):
            await expect(page.get_by_role("img", name="Dice, round by round")).to_be_visible()
            assert await page.evaluate("keycaps") == []
        await without_findings(guest)
        await app.get_by_role("button", name="Play again").click()
        for page in (app, guest, screen):
            await expect(page.get_by_text("At the table: 5 of 6")).to_be_visible()
        for page in (guest, screen):
            await expect(page.locator("#live")).not_to_contain_text("story")


TYPED_AND_SENT = """
(field, letters) => {
  field.value = letters;
  field.dispatchEvent(new Event("input", { bubbles: true }));
  field.form.requestSubmit();
}
"""
"""The last letter sends them, and the finger that already moves to the key sends them once more."""
SCANNED_LINK = """
async () => {
  const headers = { "Content-Type": "application/json" };
  const room = await fetch("/seat/room", { method: "POST", headers, body: JSON.stringify({ do: "show" }) });
  return (await room.json()).link;
}
"""
"""The link in the QR code that the television of a party shows."""
MOST_TAPS_OF_A_HOST = 5
"""To the first bid, with the cup and the bid, which the opener taps."""
MOST_TAPS_OF_A_GUEST = 2


class Taps:
    """A person who taps one phone; typing is no tap."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.made: list[str] = []

    async def tap(self, what: Locator) -> None:
        await what.click()
        self.made.append(str(what))

    async def type_name(self, name: str) -> None:
        await self.tap(self.page.get_by_label("Your name"))
        await self.page.keyboard.type(name)


async def test_a_party_takes_its_host_five_taps_and_a_guest_two(
    open_world: OpenWorld, tmp_path: Path, browser: Browser
) -> None:
    async with a_bot_with_pages(open_world, tmp_path) as (_, address):
        screen, phone, home, other = [await a_page(browser, size) for size in (TELEVISION, PHONE, PHONE, PHONE)]
        host, guest = Taps(phone), Taps(other)
        await screen.goto(f"{address}/tv")
        shown = screen.get_by_label("The letters on the television")
        letters = await shown.text_content()
        await home.goto(address)
        told = home.get_by_text("On the television open:")
        await expect(told).to_contain_text(f"{urlsplit(address).netloc}/tv")
        await expect(told).to_be_in_viewport()
        await without_findings(screen)
        await told.get_by_role("link").click()
        await expect(screen.get_by_role("link", name="Back")).to_be_hidden()
        back = home.get_by_role("link", name="Back")
        await expect(back).to_be_visible()
        await back.click()
        await expect(home.get_by_label("Your name")).to_be_visible()

        await phone.goto(f"{address}/t#tv={letters}")
        await host.type_name("Cy")
        await host.tap(phone.get_by_role("button", name="Open a table"))
        await expect(screen.get_by_text("At the table: 1 of 6")).to_be_visible()
        await screen.reload()
        await other.goto(await phone.evaluate(SCANNED_LINK))
        await guest.type_name("Bo")
        await guest.tap(other.get_by_role("button", name="Come in"))
        await expect(screen.get_by_text("At the table: 2 of 6")).to_be_visible()

        code = await phone.get_by_label("The table's code").text_content()
        key = phone.get_by_role("button", name="Television").first
        dialog = phone.get_by_role("dialog", name="Television")
        await key.click()
        await without_findings(phone)
        await dialog.get_by_label("Ask me first when someone scans the television").check()
        await dialog.get_by_role("button", name="Close").click()
        table = await boxes(screen, ".hall .felt")
        guests = [home, await a_page(browser, PHONE)]
        for page, name in zip(guests, ("Dee", "Eve"), strict=True):
            await page.goto(f"{address}/t/{code}")
            await page.get_by_label("Your name").fill(name)
            await page.get_by_role("button", name="Come in").click()
        await expect(screen.get_by_text("At the door: Dee, Eve. The host lets them in.")).to_be_visible()
        at_door = await boxes(screen, ".hall .felt")
        assert at_door[0]["width"] == table[0]["width"], "the table keeps its room"
        await without_findings(phone, screen)
        await phone.get_by_role("button", name="Let all in").click()
        await expect(screen.get_by_text("At the table: 4 of 6")).to_be_visible()
        await expect(screen.get_by_text("At the door")).to_be_hidden()

        await key.click()
        await dialog.get_by_role("button", name="Disconnect all televisions").click()
        await expect(shown).to_be_visible()
        letters = await shown.text_content() or ""
        await phone.evaluate("scrollTo(0, 0)")
        await expect(key).to_be_in_viewport()
        await key.click()  # two acts: this key, and the letters
        field = dialog.get_by_label("The letters on the television")
        await field.press_sequentially(letters[::-1] if letters != letters[::-1] else "BBBB")
        await expect(dialog.get_by_role("alert")).to_contain_text("No television shows these letters")
        asked: list[str] = []
        phone.on("request", lambda request: asked.append(request.post_data or ""))
        await field.evaluate(TYPED_AND_SENT, letters)
        await expect(screen.get_by_text("At the table: 4 of 6")).to_be_visible()
        await expect(dialog).to_be_hidden()
        assert sum(letters in each for each in asked) == 1

        await host.tap(phone.get_by_role("button", name="Start"))
        await phone.evaluate(AT_ONCE)
        opener = Taps(await whose("Bid ", phone, other, *guests))
        await opener.tap(opener.page.locator(".cup"))
        await opener.tap(opener.page.get_by_role("button", name="Bid "))
        await expect(screen.locator(".said")).to_be_visible()
        assert len(host.made) + len(opener.made) <= MOST_TAPS_OF_A_HOST, host.made
        assert len(guest.made) <= MOST_TAPS_OF_A_GUEST, guest.made
