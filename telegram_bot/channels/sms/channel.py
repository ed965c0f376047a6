"""The channel of text messages: its gateways, their webhooks, and the sender."""

import asyncio
import logging
from collections.abc import Sequence
from typing import Final

from starlette.routing import BaseRoute

from telegram_bot.channels.sms import TRAITS
from telegram_bot.channels.sms.budget import Cap
from telegram_bot.channels.sms.gateways.base import Gateway
from telegram_bot.channels.sms.gateways.kannel import Kannel
from telegram_bot.channels.sms.gateways.smsgate import SmsGate
from telegram_bot.channels.sms.gateways.twilio import Twilio
from telegram_bot.channels.sms.number_encryption import NumberEncryption
from telegram_bot.channels.sms.phone_store import PhoneStore
from telegram_bot.channels.sms.sender import SmsSender
from telegram_bot.channels.sms.source import SmsSource
from telegram_bot.channels.sms.webhooks import GatewayRoutes
from telegram_bot.delivery.limits import Limits
from telegram_bot.errors import MisconfiguredError
from telegram_bot.ingress.inbox import InboxWorker
from telegram_bot.observability import metrics
from telegram_bot.service.service import Service
from telegram_bot.settings import Settings
from telegram_bot.settings.sms import GatewaySettings, KannelSettings, SmsGateSettings, TwilioSettings

log = logging.getLogger(__name__)

_TEXTS_HEARD_PER_HOUR: Final = 120
"""From one phone; further ones are ignored."""
_TEXTS_PER_SECOND: Final = 5
"""To all phones together: no gateway that is known takes fewer."""
FORGET_SECONDS: Final = 6 * 3600


class SmsChannel:
    """Text messages through all configured gateways."""

    name = TRAITS.name
    traits = TRAITS

    def __init__(self, settings: Settings, service: Service) -> None:
        """Raise MisconfiguredError if a setting is missing that receiving or sending texts needs."""
        sms = settings.sms
        if not sms.keys():
            raise MisconfiguredError(
                "sms.key is not set: put what `openssl rand -base64 32` prints into PERUDO_SMS__KEY"
            )
        self.gateways: dict[str, Gateway] = {one.name: gateway_of(one, settings) for one in sms.gateways}
        homes = frozenset(gateway.home for gateway in self.gateways.values() if gateway.home is not None)
        allowed = frozenset(sms.countries) or homes
        if not allowed:
            raise MisconfiguredError(
                "sms.countries is empty, and no gateway's number tells a country: name those that may play"
            )
        self.phones = PhoneStore(service.database, NumberEncryption(sms.keys()), service.now)
        self.source = SmsSource(service, self.phones, self.gateways, texts_an_hour=_TEXTS_HEARD_PER_HOUR)
        self.sender = SmsSender(
            self.phones,
            self.gateways,
            caps=service.config.text_caps,
            limits=Limits(per_bot_per_second=_TEXTS_PER_SECOND, per_chat_seconds=0, per_group_per_minute=0),
            now=service.now,
        )
        self.webhooks = GatewayRoutes(list(self.gateways.values()), self.phones, allowed)
        for name in self.gateways:  # every series exists from the start
            metrics.TEXTS.labels(name, "sent")
            for result in ("taken", "refused", "not_allowed", "automatic"):
                metrics.TEXTS_HEARD.labels(name, result)
        for cap in Cap:
            metrics.TEXTS_CAPPED.labels(cap)
        self.reachable = asyncio.Event()
        self.reachable.set()  # always set: a gateway that is down keeps texts, and turn clocks for phones are long

    async def confirm_reachable(self) -> bool:
        """Return True: see `reachable`."""
        return True

    def problem(self) -> str | None:
        """Return None, because texts arrive as long as the web server runs."""
        return None

    def routes(self, inbox: InboxWorker) -> Sequence[BaseRoute]:
        """Return the routes for the gateways' webhooks."""
        return self.webhooks.routes(inbox)

    async def connect(self) -> None:
        """Encrypt every number with the newest key."""
        changed = await self.phones.reencrypt()
        if changed:
            log.info("%s telephone numbers are kept under the new key now", changed)

    async def listen(self, _inbox: InboxWorker) -> None:
        """Delete old data every few hours. Texts arrive by webhook."""
        while True:
            try:
                await self.phones.forget()
            except Exception as error:  # noqa: BLE001 - the next time may go better
                log.warning("old telephone numbers could not be forgotten: %s", type(error).__name__)
            await asyncio.sleep(FORGET_SECONDS)

    async def close(self) -> None:
        """Close every connection."""
        await asyncio.gather(*(gateway.close() for gateway in self.gateways.values()), return_exceptions=True)


def gateway_of(chosen: GatewaySettings, settings: Settings) -> Gateway:
    """Create the gateway of a section of the settings."""
    match chosen:
        case TwilioSettings():
            if not settings.sms.public_url:
                raise MisconfiguredError("sms.public_url is not set: Twilio signs the address that it calls")
            return Twilio(chosen, f"{settings.sms.public_url.rstrip('/')}/sms/{chosen.name}")
        case SmsGateSettings():
            return SmsGate(chosen)
        case KannelSettings():
            own_url = chosen.own_url.rstrip("/") or f"http://127.0.0.1:{settings.web_port()}"
            return Kannel(chosen, f"{own_url}/sms/{chosen.name}")
