"""Invoices and how people pay them; gifts, boosts and games."""

import asyncio
from typing import Any

from telegram import Update
from telegram.ext import CallbackQueryHandler, ChatBoostHandler, CommandHandler

from telegram_sandbox import Invoice
from telegram_sandbox.model import Payment
from tests.telegram_sandbox.browsing import keys
from tests.telegram_sandbox.conftest import Play, cannot, in_vain
from tests.telegram_sandbox.real_bots import bot_with

BOOK: dict[str, Any] = {"title": "Book", "description": "How to bluff", "payload": "book-1", "provider_token": "1:TEST"}
BOOK |= {"currency": "EUR", "prices": [{"label": "Book", "amount": 1250}]}
STARS = BOOK | {"currency": "XTR", "prices": [{"label": "Book", "amount": 50}], "provider_token": ""}
POST = {"id": "post", "title": "By post", "prices": [{"label": "Stamp", "amount": 250}]}


async def test_a_payment_is_confirmed_once_and_its_stars_are_given_back_once(play: Play) -> None:
    ana = await play.start("Ana")
    sent = await play.ok("sendInvoice", chat_id=ana.id, **STARS)
    assert sent["invoice"]["total_amount"] == 50
    assert sent["reply_markup"]["inline_keyboard"] == [[{"text": "Pay", "pay": True}]]
    await cannot(ana.tap("Pay"), "opens the checkout: use Ana's pay")
    paying = asyncio.create_task(ana.pay())
    query = await play.hear("pre_checkout_query")
    assert query["from"]["id"] == ana.id
    assert (query["currency"], query["total_amount"], query["invoice_payload"]) == ("XTR", 50, "book-1")
    await play.refuses(
        "answerPreCheckoutQuery",
        'parameter "error_message" is required',
        ({"ok": False}, 'parameter "error_message" is required'),
        pre_checkout_query_id=query["id"],
    )
    await play.ok("answerPreCheckoutQuery", pre_checkout_query_id=query["id"], ok=True)
    receipt = (await paying).service
    assert receipt
    paid = (await play.hear("message"))["successful_payment"]
    assert paid == receipt["successful_payment"]
    again = await play.refused("answerPreCheckoutQuery", pre_checkout_query_id=query["id"], ok=True)
    assert "query is too old" in again[1]
    charge = {"telegram_payment_charge_id": paid["telegram_payment_charge_id"]}
    await play.refuses("refundStarPayment", ({"user_id": play.id("Bo")}, "CHARGE_ID_INVALID"), **charge)
    assert await play.ok("getMyStarBalance") == {"amount": 50}
    play.sandbox.advance_clock(60)
    await play.ok("refundStarPayment", user_id=ana.id, **charge)
    assert await play.ok("getMyStarBalance") == {"amount": 0}
    back, paid_in = (await play.ok("getStarTransactions"))["transactions"]
    assert (paid_in["id"], paid_in["amount"]) == (charge["telegram_payment_charge_id"], 50)
    assert paid_in["source"]["user"]["id"] == back["receiver"]["user"]["id"] == ana.id
    assert paid_in["source"]["invoice_payload"] == "book-1"
    assert await play.ok("getStarTransactions", offset=1, limit=500) == {"transactions": [paid_in]}
    await play.refuses("refundStarPayment", ({"user_id": ana.id}, "CHARGE_ALREADY_REFUNDED"), **charge)


async def test_the_price_grows_by_the_shipping_and_the_bot_learns_whom_to_send_it(play: Play) -> None:
    ana = await play.start("Ana")
    wishes = {"need_name": True, "need_phone_number": True, "need_email": True, "need_shipping_address": True}
    paying = asyncio.create_task(ana.pay(link=(await play.ok("createInvoiceLink", **BOOK, **wishes, is_flexible=True))))
    query = await play.hear("shipping_query")
    assert query["shipping_address"]["city"] == "Brussels"
    nothing = "there are no shipping options in the answer"
    await play.refuses("answerShippingQuery", nothing, shipping_query_id=query["id"], ok=True)
    await play.ok("answerShippingQuery", shipping_query_id=query["id"], ok=True, shipping_options=[POST])
    order = await play.hear("pre_checkout_query")
    assert (order["total_amount"], order["shipping_option_id"]) == (1500, "post")
    assert list(order["order_info"]) == ["name", "phone_number", "email", "shipping_address"]
    assert order["order_info"]["name"] == "Ana"
    await play.ok("answerPreCheckoutQuery", pre_checkout_query_id=order["id"], ok=True)
    assert (await paying).chat_id == ana.id


