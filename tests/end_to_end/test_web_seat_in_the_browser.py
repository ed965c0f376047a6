"""Whole games on the pages of the web seat, in a real browser, by what players see."""

import hashlib
import hmac
import json
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import urlencode, urlsplit

from axe_playwright_python.async_playwright import Axe
from playwright.async_api import Browser, Page, expect
from playwright.async_api import TimeoutError as Impatience

from test_support.chromium import running_chromium
from test_support.game_driver import GameDriver
from test_support.world import Setting, World
from tests.end_to_end.conftest import OpenWorld

PHONE = {"width": 320, "height": 640}
TELEVISION = {"width": 1280, "height": 720}
LARGE_TELEVISION = {"width": 1920, "height": 1080}
LEAST_LOUD_PX = 90
"""Read from three metres on a television of 1080 lines."""
PATIENCE_MS = 60_000
MOST_LOOKS = 600
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


@asynccontextmanager
async def a_bot_with_pages(open_world: OpenWorld, folder: Path, *, dice: int = 2) -> AsyncIterator[tuple[World, str]]:
    """A bot whose games are short, with Gran's telephone, and the address of its pages."""
    rules = folder / "short.toml"
    rules.write_text(f'preset = "box_2009"\nstarting_dice = {dice}\n')
    setting = Setting(variables={"PERUDO_TABLE__RULEBOOK": str(rules)}, with_phone=True, with_pages=True)
    async with open_world(setting) as world:
        yield world, world.pages


async def text(world: World, words: str) -> None:
    """Gran sends a text."""
    (gran,) = world.sandbox.world.sms.phones
    await world.act("POST", "/texts", phone=gran, text=words)
    await world.settled()


async def a_page(browser: Browser, viewport: dict[str, int], script: str = "") -> Page:
    """A page in a browser of its own. An error of its scripts fails the test."""
    context = await browser.new_context(viewport=viewport, reduced_motion="reduce", locale="en-GB")  # type: ignore[arg-type] # a TypedDict
    context.set_default_timeout(PATIENCE_MS)
    page = await context.new_page()
    page.on("pageerror", _fail)
    if script:
        await page.add_init_script(script)
    return page


def _fail(error: Exception) -> None:
    raise AssertionError(f"the page's script failed: {error}")


def signed(world: World, name: str) -> str:
    """The fragment with which Telegram opens the Mini App for somebody."""
    person = {"id": world[name].id, "first_name": name, "language_code": "en"}
    said = {"user": json.dumps(person), "auth_date": str(int(time.time())), "chat_type": "group"}
    key = hmac.new(b"WebAppData", world.sandbox.token.encode(), hashlib.sha256).digest()
    lines = "\n".join(f"{field}={value}" for field, value in sorted(said.items()))
    said["hash"] = hmac.new(key, lines.encode(), hashlib.sha256).hexdigest()
    return urlencode({"tgWebAppData": urlencode(said), "tgWebAppVersion": "9.1", "tgWebAppPlatform": "android"})


async def without_findings(*pages: Page) -> None:
    """Fail if axe finds a barrier on a page."""
    for page in pages:
        found = await Axe().run(page)
        assert not found.violations_count, f"{urlsplit(page.url).path}\n{found.generate_report()}"


async def open_table(page: Page, address: str, name: str) -> None:
    """Open a table as a guest."""
    await page.goto(f"{address}/t")
    await page.get_by_label("Your name").fill(name)
    await page.get_by_role("button", name="Open a table").click()
    await expect(page.get_by_role("button", name="Start")).to_be_visible(timeout=PATIENCE_MS)


async def link_of_the_screen(page: Page) -> str:
    """The big screen's link, as *Big screen* shows it."""
    await page.get_by_role("button", name="Big screen").first.click()
    dialog = page.get_by_role("dialog", name="Big screen")
    link = await dialog.get_by_role("link", name="Open it on this device").get_attribute("href")
    assert link is not None
    await without_findings(page)
    await dialog.get_by_role("button", name="Close").click()
    return link


async def nobody() -> None:
    """Let every player play on their page, to the end of the game."""


