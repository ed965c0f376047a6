"""Run a real Kannel for tests: bearerbox and smsbox; the telephone network speaks as its fakesmsc does."""

import re
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from telegram_bot.sandbox_launcher import free_port
from test_support.kannel_gateway import OURS, PASSWORD, SECRET, USER
from tests.telegram_bot.channels.sms.conftest import listens, running, until

BEARERBOX = Path("/usr/sbin/bearerbox")

CONFIGURATION = """
group = core
admin-port = {admin}
admin-interface = 127.0.0.1
admin-password = admin
smsbox-port = {smsbox}
smsbox-interface = 127.0.0.1
box-allow-ip = 127.0.0.1
box-deny-ip = "*.*.*.*"

group = smsc
smsc = fake
smsc-id = fake
port = {fake}
connect-allow-ip = 127.0.0.1

group = smsbox
smsbox-id = box
bearerbox-host = 127.0.0.1
bearerbox-port = {smsbox}
sendsms-port = {sendsms}
sendsms-interface = 127.0.0.1
http-request-retry = 20
http-queue-delay = 1

group = smsbox-route
smsbox-id = box
smsc-id = fake

group = sendsms-user
username = {user}
password = {password}
max-messages = 1

group = sms-service
keyword = default
catch-all = true
max-messages = 0
send-sender = true
post-url = "{webhook}?secret={secret}&id=%I&time=%T"
"""


class KannelServer:
    """One Kannel with its telephone network: one connection, by which all phones text and are texted.

    Kannel gives a text to its network before it looks whether the network is still there, so the connection stays.
    """

    def __init__(self, sendsms: int, network: socket.socket) -> None:
        self.url = f"http://127.0.0.1:{sendsms}"
        self._network = network
        self._heard = b""

    def text(self, sender: str, body: str, *, kind: str = "text") -> None:
        """Send a text to the bot's number."""
        self._network.sendall(f"{sender} {OURS} {kind} {body}\n".encode())

    def read(self, number: str) -> list[str]:
        """The texts to a phone, oldest first."""
        with suppress(BlockingIOError):
            while more := self._network.recv(65536, socket.MSG_DONTWAIT):
                self._heard += more
        return re.findall(rf"(?m)^\S+ {re.escape(number)} text (.*)\n", self._heard.decode())


@contextmanager
def kannel(folder: Path, webhook: str) -> Iterator[KannelServer]:
    """A running Kannel that delivers texts to the address."""
    assert BEARERBOX.is_file(), "run .ci/system-packages kannel first (make test does)"
    ports = {name: free_port() for name in ("admin", "smsbox", "fake", "sendsms")}
    configuration = folder / "kannel.conf"
    configuration.write_text(
        CONFIGURATION.format(**ports, user=USER, password=PASSWORD, secret=SECRET, webhook=webhook)
    )
    with (
        running(BEARERBOX, "-v", "1", configuration, port=ports["smsbox"], log=folder / "bearerbox.log"),
        running("/usr/sbin/smsbox", "-v", "1", configuration, port=ports["sendsms"], log=folder / "smsbox.log"),
    ):
        until(lambda: listens(ports["fake"]), why="the telephone network is down")
        with socket.create_connection(("127.0.0.1", ports["fake"])) as network:
            yield KannelServer(ports["sendsms"], network)
