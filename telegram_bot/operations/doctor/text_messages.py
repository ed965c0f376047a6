"""Check text messages: the key, the allowed countries, each gateway, and the gateways' way to the bot."""

from collections import Counter
from collections.abc import Iterator
from typing import Final
from urllib.parse import SplitResult, urlsplit

import httpx

from telegram_bot import internet
from telegram_bot.channels.sms.numbers import region_of
from telegram_bot.operations.doctor.check_result import CheckResult, failed, passed
from telegram_bot.settings import Settings
from telegram_bot.settings.sms import GatewaySettings, KannelSettings, SmsGateSettings, TwilioSettings

PATIENCE: Final = 10.0
REFUSED: Final = (401, 403)
SERVER_FAULT: Final = 500
LOCAL: Final = ("127.0.0.1", "::1", "localhost")
PAGE: Final = {TwilioSettings: "twilio", SmsGateSettings: "smsgate", KannelSettings: "kannel"}


async def examine(settings: Settings) -> list[CheckResult]:
    """Return the results of all checks of text messages; none without a gateway. They show no number and no secret."""
    if not settings.sms.gateways:
        return []
    findings = [*_key(settings), *_countries(settings), *_numbers(settings), *_address(settings), *_spending(settings)]
    async with internet.client(httpx.AsyncClient, timeout=PATIENCE) as client:
        findings += [await _gateway(client, gateway, settings) for gateway in settings.sms.gateways]
    return findings


def _key(settings: Settings) -> Iterator[CheckResult]:
    keys = len(settings.sms.keys())
    if not keys:
        yield failed(
            "sms key",
            "there is no key to keep telephone numbers with",
            "Put what `openssl rand -base64 32` prints into PERUDO_SMS__KEY, in the environment.",
        )
    else:
        several = " (take the old one away once the bot has been started)" if keys > 1 else ""
        yield passed("sms key", f"telephone numbers are kept under a key{several}")


def _countries(settings: Settings) -> Iterator[CheckResult]:
    chosen = settings.sms.countries
    homes = {home for gateway in settings.sms.gateways if (home := region_of(gateway.number)) is not None}
    if chosen or homes:
        yield passed("countries", f"phones of {', '.join(sorted(chosen or homes))} may play")
        return
    yield failed(
        "countries",
        "no country is allowed, and no gateway's number tells one",
        'Name those that may play in sms.countries: ["IT", "FR"].',
    )


def _numbers(settings: Settings) -> Iterator[CheckResult]:
    used = Counter(gateway.number for gateway in settings.sms.gateways)
    for number, times in used.items():
        if times > 1:
            names = ", ".join(gateway.name for gateway in settings.sms.gateways if gateway.number == number)
            yield failed(
                "numbers",
                f"the gateways {names} have the same number: a text to it comes in more than once",
                "Take all but one of them away.",
            )


def _address(settings: Settings) -> Iterator[CheckResult]:
    """Check whether gateways on other machines can deliver texts to the bot."""
    called = [gateway.name for gateway in settings.sms.gateways if not isinstance(gateway, KannelSettings)]
    url = urlsplit(settings.sms.public_url)
    if not called or (url.scheme == "https" and url.hostname not in LOCAL):
        return
    needed = any(isinstance(gateway, TwilioSettings) for gateway in settings.sms.gateways)
    if not settings.sms.public_url and not needed:
        return  # the operator enters the address in SMSGate, which may reach this machine over a cable
    says = "sms.public_url is not set" if not settings.sms.public_url else "sms.public_url is no https address"
    yield failed(
        "address",
        f"{says}: {', '.join(called)} would not reach it safely",
        "Put a proxy with a certificate in front and name it there. See docs/operating/webhook.md, A webhook.",
    )


def _spending(settings: Settings) -> Iterator[CheckResult]:
    sms = settings.sms
    if not sms.texts_per_day and not sms.spend_per_day:
        yield failed(
            "spending", "nothing limits what may be texted on a day", "Set sms.texts_per_day or sms.spend_per_day."
        )
    elif sms.spend_per_day and not sms.texts_per_day and not all(gateway.cost_per_text for gateway in sms.gateways):
        yield failed(
            "spending",
            "sms.spend_per_day limits nothing where a text costs nothing",
            "Set cost_per_text for each gateway, or sms.texts_per_day.",
        )


async def _gateway(client: httpx.AsyncClient, gateway: GatewaySettings, settings: Settings) -> CheckResult:
    """Ask a gateway about our account, or connect to it. No text is sent."""
    page = f"See docs/sms/{PAGE[type(gateway)]}.md."
    host = urlsplit(gateway.api_url).netloc
    try:
        status = await _ask(client, gateway)
        twice = await _reported_twice(client, gateway, settings) if status < REFUSED[0] else []
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        return failed(
            gateway.name,
            f"{host}{internet.by_proxy(gateway.api_url)} cannot be reached ({type(error).__name__})",
            f"Does it run, and is api_url right? {page}",
        )
    if status in REFUSED:
        return failed(gateway.name, f"{host} does not know this account ({status})", page)
    if status >= SERVER_FAULT:
        return failed(gateway.name, f"{host} fails ({status})", "Try again later.")
    if twice:
        return failed(
            gateway.name,
            f"the app has several webhooks with this bot's address for {', '.join(twice)}",
            f"List them (GET {gateway.api_url.rstrip('/')}/webhooks) and delete all but one. {page}",
        )
    return passed(gateway.name, f"{host} answers")


async def _reported_twice(client: httpx.AsyncClient, gateway: GatewaySettings, settings: Settings) -> list[str]:
    """Return the events that an app with two webhooks for one address reports to this bot twice."""
    if not isinstance(gateway, SmsGateSettings):
        return []
    who = (gateway.login, gateway.password.get_secret_value())
    answer = await client.get(f"{gateway.api_url.rstrip('/')}/webhooks", auth=who)
    try:
        found = answer.json()
        hooks = [(str(hook["event"]), urlsplit(str(hook["url"]))) for hook in found] if isinstance(found, list) else []
    except (ValueError, TypeError, KeyError):
        return []
    host = urlsplit(settings.sms.public_url).hostname
    ours = [event for event, url in hooks if _is_of(url, gateway.name) and host in (url.hostname, None)]
    return sorted(event for event, times in Counter(ours).items() if times > 1)


def _is_of(url: SplitResult, name: str) -> bool:
    return url.path.rstrip("/").endswith(f"/sms/{name}")


async def _ask(client: httpx.AsyncClient, gateway: GatewaySettings) -> int:
    api = gateway.api_url.rstrip("/")
    match gateway:
        case TwilioSettings():
            # With the credentials of texts: an API key has rights of its own.
            secret = (gateway.api_secret if gateway.api_key else gateway.auth_token).get_secret_value()
            address = f"{api}/2010-04-01/Accounts/{gateway.account}/Messages.json?PageSize=1"
            answer = await client.get(address, auth=(gateway.api_key or gateway.account, secret))
        case SmsGateSettings():
            who = (gateway.login, gateway.password.get_secret_value())
            answer = await client.get(f"{api}/messages?limit=1", auth=who)
        case KannelSettings():
            # Kannel refuses a message without a receiver, but only after it has checked the password.
            headers = {
                "X-Kannel-Username": gateway.username,
                "X-Kannel-Password": gateway.password.get_secret_value(),
                "X-Kannel-To": "",
            }
            answer = await client.post(f"{api}/cgi-bin/sendsms", content=b"", headers=headers)
    return answer.status_code
