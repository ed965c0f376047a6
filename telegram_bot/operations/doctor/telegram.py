"""Check with the Bot API: the token, the bot's rights, the webhook, the bot's own port, and the clock."""

import errno
import ipaddress
import socket
import time
from collections.abc import Iterator
from email.utils import parsedate_to_datetime
from typing import Any, Final
from urllib.parse import urlsplit

import httpx

from telegram_bot import internet
from telegram_bot.channels.telegram.webhook import SECRET_HEADER
from telegram_bot.ingress.webhook_probe import PROBE_HEADER, probe_mark
from telegram_bot.operations.doctor.check_result import CheckResult, clock_check, failed, passed
from telegram_bot.settings import Settings

MAX_SKEW_SECONDS: Final = 10.0
"""The largest acceptable difference from Telegram's clock, by which apps show the bot's deadlines."""
PATIENCE: Final = 10.0
TELEGRAM: Final = "api.telegram.org"
SINCE: Final = (
    ("supports_guest_queries", "10.0"),
    ("allows_users_to_create_topics", "9.4"),
    ("has_topics_enabled", "9.3"),
    ("has_main_web_app", "7.8"),
    ("can_connect_to_business", "7.2"),
)
"""Fields that `getMe` always has, and the first version of the Bot API with each."""


class _RefusedError(Exception):
    """The Bot API answered with an error."""


class _UnreachableError(Exception):
    """No Bot API server answered."""


class _Api:
    """Calls the Bot API, and measures how far this machine's clock differs from the server's."""

    def __init__(self, client: httpx.AsyncClient, base_url: str, token: str) -> None:
        self._client = client
        self._base = base_url.replace("{token}", token) if "{token}" in base_url else base_url + token
        self._token = token
        self.skew: float | None = None

    async def ask(self, method: str) -> Any:
        before = time.time()
        try:
            response = await self._client.post(f"{self._base}/{method}")
            after = time.time()
            answer = response.json()
            self._compare_clocks(response.headers.get("date"), before, after)
            if answer["ok"]:
                return answer["result"]
            raise _RefusedError(f"{answer['error_code']} {answer['description']}")
        except (httpx.HTTPError, httpx.InvalidURL, ValueError, KeyError, TypeError) as error:
            raise _UnreachableError(str(error).replace(self._token, "<token>") or type(error).__name__) from None

    def _compare_clocks(self, date: str | None, before: float, after: float) -> None:
        """Keep the smallest difference of the clocks that explains an answer's date (whole seconds, late)."""
        try:
            there = parsedate_to_datetime(date or "").timestamp()
        except ValueError:
            return
        self.skew = max(there - after, 0.0) + min(there + 1 - before, 0.0)


def _mini_app(me: dict[str, Any], settings: Settings) -> Iterator[CheckResult]:
    """Check whether groups can open the web seat as a Mini App. No method of the Bot API reports an app by name."""
    seat = settings.web_seat
    if not seat.url:
        return
    if not seat.opens_in_telegram:
        yield failed("mini app", "Telegram opens no page without https", "Set web_seat.url to an https address.")
    elif seat.app:
        yield passed(
            "mini app", f"groups open t.me/{me['username']}/{seat.app}; whether it exists, Telegram does not tell"
        )
    elif me.get("has_main_web_app"):
        yield passed("mini app", "it is registered: groups can open it")
    else:
        yield failed(
            "mini app",
            "it is not registered: only private chats can open it",
            f"@BotFather: /mybots, your bot, Bot Settings, Configure Mini App, Enable; the address is {seat.url}/app.",
        )


async def examine(settings: Settings, *, remove_webhook: bool) -> list[CheckResult]:
    """Return the results of all checks with the Bot API."""
    token = settings.token.get_secret_value()
    if not token:
        return [
            failed("token", "none is set", "Send /newbot to @BotFather; set PERUDO_TOKEN to it."),
            *_not_looked_at("privacy", "webhook", "clock"),
        ]
    base = settings.api_base_url
    async with internet.client(httpx.AsyncClient, timeout=PATIENCE) as client:
        api = _Api(client, base, token)
        try:
            me = await api.ask("getMe")
            return [
                passed("token", f"@{me['username']} answers"),
                *_server(me, settings),
                *_privacy(me),
                *_mini_app(me, settings),
                *await _ways_in(api, client, settings, remove=remove_webhook),
                _clock(api.skew),
            ]
        except _RefusedError as refusal:
            failure = failed(
                "token",
                f"Telegram does not accept it ({refusal})",
                "Ask @BotFather for it again: /mybots, your bot, API Token. Then set PERUDO_TOKEN.",
            )
        except _UnreachableError as trouble:
            failure = failed(
                "token",
                f"{urlsplit(base).netloc}{internet.by_proxy(base)} cannot be asked ({trouble})",
                "Is there a network? Is api_base_url right, and the proxy (HTTPS_PROXY), if the machine needs one?",
            )
        except (KeyError, TypeError, AttributeError, ValueError) as odd:
            failure = failed(
                "token",
                f"{urlsplit(base).netloc} gives answers that cannot be read ({type(odd).__name__})",
                "Is api_base_url the address of a Bot API server, and no proxy changes its answers?",
            )
        return [failure, *_not_looked_at("privacy", "webhook", "clock")]


