"""Pages that are served stored facts: the bot's files, and what a test lets each page be told. There is no bot.

A worker's pages are used again by test after test: to open one costs more than what most tests do with it.
"""

import json
import mimetypes
import re
from asyncio import Queue
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import cache
from itertools import count
from typing import Any, Final

from playwright.async_api import Browser, BrowserContext, Page
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from telegram_bot.channels.web.static_files import page_html, static_file
from telegram_bot.words.page import page_words
from test_support.page_weight import serving
from tests.end_to_end.test_web_seat_in_the_browser import without_findings
from tests.telegram_bot.conftest import EN, START

ORIGIN: Final = "http://television.test"
"""Without encryption, as at a party. A proxy answers for it."""
HELLO: Final = {"now": START, "player": None, "language": "en"}
ROOM: Final = {
    "link": f"{ORIGIN}/t/TABLE2#KEY",
    "screen": None,
    "host": True,
    "locked": False,
    "asks_first": False,
    "qr": ["1"],
    "asking": [],
    "list": None,
    "rules": None,
}
PAGES: Final = {"tv": "tv", "t": "guest", "app": "app"}
EMPTY: Final = "localStorage.clear(); sessionStorage.clear();"
UNDRAWN: Final = "(document.adoptedStyleSheets = [new CSSStyleSheet()])[0].replaceSync('body { opacity: 0 }');"
"""Tests ask these pages where each part is; to draw them as well would take a third of the CPU."""
SCRIPTS: Final = re.compile("<script.*?</script>", re.DOTALL)
KEPT: Final = {"Cache-Control": "max-age=86400"}
MOST_TESTS_OF_A_CLOCK: Final = 20
"""Each step of a clock is taken again by the later pages of its context."""

Event = tuple[str, Any]


@dataclass
class Told:
    """The facts for one page, and the requests that it has sent."""

    script: str = ""
    """Runs before the page's own."""
    events: tuple[Event, ...] = (("hello", HELLO),)
    answers: dict[str, tuple[int, Any]] = field(default_factory=dict)
    asked: defaultdict[str, list[dict[str, Any]]] = field(default_factory=lambda: defaultdict(list))
    reader: Queue[str | None] = field(default_factory=Queue)
    tab: str = ""
    """The loaded page that reads the stream."""
    ended: set[str] = field(default_factory=set)
    """Tabs that were told of the end of their session: they are told once."""
    is_new: bool = True

    def __post_init__(self) -> None:
        me = {"state": "in", "kind": "guest", "code": "TABLE2", "player": 1, "name": "Ana", "tables": []}
        screen = {"state": "in", "token": "screen", "title": "Friends", "language": "en", "tables": []}
        known = {"words": page_words(EN), "screen": screen, "me": me | {"on": ["aloud"]}}
        self.answers = {path: (200, body) for path, body in (known | {"act": {"done": True, "text": ""}}).items()}

    def stream(self) -> str:
        events = self.events[:1] if self.tab in self.ended else self.events
        if any(name == "end" for name, _ in events):
            self.ended.add(self.tab)
        return "".join(f"event: {name}\ndata: {json.dumps(data)}\n\n" for name, data in (*events, ("ready", {})))

    async def read(self, tab: str) -> AsyncIterator[str]:
        """Yield a stream that stays open until the page is closed."""
        self.reader.put_nowait(None)
        self.tab, self.reader = tab, Queue()
        reader = self.reader
        yield ": ping 86400\n\n" + self.stream()
        while (more := await reader.get()) is not None:
            yield more


TOLD: Final[dict[Page, Told]] = {}
"""By pages that tests use."""


def serve(page: Page, *events: Event) -> None:
    """Let the page's stream have these events, of which the first greets it: now, and when it is loaded again."""
    told = TOLD[page]
    told.events = events
    told.ended.clear()
    told.reader.put_nowait(told.stream())


def answers(page: Page, path: str, body: Any, status: int = 200) -> None:
    """Let the page's requests for this path have this answer."""
    TOLD[page].answers[path] = status, body


def asked(page: Page, path: str = "act") -> list[dict[str, Any]]:
    return TOLD[page].asked[path]


