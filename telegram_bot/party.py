"""An evening at home, for `perudo-bot party`: the bot without Telegram, with the web seat."""

import io
import socket
from pathlib import Path

import segno
from pydantic import SecretStr

from telegram_bot.settings import Settings
from telegram_bot.settings.sections import MetricsSettings, WebhookSettings, WebSeatSettings, WebSettings
from telegram_bot.settings.sms import SmsSettings


def party_settings(settings: Settings, host: str | None, port: int, database: Path) -> Settings:
    """Return a party's settings: no messenger, its own database, tables that every visitor in the network may open."""
    url = f"http://{host or own_address()}:{port}"
    return settings.model_copy(
        update={
            "token": SecretStr(""),
            "database_url": f"sqlite:///{database}",
            "log_level": "WARNING",
            "webhook": WebhookSettings(),
            "sms": SmsSettings(),
            "metrics": MetricsSettings(),
            "web": WebSettings(host="0.0.0.0", port=port),  # noqa: S104 - the other phones are to come in
            "web_seat": WebSeatSettings(url=url, tables=True, behind_proxy=False),
        }
    )


def invitation(settings: Settings) -> str:
    """Return the text for the terminal: a QR code and its address."""
    address = f"{settings.web_seat.url}/t"
    code = io.StringIO()
    segno.make_qr(address, error="m").terminal(out=code, compact=True)
    return "\n".join(
        [
            "",
            f"On a television in the same network open {settings.web_seat.url}/tv; the first phone scans its code.",
            "Without a television, scan this code and open a table. Its lobby shows the code for the other phones.",
            "",
            code.getvalue(),
            f"  {address}",
            "",
            "Ctrl-C ends the party.",
        ]
    )


def own_address() -> str:
    """Return this machine's address in its network, found without sending a packet; 127.0.0.1 without a network."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # an unused address
        except OSError:
            return "127.0.0.1"
        return str(probe.getsockname()[0])
