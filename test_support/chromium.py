"""A real browser, without a window."""

import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

from playwright.async_api import Browser, async_playwright, expect

CHROMIUM: Final = next(
    filter(None, map(shutil.which, ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"))), None
)
"""The system's browser; the first one takes less CPU. Without any, playwright says how to install its own."""
PATIENCE_MS: Final = 60_000
"""Only a busy machine needs so many: a test that passes on an idle one does not wait so long."""
AT_ONCE: Final = "() => import('/seat/static/net.js').then(({ act }) => act({ act: 'start' }))"
"""On the page of a host who has just tapped *Start*: starts again, which skips what features show before a game."""
ARGUMENTS: Final = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
MICROPHONE: Final = ("--use-fake-ui-for-media-stream", "--use-fake-device-for-media-stream")


@asynccontextmanager
async def running_chromium(speech: Path | None = None) -> AsyncIterator[Browser]:
    """Yield the browser, for the length of a `with`; it hears a WAV file, once, in place of the microphone."""
    more = [] if speech is None else [*MICROPHONE, f"--use-file-for-fake-audio-capture={speech}%noloop"]
    expect.set_options(timeout=PATIENCE_MS)
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=[*ARGUMENTS, *more])
        for make in ("new_context", "new_page"):
            setattr(browser, make, _patient(getattr(browser, make)))
        yield browser
        await browser.close()


def _patient(make: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
    """Let taps in a new context or page wait as long as expectations do."""

    async def made(**options: Any) -> Any:
        new = await make(**options)
        new.set_default_timeout(PATIENCE_MS)
        return new

    return made
