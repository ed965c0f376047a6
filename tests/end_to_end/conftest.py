from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Protocol

import pytest

from telegram_bot.feature import install
from telegram_bot.features import FEATURES
from test_support.audit import faults
from test_support.world import Setting, World, opened

install(FEATURES)


class OpenWorld(Protocol):
    def __call__(self, setting: Setting, kind: type[World] = World) -> AbstractAsyncContextManager[World]: ...


@pytest.fixture
def open_world(tmp_path: Path) -> OpenWorld:
    """Worlds that are audited when they end."""
    count = 0

    @asynccontextmanager
    async def audited(setting: Setting, kind: type[World] = World) -> AsyncIterator[World]:
        nonlocal count
        count += 1
        folder = tmp_path / f"world{count}"
        folder.mkdir()
        async with opened(folder, setting, kind) as world:
            yield world
            await world.settled()
            status = await world.stop_bot()
            wrong = faults(world, status)
            assert not wrong, "\n".join(wrong)

    return audited


@pytest.fixture
def setting() -> Setting:
    """Four friends, a bot that is no admin, and no limits."""
    return Setting()


@pytest.fixture
async def world(open_world: OpenWorld, setting: Setting) -> AsyncIterator[World]:
    async with open_world(setting) as world:
        yield world
