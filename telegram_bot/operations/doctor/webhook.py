"""Check the webhook: its address, Telegram's last errors, and whether the right bot answers there."""

from __future__ import annotations

import ipaddress
import time
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

import httpx

from telegram_bot.ingress.webhook_probe import PROBE_HEADER, probe_mark
from telegram_bot.operations.doctor.check_result import CheckResult

if TYPE_CHECKING:
    from collections.abc import Iterator

    from telegram_bot.settings import Settings

TELEGRAM: Final = "api.telegram.org"
PORTS: Final = (443, 80, 88, 8443)
SECRET_HEADER: Final = "X-Telegram-Bot-Api-Secret-Token"  # noqa: S105 - a header's name
RECENT_SECONDS: Final = 3600.0
MANY: Final = 100
"""The number of updates waiting at Telegram that is a backlog: more than arrive in a busy minute."""

RIGHT: Final = 400
"""The bot's answer to a request with the right secret and no update."""
REFUSED: Final = (401, 403)

CAUSES: Final = (
    ("401", "Start every worker with the same token and webhook.secret."),
    ("403", "Start every worker with the same token and webhook.secret."),
    ("404", "Let the proxy forward the path of webhook.url, unchanged."),
    ("405", "Let the proxy forward POST."),
    ("413", "Let the proxy take requests of 1 MB."),
    ("502", "Is a worker running, and does the proxy know its port?"),
    ("503", "Is a worker running, and does its database answer? Ask its /readyz."),
    ("504", "Is a worker running, and does its database answer? Ask its /readyz."),
    ("500", "Look into the workers' log: an update fails."),
    ("ssl", "The proxy must show a certificate for this name, with every intermediate one, that has not expired."),
    ("certificate", "The proxy must show a certificate for this name, with every intermediate one, not expired."),
    ("resolve", "The name must lead to this machine: an A or AAAA record."),
    ("name or service", "The name must lead to this machine: an A or AAAA record."),
    ("attempts failed", "Does the proxy run, and does the firewall let Telegram in?"),
    ("refused", "Does the proxy run, and does the firewall let Telegram in?"),
    ("timed out", "Does the firewall let Telegram in?"),
    ("reserved", "The name must lead to an address that can be reached from outside."),
)
"""Parts of error messages, from Telegram or from the doctor's own request, and how to repair each."""


def workers(settings: Settings) -> Iterator[CheckResult]:
    """Say how many processes may share the webhook: one with SQLite. Whether more run cannot be checked."""
    if settings.database_url.startswith("sqlite"):
        yield CheckResult(
            "workers",
            ok=True,
            says="games are kept in SQLite: one worker may run",
            mend="For several, PostgreSQL: perudo-bot copy-database, and docs/operating.md.",
        )


def address(settings: Settings) -> Iterator[CheckResult]:
    """Whether Telegram accepts the address. Another Bot API server accepts any."""
    if urlsplit(settings.api_base_url).hostname != TELEGRAM:
        return
    url = urlsplit(settings.webhook.url)
    wrong = []
    if url.scheme != "https":
        wrong.append("Telegram delivers by https only, not by http: put a proxy with a certificate in front")
    port = url.port or (443 if url.scheme == "https" else 80)
    if port not in PORTS:
        wrong.append(f"Telegram delivers to the ports {', '.join(map(str, PORTS))} only, not to {port}")
    if _is_inside(url.hostname or ""):
        wrong.append(f"{url.hostname} cannot be reached from outside")
    if wrong:
        yield CheckResult(
            "address", ok=False, says="; ".join(wrong), mend="Set webhook.url. See docs/operating.md, A webhook."
        )


def _is_inside(host: str) -> bool:
    try:
        return not ipaddress.ip_address(host).is_global
    except ValueError:
        return host == "localhost" or "." not in host


def as_telegram_sees_it(settings: Settings, info: dict[str, Any]) -> CheckResult:
    """Check what getWebhookInfo reports."""
    there, ours = info.get("url") or "", settings.webhook.url
    host = urlsplit(there).netloc
    if not there:
        return CheckResult(
            "webhook", ok=False, says="Telegram does not know the address yet", mend="Start the bot: it tells Telegram."
        )
    if there != ours:
        return CheckResult(
            "webhook",
            ok=False,
            says=f"Telegram delivers to another address, at {host}",
            mend="Stop whatever set it, or use a token of its own; then start the bot.",
        )
    waiting = int(info.get("pending_update_count") or 0)
    ago = time.time() - float(info.get("last_error_date") or 0)
    why = str(info.get("last_error_message") or "no reason")
    if waiting and ago < RECENT_SECONDS:
        return CheckResult(
            "webhook",
            ok=False,
            says=f"{ago:.0f} s ago Telegram could not deliver ({why}); waiting there: {waiting}",
            mend=_cure(why),
        )
    if waiting > MANY:
        return CheckResult(
            "webhook",
            ok=False,
            says=f"updates that wait at Telegram: {waiting}",
            mend="Raise webhook.max_connections, or start another worker.",
        )
    past = f"; its last failure was {ago:.0f} s ago ({why})" if ago < RECENT_SECONDS else ""
    return CheckResult("webhook", ok=True, says=f"Telegram delivers to {host}, and nothing waits there for long{past}")


def _cure(why: str) -> str:
    return next((cure for sign, cure in CAUSES if sign in why.lower()), "See docs/operating.md, A webhook.")


async def from_here(client: httpx.AsyncClient, settings: Settings) -> CheckResult:
    """Send a request without an update to the address, as Telegram would."""
    url, host = settings.webhook.url, urlsplit(settings.webhook.url).netloc
    secret = settings.webhook_secret()
    mark = {PROBE_HEADER: probe_mark(secret)}
    try:
        known = await client.post(url, json={}, headers={**mark, SECRET_HEADER: secret})
        unknown = await client.post(url, json={}, headers=mark)
    except httpx.HTTPError as error:
        why = str(error) or type(error).__name__
        is_certificate = "certificate" in why.lower()
        return CheckResult(
            "reach",
            ok=False if is_certificate else None,
            says=f"{host} cannot be reached from here ({why})",
            mend=_cure(why)
            if is_certificate
            else f"{_cure(why)} If Telegram delivers (above), all is well: behind some routers (NAT) a machine cannot "
            "reach its own outside address.",
        )
    if unknown.is_success:
        return CheckResult(
            "reach",
            ok=False,
            says=f"{host} lets in whoever comes: that is not this bot",
            mend="Let the proxy forward the path of webhook.url to the workers.",
        )
    if known.status_code == RIGHT and unknown.status_code in REFUSED:
        return CheckResult("reach", ok=True, says=f"the bot answers at {host}, and asks for the secret")
    return CheckResult(
        "reach",
        ok=False,
        says=f"{host} answers {known.status_code} instead of the bot",
        mend=_cure(str(known.status_code)),
    )
