"""A real Kannel between phones and the bot: a text to our webhook, and a text from us to the phone."""

import re
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from telegram_bot.channels.sms.gateways.base import DeliveryReceipt, IncomingText, WebRequest
from telegram_bot.channels.sms.gateways.kannel import Kannel
from telegram_bot.delivery.sender import NotSentError
from telegram_bot.operations.doctor.text_messages import examine
from telegram_bot.sandbox_launcher import free_port
from telegram_bot.settings import Settings
from telegram_bot.settings.sms import KannelSettings
from telegram_bot.storage.phone_models import TextStatus
from telegram_bot.words.sms import gsm
from test_support.sms_world import OURS
from tests.telegram_bot.channels.sms.conftest import (
    GATEWAYS,
    PASSWORD,
    SECRET,
    THEIRS,
    USER,
    Answer,
    http_server,
    listens,
    running,
    until,
)

pytestmark = pytest.mark.xdist_group("kannel")

MODEM = GATEWAYS["kannel"]
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
        self._network.sendall(f"{sender} {OURS} {kind} {body}\n".encode())

    def read(self, number: str) -> list[str]:
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


def gateway(url: str, own_url: str = "http://127.0.0.1:1/sms/modem", **options: object) -> Kannel:
    return Kannel(KannelSettings.model_validate(MODEM | {"api_url": url} | options), own_url)


class Hook:
    """The bot's side of the webhooks, which hands each request to the gateway as the web server does."""

    def __init__(self) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}/sms/modem"
        self.gateway = gateway("http://127.0.0.1:1")
        self.heard: list[object] = []
        self._server = ExitStack()

    def open(self) -> None:
        self._server.enter_context(http_server(self._answer, self.port))

    def close(self) -> None:
        self._server.close()

    def _answer(self, path: str, request: WebRequest) -> Answer:
        self.heard += (self.gateway.receipt if path.endswith("/receipt") else self.gateway.receive)(request)
        acknowledgement, kind = self.gateway.acknowledgement
        return 200, {"Content-Type": kind}, acknowledgement

    def texts(self) -> list[IncomingText]:
        return [each for each in self.heard if isinstance(each, IncomingText)]


@pytest.fixture(scope="module")
def hook() -> Iterator[Hook]:
    opened = Hook()
    opened.open()
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def box(hook: Hook, tmp_path_factory: pytest.TempPathFactory) -> Iterator[KannelServer]:
    with kannel(tmp_path_factory.mktemp("kannel"), hook.url) as running:
        yield running


@pytest.fixture(autouse=True)
def _anew(hook: Hook) -> None:
    hook.heard.clear()


@pytest.mark.parametrize(
    ("kind", "body", "text"),
    [("text", "cinque quattro, è così", "cinque quattro, è così"), ("ucs2", "%00%E7%00%61%d8%3c%df%b2", "ça🎲")],
)
def test_a_phone_texts_and_we_hear_it(box: KannelServer, hook: Hook, kind: str, body: str, text: str) -> None:
    before = time.time()
    box.text(THEIRS, body, kind=kind)
    until(lambda: bool(hook.texts()), why="no text came")
    [heard] = hook.texts()
    assert (heard.sender, heard.text) == (THEIRS, text)
    assert heard.message == str(heard.sent_at)
    assert heard.sent_at is not None
    assert before - 2 <= heard.sent_at <= time.time() + 2
    time.sleep(1.5)
    assert len(hook.texts()) == 1, "it was not satisfied with our answer"
    assert box.read(THEIRS) == [], "it sent our answer on as a text"


async def test_we_text_and_the_phone_reads_it(box: KannelServer, hook: Hook) -> None:
    box.text("+393470000001", "hello")
    text = "R4 Ana: 5x4 " + "".join(sorted(gsm.BASIC - set("\r\n ")))
    sender = gateway(box.url, hook.url)
    message = await sender.send("+393470000001", text, seconds=90)
    until(lambda: box.read("+393470000001") != [], why="no text went out")
    assert box.read("+393470000001") == [text]
    until(lambda: DeliveryReceipt(message, TextStatus.DELIVERED) in hook.heard, why="no report came")
    await sender.close()


def test_what_came_while_we_were_away_is_delivered_later_with_its_time(box: KannelServer, hook: Hook) -> None:
    hook.close()
    box.text("+393470000002", "3x4")
    sent = time.time()
    time.sleep(2.5)
    opened = time.time()
    hook.open()
    until(lambda: bool(hook.texts()), why="it was not tried again")
    [heard] = hook.texts()
    assert heard.text == "3x4"
    assert heard.sent_at is not None
    assert sent - 2 <= heard.sent_at <= opened - 1


