import asyncio
import gc
import os
import shutil
import ssl
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import hypothesis
import pytest
import pytest_asyncio
from hypothesis.internal.conjecture import providers

from test_support.child_processes import let_children_hear_ctrl_c

if TYPE_CHECKING:  # pytest imports this file for the tests of the core, too
    from playwright.async_api import Browser

    from test_support.postgres import PostgresServer
    from tests.telegram_bot.channels.web.stored_pages import Site

let_children_hear_ctrl_c()
create_context = ssl.create_default_context


@cache
def context_of(_: str | None, *place: Any, **named: Any) -> ssl.SSLContext:
    """Make a context once for the file that logs its keys: it takes 50 ms, and each client of httpx wants one."""
    return create_context(*place, **named)


ssl.create_default_context = lambda *place, **named: context_of(os.environ.get("SSLKEYLOGFILE"), *place, **named)
gc.disable()  # until the tests are collected: it would take a fifth of the time

hypothesis.settings.register_profile("seeded", derandomize=True, deadline=None, database=None)
hypothesis.settings.load_profile("seeded")
# Hypothesis would also draw constants of the modules loaded so far, and which these are depends on earlier tests.
providers._get_local_constants = lambda: providers._local_constants

LONGEST = {"test_a_game_by_sound", "test_make", "test_nobody_holds_up_the_others", "test_tournament_night"}
LONGEST |= {"test_web_seat_in_the_browser", "test_recogniser"}
"""Files with a test of more than half a minute."""


COSTS = "test_support.test_cost"
"""The plugin that measures tests."""
RUN = os.environ.get("TEST_RUN", uuid4().hex)
"""A name for what the workers of this run share."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put tests of changed files first, then the longest, so that no worker is alone with one of them at the end.

    Those that wait for a browser or a program come next, while the core's tests compute.
    """
    changed = changed_files()
    for item in items:
        # Each worker with a browser would start one, and open its pages anew.
        if "workers_browser" in (fixtures := getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.xdist_group("site" if "workers_site" in fixtures else "browser"))
    items.sort(key=lambda item: (item.path not in changed, item.path.stem not in LONGEST, computes(item)))


def computes(item: pytest.Item) -> bool:
    return "telegram_bot" in item.path.parts and "workers_browser" not in getattr(item, "fixturenames", ())


def changed_files() -> set[Path]:
    """Return the files that are new, or differ from the commit before the last one; none without git."""
    here, changed = Path(__file__).parent, set[Path]()
    git = shutil.which("git") or "false"
    for question in (("diff", "--name-only", "--relative", "HEAD~1"), ("ls-files", "--others", "--exclude-standard")):
        told = subprocess.run((git, *question), cwd=here, capture_output=True, encoding="utf-8", check=False)  # noqa: S603 - our own question
        changed.update(here / line for line in told.stdout.splitlines())
    return changed


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> None:
    """Tests and modules stay to the end, so the garbage collector need not visit them."""
    if session.config.getoption("workers", 0):
        # Each worker would take seconds after its fork for what is made here once.
        hypothesis.strategies.text().validate()  # it finds all characters, unless an earlier run did
        if "telegram_bot.parsing.to_intent" in sys.modules:
            import_module("test_support.languages")
            import_module("test_support.open_database").migrated()
        if "telegram_sandbox.world" in sys.modules:
            import_module("telegram_sandbox.schema").load()
        # With it, the fork server has to be a worker's own: its CPU is that of the worker's tests.
        if "test_support.bot_process" in sys.modules and not session.config.pluginmanager.has_plugin(COSTS):
            import_module("test_support.bot_process").share_fork_server()
    gc.freeze()
    gc.set_threshold(10_000)  # with the usual 700 it would take three hundredths of all CPU
    gc.enable()


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def workers_browser() -> "AsyncIterator[Browser]":
    """A real browser, without a window, for all tests of a worker, which run on the session's event loop."""
    from test_support.chromium import running_chromium  # noqa: PLC0415 - most runs need no browser

    async with running_chromium() as browser:
        yield browser


@pytest_asyncio.fixture(loop_scope="session")
async def browser(workers_browser: "Browser") -> "AsyncIterator[Browser]":
    """The worker's browser. The pages that a test has opened are closed after it."""
    before = workers_browser.contexts
    yield workers_browser
    await asyncio.gather(*(context.close() for context in workers_browser.contexts if context not in before))


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def workers_site(workers_browser: "Browser") -> "AsyncIterator[Site]":
    """The server of stored facts for all pages of a worker."""
    from tests.telegram_bot.channels.web.stored_pages import Site  # noqa: PLC0415 - most runs need no browser

    async with Site.of(workers_browser) as site:
        yield site


@pytest_asyncio.fixture(loop_scope="session")
async def site(workers_site: "Site") -> "AsyncIterator[Site]":
    """Pages without a bot. Those that a test has used are empty after it."""
    yield workers_site
    await workers_site.clear()


@pytest.fixture(scope="session")
def postgresql() -> "Iterator[PostgresServer]":
    """A real PostgreSQL server, which all forked workers share."""
    from test_support.postgres import PostgresServer  # noqa: PLC0415 - most runs need no database

    server = PostgresServer(Path(tempfile.gettempdir()) / f"perudo-postgresql-{RUN}")
    yield server
    server.close()


@pytest.fixture
def postgresql_url(postgresql: "PostgresServer") -> Iterator[str]:
    """A migrated PostgreSQL database for one test."""
    with postgresql.fresh() as url:
        yield url
