"""Payments: a person pays an invoice, the bot confirms the shipping and the order, and the receipt is posted."""

import secrets

from telegram_sandbox import telegram_json
from telegram_sandbox.errors import ControlError, query_too_old
from telegram_sandbox.membership import check_inside
from telegram_sandbox.model import Chat, Invoice, Json, Payment, Person
from telegram_sandbox.user_actions import send_service
from telegram_sandbox.world import World

ADDRESS: Json = {
    "country_code": "BE",
    "state": "",
    "city": "Brussels",
    "street_line1": "Grand-Place 1",
    "street_line2": "",
    "post_code": "1000",
}


def invoice_in(world: World, chat: Chat, message_id: int) -> Invoice:
    """Return the invoice of a message.

    Raises:
        ControlError: there is no invoice.
    """
    message = world.find_message(chat.id, message_id)
    if message is None or message.invoice is None:
        raise ControlError("this message is no invoice")
    return message.invoice


def invoice_behind(world: World, link: str) -> Invoice:
    """Return the invoice that a link opens.

    Raises:
        ControlError: there is no invoice.
    """
    if link not in world.invoice_links:
        raise ControlError("this link opens no invoice")
    return world.invoice_links[link]


def pay(world: World, person: Person, chat: Chat, invoice: Invoice) -> Payment:
    """Begin to pay an invoice: the bot is asked for shipping options, where the price depends on them, or to confirm.

    Raises:
        ControlError: this person is not in the chat.
    """
    check_inside(chat, person)
    payment = Payment(person, chat.id, invoice, invoice.total)
    if invoice.is_flexible:
        asked = {"invoice_payload": invoice.payload, "shipping_address": ADDRESS}
        _ask(world, payment, "shipping_query", asked)
    else:
        _ask(world, payment, "pre_checkout_query", _terms(payment))
    return payment


def answered(world: World, kind: str, query_id: str, refusal: str | None) -> Payment:
    """Return the payment about which the bot was asked; a refusal ends it with the bot's words.

    Raises:
        ApiError: the bot was not asked, has answered before, or answers too late.
    """
    payment = world.payments.pop((kind, query_id), None)
    if payment is None or world.clock.now() - payment.asked_at > world.settings.payment_answer_seconds:
        raise query_too_old()
    payment.refusal = refusal
    world.tell_people()
    return payment


def ship(world: World, payment: Payment, option: Json) -> None:
    """Choose a shipping option of the bot, which is then asked to confirm the order."""
    payment.shipping_option = option["id"]
    payment.total += sum(part["amount"] for part in option["prices"])
    _ask(world, payment, "pre_checkout_query", _terms(payment))


def settle(world: World, payment: Payment) -> None:
    """Post the receipt, of which the bot hears, after it has confirmed the order."""
    charges = {f"{name}_payment_charge_id": secrets.token_urlsafe(24) for name in ("telegram", "provider")}
    service = {"successful_payment": _terms(payment) | charges}
    world.paid[charges["telegram_payment_charge_id"]] = payment
    chat, person = world.chats[payment.chat_id], payment.person
    payment.receipt = send_service(world, person, chat, service, f"{person.name} has paid: {payment.invoice.title}")
    world.tell_people()


def _ask(world: World, payment: Payment, kind: str, body: Json) -> None:
    query_id = str(secrets.randbelow(9 * 10**17) + 10**17)
    payment.asked_at = world.clock.now()
    world.payments[kind, query_id] = payment
    world.tell_bot(kind, {"id": query_id, "from": telegram_json.user(payment.person), **body})


def _terms(payment: Payment) -> Json:
    terms: Json = {
        "currency": payment.invoice.currency,
        "total_amount": payment.total,
        "invoice_payload": payment.invoice.payload,
    }
    if payment.shipping_option:
        terms["shipping_option_id"] = payment.shipping_option
    if payment.invoice.asks:
        terms["order_info"] = _order_info(payment)
    return terms


def _order_info(payment: Payment) -> Json:
    person = payment.person
    known = {
        "name": person.name,
        "phone_number": person.contact["phone_number"],
        "email": f"{person.id}@example.org",
        "shipping_address": ADDRESS,
    }
    return {field: known[field] for field in payment.invoice.asks}
