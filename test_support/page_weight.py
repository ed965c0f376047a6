"""The size of the web seat: its lines of code, and what a browser receives for a page."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final

import uvicorn
from starlette.applications import Starlette

from test_support.documents import ROOT

if TYPE_CHECKING:  # most of its users need no browser
    from playwright.async_api import Browser

CHANNEL: Final = ROOT / "telegram_bot/channels/web"
BESIDE: Final = tuple(ROOT / f"telegram_bot/{name}.py" for name in ("party", "storage/web_models", "words/page"))
"""Files of the channel outside its folder."""
MOST_PYTHON: Final = 3000
MOST_JAVASCRIPT: Final = 2500
MOST_FIRST_KB: Final = 84.5
MOST_AGAIN_KB: Final = 25.0


def page_weight() -> tuple[int, int]:
    """Return the lines of Python, and those of JavaScript, of today."""
    folders = (CHANNEL / "static", *(ROOT / "telegram_bot/features").glob("*/static"))
    kinds = ((*CHANNEL.glob("*.py"), *BESIDE), [file for folder in folders for file in folder.glob("*.js")])
    python, javascript = (sum(len(file.read_text("utf-8").splitlines()) for file in files) for files in kinds)
    return python, javascript


@asynccontextmanager
async def serving(app: Starlette) -> AsyncIterator[str]:
    """Serve an application on this machine, for the length of a `with`; yield its address."""
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="error", lifespan="off", timeout_graceful_shutdown=1))
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
    totals: list[float] = []
    for _ in range(2):
        sizes.clear()
        await page.goto("about:blank")
        await page.goto(address)
        await page.get_by_role("textbox").first.wait_for()
        await page.wait_for_load_state("networkidle")
        totals.append(sum(sizes))
    await context.close()
    return totals[0], totals[1]
