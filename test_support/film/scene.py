"""A table with its players, who do what a story says, and small PNG files of what a browser shows."""

import asyncio
import io
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from PIL import Image
from playwright.async_api import Browser, FrameLocator, Locator, Page, ViewportSize, expect
from playwright.async_api import TimeoutError as Impatience

from telegram_sandbox import Chat
from test_support.chromium import AT_ONCE, PATIENCE_MS
from test_support.film.stories import TELEVISION, Film
from test_support.game_driver import GameDriver
from test_support.person import Person
from test_support.voice_notes import espeak_note
from test_support.world import World

GROUP: Final = "Friends"
CHATS: Final = {"group": GROUP, "private": "Perudo bot"}
PHONE_WIDTH: Final = 360
PAGES: Final = 4
"""The columns of a guest's page and of the television, which is wide."""
SCALE: Final = 1.4
COLOURS: Final = 256
NO_PILL: Final = ".pill { visibility: hidden }"
"""The button to the newest message covers what a picture shows."""
STILL_MS: Final = 400
"""How long a page without animations needs to draw what it has received."""
HEARD_SECONDS: Final = 30
"""The first note of a game starts the recogniser."""
VARIABLES: Final = {
    "PERUDO_TABLE__RULEBOOK": "classic",
    "PERUDO_TABLE__REVEAL_SECONDS": "4",  # between a call and its reveal: long enough for a picture of the call
    "PERUDO_TABLE__CELEBRATE": "true",
    "PERUDO_COMPUTER_PLAYERS__THINK_LEAST_SECONDS": "0.5",
    "PERUDO_COMPUTER_PLAYERS__THINK_MOST_SECONDS": "1",
    "PERUDO_PICTURES__REVEALS": "true",
    "PERUDO_PICTURES__ANIMATIONS": "false",
}
MOST_LOOKS: Final = 3_000
GUESS: Final = "Bluff"
KEYS: Final = {"Play as a guest": ("Dudo", "Bid ", GUESS), "Dad": ("Bid ", "Dudo")}
"""The keys of the players at a party, the first one first: Mum plays badly."""


def setting_of(film: Film) -> dict[str, Any]:
    people, plan = tuple(film.given.get("people", "Ana Bo Cy").split()), {"secrets": int(film.given["seed"])}
    more = dict.fromkeys({"bot_is_admin", "with_phone", "with_pages"} & film.given.keys(), True)
    return {"people": people, "plan": plan, "variables": VARIABLES, **more}


