from __future__ import annotations

import gc
import os
import zlib
from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING

import pytest

from test_support.postgres import PostgresServer, running_postgres

if TYPE_CHECKING:
    from playwright.async_api import Browser

EXTERNAL_FIXTURES = {"browser", "postgresql", "smsgate_api", "twilio_api"}


QUICK_RUN = bool(os.environ.get("CI"))
"""Whether this is .ci/run, which has 20 minutes; `make test` runs every test."""
ONE_IN = 4


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark every test that uses an external program; parameters that start one carry the mark themselves."""
    for item in items:
        if isinstance(item, pytest.Function) and EXTERNAL_FIXTURES & set(item.fixturenames):
            item.add_marker(pytest.mark.external)
    if QUICK_RUN:
        left_out = [item for item in items if is_left_out(item)]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in set(left_out)]


def pytest_collection_finish() -> None:
    """Tests and modules stay to the end: the garbage collector need not look through them."""
    gc.collect()
    gc.freeze()


def is_left_out(item: pytest.Item) -> bool:
    """Whether .ci/run leaves a test out: long ones, and of what runs on both databases three of four on PostgreSQL.

    What is about the database itself runs on both always.
    """
    if item.get_closest_marker("long") is not None:
        return True
    if not isinstance(item, pytest.Function) or not hasattr(item, "callspec"):
        return False
    if item.callspec.params.get("database_url") != "postgresql":
        return False
    if not item.nodeid.startswith(("tests/telegram_bot/service/", "tests/telegram_bot/channels/")):
        return False
    both = {"test_at_the_same_time.py", "test_rows_of_one_table.py", "test_unit_of_work.py"}
    return item.path.name not in both and zlib.crc32(item.nodeid.encode()) % ONE_IN != 0


@pytest.fixture
async def browser() -> AsyncIterator[Browser]:
    """A real browser, without a window."""
    from test_support.chromium import running_chromium  # noqa: PLC0415 - most runs need no browser

    async with running_chromium() as browser:
        yield browser


@pytest.fixture(scope="session")
def postgresql() -> Iterator[PostgresServer]:
    """A real PostgreSQL server, one for each xdist worker that needs it."""
    with running_postgres() as server:
        yield server


@pytest.fixture
def postgresql_url(request: pytest.FixtureRequest, postgresql: PostgresServer) -> Iterator[str]:
    """A migrated PostgreSQL database for one test."""
    assert request.node.get_closest_marker("external"), "a parameter that starts PostgreSQL carries the mark"
    with postgresql.fresh() as url:
        yield url