def _not_looked_at(*checks: str) -> Iterator[CheckResult]:
    for check in checks:
        yield CheckResult(check, ok=None, says="not looked at: the token comes first")


def _server(me: dict[str, Any], settings: Settings) -> Iterator[CheckResult]:
    """Name the version of an own Bot API server, as far as the fields of `getMe` show it."""
    name = urlsplit(settings.api_base_url).netloc
    if name == TELEGRAM:
        return
    version = next((version for field, version in SINCE if field in me), None)
    if version is None:
        yield failed("server", f"{name} is older than Bot API {SINCE[-1][1]}", "Update your Bot API server.")
    else:
        yield passed("server", f"{name} knows Bot API {version} or newer")


def _privacy(me: dict[str, Any]) -> Iterator[CheckResult]:
    if me.get("can_read_all_group_messages"):
        yield failed(
            "privacy",
            "privacy mode is off: the bot is sent everything that is said in its groups",
            "@BotFather: /setprivacy, your bot, Enable. Then remove the bot from its groups and add it again.",
        )
    else:
        yield passed("privacy", "privacy mode is on: in groups the bot hears only what concerns it")
    if not me.get("can_join_groups", True):
        yield failed("groups", "the bot may not be added to groups", "@BotFather: /setjoingroups, your bot, Enable.")
    if me.get("supports_inline_queries"):
        yield passed("inline", "inline mode is on: players see their dice and bids over the text field")
    else:
        yield passed(
            "inline",
            "inline mode is off: players do not see their dice and bids over the text field",
            "If you want it: @BotFather, /setinline, your bot, a placeholder such as: 3x4. "
            "To be told of calls in a wrong chat as well: /setinlinefeedback, your bot, Enabled. "
            "Then restart the bot.",
        )


async def _ways_in(api: _Api, client: httpx.AsyncClient, settings: Settings, *, remove: bool) -> list[CheckResult]:
    info = await api.ask("getWebhookInfo")
    if settings.webhook.url and not remove:
        return [
            *webhook_workers(settings),
            *webhook_address(settings),
            webhook_as_telegram_sees_it(settings, info),
            await webhook_from_here(client, settings),
        ]
    return [await _polling(api, info.get("url"), remove=remove)]


async def _polling(api: _Api, address: str | None, *, remove: bool) -> CheckResult:
    if not address:
        return passed("webhook", "none is set, so the bot can ask for its news")
    host = urlsplit(address).netloc or address
    if remove:
        await api.ask("deleteWebhook")
        return passed("webhook", f"the one that sent everything to {host} is removed")
    return failed(
        "webhook",
        f"everything is sent to {host}, so the bot would hear nothing",
        "If nothing there needs it: perudo-bot doctor --remove-webhook (perudo-bot run does so, too)",
    )


def _clock(skew: float | None) -> CheckResult:
    if skew is None:
        return CheckResult("clock", ok=None, says="not looked at: the server did not say what time it is")
    return clock_check("clock", "Telegram", skew, MAX_SKEW_SECONDS, "turns would end at the wrong moment")


PORTS: Final = (443, 80, 88, 8443)
RECENT_SECONDS: Final = 3600.0
MANY: Final = 100
"""This number of updates waiting at Telegram is a backlog: more than a busy minute brings."""

RIGHT: Final = 400
"""The bot's answer to a request with the right secret and no update."""
REFUSED: Final = (401, 403)

