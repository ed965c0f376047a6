from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any, Protocol

import pytest

from telegram_bot.feature import install
from telegram_bot.features import FEATURES
from test_support.audit import faults
from test_support.world import W, opened

install(FEATURES)


class OpenWorld(Protocol):
    def __call__(self, kind: type[W], **setting: Any) -> AbstractAsyncContextManager[W]: ...


@pytest.fixture
def open_world(tmp_path: Path) -> OpenWorld:
    """Worlds that are audited when they end."""
    count = 0

    @asynccontextmanager
    async def audited(kind: type[W], **setting: Any) -> AsyncIterator[W]:
        nonlocal count
        count += 1
        folder = tmp_path / f"world{count}"
        folder.mkdir()
        async with opened(folder, kind, **setting) as world:
            yield world
            await world.settled()
            status = await world.stop_bot()
            wrong = faults(world, status)
            assert not wrong, "\n".join(wrong)

    return audited