@dataclass(slots=True)
class Scene:
    """The page of one sandbox; most methods without an underscore are acts of stories."""

    world: World
    page_of_phones: Page
    files: Iterator[Path]
    """The pictures that are still to be taken."""
    driver: GameDriver
    pages: dict[str, Page] = field(default_factory=dict[str, Page])
    """The pages of the bot's that are open outside of the sandbox's page."""
    letters: str | None = None
    """Those that the television has shown last."""

    @classmethod
    async def of(cls, film: Film, world: World, browser: Browser, folder: Path) -> "Scene":
        """Open the page with a column for each phone."""
        columns = len(world.people) + ("with_phone" in film.given) + PAGES * ("with_pages" in film.given)
        page = await browser.new_page(
            viewport={"width": columns * (PHONE_WIDTH + 12) + 16, "height": int(film.given.get("height", 780))},
            device_scale_factor=SCALE,
            color_scheme="light",
            reduced_motion="reduce",
            bypass_csp=True,  # for `NO_PILL`
            timezone_id="America/New_York",  # where Gran's telephone is: texts name the hour
        )
        await page.goto(world.sandbox.url)
        await page.get_by_role("region", name=f"{next(iter(world.people))}'s phone").wait_for()
        files = (folder / file for file in film.files)
        return cls(world, page, files, GameDriver(world, world.group, list(world.people.values())))

    async def act(self, film: Film) -> None:
        for name, given in film.story:
            act = getattr(self, name, None) or getattr(self.driver, name)
            await act(*map(self._filled, given))

    def _filled(self, given: str) -> str:
        """Return what an act is given, with the codes of this world."""
        ((code, key),) = self.world.rows(
            "SELECT (SELECT max(code) FROM game_table), (SELECT max(screen_key) FROM web_room)"
        )
        return given.format(code=code, key=key, letters=self.letters)

    # Pictures

    async def take(self, name: str, place: str, shows: str) -> None:
        place, _, up_to = place.partition(" ")
        assert place in {*CHATS, "texts", "page", "photo", "all", "now"}, place
        waits = place not in {"now", "page"}
        if waits:
            await self.world.settled()
        if place == "photo":
            picture = (await self.world[name].sees(shows, self.world.group)).media
            assert picture is not None
            self._next_file().write_bytes(picture.file.content)
            return
        shown = self.phone(name)
        where: Locator = shown
        if place == "all":
            shown = where = self.page_of_phones.locator("body")
        elif place == "page":
            where = self._at(name).locator("body")
            region = self.page_of_phones.get_by_role("region", name=name)
            shown = where if name in self.pages else region
        elif place in CHATS:
            where = await self.show(name, place)
        words = where.get_by_text(re.compile(shows)).filter(visible=True).last
        await expect(words).to_be_visible(timeout=PATIENCE_MS)
        if waits:
            await self._no_toasts()
        if up_to:
            message = where.get_by_role("article").filter(has_text=re.compile(shows)).last
            await message.evaluate("node => node.scrollIntoView({ block: 'end' })")
        elif place in CHATS:
            await where.locator(".scroller").evaluate("node => node.scrollTo(0, node.scrollHeight)")
        await self.page_of_phones.wait_for_timeout(STILL_MS)
        image = Image.open(io.BytesIO(await shown.screenshot(style=NO_PILL))).convert("RGB")
        few = image.quantize(COLOURS, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
        few.save(self._next_file(), "PNG", optimize=True)

    def _next_file(self) -> Path:
        file = next(self.files)
        file.parent.mkdir(parents=True, exist_ok=True)
        return file

    def phone(self, name: str) -> Locator:
        return self.page_of_phones.get_by_role("region", name=re.compile(f"{name}'s phone"))

    async def show(self, name: str, chat: str) -> Locator:
        await self.phone(name).get_by_role("tab", name=CHATS[chat]).click()
        return self.phone(name).get_by_role("tabpanel").filter(visible=True)

    def _at(self, page: str) -> Page | FrameLocator:
        """Return a page of the bot's: outside, or over someone's chats or next to the phones."""
        region = self.page_of_phones.get_by_role("region", name=page)
        return self.pages[page] if page in self.pages else region.frame_locator("iframe")

    async def _no_toasts(self) -> None:
        await expect(self.page_of_phones.locator(".toast")).to_have_count(0, timeout=PATIENCE_MS)

    # People with phones: "Ana", "Bo Cy in the group"

    def _people(self, who: str) -> Iterator[tuple[Person, Chat | None]]:
        names, _, group = who.partition(" in the ")
        return ((self.world[name], self.world.group if group else None) for name in names.split())

    async def say(self, who: str, *texts: str) -> None:
        for person, chat in self._people(who):
            for text in texts:
                await person.say(text, chat)

    async def tap(self, who: str, *keys: str) -> None:
        for person, chat in self._people(who):
            for key in keys:
                await person.tap(key, chat)

    async def sees(self, who: str, pattern: str) -> None:
        for person, chat in self._people(who):
            await person.sees(pattern, chat, since=self.driver.began)

    async def click(self, name: str, chat: str, key: str) -> None:
        """Click a button of a chat on the page, whose answer is a toast, an alert or a page."""
        where = await self.show(name, chat)
        await where.get_by_role("button", name=key).or_(where.get_by_role("link", name=key)).last.click()

    async def dismiss(self) -> None:
        await self.page_of_phones.get_by_role("dialog").get_by_role("button", name="OK").click()

    async def type(self, name: str, words: str) -> None:
        """Type words for the list over the text field: it offers the player's dice, and one call."""
        field_ = self.page_of_phones.get_by_role("textbox", name=f"{name}'s message to {GROUP}")
        await field_.fill(f"@perudo_sandbox_bot {words}")
        await expect((await self.show(name, "group")).get_by_role("option")).to_have_count(2)

    async def choose(self, name: str) -> None:
        await (await self.show(name, "group")).get_by_role("option").nth(1).click()

    async def speak(self, name: str, words: str) -> None:
        """Send a voice note, and wait until it is heard."""
        await self.world.settled()
        since = len(self.world.recorder.versions)
        await self.world[name].user.send_voice(await asyncio.to_thread(espeak_note, words))
        await self.world[name].sees("Did you say this", since=since, within=HEARD_SECONDS)

    async def text(self, words: str) -> None:
        """Let Gran text."""
        field_ = self.page_of_phones.get_by_role("textbox", name="Text message from Gran")
        await field_.fill(words)
        await field_.press("Enter")
        await expect(self.phone("Gran").get_by_text(words, exact=True).last).to_be_visible()
        await self.world.settled()

    # The game

    async def bid(self, number: str = "0") -> None:
        """Let the player whose turn it is tap a bid, and wait until every message about it has been sent."""
        offer = await self.driver.turn()
        await self.driver.tap(offer, offer.bids[int(number)])
        await self.world.settled()

    async def dudo(self) -> None:
        await self._no_toasts()
        await self.driver.doubt_it()

    async def stage(self, name: str, moves: str = "") -> None:
        """Play a stage of a tournament, or so many moves of it."""
        self.driver.stage, self.driver.table, self.driver.doubt = name, 0, 0.7
        await self.world["Ana"].sees(name, self.world.group)
        await self.driver.play(int(moves) if moves else None)

    # Pages of the bot's

    async def page(self, title: str) -> None:
        """Open a page next to the phones."""
        await self.page_of_phones.get_by_role("button", name=title, exact=True).click()

    async def read_letters(self) -> None:
        self.letters = await self._at(TELEVISION).get_by_label("The letters on the television").text_content()

    async def visit(self, name: str, path: str) -> None:
        """Open an address on a television, or on another phone."""
        if name not in self.pages:
            browser = self.page_of_phones.context.browser
            assert browser is not None
            wide = name == TELEVISION
            self.pages[name] = await browser.new_page(
                viewport=ViewportSize(width=1280, height=720) if wide else ViewportSize(width=PHONE_WIDTH, height=640),
                device_scale_factor=1 if wide else SCALE,
                reduced_motion="reduce",
            )
        await self.pages[name].goto(self.world.pages + path)

    async def fill(self, page: str, label: str, words: str) -> None:
        await self._at(page).get_by_label(label).filter(visible=True).fill(words)

    async def press(self, page: str, *names: str) -> None:
        for name in names:
            where = self._at(page)
            key = where.get_by_role("button", name=name, exact=name.isdecimal()).or_(
                where.get_by_role("radio", name=name)
            )
            await key.or_(where.locator("summary", has_text=name)).filter(visible=True).first.click(timeout=PATIENCE_MS)

    async def see(self, page: str, words: str) -> None:
        await expect(self._at(page).get_by_text(words).filter(visible=True).first).to_be_visible(timeout=PATIENCE_MS)

    async def at_once(self, page: str) -> None:
        await self._at(page).locator("body").evaluate(AT_ONCE)

    async def play_until(self, page: str, selector: str) -> None:
        """Tap on each phone the first of its keys that is there, until something is shown."""
        shown = self._at(page).locator(selector).filter(visible=True)
        phones = {self._at(name): keys for name, keys in KEYS.items()}
        for _ in range(MOST_LOOKS):
            if await shown.count():
                return
            for phone, names in phones.items():
                for name in names:
                    key = phone.get_by_role("button", name=name, pressed=None if name != GUESS else False)
                    if await key.count():
                        with suppress(Impatience):  # the key went when the game moved on
                            await key.first.click(timeout=2_000)
                        break
            await asyncio.sleep(0.1)
        raise AssertionError("it is never shown")
