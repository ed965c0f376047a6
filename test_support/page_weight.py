"""The size of the web seat: its lines of code, and what a browser receives for a page."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import uvicorn
from starlette.applications import Starlette

from test_support.documents import ROOT

if TYPE_CHECKING:  # most of its users need no browser
    from playwright.async_api import Browser, Page

CHANNEL: Final = ROOT / "telegram_bot/channels/web"
BESIDE: Final = tuple(ROOT / f"telegram_bot/{name}.py" for name in ("party", "storage/web_models", "words/page"))
"""Files of the channel outside its folder."""
MOST_PYTHON: Final = 3000
MOST_JAVASCRIPT: Final = 2500
MOST_FIRST_KB: Final = 84.5
MOST_AGAIN_KB: Final = 25.0


@dataclass(frozen=True, slots=True)
class PageWeight:
    """The size of the channel."""

    python: int
    """Lines."""
    javascript: int
    """Lines."""

    @property
    def meets_goals(self) -> bool:
        return self.python <= MOST_PYTHON and self.javascript <= MOST_JAVASCRIPT

    def __str__(self) -> str:
        """Return the size and the goals, rounded, so that a changed line does not change the words."""
        rows = (
            (f"{round(self.python, -2):,} lines of Python", f"{MOST_PYTHON:,}", self.python <= MOST_PYTHON),
            (
                f"{round(self.javascript, -2):,} of JavaScript",
                f"{MOST_JAVASCRIPT:,}",
                self.javascript <= MOST_JAVASCRIPT,
            ),
        )
        return ", ".join(f"{size} (goal {goal}: {'met' if met else '**missed**'})" for size, goal, met in rows)


def page_weight() -> PageWeight:
    """Count the lines of today."""
    folders = (CHANNEL / "static", *(ROOT / "telegram_bot/features").glob("*/static"))
    return PageWeight(
        _lines((*CHANNEL.glob("*.py"), *BESIDE)), _lines(file for folder in folders for file in folder.glob("*.js"))
    )


@asynccontextmanager
async def serving(app: Starlette) -> AsyncIterator[str]:
    """Serve an application on this machine, for the length of a `with`; yield its address."""
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="error", lifespan="off"))
    running = asyncio.create_task(server.serve())
    while not server.started:  # noqa: ASYNC110 - uvicorn has no event
        await asyncio.sleep(0.01)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    await running


async def received(browser: "Browser", address: str) -> tuple[float, float]:
    """Return the kilobytes that a browser receives for a guest's page, with headers: the first time, and again."""
    context = await browser.new_context()
    page = await context.new_page()
    network = await context.new_cdp_session(page)
    await network.send("Network.enable")
    sizes: list[float] = []
    network.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"] / 1000))
    first = await _loaded(page, address, sizes)
    again = await _loaded(page, address, sizes)
    await context.close()
    return first, again


async def _loaded(page: "Page", address: str, sizes: list[float]) -> float:
    sizes.clear()
    await page.goto("about:blank")
    await page.goto(address)
    await page.get_by_role("textbox").first.wait_for()
    await page.wait_for_load_state("networkidle")
    return sum(sizes)


def _lines(files: Iterable[Path]) -> int:
    return sum(len(file.read_text(encoding="utf-8").splitlines()) for file in files)
