from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING

import pytest

from test_support.postgres import PostgresServer, running_postgres

if TYPE_CHECKING:
    from playwright.async_api import Browser

EXTERNAL_FIXTURES = {"browser", "postgresql", "smsgate_api", "twilio_api"}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every test that uses an external program; parameters that start one carry the mark themselves."""
    for item in items:
        if isinstance(item, pytest.Function) and EXTERNAL_FIXTURES & set(item.fixturenames):
            item.add_marker(pytest.mark.external)


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