async def play(*pages: Page, others: Callable[[], Awaitable[None]] = nobody) -> None:
    """Let everybody do what their page offers, until it tells the winner: raise at first, then doubt."""
    raised = 0
    for _ in range(MOST_LOOKS):
        await others()
        for page in pages:
            if await page.get_by_role("heading", name="has won").count():
                return
            go_on, dudo = page.get_by_role("button", name="Go on"), page.get_by_role("button", name="Dudo")
            make = page.get_by_role("button", name="Bid ")
            try:
                if await go_on.count():
                    await go_on.click(timeout=2_000)
                elif await dudo.count() and raised % 3:
                    raised += 1
                    await dudo.click(timeout=2_000)
                elif await make.count():
                    raised += 1
                    await make.click(timeout=2_000)
            except Impatience:  # somebody was quicker, and the button is gone
                continue
        await pages[0].wait_for_timeout(100)
    raise AssertionError("the game does not end")


async def whose(button: str, *pages: Page) -> Page:
    """The page that offers a button."""
    for _ in range(MOST_LOOKS):
        for page in pages:
            if await page.get_by_role("button", name=button).count():
                return page
        await pages[0].wait_for_timeout(50)
    raise AssertionError(f"nobody has a button {button}")


async def test_a_guest_the_mini_app_telegram_a_telephone_and_a_computer_finish_a_game_that_the_big_screen_shows(
    open_world: OpenWorld, tmp_path: Path
) -> None:
    async with a_bot_with_pages(open_world, tmp_path, dice=1) as (world, address), running_chromium() as browser:
        bo = GameDriver(world, world.group, world.some("Bo"), browse=0, peek=0, table=1)
        await world["Ana"].say("/perudo", world.group)
        lobby = await world["Bo"].sees("who is in", world.group)
        await world["Bo"].start()
        await world["Bo"].tap("Join", world.group)
        await text(world, f"JOIN {JOINS.findall(lobby.text)[0]} Gran")
        app = await a_page(browser, PHONE, APP_AROUND)
        await app.goto(f"{address}/app#{signed(world, 'Ana')}")
        screen_link = await link_of_the_screen(app)
        screen, guest = await a_page(browser, TELEVISION), await a_page(browser, PHONE)
        await screen.goto(screen_link)
        await expect(screen.get_by_text("Scan to join")).to_be_visible(timeout=PATIENCE_MS)
        await guest.goto(screen_link.replace("/tv/", "/t/"))
        await without_findings(guest)
        await guest.get_by_label("Your name").fill("Cy")
        await guest.get_by_role("button", name="Come in").click()
        await app.get_by_role("button", name="Let in").click()  # the big screen's key lets nobody sit down
        await app.get_by_role("button", name="Add one").click()
        for page in (app, guest, screen):
            await expect(page.get_by_text("At the table: 5 of 6")).to_be_visible(timeout=PATIENCE_MS)
        await without_findings(app, guest, screen)

        async def elsewhere() -> None:
            for offer in bo.offers():
                await bo.move(offer)
            if await screen.locator(".seat.turn", has_text="Gran").count():
                await text(world, "dudo" if await screen.locator(".middle .bid").count() else "1 two")

        await app.get_by_role("button", name="Start").click()
        await guest.get_by_role("button", name="Lift the cup").click()
        await expect(guest.get_by_role("region", name="Your dice").get_by_role("img")).to_have_count(1)
        await without_findings(app, guest, screen)
        await play(app, guest, others=elsewhere)

        for page in (app, guest, screen):
            await expect(page.get_by_role("heading", name="has won")).to_be_visible(timeout=PATIENCE_MS)
        await without_findings(app, guest, screen)
        told = await app.evaluate("told")
        assert {"web_app_ready", "web_app_expand", "web_app_setup_closing_behavior"} <= set(told)
        await guest.get_by_role("button", name="The story of the game").click()
        for page in (guest, screen):
            await expect(page.get_by_role("img", name="Dice, round by round")).to_be_visible(timeout=PATIENCE_MS)
        await without_findings(guest, screen)
        await app.get_by_role("button", name="Play again").click()
        for page in (app, guest, screen):
            await expect(page.get_by_text("At the table: 5 of 6")).to_be_visible(timeout=PATIENCE_MS)
        for page in (guest, screen):
            await expect(page.locator("#live")).not_to_contain_text("story")


