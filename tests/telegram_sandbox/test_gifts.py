"""Gifts that the bot pays with its stars, and boosts of chats."""

from typing import Any

from telegram.ext import ChatBoostHandler, CommandHandler

from telegram_sandbox import Invoice
from telegram_sandbox.model import Payment
from tests.telegram_sandbox.conftest import Play
from tests.telegram_sandbox.real_bots import bot_with


async def test_a_bot_gives_a_person_a_gift_for_its_stars() -> None:
    async def give(update: Any, context: Any) -> None:
        gifts = (await context.bot.get_available_gifts()).gifts
        wish = {"text": "<b>Well</b> bluffed", "text_parse_mode": "HTML"}
        await context.bot.send_gift(gifts[0], user_id=update.effective_user.id, **wish)
        spent = (await context.bot.get_star_transactions()).transactions[0]
        left = (await context.bot.get_my_star_balance()).amount
        owned = await context.bot.get_user_gifts(update.effective_user.id, limit=1)
        has = f"{left} left, has {owned.total_count}, {owned.gifts[0].gift.star_count}"
        await update.effective_message.reply_text(f"{spent.receiver.user.first_name} {spent.amount}, {has}")

    async with bot_with(CommandHandler("win", give)) as sandbox:
        ana = sandbox.user("Ana")
        sandbox.world.paid["1"] = Payment(ana.person, ana.id, Invoice("Book", "", "book", "XTR", 50), 50)
        await ana.send("/win")
        await ana.sees("Ana 15, 35 left, has 1, 15")
        gift = ana.messages()[-2]
        assert gift.service_text == "Sandbox sent a gift for 15 stars: 💝 Well bluffed"
        assert gift.service
        assert gift.service["gift"]["entities"][0]["type"] == "bold"


async def test_only_an_admin_asks_for_boosts(play: Play) -> None:
    await play.refuses("getUserChatBoosts", "CHAT_ADMIN_REQUIRED", chat_id=play.group, user_id=play.id("Ana"))


async def test_a_bot_that_is_an_admin_hears_of_a_boost() -> None:
    async def thank(update: Any, context: Any) -> None:
        boost = update.chat_boost
        who = boost.boost.source.user
        found = await context.bot.get_user_chat_boosts(boost.chat.id, who.id)
        await context.bot.send_message(boost.chat.id, f"{who.first_name}: {len(found.boosts)}")

    async with bot_with(ChatBoostHandler(thank)) as sandbox:
        ana, group = sandbox.user("Ana"), sandbox.world.chats[sandbox.group_id]
        await ana.boost(group)
        await ana.sees("Ana: 1", group)
        await ana.boost(group)
        await ana.sees("Ana: 2", group)
        assert ana.messages(group)[-2].service_text == "Ana boosted the group"
        sandbox.advance_clock(31 * 86_400)
        await ana.boost(group)
        await ana.sees("Ana: 1", group)
