"""The routes for the gateways' texts and receipts: `/sms/<name>` and `/sms/<name>/receipt`."""

import logging
from collections.abc import Callable, Sequence
from typing import Final

from sqlalchemy import update
from sqlmodel import Session, col, select
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from telegram_bot.channels.sms import TRAITS, numbers
from telegram_bot.channels.sms.gateways.base import (
    DeliveryReceipt,
    Gateway,
    GatewayEvent,
    IncomingText,
    WebRefusedError,
    WebRequest,
)
from telegram_bot.channels.sms.numbers import NumberRefusedError
from telegram_bot.channels.sms.phone_store import PhoneStore
from telegram_bot.channels.sms.text_parser import MAX_TEXT_LENGTH
from telegram_bot.channels.sms.text_patterns import is_automatic
from telegram_bot.ingress.http_body import read_body
from telegram_bot.ingress.inbox import InboxWorker
from telegram_bot.observability import metrics
from telegram_bot.observability.log_throttle import LogThrottle
from telegram_bot.storage.database import log_failure
from telegram_bot.storage.phone_models import TextSent, TextStatus

log = logging.getLogger(__name__)

MAX_BODY_BYTES: Final = 64 * 1024
MAX_CAUSE_LENGTH: Final = 200
_FINAL: Final = (TextStatus.DELIVERED, TextStatus.FAILED)


class GatewayRoutes:
    """Serves the routes of all gateways."""

    def __init__(self, gateways: Sequence[Gateway], phones: PhoneStore, allowed: frozenset[str]) -> None:
        """Accept texts from numbers of the `allowed` countries, in two letters."""
        self.gateways = gateways
        self.phones = phones
        self.allowed = allowed
        self.refusals = LogThrottle()
        self.ours = frozenset(gateway.number for gateway in gateways)

    def routes(self, inbox: InboxWorker) -> Sequence[BaseRoute]:
        """Return the routes for the web server."""
        routes = []
        for gateway in self.gateways:
            texts = self._endpoint(gateway, gateway.receive, inbox)
            receipts = self._endpoint(gateway, gateway.receipt, inbox)
            routes.append(Route(f"/sms/{gateway.name}", texts, methods=gateway.methods))
            routes.append(Route(f"/sms/{gateway.name}/", texts, methods=gateway.methods))  # written by hand
            routes.append(Route(f"/sms/{gateway.name}/receipt", receipts, methods=gateway.methods))
        return routes

    def _endpoint(
        self, gateway: Gateway, read: Callable[[WebRequest], list[GatewayEvent]], inbox: InboxWorker
    ) -> Callable[[Request], object]:
        async def endpoint(request: Request) -> Response:
            client = "" if request.client is None else request.client.host
            headers = {name.lower(): value for name, value in request.headers.items()}
            body = await read_body(request, MAX_BODY_BYTES)
            asked = WebRequest(request.method, request.url.query, headers, body, client)
            try:
                events = read(asked)
            except WebRefusedError as refused:
                if line := self.refusals.line_for(f"{gateway.name}: {refused.reason}"):
                    log.warning("a request is refused by gateway %s", line)
                metrics.TEXTS_HEARD.labels(gateway.name, "refused").inc()
                raise HTTPException(refused.status) from None
            try:
                for event in events:
                    if isinstance(event, DeliveryReceipt):
                        await self._receipt(gateway, event)
                    else:
                        await self._text(gateway, event, inbox)
            except Exception as error:  # noqa: BLE001 - it comes again
                # Not acknowledged, so the gateway repeats it.
                log_failure(log, error, "gateway %s: a delivery could not be kept", gateway.name)
                raise HTTPException(503, headers={"Retry-After": "5"}) from None
            answer, kind = gateway.acknowledgement
            return Response(answer, media_type=kind)

        return endpoint

    async def _text(self, gateway: Gateway, text: IncomingText, inbox: InboxWorker) -> None:
        """Store a text under its phone's id and begin to handle it, unless it was delivered before."""
        try:
            number = numbers.parse_number(text.sender, allowed=self.allowed, home=gateway.home)
        except NumberRefusedError as refused:
            # Acknowledged, but not answered: a text to this number would cost more, or would reach no phone.
            log.info("gateway %s: a text is not listened to: %s", gateway.name, refused)
            metrics.TEXTS_HEARD.labels(gateway.name, "not_allowed").inc()
            return
        if number.e164 in self.ours:
            log.warning("gateway %s: a text claims to come from one of our own numbers", gateway.name)
            metrics.TEXTS_HEARD.labels(gateway.name, "not_allowed").inc()
            return  # an answer to our own number would arrive as a text
        if is_automatic(text.text):
            log.info("gateway %s: an automatic text is not answered", gateway.name)
            metrics.TEXTS_HEARD.labels(gateway.name, "automatic").inc()
            return
        metrics.TEXTS_HEARD.labels(gateway.name, "taken").inc()
        phone = await self.phones.of_number(number, gateway.name)
        words = _storable(text.text)
        payload = {
            "phone": phone,
            "gateway": gateway.name,
            "text": words,
            "at": self.phones.now(),
            "sent": text.sent_at,
        }
        said = self.phones.encryption.text_hash(f"{phone} {words}")
        name = _storable(text.message)[:MAX_CAUSE_LENGTH]
        await inbox.store(TRAITS.name, [(f"{gateway.name}:{name}:{said}", payload)])

    async def _receipt(self, gateway: Gateway, receipt: DeliveryReceipt) -> None:
        """Store the status of a sent text. Receipts arrive in any order, so a final status remains."""
        message = _storable(receipt.message)

        def store(session: Session) -> int | None:
            session.execute(
                update(TextSent)
                .where(
                    col(TextSent.gateway) == gateway.name,
                    col(TextSent.message) == message,
                    col(TextSent.status).not_in(_FINAL),
                )
                .values(status=receipt.status, error=receipt.error)
            )
            query = select(TextSent.phone_id).where(TextSent.gateway == gateway.name, TextSent.message == message)
            return session.exec(query).first()

        phone = await self.phones.database.run(store)
        metrics.TEXT_RECEIPTS.labels(gateway.name, receipt.status).inc()
        if receipt.status is TextStatus.FAILED:
            log.warning("gateway %s: a text was not delivered, code %s", gateway.name, receipt.error or "not given")
        if phone is not None and receipt.opted_out:
            await self.phones.opted_out(phone)


def _storable(text: str) -> str:
    """Return the text as a database can store it: without NUL and lone surrogates, and cut to the maximum length."""
    return text[:MAX_TEXT_LENGTH].replace("\x00", " ").encode("utf-8", "replace").decode("utf-8")
