import shutil
from collections.abc import AsyncIterator, Iterator

import pytest
from playwright.async_api import Browser, async_playwright

from test_support.postgres import PostgresServer, running_postgres

# Debian's or anybody's Chromium; where there is none, playwright looks for its own and says how to install it.
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture
async def browser() -> AsyncIterator[Browser]:
    """A real browser, without a window."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        await browser.close()


@pytest.fixture(scope="session")
def postgresql() -> Iterator[PostgresServer]:
    """A real PostgreSQL server, started for the first test of a worker that asks for it."""
    with running_postgres() as server:
        yield server


@pytest.fixture
def postgresql_url(postgresql: PostgresServer) -> Iterator[str]:
    """A migrated PostgreSQL database for one test."""
    with postgresql.fresh() as url:
        yield url
