"""The bot in a sandbox, for `perudo-bot sandbox`: the page's settings and extensions, and the settings of the bot."""

import json
import os
import secrets
import socket
import sys
from dataclasses import replace
from pathlib import Path
from random import SystemRandom
from typing import Final
from urllib.parse import urlsplit

from telegram_bot.sandbox_launcher.brand import BrandSettings, PageLink
from telegram_bot.sandbox_launcher.phones import PhoneSettings
from telegram_bot.settings.loading import CONFIG_VARIABLE
from telegram_bot.words.catalogue import LANGUAGES
from telegram_sandbox import PageSettings, RunningSandbox, SandboxSettings, launcher

BOT_COMMAND: Final = (sys.executable, "-m", "telegram_bot.cli", "run")
SMS_PATH: Final = "/sms/sandbox"
SMS_HINT: Final = "Text JOIN and a table's code to {number}, or NEW for a table of phones alone."
_KEPT_PORTS: Final[list[socket.socket]] = []

ICON: Final = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#1d7466"/>'
    '<g fill="#fff"><circle cx="10" cy="10" r="3"/><circle cx="22" cy="10" r="3"/><circle cx="16" cy="16" r="3"/>'
    '<circle cx="10" cy="22" r="3"/><circle cx="22" cy="22" r="3"/></g></svg>'
)

PAGE: Final = PageSettings(
    title="Perudo sandbox",
    icon=ICON,
    languages=LANGUAGES,
)
SETTINGS: Final = SandboxSettings(
    bot_username="perudo_sandbox_bot",
    bot_name="Perudo",
    page=PAGE,
    inline_mode=True,
    inline_placeholder="3x4",
    inline_feedback=1.0,
    extensions=(BrandSettings(),),
)


async def run(
    host: str,
    port: int | None,
    database: Path,
    config: Path | None,
    *,
    flood_limits: bool,
    judge: bool,
    allowed_hosts: tuple[str, ...] = (),
) -> int:
    """Serve a sandbox with the bot in it until Ctrl-C and return the exit status.

    Without `port` the page takes 8080 or the next free port; a given port must be free.
    """
    settings = replace(
        SETTINGS,
        host=host,
        flood_limits=flood_limits,
        judge=judge,
        allowed_hosts=allowed_hosts,
        people_start=True,
    )
    if port is not None:
        settings = replace(settings, port=port, demand_port=True)
    settings = with_pages(with_phone(settings))

    def environment(sandbox: RunningSandbox) -> dict[str, str]:
        for brand in (one for one in settings.extensions if isinstance(one, BrandSettings)):
            sys.stdout.writelines(f"{link.title}: {link.address}\n" for link in brand.links)
        variables = {
            "PERUDO_DATABASE_URL": f"sqlite:///{database}",
            "PERUDO_TOKEN": sandbox.token,
            "PERUDO_API_BASE_URL": sandbox.bot_base_url,
            "PERUDO_POLLING__PROBE_SECONDS": "0",
        }
        if config is not None:
            variables[CONFIG_VARIABLE] = str(config)
        variables |= page_variables(settings, sandbox.url)
        # A visitor with four phones would lose turns to the clock. A settings file of the visitor's own decides.
        unhurried = {} if CONFIG_VARIABLE in variables | os.environ else {"PERUDO_TABLE__CLOCK_SECONDS": "0"}
        return {**unhurried, **os.environ, **variables, **sms_variables(settings, sandbox.url)}

    return await launcher.run(settings, BOT_COMMAND, environment)


def with_pages(settings: SandboxSettings) -> SandboxSettings:
    """Return the settings with the bot's pages next to the phones: the Mini App, a guest's seat, and the television."""
    phones = _phones(settings)
    port = urlsplit(phones.hook).port if phones else free_port()
    url = f"http://127.0.0.1:{port}"
    links = (PageLink("Play as a guest", f"{url}/t"), PageLink("Television", f"{url}/tv", wide=True))
    others = tuple(one for one in settings.extensions if not isinstance(one, BrandSettings))
    return replace(settings, main_web_app=f"{url}/app", extensions=(BrandSettings(links), *others))


def page_variables(settings: SandboxSettings, url: str) -> dict[str, str]:
    """Return the bot's settings that serve its pages on this machine and let the sandbox show them in frames."""
    if settings.main_web_app is None:
        return {}
    pages, port = urlsplit(settings.main_web_app), urlsplit(url).port
    frames = [f"http://{name}:{port}" for name in ("127.0.0.1", "localhost", *settings.allowed_hosts)]
    return {
        "PERUDO_WEB__HOST": "127.0.0.1",
        "PERUDO_WEB__PORT": str(pages.port),
        "PERUDO_WEB_SEAT__URL": f"http://{pages.netloc}",
        "PERUDO_WEB_SEAT__TABLES": "true",
        "PERUDO_WEB_SEAT__BEHIND_PROXY": "false",
        "PERUDO_WEB_SEAT__FRAME_ANCESTORS": json.dumps(frames),
    }


def with_phone(settings: SandboxSettings) -> SandboxSettings:
    """Return the settings with Gran, who can only text, and the address at which the bot gets her texts."""
    phones = PhoneSettings("", hint=SMS_HINT)
    hook = f"http://127.0.0.1:{free_port()}{SMS_PATH}?secret={phones.password}"
    return replace(settings, extensions=(*settings.extensions, replace(phones, hook=hook)))


def _phones(settings: SandboxSettings) -> PhoneSettings | None:
    return next((one for one in settings.extensions if isinstance(one, PhoneSettings)), None)


def sms_variables(settings: SandboxSettings, url: str) -> dict[str, str]:
    """Return the bot's settings with the sandbox as its gateway for texts: to the bot it is a Kannel."""
    phones = _phones(settings)
    if phones is None:
        return {}
    gateway = {
        "kind": "kannel",
        "name": "sandbox",
        "number": phones.number,
        "username": phones.username,
        "password": phones.password,
        "secret": phones.password,
        "api_url": url,
    }
    return {
        "PERUDO_WEB__HOST": "127.0.0.1",
        "PERUDO_WEB__PORT": str(urlsplit(phones.hook).port),
        "PERUDO_SMS__KEY": secrets.token_urlsafe(32),
        "PERUDO_SMS__GATEWAYS": json.dumps([gateway]),
    }


def free_port() -> int:
    """Return a free port of this machine for a server that this process starts.

    Linux keeps it for this process until it ends: a server may listen on it, and no other process is given it.
    Connections never take it, because the system gives them ports above this range.
    """
    while True:
        port, keeper = SystemRandom().randrange(20_000, 32_768), socket.socket()
        try:
            keeper.bind(("127.0.0.1", port))
        except OSError:
            keeper.close()
            continue
        if sys.platform == "linux":
            keeper.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            _KEPT_PORTS.append(keeper)
        else:  # elsewhere no server could listen
            keeper.close()
        return port
