"""An evening at home, for `perudo-bot party`: the bot without Telegram, with the web seat."""

import io
import socket
import sys
from collections.abc import Iterable
from ipaddress import ip_address
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import urlsplit

import psutil
import segno
from pydantic import SecretStr

from telegram_bot.errors import OperatorError
from telegram_bot.settings import Settings
from telegram_bot.settings.sections import MetricsSettings, WebhookSettings, WebSeatSettings, WebSettings
from telegram_bot.settings.sms import SmsSettings

_COLOURS: Final = "\x1b[38;5;231;48;5;16m{}\x1b[0m"
"""White blocks on black, whatever colours the terminal has."""


class Interface(NamedTuple):
    """An address of this machine, and the network interface that has it."""

    address: str
    is_tunnel: bool
    """Whether it leads to one other machine, as that of a VPN."""
    is_device: bool
    """Whether it belongs to a device, and not to a program such as Docker."""


def party_settings(
    settings: Settings,
    host: str | None,
    port: int,
    database: Path,
    tunnel: str | None = None,
    *,
    texts: bool = False,
) -> Settings:
    """Return a party's settings: no messenger, its own database, tables that every visitor may open.

    `tunnel`: the address in the internet, or None for the pages of the network at home; `texts`: friends may also
    play by text message, through the gateways of the settings.

    Raises:
        OperatorError: `texts` without a gateway.
    """
    if texts and not settings.sms.gateways:
        raise OperatorError("--texts needs a gateway in the settings, such as an Android phone: docs/sms/README.md")
    host = host or next(iter(network_addresses()), "127.0.0.1")
    is_ipv6 = ":" in host
    shown = f"[{host.strip('[]')}]" if is_ipv6 else host
    url = tunnel or f"http://{shown}:{port}"
    return settings.model_copy(
        update={
            "token": SecretStr(""),
            "database_url": f"sqlite:///{database}",
            "log_level": "WARNING",
            "webhook": WebhookSettings(),
            "sms": settings.sms.model_copy(update={"public_url": url}) if texts else SmsSettings(),
            "metrics": MetricsSettings(),
            # Without a tunnel the other phones come in from the network.
            "web": WebSettings(host="127.0.0.1" if tunnel else "::" if is_ipv6 else "0.0.0.0", port=port),  # noqa: S104
            "web_seat": WebSeatSettings(url=url, tables=True, behind_proxy=tunnel is not None),
        }
    )


def invitation(settings: Settings, *, coloured: bool = False) -> str:
    """Return the text for the terminal: a QR code, perhaps in colours of its own, and its address."""
    address, gateways = f"{settings.web_seat.url}/t", [each.name for each in settings.sms.gateways]
    is_shared = settings.web_seat.behind_proxy
    where = "anywhere" if is_shared else "in the same network"
    others = [] if is_shared else [each for each in network_addresses() if each != urlsplit(address).hostname]
    code = io.StringIO()
    segno.make_qr(address, error="m").terminal(out=code, compact=True)
    rows = [_COLOURS.format(row) if coloured else row for row in code.getvalue().splitlines()]
    return "\n".join(
        [
            "",
            f"On a television {where} open {settings.web_seat.url}/tv; the first phone scans its code.",
            "Without a television, scan this code and open a table. Its lobby shows the code for the other phones.",
            *(f"The gateway {name} brings texts to {settings.sms.public_url}/sms/{name}." for name in gateways),
            "",
            *rows,
            "",
            f"  {address}",
            *(["", f"Phones don't reach it? Start again with --host {' or --host '.join(others)}."] if others else []),
            "",
            "Ctrl-C ends the party, and writes the evening to a file that you can take home.",
        ]
    )


def network_addresses() -> list[str]:
    """Return this machine's addresses, first the one that phones at home reach most likely."""
    stats = psutil.net_if_stats()
    return in_order(
        (
            Interface(
                each.address,
                is_tunnel="pointopoint" in stats[name].flags,
                is_device=sys.platform != "linux" or Path("/sys/class/net", name, "device").exists(),
            )
            for name, addresses in psutil.net_if_addrs().items()
            for each in addresses
            if each.family == socket.AF_INET and name in stats and stats[name].isup
        ),
        _routed_address(),
    )


def in_order(interfaces: Iterable[Interface], routed: str | None) -> list[str]:
    """Return the addresses that phones may reach, the best first; `routed`: that of the way to the internet."""

    def rank(interface: Interface) -> tuple[bool, ...]:
        found = ip_address(interface.address)
        return (
            interface.is_tunnel,
            found.is_link_local,
            not interface.is_device,
            not found.is_private,
            interface.address != routed,
        )

    usable = (each for each in interfaces if not ip_address(each.address).is_loopback)
    return [each.address for each in sorted(usable, key=rank)]


def _routed_address() -> str | None:
    """Return the address of the default route, found without sending a packet."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # an unused address
        except OSError:
            return None
        return str(probe.getsockname()[0])