async def test_a_refused_and_a_late_payment_end_without_a_receipt(play: Play) -> None:
    ana = await play.start("Ana")
    await cannot(ana.pay(), "Ana sees no invoice")
    await cannot(ana.pay(link="https://t.me/$x"), "this link opens no invoice")
    await play.ok("sendInvoice", chat_id=ana.id, **BOOK)
    paying = asyncio.create_task(ana.pay())
    query = {"pre_checkout_query_id": (await play.hear("pre_checkout_query"))["id"]}
    await play.ok("answerPreCheckoutQuery", **query, ok=False, error_message="Sold out")
    await cannot(paying, "the bot refused the payment: Sold out")
    paying = asyncio.create_task(ana.pay(within=0.5))
    query = {"pre_checkout_query_id": (await play.hear("pre_checkout_query"))["id"]}
    await play.pass_time(11)
    assert "query is too old" in (await play.refused("answerPreCheckoutQuery", **query, ok=True))[1]
    await in_vain(paying, "the payment is not answered for Ana")
    invoice = {"from": ana.id, "chat_id": ana.id}
    await play.act("POST", "/payments", 400, **invoice, message_id=1)
    invoice |= {"from": play.id("Bo"), "message_id": ana.messages()[1].message_id}
    await play.act("POST", "/payments", 400, **invoice)


async def test_a_bot_gives_a_person_a_gift_for_its_stars_and_as_an_admin_hears_of_a_boost() -> None:
    async def give(update: Any, context: Any) -> None:
        gifts = (await context.bot.get_available_gifts()).gifts
        wish = {"text": "<b>Well</b> bluffed", "text_parse_mode": "HTML"}
        await context.bot.send_gift(gifts[0], user_id=update.effective_user.id, **wish)
        spent = (await context.bot.get_star_transactions()).transactions[0]
        left = (await context.bot.get_my_star_balance()).amount
        owned = await context.bot.get_user_gifts(update.effective_user.id, limit=1)
        has = f"{left} left, has {owned.total_count}, {owned.gifts[0].gift.star_count}"
        await update.effective_message.reply_text(f"{spent.receiver.user.first_name} {spent.amount}, {has}")

    async def thank(update: Any, context: Any) -> None:
        boost = update.chat_boost
        who = boost.boost.source.user
        found = await context.bot.get_user_chat_boosts(boost.chat.id, who.id)
        await context.bot.send_message(boost.chat.id, f"{who.first_name}: {len(found.boosts)}")

    async with bot_with(CommandHandler("win", give), ChatBoostHandler(thank)) as sandbox:
        ana = sandbox.user("Ana")
        sandbox.world.paid["1"] = Payment(ana.person, ana.id, Invoice("Book", "", "book", "XTR", 50), 50)
        await ana.send("/win")
        await ana.sees("Ana 15, 35 left, has 1, 15")
        gift = ana.messages()[-2]
        assert gift.service_text == "Sandbox sent a gift for 15 stars: 💝 Well bluffed"
        assert gift.service
        assert gift.service["gift"]["entities"][0]["type"] == "bold"
        group = sandbox.world.chats[sandbox.group_id]
        await ana.boost(group)
        await ana.sees("Ana: 1", group)
        await ana.boost(group)
        await ana.sees("Ana: 2", group)
        assert ana.messages(group)[-2].service_text == "Ana boosted the group"
        sandbox.advance_clock(31 * 86_400)
        await ana.boost(group)
        await ana.sees("Ana: 1", group)


ADDRESS = "https://example.org/race"


ADDRESS = "https://example.org/race"


