from __future__ import annotations

import gc
import os
import zlib
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING

import pytest

from test_support.postgres import PostgresServer, running_postgres

if TYPE_CHECKING:
    from playwright.async_api import Browser

EXTERNAL_FIXTURES = {"browser", "postgresql", "smsgate_api", "twilio_api"}


QUICK_RUN = bool(os.environ.get("CI"))
"""Whether this is .ci/run, which has 20 minutes; `make test` runs every test."""
WHOLE = ("tests/perudo_core/", "tests/telegram_bot/storage/")
"""Folders of which .ci/run leaves out only tests that are marked `long`."""
GAMES = "tests/end_to_end/"
ABOUT_THE_DATABASE = {"test_at_the_same_time.py", "test_rows_of_one_table.py", "test_unit_of_work.py"}
ONE_CASE_IN = 3
ONE_TEST_IN = 2
ONE_GAME_NOT_IN = 3
ONE_ON_POSTGRESQL_IN = 8


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark every test that uses an external program; parameters that start one carry the mark themselves."""
    for item in items:
        if isinstance(item, pytest.Function) and EXTERNAL_FIXTURES & set(item.fixturenames):
            item.add_marker(pytest.mark.external)
    if QUICK_RUN:
        left_out = set(left_out_of_ci(items))
        config.hook.pytest_deselected(items=[item for item in items if item in left_out])
        items[:] = [item for item in items if item not in left_out]


def pytest_collection_finish() -> None:
    """Tests and modules stay to the end: the garbage collector need not look through them."""
    gc.collect()
    gc.freeze()


def left_out_of_ci(items: list[pytest.Item]) -> Iterator[pytest.Item]:
    """The tests that .ci/run has no time for; always the same ones.

    These are long tests; one of three tests of whole games; elsewhere, but for `WHOLE`, every second test, and of the
    cases of one test two of three; and of what runs on both databases seven of eight tests on PostgreSQL, unless the
    test is about the database.
    """
    cases = Counter(map(_test_and_database, items))
    seen: Counter[tuple[str, object]] = Counter()
    for item in items:
        test = _test_and_database(item)
        nth, seen[test] = seen[test], seen[test] + 1
        if item.get_closest_marker("long") is not None:
            yield item
        elif item.nodeid.startswith(WHOLE) or item.path.name in ABOUT_THE_DATABASE:
            continue
        elif item.nodeid.startswith(GAMES):
            if zlib.crc32(test[0].encode()) % ONE_GAME_NOT_IN == 1:
                yield item
        elif test[1] == "postgresql":
            if zlib.crc32(item.nodeid.encode()) % ONE_ON_POSTGRESQL_IN != 0:
                yield item
        elif cases[test] > 1:
            if nth % ONE_CASE_IN != 0:
                yield item
        elif zlib.crc32(item.nodeid.encode()) % ONE_TEST_IN != 0:
            yield item


def _test_and_database(item: pytest.Item) -> tuple[str, object]:
    """What the cases of one test have in common, and the database that a case runs on."""
    database = item.callspec.params.get("database_url") if hasattr(item, "callspec") else None
    return item.nodeid.partition("[")[0], database


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