class Site:
    """The server of stored facts, and the pages that show them."""

    def __init__(self, browser: Browser, proxy: str, numbers: dict[str, Page]) -> None:
        self._browser = browser
        self._proxy = proxy
        self._numbers = numbers
        """The pages, by the names under which the server knows them."""
        self._contexts: dict[bool, BrowserContext] = {}
        """By whether only tests move the clock."""
        self._idle: dict[bool, list[Page]] = {True: [], False: []}
        self._used: dict[Page, bool] = {}
        self.mistakes: list[str] = []
        """Errors of the scripts, which a test may expect and clear."""
        self._days = count(1)
        self._steps = 0

    @classmethod
    @asynccontextmanager
    async def of(cls, browser: Browser) -> AsyncIterator["Site"]:
        """Serve a browser, for the length of a `with`."""
        numbers: dict[str, Page] = {}

        async def answer(request: Request) -> Response:
            page = numbers.get(request.headers.get("X-Page", ""))
            path = request.url.path.removeprefix(ORIGIN)
            return await _answer(request, path, TOLD[page]) if page in TOLD else Response(status_code=404)

        async with serving(Starlette(routes=[Route("/{path:path}", answer, methods=["GET", "POST"])])) as address:
            site = cls(browser, address, numbers)
            yield site
            for context in site._contexts.values():
                await context.close()

    async def page(
        self, size: dict[str, int], *events: Event, script: str = "", calm: bool = True, clock: bool = False
    ) -> Page:
        page = self._idle[clock].pop() if self._idle[clock] else await self._opened(clock=clock)
        self._used[page] = clock
        TOLD[page] = Told(script, events or Told.events)
        await page.set_viewport_size(size)  # type: ignore[arg-type] # a TypedDict
        await page.emulate_media(reduced_motion="reduce" if calm else "no-preference")
        return page

    async def _opened(self, *, clock: bool) -> Page:
        if clock not in self._contexts:
            self._contexts[clock] = await self._browser.new_context(locale="en-GB", proxy={"server": self._proxy})
            if clock:
                await self._contexts[clock].clock.install()
                await self._contexts[clock].clock.pause_at("2100-01-01")
                await self._contexts[clock].add_init_script(UNDRAWN)
        page = await self._contexts[clock].new_page()
        page.on("pageerror", lambda error: self.mistakes.append(str(error)))
        number = str(len(self._numbers))
        self._numbers[number] = page
        await page.set_extra_http_headers({"X-Page": number})
        return page

    async def close(self, page: Page) -> None:
        clock = self._used.pop(page)
        TOLD.pop(page).reader.put_nowait(None)
        await page.unroute_all()
        await page.mouse.move(-1, -1)
        await page.goto("about:blank")
        self._idle[clock].append(page)

    async def clear(self) -> None:
        self._steps += any(self._used.values())
        for page in list(self._used):
            await self.close(page)
        if self._steps > MOST_TESTS_OF_A_CLOCK:
            self._steps, self._idle[True] = 0, []
            await self._contexts.pop(True).close()
        mistakes, self.mistakes = self.mistakes, []
        assert mistakes == []

    async def without_scripts(self, size: dict[str, int], html: str = page_html("guest", "en")) -> Page:
        """Return a page of this HTML in which only the test draws: scripts of its own would draw over that."""
        page = await self.page(size)
        await page.goto(f"{ORIGIN}/empty")
        await page.set_content(SCRIPTS.sub("", html))
        return page

    async def without_barrier(self, shown: Page) -> None:
        """Fail if axe finds a barrier on a page whose clock stands. Axe waits, so it looks at a copy."""
        size = shown.viewport_size
        assert size is not None
        page = await self.without_scripts({"width": size["width"], "height": size["height"]}, await shown.content())
        await without_findings(page)
        await self.close(page)


@cache
def _html(name: str) -> str:
    return page_html(name, "en")


async def _answer(request: Request, path: str, told: Told) -> Response:
    name = PAGES.get(path.split("/")[1])
    if name:
        script = f"<script>{EMPTY * told.is_new}{told.script}</script>"
        told.is_new = False
        return Response(_html(name).replace("<head>", f"<head>{script}"), media_type="text/html")
    file = static_file(path.removeprefix("/seat/static/"))
    if file is not None:
        body = file if isinstance(file, str) else file.read_bytes()
        return Response(body, media_type=mimetypes.guess_type(path)[0], headers=KEPT)
    asks = path.removeprefix("/seat/")
    if asks == "stream" and asks not in told.answers:
        return StreamingResponse(told.read(request.query_params["tab"]), media_type="text/event-stream")
    if request.method == "POST" and asks != "stream":
        told.asked[asks].append(await request.json())
    status, body = told.answers.get(asks, (404, {}))
    return JSONResponse(body, status)
