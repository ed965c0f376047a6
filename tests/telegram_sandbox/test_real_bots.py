"""The acts of typical bots, with bots of python-telegram-bot."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from telegram import ChatPermissions, LabeledPrice, Update
from telegram.ext import (
    Application,
    ChatJoinRequestHandler,
    CommandHandler,
    MessageHandler,
    MessageReactionHandler,
    PreCheckoutQueryHandler,
    filters,
)

from telegram_sandbox import ControlError, RunningSandbox, SandboxSettings, running_sandbox


@asynccontextmanager
async def bot_with(*handlers: Any, **settings: Any) -> AsyncIterator[RunningSandbox]:
    """A sandbox in which a bot with these handlers runs, as admin of the group."""
    wanted = SandboxSettings(port=0, flood_limits=False, judge=True, bot_is_admin=True, **settings)
    async with running_sandbox(wanted) as sandbox:
        application = Application.builder().token(sandbox.token).base_url(sandbox.bot_base_url).build()
        application.add_handlers(handlers)
        async with application:
            await application.start()
            assert application.updater
            await application.updater.start_polling(allowed_updates=Update.ALL_TYPES)
            await sandbox.bot_is_ready()
            yield sandbox
            await application.updater.stop()
            await application.stop()
        assert [str(call) for call in sandbox.world.calls.schema_failures] == []


async def wait_until(is_so: Callable[[], bool]) -> None:
    async with asyncio.timeout(5):
        while not is_so():  # noqa: ASYNC110 - no event tells
            await asyncio.sleep(0.01)


async def test_a_shop_in_stars_takes_one_order_and_is_then_sold_out() -> None:
    sold: list[str] = []

    async def offer(update: Any, _: Any) -> None:
        await update.effective_message.reply_invoice("Book", "How to bluff", "book", "XTR", [LabeledPrice("Book", 50)])

    async def confirm(update: Any, _: Any) -> None:
        await update.pre_checkout_query.answer(ok=not sold, error_message="Sold out" if sold else None)

    async def thank(update: Any, context: Any) -> None:
        paid = update.effective_message.successful_payment
        sold.append(paid.invoice_payload)
        await update.effective_message.reply_text(f"Thanks for {paid.total_amount} stars")
        await context.bot.refund_star_payment(update.effective_user.id, paid.telegram_payment_charge_id)

    thanks = MessageHandler(filters.SUCCESSFUL_PAYMENT, thank)
    async with bot_with(CommandHandler("buy", offer), PreCheckoutQueryHandler(confirm), thanks) as sandbox:
        ana = sandbox.user("Ana")
        await ana.send("/buy")
        await ana.sees("Book")
        await ana.pay()
        await ana.sees("Thanks for 50 stars")
        with pytest.raises(ControlError, match="Sold out"):
            await ana.pay()


async def test_a_person_reacts_and_takes_it_back() -> None:
    async def tell(update: Any, context: Any) -> None:
        change = update.message_reaction
        old, new = ([one.emoji for one in some] for some in (change.old_reaction, change.new_reaction))
        await context.bot.send_message(update.effective_chat.id, f"{old} became {new}")

    async with bot_with(MessageReactionHandler(tell)) as sandbox:
        ana, group = sandbox.user("Ana"), sandbox.world.chats[sandbox.group_id]
        said = await ana.send("exactly seven", group)
        await ana.react(said, "🔥")
        await ana.sees("[] became ['🔥']", group)
        await ana.react(said, "👍")
        await ana.sees("['🔥'] became ['👍']", group)
        await ana.react(said)
        await ana.sees("['👍'] became []", group)
        with pytest.raises(ControlError, match="no reaction '🧀'"):
            await ana.react(said, "🧀")


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


async def test_a_doorkeeper_questions_who_asks_to_join() -> None:
    async def question(update: Any, context: Any) -> None:
        request = update.chat_join_request
        await context.bot.send_message(request.user_chat_id, "Do you bluff?")

    async def admit(update: Any, context: Any) -> None:
        (club,) = context.args
        await context.bot.approve_chat_join_request(int(club), update.effective_user.id)
        await update.effective_message.reply_text("Come in")

    async def invite(update: Any, _: Any) -> None:
        link = await update.effective_chat.create_invite_link(creates_join_request=True)
        await update.effective_message.reply_text(link.invite_link)

    handlers = (ChatJoinRequestHandler(question), CommandHandler("yes", admit), CommandHandler("invite", invite))
    async with bot_with(*handlers) as sandbox:
        ana, lee, group = sandbox.user("Ana"), sandbox.add_person("Lee"), sandbox.world.chats[sandbox.group_id]
        await ana.send("/invite", group)
        link = (await ana.sees("t.me/+", group)).text
        await lee.follow_invite(str(link))
        await lee.sees("Do you bluff?")
        await lee.send(f"/yes {group.id}")
        await lee.sees("Come in")
        assert lee.id in group.members


async def test_a_newsroom_posts_into_its_channel_and_answers_its_posts() -> None:
    async def post(_: Any, context: Any) -> None:
        await context.bot.send_message("@dice_news", " ".join(context.args))

    async def sign(update: Any, _: Any) -> None:
        await update.channel_post.edit_text(f"{update.channel_post.text} (Dice news)")

    posts = MessageHandler(filters.UpdateType.CHANNEL_POST, sign)
    async with bot_with(CommandHandler("post", post, filters.ChatType.PRIVATE), posts) as sandbox:
        ana, bo = sandbox.user("Ana"), sandbox.user("Bo")
        news = sandbox.add_group("News", [ana, bo], "channel", username="dice_news")
        await bo.send("/post Five sixes!")
        assert (await bo.sees("Five sixes!", news)).chat_id == news.id
        said = await ana.send("Ten ones!", news)
        await wait_until(lambda: said.text == "Ten ones! (Dice news)")
        with pytest.raises(ControlError, match="only admins post in News"):
            await bo.send("Never!", news)
