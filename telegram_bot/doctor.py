"""`perudo-bot doctor`: is everything in place for the bot to run, and if not, what to do about it."""

from __future__ import annotations

import json
import time
from dataclasses import asdict, dataclass
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

import httpx
from sqlalchemy import make_url, text
from sqlalchemy.exc import SQLAlchemyError

from telegram_bot.storage import database, schema

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from telegram_bot.settings import Settings

__all__ = ["Finding", "as_json", "as_text", "examine"]

MOST_SKEW: Final = 10.0
"""Seconds. A deadline is shown by Telegram's clock and kept by ours."""
PATIENCE: Final = 10.0


@dataclass(frozen=True, slots=True)
class Finding:
    """One check: what was looked at, whether it is well (None: it could not be looked at), and how to mend it."""

    check: str
    ok: bool | None
    says: str
    mend: str = ""


async def examine(settings: Settings, *, remove_webhook: bool = False) -> list[Finding]:
    """Every check, in the order in which one would mend them."""
    return [*await _telegram(settings, remove_webhook=remove_webhook), *_database(settings.database_url)]


def as_text(findings: Sequence[Finding]) -> str:
    """A line for each check, and below it how to mend it."""
    signs = {True: "✓", False: "✗", None: "?"}
    lines: list[str] = []
    for finding in findings:
        lines.append(f"{signs[finding.ok]} {finding.check:<9} {finding.says}")
        lines += [f"            → {line}" for line in finding.mend.splitlines()]
    ailing = sum(finding.ok is False for finding in findings)
    lines.append("" if ailing else "\nEverything is in place.")
    return "\n".join(lines).rstrip()


def as_json(findings: Sequence[Finding]) -> str:
    """The same for programs."""
    return json.dumps([asdict(finding) for finding in findings], ensure_ascii=False, indent=2)


# Telegram


class _RefusedError(Exception):
    """The Bot API answered, with an error."""


class _UnreachableError(Exception):
    """Nobody answered, or somebody who is no Bot API server."""


class _Api:
    """Asks the Bot API, and remembers by how much our clock differs from its."""

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
        """The smallest difference that explains the answer: it says whole seconds, and took a while to come."""
        try:
            there = parsedate_to_datetime(date or "").timestamp()
        except ValueError:
            return
        self.skew = max(there - after, 0.0) + min(there + 1 - before, 0.0)


async def _telegram(settings: Settings, *, remove_webhook: bool) -> list[Finding]:
    token = settings.token.get_secret_value()
    if not token:
        return [
            Finding("token", ok=False, says="none is set", mend="Send /newbot to @BotFather; set PERUDO_TOKEN to it."),
            *_not_looked_at("privacy", "webhook", "clock"),
        ]
    async with httpx.AsyncClient(timeout=PATIENCE) as client:
        api = _Api(client, settings.api_base_url, token)
        try:
            me = await api.ask("getMe")
            return [
                Finding("token", ok=True, says=f"@{me['username']} answers"),
                *_privacy(me),
                await _webhook(api, remove=remove_webhook),
                _clock(api.skew),
            ]
        except _RefusedError as refusal:
            failure = Finding(
                "token",
                ok=False,
                says=f"Telegram does not accept it ({refusal})",
                mend="Ask @BotFather for it again: /mybots, your bot, API Token. Then set PERUDO_TOKEN.",
            )
        except _UnreachableError as trouble:
            failure = Finding(
                "token",
                ok=False,
                says=f"{urlsplit(settings.api_base_url).netloc} cannot be asked ({trouble})",
                mend="Is there a network, perhaps with a proxy (HTTPS_PROXY)? Is api_base_url right?",
            )
        return [failure, *_not_looked_at("privacy", "webhook", "clock")]


def _not_looked_at(*checks: str) -> Iterator[Finding]:
    for check in checks:
        yield Finding(check, ok=None, says="not looked at: the token comes first")


def _privacy(me: dict[str, Any]) -> Iterator[Finding]:
    if me.get("can_read_all_group_messages"):
        yield Finding(
            "privacy",
            ok=False,
            says="privacy mode is off: the bot is sent everything that is said in its groups",
            mend="@BotFather: /setprivacy, your bot, Enable. Then remove the bot from its groups and add it again.",
        )
    else:
        yield Finding("privacy", ok=True, says="privacy mode is on: in groups the bot hears only what concerns it")
    if not me.get("can_join_groups", True):
        yield Finding(
            "groups",
            ok=False,
            says="the bot may not be added to groups",
            mend="@BotFather: /setjoingroups, your bot, Enable.",
        )


async def _webhook(api: _Api, *, remove: bool) -> Finding:
    address = (await api.ask("getWebhookInfo")).get("url")
    if not address:
        return Finding("webhook", ok=True, says="none is set, so the bot can ask for its news")
    host = urlsplit(address).netloc or address
    if remove:
        await api.ask("deleteWebhook")
        return Finding("webhook", ok=True, says=f"the one that sent everything to {host} is removed")
    return Finding(
        "webhook",
        ok=False,
        says=f"everything is sent to {host}, so the bot would hear nothing",
        mend="If nothing there needs it: perudo-bot doctor --remove-webhook",
    )


def _clock(skew: float | None) -> Finding:
    if skew is None:
        return Finding("clock", ok=None, says="not looked at: the server did not say what time it is")
    if abs(skew) <= MOST_SKEW:
        return Finding("clock", ok=True, says="this machine and Telegram agree about the time")
    late = "behind" if skew > 0 else "ahead of"
    return Finding(
        "clock",
        ok=False,
        says=f"this machine is {abs(skew):.0f} s {late} Telegram: turns would end at the wrong moment",
        mend="Let the machine set its clock by the network: timedatectl set-ntp true",
    )


# The database


def _database(url: str) -> Iterator[Finding]:
    shown = make_url(url).render_as_string(hide_password=True)
    migrate = "perudo-bot migrate"
    if (file := _sqlite_file(url)) and not file.exists():
        yield Finding(
            "database", ok=False, says=f"{file} is not there yet", mend=f"{migrate} makes it; so does perudo-bot run"
        )
        return
    try:
        engine = database.connect(url)
        try:
            with engine.connect() as connection:
                connection.execute(text("SELECT 1"))
            current = schema.is_current(engine)
        finally:
            engine.dispose()
    except ModuleNotFoundError as missing:
        yield Finding(
            "database", ok=False, says=f"{shown} needs {missing.name}", mend="pip install 'perudo-bot[postgresql]'"
        )
    except (SQLAlchemyError, OSError) as error:
        why = str(getattr(error, "orig", None) or error).splitlines()[0]
        mend = "Is the server running, and are address, user, password and the database's name in DATABASE_URL right?"
        if file:
            mend = f"Is {file} a database, and may this user write to it and to its folder?"
        yield Finding("database", ok=False, says=f"{shown} cannot be used ({why})", mend=mend)
    else:
        if current:
            yield Finding("database", ok=True, says=f"{shown} is reachable and up to date")
        else:
            yield Finding("database", ok=False, says=f"{shown} is not up to date", mend=f"Back it up, then: {migrate}")


def _sqlite_file(url: str) -> Path | None:
    parsed = make_url(url)
    inside_memory = parsed.database in {None, "", ":memory:"}
    return None if parsed.get_backend_name() != "sqlite" or inside_memory else Path(str(parsed.database))