async def test_a_guest_plays_a_game_with_the_keyboard_alone(open_world: OpenWorld, tmp_path: Path) -> None:
    async with a_bot_with_pages(open_world, tmp_path) as (_, address), running_chromium() as browser:
        page = await a_page(browser, TELEVISION)
        await open_table(page, address, "Cy")

        async def press(name: str) -> None:
            await page.get_by_role("button", name=name).first.press("Enter", timeout=2_000)

        await press("Add one")
        await expect(page.get_by_text("At the table: 2 of 6")).to_be_visible(timeout=PATIENCE_MS)
        await press("Start")
        await page.get_by_role("button", name="Lift the cup").press("Space")
        await expect(page.get_by_role("region", name="Your dice").get_by_role("img")).to_have_count(2)
        number = page.get_by_role("spinbutton", name="How many dice")
        for turn in range(MOST_LOOKS):
            if await page.get_by_role("heading", name="has won").count():
                return
            try:
                if await page.get_by_role("button", name="Go on").count():
                    await press("Go on")
                elif turn % 2 and await page.get_by_role("button", name="Dudo").count():
                    await press("Dudo")
                elif await number.count():
                    least = await number.get_attribute("aria-valuemin")
                    assert await number.get_attribute("aria-valuenow") == least, "the wheel starts at the least bid"
                    await number.press("ArrowDown", timeout=2_000)
                    assert await number.get_attribute("aria-valuenow") == least, "nothing illegal is offered"
                    await press("Bid ")
            except Impatience:  # the turn was over under the finger
                continue
            await page.wait_for_timeout(100)
        raise AssertionError("the game does not end")


async def test_a_guest_sits_there_again_after_a_reload_and_after_a_time_without_network(
    open_world: OpenWorld, tmp_path: Path
) -> None:
    async with a_bot_with_pages(open_world, tmp_path) as (_, address), running_chromium() as browser:
        page = await a_page(browser, PHONE)
        await open_table(page, address, "Cy")
        await page.reload()
        await expect(page.get_by_role("button", name="Start")).to_be_visible(timeout=PATIENCE_MS)
        await page.context.set_offline(True)
        await page.get_by_role("button", name="Add one").click()
        await page.context.set_offline(False)
        await expect(page.get_by_text("At the table: 2 of 6")).to_be_visible(timeout=PATIENCE_MS)


async def test_a_typed_code_asks_the_host_and_a_reload_in_mid_reveal_shows_the_dice_again(
    open_world: OpenWorld, tmp_path: Path
) -> None:
    async with a_bot_with_pages(open_world, tmp_path) as (_, address), running_chromium() as browser:
        ana, cy = await a_page(browser, PHONE), await a_page(browser, PHONE)
        await open_table(ana, address, "Ana")
        code = await ana.get_by_label("The table's code").text_content()
        await cy.goto(f"{address}/t")
        await cy.get_by_label("The table's code").fill(code or "")
        await cy.get_by_label("Your name").fill("Cy")
        await cy.get_by_role("button", name="Come in").click()
        await expect(cy.get_by_text("I have asked the host.")).to_be_visible(timeout=PATIENCE_MS)
        await expect(ana.get_by_role("button", name="Let in")).to_be_visible(timeout=PATIENCE_MS)
        await without_findings(ana, cy)
        await ana.get_by_role("button", name="Let in").click()
        for page in (ana, cy):
            await expect(page.get_by_text("At the table: 2 of 6")).to_be_visible(timeout=PATIENCE_MS)
        await ana.get_by_role("button", name="Start").click()
        for name in ("Bid ", "Dudo"):
            page = await whose(name, ana, cy)
            await page.get_by_role("button", name=name).click()
        await expect(cy.get_by_role("button", name="Go on")).to_be_visible(timeout=PATIENCE_MS)
        await ana.get_by_role("button", name="Menu").click()
        await without_findings(ana, cy)
        await cy.reload()
        await expect(cy.get_by_role("button", name="Go on")).to_be_visible(timeout=PATIENCE_MS)
        await expect(cy.get_by_text("counted")).to_be_visible(timeout=PATIENCE_MS)


