"""Bot API methods that send invoices, confirm orders, give stars back, and count them."""

import secrets
from operator import itemgetter
from typing import Any

from telegram_sandbox import payments, telegram_json
from telegram_sandbox.bot_api.reading import as_json
from telegram_sandbox.bot_api.registry import answers
from telegram_sandbox.bot_api.requests import (
    AnswerPreCheckoutQuery,
    AnswerShippingQuery,
    CreateInvoiceLink,
    GetMyStarBalance,
    GetStarTransactions,
    RefundStarPayment,
    SendInvoice,
)
from telegram_sandbox.bot_api.sending import send
from telegram_sandbox.errors import bad_request
from telegram_sandbox.model import Invoice, Json, Payment
from telegram_sandbox.text.entities import FormattedText
from telegram_sandbox.world import World

STARS = "XTR"
LONGEST = {"title": 32, "description": 255}
MOST_PAYLOAD_BYTES = 128
MOST_TRANSACTIONS = 100
ASKED = ("name", "phone_number", "email", "shipping_address")


@answers(SendInvoice)
def send_invoice(world: World, request: SendInvoice) -> Json:
    """Send an invoice, in money of a provider or in stars."""
    return send(world, request, FormattedText(""), invoice=_invoice(request))


@answers(CreateInvoiceLink)
def create_invoice_link(world: World, request: CreateInvoiceLink) -> str:
    """Return a link that opens an invoice."""
    link = f"https://t.me/${secrets.token_urlsafe(16)}"
    world.invoice_links[link] = _invoice(request)
    return link


@answers(AnswerShippingQuery)
def answer_shipping_query(world: World, request: AnswerShippingQuery) -> bool:
    """Offer ways of shipping, of which the person takes the first, or refuse."""
    refusal = _refusal(request)
    if request.ok and not request.shipping_options:
        raise bad_request("there are no shipping options in the answer")
    payment = payments.answered(world, "shipping_query", request.shipping_query_id, refusal)
    if request.ok:
        payments.ship(world, payment, as_json(request.shipping_options)[0])
    return True


@answers(AnswerPreCheckoutQuery)
def answer_pre_checkout_query(world: World, request: AnswerPreCheckoutQuery) -> bool:
    """Confirm an order, after which the person has paid, or refuse it."""
    refusal = _refusal(request)
    payment = payments.answered(world, "pre_checkout_query", request.pre_checkout_query_id, refusal)
    if request.ok:
        payments.settle(world, payment)
    return True


@answers(RefundStarPayment)
def refund_star_payment(world: World, request: RefundStarPayment) -> bool:
    """Give a person's stars back, once."""
    charge_id = request.telegram_payment_charge_id
    payment = world.paid.get(charge_id)
    if payment is None or payment.person.id != request.user_id or payment.invoice.currency != STARS:
        raise bad_request("CHARGE_ID_INVALID")
    if payment.refunded_at is not None:
        raise bad_request("CHARGE_ALREADY_REFUNDED")
    payment.refunded_at = world.clock.unix()
    return True


@answers(GetMyStarBalance)
def get_my_star_balance(world: World, _request: GetMyStarBalance) -> Json:
    """Return the stars that people have paid and that the bot has neither given back nor spent."""
    return {"amount": star_balance(world)}


def star_balance(world: World) -> int:
    """Return the stars of the bot."""
    kept = sum(one.total for one in _in_stars(world).values() if one.refunded_at is None)
    return kept - sum(int(gift["star_count"]) for *_, gift in world.gifts)


@answers(GetStarTransactions)
def get_star_transactions(world: World, request: GetStarTransactions) -> Json:
    """Return the payments, refunds and gifts in stars, the newest first."""
    found: list[Json] = []
    for charge_id, paid in _in_stars(world).items():
        who = {"type": "user", "transaction_type": "invoice_payment", "user": telegram_json.user(paid.person)}
        partner = who | {"invoice_payload": paid.invoice.payload}
        both = {"id": charge_id, "amount": paid.total}
        found.append(both | {"date": paid.receipt.date if paid.receipt else 0, "source": partner})
        if paid.refunded_at is not None:
            found.append(both | {"date": paid.refunded_at, "receiver": partner})
    for gift_id, date, chat, gift in world.gifts:
        receiver: Json = {"type": "chat", "chat": telegram_json.chat(world, chat), "gift": gift}
        if chat.type == "private":
            who = {"type": "user", "transaction_type": "gift_purchase"}
            receiver = who | {"user": telegram_json.account(world, chat.id), "gift": gift}
        found.append({"id": gift_id, "amount": gift["star_count"], "date": date, "receiver": receiver})
    found.sort(key=itemgetter("date"), reverse=True)
    first = max(request.offset or 0, 0)
    limit = MOST_TRANSACTIONS if request.limit is None else min(max(request.limit, 1), MOST_TRANSACTIONS)
    return {"transactions": found[first : first + limit]}


def _in_stars(world: World) -> dict[str, Payment]:
    return {charge_id: one for charge_id, one in world.paid.items() if one.invoice.currency == STARS}


def _invoice(request: SendInvoice | CreateInvoiceLink) -> Invoice:
    for name, most in LONGEST.items():
        if not 1 <= len(getattr(request, name)) <= most:
            raise bad_request(f"{name} must have 1 to {most} characters")
    if not 1 <= len(request.payload.encode()) <= MOST_PAYLOAD_BYTES:
        raise bad_request("INVOICE_PAYLOAD_INVALID")
    currency, in_stars = request.currency.upper(), request.currency.upper() == STARS
    if in_stars and (request.provider_token or len(request.prices) != 1):
        raise bad_request("STARS_INVOICE_INVALID")
    if not in_stars and not request.provider_token:
        raise bad_request("PAYMENT_PROVIDER_INVALID")
    if not request.prices:
        raise bad_request("there must be at least one price")
    total = sum(price.amount for price in request.prices)
    if total <= 0:
        raise bad_request("total price must be positive")
    return Invoice(
        title=request.title,
        description=request.description,
        payload=request.payload,
        currency=currency,
        total=total,
        start_parameter=getattr(request, "start_parameter", None) or "",
        is_flexible=bool(request.is_flexible) and not in_stars,
        asks=() if in_stars else tuple(field for field in ASKED if getattr(request, f"need_{field}")),
    )


def _refusal(request: Any) -> str | None:
    """Return the words with which a bot refuses a payment, None if it goes on."""
    if not request.ok and not request.error_message:
        raise bad_request('parameter "error_message" is required')
    return None if request.ok else str(request.error_message)
