from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from telegram import Update
from telegram.ext import Application

from telegram_sandbox import RunningSandbox, SandboxSettings, running_sandbox


@asynccontextmanager
async def bot_of_ptb(sandbox: RunningSandbox, *handlers: Any) -> AsyncIterator[Any]:
    application = Application.builder().token(sandbox.token).base_url(sandbox.bot_base_url).build()
    application.add_handlers(handlers)
    async with application:
        await application.start()
        assert application.updater
        await application.updater.start_polling(allowed_updates=Update.ALL_TYPES)
        await sandbox.bot_is_ready()
        yield application
        await application.updater.stop()
        await application.stop()


@asynccontextmanager
async def bot_with(*handlers: Any) -> AsyncIterator[RunningSandbox]:
    """A sandbox in which a bot with these handlers runs, as admin of the group."""
    settings = SandboxSettings(port=0, flood_limits=False, judge=True, bot_is_admin=True)
    async with running_sandbox(settings) as sandbox:
        async with bot_of_ptb(sandbox, *handlers):
            yield sandbox
        assert [str(call) for call in sandbox.world.calls.schema_failures] == []
