"""Take pictures of phones on the sandbox's page, as small PNG files."""

import io
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from PIL import Image
from playwright.async_api import Browser, FrameLocator, Locator, Page, ViewportSize, expect

from telegram_bot.sandbox_launcher.brand import Brand
from telegram_bot.sandbox_launcher.phones import Phones
from test_support.chromium import PATIENCE_MS
from test_support.film.captions import Picture
from test_support.world import World

GROUP: Final = "Friends"
PRIVATE: Final = "Perudo bot"
CHATS: Final = {"group": GROUP, "private": PRIVATE}
PLACE: Final = re.compile("(.+), (group|private|texts|page|television|now)( up to)?: (.+)")
PLACES: Final = {
    "group": "The group on {}'s phone",
    "private": "{}'s private chat",
    "texts": "{}'s telephone",
    "now": "The group on {}'s phone",
}
"""The words for a place in the contents of a picture."""

PHONE_WIDTH: Final = 360
SCALE: Final = 1.4
TELEVISION: Final = ViewportSize(width=1280, height=720)
TELEPHONE: Final = ViewportSize(width=PHONE_WIDTH, height=640)
COLOURS: Final = 256
NO_PILL: Final = ".pill { visibility: hidden }"
"""The button to the newest message covers what a picture shows."""
HIDE_BEFORE: Final = """(messages, words) => {
    for (const message of messages) {
        if (message.textContent.includes(words)) break
        message.style.display = 'none'
    }
}"""
END_OF: Final = """(message, words) => {
    const texts = document.createTreeWalker(message, NodeFilter.SHOW_TEXT)
    while (texts.nextNode()) {
        const at = texts.currentNode.data.replaceAll(/\\s/g, " ").indexOf(words)
        if (at < 0) continue
        const range = document.createRange()
        range.setStart(texts.currentNode, at)
        range.setEnd(texts.currentNode, at + words.length)
        const box = [...range.getClientRects()].at(-1)
        return [box.right + 46, box.top + box.height / 2]
    }
}"""
"""The place after these words of a message, and after the picture of a die that may follow them."""
NUMBER: Final = """([number, x, y]) => {
    const mark = document.createElement('b')
    mark.textContent = number
    mark.style = `position: fixed; left: ${x - 14}px; top: ${y - 14}px; width: 28px; z-index: 99; border-radius: 14px;
        background: #b3134f; color: #fff; font: bold 17px/28px sans-serif; text-align: center`
    document.body.append(mark)
}"""
STILL_MS: Final = 400
"""How long a page without animations needs to draw what it has received."""