async def test_a_person_starts_a_game_and_the_chat_sees_their_record() -> None:
    async def offer(update: Update, _: Any) -> None:
        assert update.effective_message
        await update.effective_message.reply_game("race")

    async def start(update: Update, context: Any) -> None:
        query = update.callback_query
        assert query
        assert query.message
        assert update.effective_user
        assert (query.game_short_name, query.data) == ("race", None)
        await query.answer(url=ADDRESS)
        where = {"chat_id": query.message.chat.id, "message_id": query.message.message_id}
        await context.bot.set_game_score(update.effective_user.id, 25, **where)
        (best,) = await context.bot.get_game_high_scores(update.effective_user.id, **where)
        await context.bot.send_message(where["chat_id"], f"The best: {best.user.first_name} with {best.score}")

    async with bot_with(CommandHandler("play", offer), CallbackQueryHandler(start)) as sandbox:
        sandbox.add_game("race", "Dice race", "Roll first")
        ana, group = sandbox.user("Ana"), sandbox.world.chats[sandbox.group_id]
        await ana.send("/play", group)
        assert (await ana.tap("Play Dice race", group)).url == ADDRESS
        await ana.sees("The best: Ana with 25", group)
        offered, told, _ = ana.messages(group)[-3:]
        assert told.service_text == "Ana scored 25 in Dice race"
        assert offered.attachment
        assert offered.attachment["game"]["text"] == "1. Ana: 25"


async def race(play: Play, **more: Any) -> dict[str, Any]:
    play.sandbox.add_game("race", "Dice race")
    sent = await play.ok("sendGame", chat_id=play.group, game_short_name="race")
    return {"chat_id": play.group, "message_id": sent["message_id"], **more}


async def test_a_score_only_grows_unless_the_bot_forces_it_and_the_table_has_best_and_neighbours(play: Play) -> None:
    here = await race(play, user_id=play.id("Ana"))
    assert "text" not in (await play.ok("setGameScore", score=9, disable_edit_message=True, **here))["game"]
    await play.refuses(
        "setGameScore",
        ({"score": 9}, "BOT_SCORE_NOT_MODIFIED"),
        ({"score": 8}, "BOT_SCORE_NOT_MODIFIED"),
        ({"score": 9, "force": True}, "BOT_SCORE_NOT_MODIFIED"),
        ({"score": -1}, "SCORE_INVALID"),
        ({"user_id": 1}, "user not found"),
        ({"message_id": 99}, "message to set game score not found"),
        ({"message_id": None, "chat_id": None}, "message identifier is not specified"),
        ({"message_id": None, "chat_id": None, "inline_message_id": "x"}, "MESSAGE_ID_INVALID"),
        ({"message_id": (await play.send())["message_id"]}, "game score can't be set"),
        **here,
    )
    assert (await play.ok("setGameScore", score=8, force=True, **here))["game"]["text"] == "1. Ana: 8"
    del here["user_id"]
    people = [play.sandbox.add_person(f"P{number}") for number in range(1, 11)]
    for place, person in enumerate(people, 1):
        await play.ok("setGameScore", user_id=person.id, score=100 - place, **here)
    found = await play.ok("getGameHighScores", user_id=people[6].id, **here)
    assert [one["position"] for one in found] == [1, 2, 3, 5, 6, 7, 8, 9]
    assert found[5]["user"]["first_name"] == "P7"
    other = {"message_id": (await play.send())["message_id"]}, "MESSAGE_ID_INVALID"
    none = {"message_id": 99}, "message to get game high scores not found"
    await play.refuses("getGameHighScores", other, none, user_id=people[0].id, chat_id=play.group)
    await play.refuses("getUserChatBoosts", "CHAT_ADMIN_REQUIRED", chat_id=play.group, user_id=play.id("Ana"))


async def test_the_first_button_of_an_invoice_pays_and_of_a_game_starts_it(play: Play) -> None:
    link: dict[str, Any] = {"text": "More", "url": "https://example.org"}
    buttons = keys([{"text": "Buy", "pay": True}, link])
    sent = await play.ok("sendInvoice", chat_id=play.group, **BOOK, reply_markup=buttons)
    assert [key["text"] for key in sent["reply_markup"]["inline_keyboard"][0]] == ["Buy", "More"]
    play.sandbox.add_game("race", "Dice race")
    start = {"text": "Go", "callback_game": {}}
    sent = await play.ok("sendGame", chat_id=play.group, game_short_name="race", reply_markup=keys([start, link]))
    here = {"chat_id": play.group, "message_id": sent["message_id"]}
    assert (await play.ok("editMessageReplyMarkup", **here, reply_markup=keys([start])))["game"]["title"] == "Dice race"
