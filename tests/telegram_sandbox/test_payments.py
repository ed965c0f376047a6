"""Invoices, how people pay them, and the questions to the bot meanwhile."""

import asyncio
from typing import Any

from tests.telegram_sandbox.browsing import keys
from tests.telegram_sandbox.conftest import Play, cannot, in_vain

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


async def test_the_first_button_of_an_invoice_pays(play: Play) -> None:
    buttons: list[dict[str, Any]] = [{"text": "Buy", "pay": True}, {"text": "More", "url": "https://example.org"}]
    sent = await play.ok("sendInvoice", chat_id=play.group, **BOOK, reply_markup=keys(buttons))
    assert [key["text"] for key in sent["reply_markup"]["inline_keyboard"][0]] == ["Buy", "More"]
