"""The acts of typical bots, with bots of python-telegram-bot."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from telegram import ChatPermissions, Update
from telegram.ext import (
    Application,
    CommandHandler,
)

from telegram_sandbox import ControlError, RunningSandbox, SandboxSettings, running_sandbox


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


async def test_a_moderator_mutes_promotes_and_renames() -> None:
    async def moderate(update: Any, context: Any) -> None:
        message, (act, *words) = update.effective_message, context.args
        chat, person = message.chat, message.reply_to_message.from_user
        if act == "mute":
            await chat.restrict_member(person.id, ChatPermissions.no_permissions())
        elif act == "ban":
            await chat.ban_member(person.id)
        elif act == "promote":
            await chat.promote_member(person.id, can_delete_messages=True, can_pin_messages=True)
            await chat.set_administrator_custom_title(person.id, " ".join(words))
        elif act == "lock":
            await chat.set_permissions(ChatPermissions(can_send_messages=False))
        else:
            await chat.set_title(" ".join(words))
        await message.reply_text(f"{act}: {(await chat.get_member(person.id)).status}")

    async with bot_with(CommandHandler("do", moderate)) as sandbox:
        ana, bo, group = sandbox.user("Ana"), sandbox.user("Bo"), sandbox.world.chats[sandbox.group_id]
        said = await bo.send("buy my watches", group)
        await ana.send("/do mute", group, reply_to=said)
        await ana.sees("mute: restricted", group)
        with pytest.raises(ControlError, match="no permission"):
            await bo.send("cheap!", group)
        await ana.send("/do promote Referee", group, reply_to=said)
        await ana.sees("promote: administrator", group)
        await ana.send("/do lock", group, reply_to=said)
        await ana.sees("lock: administrator", group)
        await bo.send("I may", group)
        with pytest.raises(ControlError, match="no permission"):
            await sandbox.user("Cy").send("I may not", group)
        await ana.send("/do ban", group, reply_to=said)
        await ana.sees("ban: kicked", group)
        await ana.send("/do name Dice club", group, reply_to=said)
        await ana.sees("name: kicked", group)
        assert group.title == "Dice club"
