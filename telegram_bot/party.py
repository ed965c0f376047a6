"""An evening at home, for `perudo-bot party`: the bot without Telegram, with the web seat."""

import io
import socket
from pathlib import Path

import segno
from pydantic import SecretStr

from telegram_bot.errors import OperatorError
from telegram_bot.settings import Settings
from telegram_bot.settings.sections import MetricsSettings, WebhookSettings, WebSeatSettings, WebSettings
from telegram_bot.settings.sms import SmsSettings


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
    url = tunnel or f"http://{host or network_address()}:{port}"
    return settings.model_copy(
        update={
            "token": SecretStr(""),
            "database_url": f"sqlite:///{database}",
            "log_level": "WARNING",
            "webhook": WebhookSettings(),
            "sms": settings.sms.model_copy(update={"public_url": url}) if texts else SmsSettings(),
            "metrics": MetricsSettings(),
            # Without a tunnel the other phones come in from the network.
            "web": WebSettings(host="127.0.0.1" if tunnel else "0.0.0.0", port=port),  # noqa: S104
            "web_seat": WebSeatSettings(url=url, tables=True, behind_proxy=tunnel is not None),
        }
    )


def invitation(settings: Settings) -> str:
    """Return the text for the terminal: a QR code and its address."""
    address, gateways = f"{settings.web_seat.url}/t", [each.name for each in settings.sms.gateways]
    where = "anywhere" if settings.web_seat.behind_proxy else "in the same network"
    code = io.StringIO()
    segno.make_qr(address, error="m").terminal(out=code, compact=True)
    return "\n".join(
        [
            "",
            f"On a television {where} open {settings.web_seat.url}/tv; the first phone scans its code.",
            "Without a television, scan this code and open a table. Its lobby shows the code for the other phones.",
            *(f"The gateway {name} brings texts to {settings.sms.public_url}/sms/{name}." for name in gateways),
            "",
            code.getvalue(),
            f"  {address}",
            "",
            "Ctrl-C ends the party, and writes the evening to a file that you can take home.",
        ]
    )


def network_address() -> str:
    """Return this machine's address in its network, found without sending a packet; 127.0.0.1 without a network."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # an unused address
        except OSError:
            return "127.0.0.1"
        return str(probe.getsockname()[0])
