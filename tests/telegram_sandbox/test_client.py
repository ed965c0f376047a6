"""The sandbox driven by the client library that the bot uses."""

from collections.abc import AsyncIterator

import pytest
from telegram import (
    Bot,
    ForceReply,
    InlineKeyboardButton,
    InlineKeyboardMarkup,
    LinkPreviewOptions,
    Message,
    ReplyParameters,
)
from telegram.constants import ParseMode
from telegram.error import BadRequest, ChatMigrated, Conflict, Forbidden, RetryAfter

from tests.telegram_sandbox.conftest import Play

KEYBOARD = InlineKeyboardMarkup([[InlineKeyboardButton("Join", callback_data="join")]])


@pytest.fixture
async def bot(play: "Play") -> "AsyncIterator[Bot]":
    client = Bot(
        play.sandbox.token,
        base_url=play.sandbox.bot_base_url,
        base_file_url=play.sandbox.file_base_url,
    )
    async with client:
        yield client
    assert not play.sandbox.world.calls.schema_failures


async def test_a_game_of_messages(play: "Play", bot: Bot) -> None:
    await play.say("Ana", "/new@sandbox_bot")
    update = (await bot.get_updates(timeout=1))[0]
    assert update.message is not None
    assert update.message.parse_entities() == {update.message.entities[0]: "/new@sandbox_bot"}
    sent = await bot.send_message(
        update.message.chat_id,
        "<b>Ana</b> opened a table",
        parse_mode=ParseMode.HTML,
        reply_markup=KEYBOARD,
        reply_parameters=ReplyParameters(update.message.message_id, allow_sending_without_reply=True),
        link_preview_options=LinkPreviewOptions(is_disabled=True),
        disable_notification=True,
        protect_content=True,
    )
    assert sent.text_html == "<b>Ana</b> opened a table"
    assert sent.has_protected_content
    edited = await sent.edit_text("closed", reply_markup=KEYBOARD)
    assert isinstance(edited, Message)
    await play.tap("Bo", sent.to_dict(), "join")
    query = (await bot.get_updates(offset=update.update_id + 1))[0].callback_query
    assert query is not None
    assert query.data == "join"
    assert await query.answer("You are in", show_alert=False)
    with pytest.raises(BadRequest, match="Query is too old"):
        await query.answer()
    with pytest.raises(BadRequest, match="Message is not modified"):
        await sent.edit_text("closed", reply_markup=KEYBOARD)
    assert await sent.delete()
    with pytest.raises(BadRequest, match="Message to delete not found"):
        await sent.delete()
    await bot.send_message(play.group, "your answer?", reply_markup=ForceReply(selective=True))


async def test_errors_become_the_clients_exceptions(
    play: "Play",
    bot: Bot,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PTB_TIMEDELTA", "true")
    ana = play.id("Ana")
    with pytest.raises(Forbidden, match="bot can't initiate conversation with a user"):
        await bot.send_message(ana, "x")
    group = await play.act("POST", "/chats", title="Basic", type="group", members=[ana])
    moved = await play.act("POST", f"/chats/{group['id']}/migrate")
    with pytest.raises(ChatMigrated) as migrated:
        await bot.send_message(group["id"], "x")
    assert migrated.value.new_chat_id == moved["id"]
    await bot.set_webhook("https://127.0.0.1:8443/hook", secret_token="s" * 16)
    with pytest.raises(Conflict, match="can't use getUpdates method while webhook is active"):
        await bot.get_updates()
    assert (await bot.get_webhook_info()).url == "https://127.0.0.1:8443/hook"
    assert await bot.delete_webhook(drop_pending_updates=True)
    assert await bot.get_updates() == ()
    await play.act("POST", "/flood", enabled=True)
    await bot.send_message(play.group, "x")
    with pytest.raises(RetryAfter):
        await bot.send_message(play.group, "x")
