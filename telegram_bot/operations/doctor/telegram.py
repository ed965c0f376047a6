"""Check with the Bot API: the token, the bot's rights, the webhook, and the clock."""

from __future__ import annotations

import time
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

import httpx

from telegram_bot.operations.doctor import webhook
from telegram_bot.operations.doctor.check_result import CheckResult

if TYPE_CHECKING:
    from collections.abc import Iterator

    from telegram_bot.settings import Settings

MAX_SKEW_SECONDS: Final = 10.0
"""The largest acceptable difference from Telegram's clock, by which apps show the deadlines that the bot keeps."""
PATIENCE: Final = 10.0


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
        """The smallest difference of the clocks that explains an answer's date: it has whole seconds, and is late."""
        try:
            there = parsedate_to_datetime(date or "").timestamp()
        except ValueError:
            return
        self.skew = max(there - after, 0.0) + min(there + 1 - before, 0.0)


async def examine(settings: Settings, *, remove_webhook: bool) -> list[CheckResult]:
    """The results of all checks with the Bot API."""
    token = settings.token.get_secret_value()
    if not token:
        return [
            CheckResult(
                "token", ok=False, says="none is set", mend="Send /newbot to @BotFather; set PERUDO_TOKEN to it."
            ),
            *_not_looked_at("privacy", "webhook", "clock"),
        ]
    async with httpx.AsyncClient(timeout=PATIENCE) as client:
        api = _Api(client, settings.api_base_url, token)
        try:
            me = await api.ask("getMe")
            return [
                CheckResult("token", ok=True, says=f"@{me['username']} answers"),
                *_privacy(me),
                *await _ways_in(api, client, settings, remove=remove_webhook),
                _clock(api.skew),
            ]
        except _RefusedError as refusal:
            failure = CheckResult(
                "token",
                ok=False,
                says=f"Telegram does not accept it ({refusal})",
                mend="Ask @BotFather for it again: /mybots, your bot, API Token. Then set PERUDO_TOKEN.",
            )
        except _UnreachableError as trouble:
            failure = CheckResult(
                "token",
                ok=False,
                says=f"{urlsplit(settings.api_base_url).netloc} cannot be asked ({trouble})",
                mend="Is there a network, perhaps with a proxy (HTTPS_PROXY)? Is api_base_url right?",
            )
        return [failure, *_not_looked_at("privacy", "webhook", "clock")]


def _not_looked_at(*checks: str) -> Iterator[CheckResult]:
    for check in checks:
        yield CheckResult(check, ok=None, says="not looked at: the token comes first")


def _privacy(me: dict[str, Any]) -> Iterator[CheckResult]:
    if me.get("can_read_all_group_messages"):
        yield CheckResult(
            "privacy",
            ok=False,
            says="privacy mode is off: the bot is sent everything that is said in its groups",
            mend="@BotFather: /setprivacy, your bot, Enable. Then remove the bot from its groups and add it again.",
        )
    else:
        yield CheckResult("privacy", ok=True, says="privacy mode is on: in groups the bot hears only what concerns it")
    if not me.get("can_join_groups", True):
        yield CheckResult(
            "groups",
            ok=False,
            says="the bot may not be added to groups",
            mend="@BotFather: /setjoingroups, your bot, Enable.",
        )
    if me.get("supports_inline_queries"):
        yield CheckResult(
            "inline",
            ok=True,
            says="inline mode is on: players see their dice and bids over the text field",
        )
    else:
        yield CheckResult(
            "inline",
            ok=True,
            says="inline mode is off: players do not see their dice and bids over the text field",
            mend="If you want it: @BotFather, /setinline, your bot, a placeholder such as: 3x4. "
            "To be told of calls in a wrong chat as well: /setinlinefeedback, your bot, Enabled. "
            "Then restart the bot.",
        )


async def _ways_in(api: _Api, client: httpx.AsyncClient, settings: Settings, *, remove: bool) -> list[CheckResult]:
    info = await api.ask("getWebhookInfo")
    if settings.webhook.url and not remove:
        return [
            *webhook.workers(settings),
            *webhook.address(settings),
            webhook.as_telegram_sees_it(settings, info),
            await webhook.from_here(client, settings),
        ]
    return [await _polling(api, info.get("url"), remove=remove)]


async def _polling(api: _Api, address: str | None, *, remove: bool) -> CheckResult:
    if not address:
        return CheckResult("webhook", ok=True, says="none is set, so the bot can ask for its news")
    host = urlsplit(address).netloc or address
    if remove:
        await api.ask("deleteWebhook")
        return CheckResult("webhook", ok=True, says=f"the one that sent everything to {host} is removed")
    return CheckResult(
        "webhook",
        ok=False,
        says=f"everything is sent to {host}, so the bot would hear nothing",
        mend="If nothing there needs it: perudo-bot doctor --remove-webhook (perudo-bot run does so, too)",
    )


def _clock(skew: float | None) -> CheckResult:
    if skew is None:
        return CheckResult("clock", ok=None, says="not looked at: the server did not say what time it is")
    if abs(skew) <= MAX_SKEW_SECONDS:
        return CheckResult("clock", ok=True, says="this machine and Telegram agree about the time")
    late = "behind" if skew > 0 else "ahead of"
    return CheckResult(
        "clock",
        ok=False,
        says=f"this machine is {abs(skew):.0f} s {late} Telegram: turns would end at the wrong moment",
        mend="Let the machine set its clock by the network: timedatectl set-ntp true",
    )
