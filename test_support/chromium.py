"""A real browser, without a window."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Final

from playwright.async_api import Browser, async_playwright

# The system's Chromium. Without one, playwright looks for its own and says how to install it.
CHROMIUM: Final = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
ARGUMENTS: Final = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
SERVER: Final = (
    "--headless",
    "--remote-debugging-port=0",
    "--hide-scrollbars",
    "--mute-audio",
    "--disable-dev-shm-usage",
    "--force-color-profile=srgb",
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    "--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4",
)
"""More arguments of a browser that playwright does not start, as playwright gives them; the last ones: a mouse."""
START_SECONDS: Final = 60.0


def microphone(speech: Path) -> tuple[str, ...]:
    """Arguments that let the browser hear a WAV file, once, where it would ask for the microphone."""
    return (
        "--use-fake-ui-for-media-stream",
        "--use-fake-device-for-media-stream",
        f"--use-file-for-fake-audio-capture={speech}%noloop",
    )


@asynccontextmanager
async def running_chromium(*more: str) -> AsyncIterator[Browser]:
    """The browser, for the length of a `with`, with more arguments if need be."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=[*ARGUMENTS, *more])
        yield browser
        await browser.close()


@contextmanager
def chromium_server() -> Iterator[str]:
    """A browser that many tests connect to, one after the other; its address."""
    assert CHROMIUM is not None, "no Chromium is installed: apt-get install chromium"
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        command = [CHROMIUM, *ARGUMENTS, *SERVER, f"--user-data-dir={folder}", "about:blank"]
        quiet = subprocess.DEVNULL
        process = subprocess.Popen(command, stdin=quiet, stdout=quiet, stderr=quiet)  # noqa: S603 - Debian's own
        try:
            yield f"http://127.0.0.1:{_port(Path(folder) / 'DevToolsActivePort')}"
        finally:
            process.terminate()
            process.wait(10)


def _port(written: Path) -> int:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if written.exists() and (lines := written.read_text().splitlines()):
            return int(lines[0])
        time.sleep(0.05)
    raise AssertionError(f"Chromium does not listen after {START_SECONDS:g} s")


@asynccontextmanager
async def connected(address: str) -> AsyncIterator[Browser]:
    """A connection to a running browser; its pages are closed with it."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.connect_over_cdp(address)
        try:
            yield browser
        finally:
            for context in browser.contexts[1:]:  # the first is the browser's own
                await context.close()
            await browser.close()