CAUSES: Final = (
    ("401", "Start every worker with the same token."),
    ("403", "Start every worker with the same token."),
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
"""Parts of error messages, from Telegram or from the doctor's own request, and the fix for each."""


def webhook_workers(settings: Settings) -> Iterator[CheckResult]:
    """Report whether a second process may stand by: not with SQLite."""
    if settings.database_url.startswith("sqlite"):
        yield passed(
            "workers",
            "games are kept in SQLite: one process may run",
            "For one that stands by, PostgreSQL: docs/operating/moving.md, and docs/operating/several-machines.md.",
        )


def webhook_address(settings: Settings) -> Iterator[CheckResult]:
    """Check whether Telegram accepts the address. Another Bot API server accepts any."""
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
        yield failed("address", "; ".join(wrong), "Set webhook.url. See docs/operating/webhook.md, A webhook.")


def _is_inside(host: str) -> bool:
    try:
        return not ipaddress.ip_address(host).is_global
    except ValueError:
        return host == "localhost" or "." not in host


def webhook_as_telegram_sees_it(settings: Settings, info: dict[str, Any]) -> CheckResult:
    """Check what getWebhookInfo reports."""
    there, ours = info.get("url") or "", settings.webhook.url
    host = urlsplit(there).netloc
    if not there:
        return failed("webhook", "Telegram does not know the address yet", "Start the bot: it tells Telegram.")
    if there != ours:
        return failed(
            "webhook",
            f"Telegram delivers to another address, at {host}",
            "Stop whatever set it, or use a token of its own; then start the bot.",
        )
    waiting = int(info.get("pending_update_count") or 0)
    ago = time.time() - float(info.get("last_error_date") or 0)
    why = str(info.get("last_error_message") or "no reason")
    if waiting and ago < RECENT_SECONDS:
        return failed(
            "webhook", f"{ago:.0f} s ago Telegram could not deliver ({why}); waiting there: {waiting}", _cure(why)
        )
    if waiting > MANY:
        return failed(
            "webhook",
            f"updates that wait at Telegram: {waiting}",
            "Start another worker.",
        )
    past = f"; its last failure was {ago:.0f} s ago ({why})" if ago < RECENT_SECONDS else ""
    return passed("webhook", f"Telegram delivers to {host}, and nothing waits there for long{past}")


def _cure(why: str) -> str:
    return next((cure for sign, cure in CAUSES if sign in why.lower()), "See docs/operating/webhook.md, A webhook.")


async def webhook_from_here(client: httpx.AsyncClient, settings: Settings) -> CheckResult:
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
            says=f"{host}{internet.by_proxy(url)} cannot be reached from here ({why})",
            mend=_cure(why)
            if is_certificate
            else f"{_cure(why)} If Telegram delivers (above), all is well: behind some routers (NAT) a machine cannot "
            "reach its own outside address.",
        )
    if unknown.is_success:
        return failed(
            "reach",
            f"{host} lets in whoever comes: that is not this bot",
            "Let the proxy forward the path of webhook.url to the workers.",
        )
    if known.status_code == RIGHT and unknown.status_code in REFUSED:
        return passed("reach", f"the bot answers at {host}, and asks for the secret")
    return failed("reach", f"{host} answers {known.status_code} instead of the bot", _cure(str(known.status_code)))


# The bot's own port

PORT_PATIENCE: Final = 3.0
EVERYWHERE: Final = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - what someone may have set


async def examine_port(settings: Settings) -> list[CheckResult]:
    """Check the port, if the bot needs one."""
    port = settings.web_port()
    if port is None:
        return []
    host = settings.web.host
    trouble = _port_trouble(host, port)
    if trouble is None:
        return [passed("port", f"{host}, port {port} is free for the bot, which does not run now")]
    if trouble.errno != errno.EADDRINUSE:
        mend = "Set web.host to an address of this machine, and web.port to one above 1023."
        return [failed("port", f"{host}, port {port} cannot be used ({trouble.strerror})", mend)]
    if await _is_the_bot(host, port):
        return [passed("port", f"the bot listens on {host}, port {port}")]
    mend = f"Stop it (ss -ltnp 'sport = :{port}' names it), or set web.port to another, in the proxy as well."
    return [failed("port", f"another program has port {port} on {host}", mend)]


def _port_trouble(host: str, port: int) -> OSError | None:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        socket.create_server((host, port), family=family).close()
    except OSError as error:
        return error
    return None


async def _is_the_bot(host: str, port: int) -> bool:
    address = EVERYWHERE.get(host, host)
    shown = f"[{address}]" if ":" in address else address
    async with httpx.AsyncClient(timeout=PORT_PATIENCE, trust_env=False) as client:
        try:
            return (await client.get(f"http://{shown}:{port}/healthz")).text == "ok\n"
        except httpx.HTTPError:
            return False
