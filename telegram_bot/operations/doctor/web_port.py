"""Check whether the bot can listen on its web port, or does so already."""

from __future__ import annotations

import errno
import socket
from typing import TYPE_CHECKING, Final

import httpx

from telegram_bot.operations.doctor.check_result import CheckResult

if TYPE_CHECKING:
    from telegram_bot.settings import Settings

PATIENCE: Final = 3.0
EVERYWHERE: Final = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - what somebody may have set


async def examine(settings: Settings) -> list[CheckResult]:
    """Look at the port; nothing if the bot needs none."""
    port = settings.web_port()
    if port is None:
        return []
    host = settings.web.host
    trouble = _trouble(host, port)
    if trouble is None:
        return [CheckResult("port", ok=True, says=f"{host}, port {port} is free for the bot, which does not run now")]
    if trouble.errno != errno.EADDRINUSE:
        mend = "Set web.host to an address of this machine, and web.port to one above 1023."
        return [
            CheckResult("port", ok=False, says=f"{host}, port {port} cannot be used ({trouble.strerror})", mend=mend)
        ]
    if await _is_the_bot(host, port):
        return [CheckResult("port", ok=True, says=f"the bot listens on {host}, port {port}")]
    mend = f"Stop it (ss -ltnp 'sport = :{port}' names it), or set web.port to another, in the proxy as well."
    return [CheckResult("port", ok=False, says=f"another program has port {port} on {host}", mend=mend)]


def _trouble(host: str, port: int) -> OSError | None:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        socket.create_server((host, port), family=family).close()
    except OSError as error:
        return error
    return None


async def _is_the_bot(host: str, port: int) -> bool:
    address = EVERYWHERE.get(host, host)
    shown = f"[{address}]" if ":" in address else address
    async with httpx.AsyncClient(timeout=PATIENCE, trust_env=False) as client:
        try:
            return (await client.get(f"http://{shown}:{port}/healthz")).text == "ok\n"
        except httpx.HTTPError:
            return False