@dataclass(slots=True)
class Camera:
    """Takes numbered pictures of the page of one sandbox, for one story, and keeps what each shows."""

    page: Page
    folder: Path
    story: str
    taken: list[Picture] = field(default_factory=list)
    begins: str = ""
    """The first message of a chat that a picture shows says this."""

    @classmethod
    async def before(cls, world: World, browser: Browser, folder: Path, story: str, height: int) -> "Camera":
        """Open the page with a column for each phone."""
        sandbox = world.sandbox.world
        more = sum(len(one.phones) for one in sandbox.extensions if isinstance(one, Phones))
        links = [link for one in sandbox.extensions if isinstance(one, Brand) for link in one.links]
        phones = len(world.people) + more + sum(3 if link.wide else 1 for link in links)
        page = await browser.new_page(
            viewport={"width": phones * (PHONE_WIDTH + 12) + 16, "height": height},
            device_scale_factor=SCALE,
            color_scheme="light",
            reduced_motion="reduce",
            bypass_csp=True,  # for `NO_PILL`
            timezone_id="America/New_York",  # where Gran's telephone is: texts name the hour
        )
        await page.goto(world.sandbox.url)
        await page.get_by_role("region", name=f"{next(iter(world.people))}'s phone").wait_for()
        return cls(page, folder, story)

    def phone(self, name: str) -> Locator:
        return self.page.get_by_role("region", name=re.compile(f"{name}'s phone"))

    async def open(self, name: str, chat: str) -> Locator:
        """Open a chat on somebody's phone: "Friends" or "Perudo bot"."""
        await self.phone(name).get_by_role("tab", name=chat).click()
        return self.phone(name).get_by_role("tabpanel").filter(visible=True)

    async def take(self, told: str, *, television: Page | None = None) -> None:
        """Take a picture of a screen that shows the words of a story, and keep what it shows.

        `told` has three lines: a person or page, the place there, and a pattern that the place shows; the caption; the
        contents. The place is `group`, `private`, `texts`, `page`, `television`, or `now`: the group with its toasts
        and alerts. The picture of a chat ends with the newest message or, with `up to`, with the last one that fits.
        """
        line, caption, contents = (each.strip() for each in told.split("\n"))
        found = PLACE.fullmatch(line)
        assert found is not None, line
        name, place, up_to, shows = found.groups()
        if television is not None:
            shown = where = television.locator("body")
        elif place == "page":
            shown, where = self.page.get_by_role("region", name=name), self.frame(name).locator("body")
        else:
            shown, where = self.phone(name), await self.open(name, CHATS[place]) if place in CHATS else self.phone(name)
            contents = f"{PLACES[place].format(name)}: {contents}"
        await self._sees(where, shows)
        if place in {"texts", *CHATS}:
            await self.no_toasts()
            if self.begins:
                await where.get_by_role("article").evaluate_all(HIDE_BEFORE, self.begins)
            if up_to:
                message = where.get_by_role("article").filter(has_text=re.compile(shows)).last
                await message.evaluate("node => node.scrollIntoView({ block: 'end' })")
            elif place in CHATS:
                await where.locator(".scroller").evaluate("node => node.scrollTo(0, node.scrollHeight)")
        await self._keep(shown, caption, contents)

    async def number(self, message: Locator, parts: Sequence[str | Locator]) -> None:
        """Put numbers on words of a message, and on other parts of the screen at their upper left corners."""
        for number, part in enumerate(parts, 1):
            if isinstance(part, str):
                place = await message.evaluate(END_OF, part)
            else:
                box = await part.bounding_box()
                assert box is not None, "it is on the screen"
                place = [box["x"] + 10, box["y"] + 8]
            await self.page.evaluate(NUMBER, [number, *place])

    async def open_page(self, title: str) -> None:
        await self.page.get_by_role("button", name=title, exact=True).click()

    def frame(self, title: str) -> FrameLocator:
        """Return a page of the bot's, over someone's chats or next to the phones."""
        return self.page.get_by_role("region", name=title).frame_locator("iframe")

    async def television(self, address: str, viewport: ViewportSize = TELEVISION, scale: float = 1) -> Page:
        """Open an address on a television, or on another screen."""
        browser = self.page.context.browser
        assert browser is not None
        page = await browser.new_page(viewport=viewport, device_scale_factor=scale, reduced_motion="reduce")
        await page.goto(address)
        return page

    async def no_toasts(self) -> None:
        await expect(self.page.locator(".toast")).to_have_count(0, timeout=PATIENCE_MS)

    async def _sees(self, where: Locator, pattern: str) -> None:
        words = where.get_by_text(re.compile(pattern)).filter(visible=True).last
        await expect(words).to_be_visible(timeout=PATIENCE_MS)

    async def take_all(self, *, caption: str, contents: str) -> None:
        await self.no_toasts()
        await self._keep(self.page.locator("body"), caption, contents, f"{self.story}.png")

    async def _keep(self, what: Locator, caption: str, contents: str, name: str = "") -> None:
        await self.page.wait_for_timeout(STILL_MS)
        name = name or f"film/{self.story}-{len(self.taken) + 1}.png"
        self.keep(smaller(await what.screenshot(style=NO_PILL)), name, caption=caption, contents=contents)

    def keep(self, content: bytes, name: str, *, caption: str, contents: str) -> None:
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
        with Image.open(io.BytesIO(content)) as picture:
            wide = picture.width > picture.height
        self.taken.append(Picture(file=name, caption=caption, contents=contents, wide=wide))


def smaller(png: bytes) -> bytes:
    picture = Image.open(io.BytesIO(png)).convert("RGB")
    out = io.BytesIO()
    few = picture.quantize(COLOURS, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    few.save(out, "PNG", optimize=True)
    return out.getvalue()