async def test_of_two_dads_the_host_sends_out_the_second_and_somebody_takes_another_name(
    open_world: OpenWorld, tmp_path: Path
) -> None:
    async with a_bot_with_pages(open_world, tmp_path) as (_, address), running_chromium() as browser:
        ana = await a_page(browser, PHONE)
        await open_table(ana, address, "Ana")
        code = await ana.get_by_label("The table's code").text_content()
        for place, name in ((2, "Dad"), (3, "Dad 2")):
            guest = await a_page(browser, PHONE)
            await guest.goto(f"{address}/t/{code}")
            await guest.get_by_label("Your name").fill("Dad")
            await guest.get_by_role("button", name="Come in").click()
            await ana.get_by_role("button", name="Let in").click()
            await expect(ana.get_by_role("button", name=f"Remove {name}", exact=True)).to_be_visible()
            await expect(guest.get_by_text(f"At the table: {place} of 6")).to_be_visible()
        await guest.get_by_role("button", name="Menu").click()
        await guest.get_by_label("Your name").fill("Rita")
        await guest.get_by_role("button", name="Change", exact=True).click()
        await expect(ana.get_by_role("button", name="Remove Rita")).to_be_visible()
        await ana.get_by_role("button", name="Remove Rita").click()
        question = ana.get_by_role("dialog").filter(has_text="Remove Rita, number 3 in the list?")
        await without_findings(ana)
        await question.get_by_role("button", name="Yes").click()
        await expect(guest.get_by_text("The host took you off the table.")).to_be_visible()
        await expect(ana.get_by_text("At the table: 2 of 6")).to_be_visible()


async def test_the_host_closes_the_table_in_mid_game_and_sounds_are_made_only_while_they_are_on(
    open_world: OpenWorld, tmp_path: Path
) -> None:
    async with a_bot_with_pages(open_world, tmp_path) as (_, address), running_chromium() as browser:
        page, screen = await a_page(browser, PHONE, HEARING), await a_page(browser, TELEVISION)
        await open_table(page, address, "Cy")
        await screen.goto(await link_of_the_screen(page))
        await page.get_by_role("button", name="Add one").click()
        assert await page.evaluate("sounds") == 0
        await page.get_by_role("button", name="Sound").click()
        assert await page.evaluate("sounds") > 0
        await page.get_by_role("button", name="Sound").click()
        heard = await page.evaluate("sounds")
        await page.get_by_role("button", name="Start").click()
        question = page.get_by_role("dialog").filter(has_text="close this game?")
        for answer in ("No", "Yes"):
            await page.get_by_role("button", name="Menu").click()
            await page.get_by_role("button", name="Close the table").click()
            await expect(question).to_be_visible(timeout=PATIENCE_MS)
            await without_findings(page)
            await question.get_by_role("button", name=answer).click()
        for each in (page, screen):
            await expect(each.get_by_role("heading", name="Cy closed the table.", exact=True)).to_be_visible(
                timeout=PATIENCE_MS
            )
        await without_findings(page, screen)
        await expect(page.get_by_role("button", name="Play again")).to_be_visible()
        assert await page.evaluate("sounds") == heard


async def test_a_television_comes_to_the_table_by_letters_and_the_first_phone_by_the_televisions_code(
    open_world: OpenWorld, tmp_path: Path
) -> None:
    async with a_bot_with_pages(open_world, tmp_path) as (_, address), running_chromium() as browser:
        screen, phone, home = [await a_page(browser, size) for size in (TELEVISION, PHONE, PHONE)]
        await screen.goto(f"{address}/tv")
        letters = await screen.get_by_label("The letters on the television").text_content(timeout=PATIENCE_MS)
        await home.goto(address)
        await expect(home.get_by_role("link", name="Big screen")).to_have_attribute("href", "/tv")
        await without_findings(screen, home)
        await phone.goto(f"{address}/t#tv={letters}")
        await phone.get_by_label("Your name").fill("Cy")
        await phone.get_by_role("button", name="Open a table").click()
        dialog = phone.get_by_role("dialog", name="Big screen")
        await expect(dialog.get_by_label("The letters on the television")).to_have_value(letters or "")
        await dialog.get_by_role("button", name="Show the table there").click()
        await expect(screen.get_by_text("At the table: 1 of 6")).to_be_visible(timeout=PATIENCE_MS)
        await screen.reload()
        await expect(screen.get_by_text("At the table: 1 of 6")).to_be_visible(timeout=PATIENCE_MS)
        await phone.get_by_role("button", name="Big screen").first.click()
        await without_findings(phone)
        await dialog.get_by_role("button", name="End all big screens").click()
        await expect(screen.get_by_label("The letters on the television")).to_be_visible(timeout=PATIENCE_MS)