async def test_the_doctor_asks_who_we_are_and_a_text_waits_while_the_password_is_wrong(box: KannelServer) -> None:
    for password, well in ((PASSWORD, True), ("another", False)):
        sms = {"key": "k" * 44, "gateways": [MODEM | {"api_url": box.url, "password": password}]}
        findings = await examine(Settings.model_validate({"sms": sms}))
        assert {finding.check: finding.ok for finding in findings}["modem"] is well
    wrong = gateway(box.url, password="wrong")
    with pytest.raises(NotSentError):
        await wrong.send(THEIRS, "hi", seconds=60)
    await wrong.close()


def request(query: str = f"secret={SECRET}&id=1&time=1700000000", **more: Any) -> WebRequest:
    headers = {"x-kannel-from": THEIRS, "content-type": 'text/plain; charset="UTF-8"'}
    values = {"method": "POST", "headers": headers, "body": b"5x4", "client": "127.0.0.1"} | more
    return WebRequest(query=query, **values)


def test_other_machines_may_be_let_in_by_name_and_a_get_url_works_as_well() -> None:
    assert gateway("http://k", allowed_addresses=("203.0.113.0/24",)).receive(request(client="203.0.113.9"))
    query = f"secret={SECRET}&id=1&from=%2B393471234567&text=%00%E7%00a&charset=UTF-16BE&time=2023-11-14+22:13:20"
    asked = request(query, method="GET", headers={}, body=b"")
    assert gateway("http://k").receive(asked) == [IncomingText("1700000000.0", THEIRS, "ça", 1_700_000_000.0)]


def test_a_text_that_the_network_delivers_twice_is_one_text_whatever_id_kannel_gives_it() -> None:
    query = f"secret={SECRET}&time=1700000000&id="
    once, again = (gateway("http://k").receive(request(query + name)) for name in ("one", "two"))
    assert once == again
    timeless, other = (gateway("http://k").receive(request(f"secret={SECRET}&id={name}")) for name in ("one", "two"))
    assert timeless != other


@pytest.mark.parametrize(
    ("charset", "body", "text"),
    [
        ("windows-1252", b"5x4, c\x92est \xe9gal", "5x4, c’est égal"),  # noqa: RUF001 - as a phone writes it
        ("latin1", "così".encode("latin-1"), "così"),
        ("ISO-8859-15", "5 €".encode("iso-8859-15"), "5 €"),
        ("UTF-16", "ça".encode("utf-16"), "ça"),
        ("ucs-2", "ça".encode("utf-16-be"), "ça"),
        ("", "così".encode("latin-1"), "così"),
        ("", "così".encode(), "così"),
        ("utf-8", b"5x4 \xff", "5x4 �"),
        ("a-charset-of-tomorrow", b"5x4", "5x4"),
        ("base64", b"5x4", "5x4"),
        ("undefined", b"5x4", "5x4"),
        ("idna", b"5x4 \xff", "5x4 ÿ"),
        ("\x00", b"5x4", "5x4"),
        ("utf-16-be", b"5", "�"),
    ],
)
def test_a_text_in_any_charset_is_heard(charset: str, body: bytes, text: str) -> None:
    kind = {"content-type": f"text/plain; charset={charset}"} if charset else {}
    posted = request(headers={"x-kannel-from": THEIRS} | kind, body=body)
    [heard] = gateway("http://k").receive(posted)
    assert isinstance(heard, IncomingText)
    assert heard.text == text
    query = {"secret": SECRET, "id": "1", "from": THEIRS, "text": body, "charset": charset}
    assert gateway("http://k").receive(request(urlencode(query), method="GET", headers={}, body=b"")) == [
        IncomingText("1", THEIRS, text)
    ]


@pytest.mark.parametrize("named", ["in a header", "in the address"])
def test_a_text_to_another_connection_of_kannel_is_not_for_the_bot(named: str) -> None:
    def asked(smsc: str) -> WebRequest:
        base = request()
        if named == "in a header":
            return replace(base, headers={**base.headers, "x-kannel-smsc": smsc})
        return replace(base, query=f"{base.query}&smsc={smsc}")

    assert gateway("http://k", smsc="modem").receive(asked("private")) == []
    assert gateway("http://k", smsc="modem").receive(asked("modem")) != []
    assert gateway("http://k").receive(asked("private")) != []
    assert gateway("http://k", smsc="modem").receive(request()) != [], "Kannel did not name it"
