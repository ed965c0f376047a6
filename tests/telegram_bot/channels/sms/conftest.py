import json
import os
import socket
import subprocess
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest

from telegram_bot.channels.sms.gateways.base import Gateway, WebRequest
from telegram_bot.channels.sms.gateways.kannel import Kannel
from telegram_bot.channels.sms.gateways.smsgate import SmsGate
from telegram_bot.channels.sms.gateways.twilio import Twilio
from telegram_bot.sandbox_launcher import free_port
from telegram_bot.settings.sms import KannelSettings, SmsGateSettings, TwilioSettings
from telegram_bot.storage.database import Database
from test_support.in_process_world import NOON
from test_support.sms_world import OURS, SmsWorld

ROOT = Path(__file__).parents[4]
NODE_PARTS = ROOT / ".tools/node"
PRISM = NODE_PARTS / "node_modules/@stoplight/prism-cli/dist/index.js"
TWILIO_API = NODE_PARTS / "twilio_api_v2010.json"
ASKED_OF_TWILIO = "/Accounts/{AccountSid}/Messages.json"
SMSGATE_API = Path(__file__).with_name("smsgate_openapi.json")


def until(what: Callable[[], bool], *, seconds: float = 60, why: str = "nothing happened") -> None:
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, why
        time.sleep(0.05)


def listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def running(*command: str | Path, port: int, log: Path, **variables: str) -> Iterator[subprocess.Popen[bytes]]:
    with log.open("wb") as output:
        environment = os.environ | variables
        process = subprocess.Popen(list(map(str, command)), env=environment, stdout=output, stderr=output)  # noqa: S603
    try:

        def ready() -> bool:
            assert process.poll() is None, log.read_text(errors="replace")[-3000:]
            return listens(port)

        until(ready, seconds=60, why="it does not listen")
        yield process
    finally:
        process.terminate()
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@contextmanager
def prism(document: Path, log: Path) -> Iterator[str]:
    """A server made from an API's description, which refuses every request that the description forbids."""
    assert PRISM.is_file(), "run .ci/node-parts first (make test does)"
    port = free_port()
    with running("node", PRISM, "mock", "-p", str(port), "-h", "127.0.0.1", document, port=port, log=log):
        yield f"http://127.0.0.1:{port}"


@pytest.fixture(scope="session")
def twilio_api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("prism")
    description = json.loads(TWILIO_API.read_bytes())
    # Prism takes twice as long to begin with the other 120 paths.
    description["paths"] = {path: each for path, each in description["paths"].items() if path.endswith(ASKED_OF_TWILIO)}
    (folder / "twilio.json").write_text(json.dumps(description))
    with prism(folder / "twilio.json", folder / "log") as url:
        yield url


@pytest.fixture(scope="session")
def smsgate_api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with prism(SMSGATE_API, tmp_path_factory.mktemp("prism") / "log") as url:
        yield url


Answer = tuple[int, dict[str, str], bytes]
"""Status, headers and body."""


@contextmanager
def http_server(answer: Callable[[str, WebRequest], Answer], port: int = 0) -> Iterator[str]:
    """A server that answers each request by its path and contents; the value is its address."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            path, _, query = self.path.partition("?")
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            asked_with = {name.lower(): value for name, value in self.headers.items()}
            request = WebRequest(self.command, query, asked_with, body, self.client_address[0])
            status, headers, told = answer(path, request)
            self.send_response(status)
            for name, value in {"Content-Length": str(len(told)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            with suppress(BrokenPipeError, ConnectionResetError):  # the client gave up
                self.wfile.write(told)

        do_GET = do_POST  # noqa: N815 - the name it is called by

        def log_message(self, *_: object) -> None:
            """Log nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@dataclass
class ScriptedServer:
    """The scripted answer of a server, and the requests that it received."""

    url: str = ""
    status: int = 200
    body: Any = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    asked: list[bytes] = field(default_factory=list)

    def answer(self, _path: str, request: WebRequest) -> Answer:
        self.asked.append(request.body)
        body = self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()
        return self.status, {"Content-Type": "application/json", **self.headers}, body


@pytest.fixture
def answers() -> Iterator[ScriptedServer]:
    told = ScriptedServer()
    with http_server(told.answer) as told.url:
        yield told


THEIRS = "+393471234567"
TOKEN, KEY = "t" * 32, "a signing key of the phone"
USER, PASSWORD, SECRET = "perudo", "kannel-password", "a-secret-of-the-address"
"""The login of Kannel, and the secret in our address for it."""
PUBLIC = "https://bot.example.org"
GATEWAYS: dict[str, dict[str, Any]] = {
    "twilio": {"name": "main", "account": "AC" + "0123456789abcdef" * 2, "auth_token": TOKEN},
    "smsgate": {"name": "phone", "login": "me", "password": "secret", "signing_key": KEY},
    "kannel": {"name": "modem", "username": USER, "password": PASSWORD, "secret": SECRET},
}
"""The settings of a gateway of each kind."""
for kind, section in GATEWAYS.items():
    section |= {"kind": kind, "number": OURS}

Make = Callable[..., Any]


@pytest.fixture
async def make() -> AsyncIterator[Make]:
    """Makes a gateway of a kind, at an address of its API, and closes it after the test."""
    made: list[Gateway] = []

    def build(
        kind: str, url: str = "http://127.0.0.1:1", transport: httpx.AsyncBaseTransport | None = None, **options: Any
    ) -> Gateway:
        our_own = options.pop("our_own", f"{PUBLIC}/sms/{GATEWAYS[kind]['name']}")
        values = GATEWAYS[kind] | {"api_url": url} | options
        gateway: Gateway
        match kind:
            case "twilio":
                gateway = Twilio(TwilioSettings.model_validate(values), our_own, transport=transport)
            case "smsgate":
                gateway = SmsGate(SmsGateSettings.model_validate(values), transport=transport, now=lambda: NOON)
            case _:
                gateway = Kannel(KannelSettings.model_validate(values), our_own, transport=transport)
        made.append(gateway)
        return gateway

    yield build
    for gateway in made:
        await gateway.close()


@pytest.fixture
def world(database: Database) -> SmsWorld:
    return SmsWorld(database)


def phrases(lines: str) -> list[str]:
    """Phrases that are listed with ` | ` between them."""
    return [phrase.strip() for line in lines.strip().splitlines() for phrase in line.split(" | ")]


def cut_connection(asked: list[bytes] | None = None) -> httpx.MockTransport:
    """A transport that passes requests on and loses the answers."""

    def lost(request: httpx.Request) -> httpx.Response:
        if asked is not None:
            asked.append(request.content)
        raise httpx.ReadError("connection reset", request=request)

    return httpx.MockTransport(lost)