async def test_the_television_is_read_and_heard_from_a_sofa(open_world: OpenWorld, tmp_path: Path) -> None:
    async with a_bot_with_pages(open_world, tmp_path) as (_, address), running_chromium() as browser:
        phone, screen = await a_page(browser, PHONE), await a_page(browser, LARGE_TELEVISION, HEARING + MEASURING)
        await open_table(phone, address, "Rimaq")
        await screen.goto(await link_of_the_screen(phone))
        await screen.get_by_role("button", name="Turn the sound on").click()
        await expect(screen.get_by_role("button", name="Turn the sound on")).to_have_count(0)
        heard = await screen.evaluate("sounds")
        await phone.get_by_role("button", name="Fill the table").click()
        await expect(screen.get_by_text("At the table: 6 of 6")).to_be_visible(timeout=PATIENCE_MS)
        await expect(screen.get_by_text("Scan to join")).to_be_visible()
        assert await screen.evaluate("sounds") > heard, "a guest who comes in is heard"
        await without_findings(screen)
        await phone.get_by_role("button", name="Start").click()
        await expect(screen.locator(".seat")).to_have_count(6, timeout=PATIENCE_MS)
        await play(phone)
        await expect(screen.get_by_role("heading", name="has won")).to_be_visible(timeout=PATIENCE_MS)
        await expect(screen.get_by_text("Play again?")).to_be_visible()
        seen = dict(await screen.evaluate("seen"))
        assert any("OPENS" in line for line in seen)
        assert any("'S TURN" in line for line in seen)
        assert any("LOSES A DIE" in line or "IS OUT" in line for line in seen)
        assert min(seen.values()) >= LEAST_LOUD_PX, seen
        assert await screen.evaluate("[...outside]") == []


async def test_large_text_and_a_phone_on_its_side_cut_nothing_and_a_hint_is_bid_by_its_key(
    open_world: OpenWorld, tmp_path: Path
) -> None:
    async with a_bot_with_pages(open_world, tmp_path) as (_, address), running_chromium() as browser:
        page = await a_page(browser, {"width": 390, "height": 844})
        await open_table(page, address, "Cy")
        await page.get_by_role("button", name="Add one").click()
        await page.locator(".rules summary").click()
        await page.get_by_label("Hints allowed").check()
        await page.get_by_role("button", name="Start").click()
        await whose("Hint", page)
        for size in ("200%", "100%"):
            await page.evaluate("size => { document.documentElement.style.fontSize = size }", size)
            assert await page.evaluate("document.documentElement.scrollWidth") == 390, size
        await page.set_viewport_size({"width": 844, "height": 390})
        for part in ("spinbutton", "radiogroup"):
            await expect(page.get_by_role(part)).to_be_in_viewport(ratio=1)
        await expect(page.get_by_role("button", name="Bid ")).to_be_in_viewport(ratio=1)
        wheel, make = page.get_by_role("radiogroup"), page.get_by_role("button", name="Bid ")
        beside, below = await make.bounding_box(), await wheel.bounding_box()
        assert beside is not None
        assert below is not None
        assert beside["x"] >= below["x"] + below["width"], "the keys stand beside the wheel"
        await without_findings(page)
        await page.get_by_role("button", name="Hint").click()
        bids_the_hint = page.locator(".hint").get_by_role("button")
        await bids_the_hint.click(timeout=PATIENCE_MS)
        await expect(bids_the_hint).to_have_count(0, timeout=PATIENCE_MS)
