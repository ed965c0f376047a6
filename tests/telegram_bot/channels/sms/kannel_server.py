"""Run a real Kannel for tests: bearerbox and smsbox, with fakesmsc as the telephone network and its phones."""

import re
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from telegram_bot.sandbox_launcher import free_port
from test_support.kannel_gateway import OURS, PASSWORD, SECRET, USER
from tests.telegram_bot.channels.sms.conftest import listens, running, until

FAKESMSC = Path("/usr/lib/kannel/test/fakesmsc")

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
    """One Kannel with phones: each text needs a fakesmsc process of its own, which does not end by itself."""

    def __init__(self, folder: Path, sendsms: int, fake: int) -> None:
        self.folder = folder
        self.url = f"http://127.0.0.1:{sendsms}"
        self._fake = fake
        self._log = folder / "fakesmsc.log"
        self._phones: subprocess.Popen[bytes] | None = None

    def text(self, sender: str, body: str, *, kind: str = "text") -> None:
        """Send a text to the bot's number."""
        self.hang_up()
        sent = self._written().count("sent message 1")
        with self._log.open("ab") as log:
            message = f"{sender} {OURS} {kind} {body}"
            self._phones = subprocess.Popen(  # noqa: S603
                [FAKESMSC, "-H", "127.0.0.1", "-r", str(self._fake), "-m", "1", message], stdout=log, stderr=log
            )
        until(lambda: self._written().count("sent message 1") > sent, why="the phone could not text")

    def read(self, number: str) -> list[str]:
        """The texts to a phone, oldest first."""
        return re.findall(rf"Got message \d+: <\S+ {re.escape(number)} text (.*)>", self._written())

    def _written(self) -> str:
        return self._log.read_bytes().replace(b"\x00", b"").decode("utf-8", "replace") if self._log.exists() else ""

    def hang_up(self) -> None:
        """End the connection to the telephone network, so that another phone may text."""
        if self._phones is not None:
            self._phones.terminate()
            self._phones.wait()
            self._phones = None
            time.sleep(0.2)


@contextmanager
def kannel(folder: Path, webhook: str) -> Iterator[KannelServer]:
    """A running Kannel that delivers texts to the address."""
    assert FAKESMSC.is_file(), "run .ci/system-packages kannel kannel-extras first (make test does)"
    ports = {name: free_port() for name in ("admin", "smsbox", "fake", "sendsms")}
    configuration = folder / "kannel.conf"
    configuration.write_text(
        CONFIGURATION.format(**ports, user=USER, password=PASSWORD, secret=SECRET, webhook=webhook)
    )
    box = KannelServer(folder, ports["sendsms"], ports["fake"])
    with (
        running("/usr/sbin/bearerbox", "-v", "1", configuration, port=ports["smsbox"], log=folder / "bearerbox.log"),
        running("/usr/sbin/smsbox", "-v", "1", configuration, port=ports["sendsms"], log=folder / "smsbox.log"),
    ):
        until(lambda: listens(ports["fake"]), why="the telephone network is down")
        try:
            yield box
        finally:
            box.hang_up()
