"""A real browser, without a window."""

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from playwright.async_api import Browser, async_playwright, expect

CHROMIUM: Final = next(
    filter(None, map(shutil.which, ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"))), None
)
"""The system's browser; the first one takes less CPU. Without any, playwright says how to install its own."""
PATIENCE_MS: Final = 60_000
"""Only a busy machine needs so many: a test that passes on an idle one does not wait so long."""
AT_ONCE: Final = "() => import('/seat/static/net.js').then(({ act }) => act({ act: 'start' }))"
"""On the page of a host who has just tapped *Start*: starts again, which skips what features show before a game."""
MICROPHONE: Final = ("--use-fake-ui-for-media-stream", "--use-fake-device-for-media-stream")


@asynccontextmanager
async def running_chromium(speech: Path | None = None) -> AsyncIterator[Browser]:
    """Yield the browser, for the length of a `with`; it hears a WAV file, once, in place of the microphone."""
    more = [] if speech is None else [*MICROPHONE, f"--use-file-for-fake-audio-capture={speech}%noloop"]
    expect.set_options(timeout=PATIENCE_MS)
    async with async_playwright() as playwright:
        arguments = ["--disable-gpu", "--disable-quic", *more]  # playwright itself adds others
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=arguments)
        # Taps wait as long as expectations do.
        browser.on("context", lambda context: context.set_default_timeout(PATIENCE_MS))
        yield browser
        await browser.close()
