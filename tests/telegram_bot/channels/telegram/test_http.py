"""A call to a Bot API server that answers, breaks off, stays silent or is absent."""

import asyncio
import contextlib
import re
import socket
import traceback
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from urllib.parse import unquote

import pytest
from pydantic import SecretStr
from telegram import Bot
from telegram.error import NetworkError, TelegramError

from telegram_bot.channels.telegram.channel import make_bot
from telegram_bot.channels.telegram.http_client import BotApiRequest, NeverLeftError, NoAnswerError, TooLargeError
from telegram_bot.delivery.worker import SEND_SECONDS
from telegram_bot.sandbox_launcher import free_port
from telegram_bot.settings import Settings

TOKEN = "424242:a-token-that-nobody-may-read"
SENT = b'{"ok":true,"result":{"message_id":5,"date":1,"chat":{"id":1,"type":"private"}}}'

Answering = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


def http(body: bytes, status: str = "200 OK") -> bytes:
    return f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body


async def heard(reader: asyncio.StreamReader) -> tuple[bytes, bytes]:
    """One request: its head and its body."""
    head = await reader.readuntil(b"\r\n\r\n")
    length = re.search(rb"(?i)content-length: *(\d+)", head)
    return head, await reader.readexactly(int(length[1]) if length else 0)


def always(answer: bytes) -> Answering:
    """The behaviour of a server that gives the first call on each connection this answer, and hangs up."""

    async def answering(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await heard(reader)
        writer.write(answer)

    return answering


@asynccontextmanager
async def server(answering: Answering) -> AsyncIterator[str]:
    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await answering(reader, writer)
        except asyncio.IncompleteReadError:
            pass  # the client has gone
        finally:
            writer.close()

    listening = await asyncio.start_server(connected, "127.0.0.1", 0)
    async with listening:
        yield f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"


@asynccontextmanager
async def calling(address: str, *, to_connect: float = 60) -> AsyncIterator[Bot]:
    request = BotApiRequest(4, read_timeout=60, connect_timeout=to_connect)
    bot = Bot(TOKEN, base_url=f"{address}/bot", request=request)
    await request.initialize()
    try:
        yield bot
    finally:
        await request.shutdown()


async def failure(address: str, **seconds: float) -> NetworkError:
    """The error of a call, which never contains the token."""
    async with calling(address, **seconds) as bot:
        with pytest.raises(NetworkError) as caught:
            await bot.send_message(1, "your dice: 5 5")
    told = "".join(traceback.format_exception(caught.value))
    assert TOKEN not in told
    assert "5 5" not in told.replace('"your dice: 5 5"', "")
    return caught.value


async def test_an_answer_to_a_tap_waits_for_no_slow_message() -> None:
    answered = asyncio.Event()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head, _ = await heard(reader)
        is_send = b"sendMessage" in head
        if is_send:
            await answered.wait()
        writer.write(http(SENT if is_send else b'{"ok":true,"result":true}'))

    async with server(answer) as address:
        settings = Settings(token=SecretStr(TOKEN), api_base_url=f"{address}/bot")
        bot = make_bot(settings)
        await bot.request.initialize()
        most = int(settings.limits.per_bot_per_second * SEND_SECONDS)
        under_way = asyncio.gather(*(bot.send_message(1, "×") for _ in range(most)))
        await asyncio.sleep(0)
        async with asyncio.timeout(60):
            await bot.answer_callback_query("q1")
        assert not under_way.done()
        answered.set()
        await under_way
        await bot.request.shutdown()


async def test_a_call_to_nowhere_never_left() -> None:
    for address in ("http://nowhere.invalid", "http://[::1", "http://", f"http://127.0.0.1:{free_port()}"):
        assert isinstance(await failure(address), NeverLeftError), address


async def test_a_server_that_does_not_take_the_connection() -> None:
    with socket.socket() as full:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        place = full.getsockname()
        with socket.create_connection(place), socket.socket() as second:
            second.setblocking(False)
            second.connect_ex(place)
            assert isinstance(await failure(f"http://127.0.0.1:{place[1]}", to_connect=0.1), NeverLeftError)


@pytest.mark.parametrize(
    ("answered", "kind"),
    [
        (b"", NoAnswerError),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{", NoAnswerError),
        (b"no http at all\r\n\r\n", NoAnswerError),
        (http(b'{"ok":true,"result":{"text":"your dice: 5 5'), NoAnswerError),
        (http(b'{"ok":true}'), NoAnswerError),
        (http(b"[]"), NoAnswerError),
        (http(b"<html>5 5</html>"), NoAnswerError),
        (b"HTTP/1.1 302 Found\r\nLocation: http://nowhere.invalid/\r\nContent-Length: 0\r\n\r\n", NetworkError),
    ],
    ids=["hangs up", "breaks off", "no HTTP", "half a JSON", "no result", "a list", "a page", "a redirect"],
)
async def test_what_is_no_answer_tells_nothing_and_is_not_logged(
    answered: bytes, kind: type[NetworkError], caplog: pytest.LogCaptureFixture
) -> None:
    async with server(always(answered)) as address:
        assert type(await failure(address)) is kind
    assert not caplog.records


async def test_a_connection_serves_several_calls_and_no_call_is_made_twice() -> None:
    """The server closes the connection after it has received the last call."""
    heard_on: list[int] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for _ in range(2):
            await heard(reader)
            heard_on.append(id(writer))
            writer.write(http(SENT))
        await heard(reader)
        heard_on.append(id(writer))

    async with server(answer) as address, calling(address) as bot:
        for _ in range(2):
            assert (await bot.send_message(1, "×")).message_id == 5
        with pytest.raises(NoAnswerError):
            await bot.send_message(1, "three")
    assert len(heard_on) == 3
    assert len(set(heard_on)) == 1


@pytest.mark.parametrize(("name", "scheme"), [("HTTP_PROXY", "http://"), ("HTTP_PROXY", ""), ("ALL_PROXY", "http://")])
async def test_a_proxy_from_the_environment_is_used(monkeypatch: pytest.MonkeyPatch, name: str, scheme: str) -> None:
    asked = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head, _ = await heard(reader)
        asked.append(head.split(b" ")[1])
        writer.write(http(SENT))

    async with server(answer) as address:
        on_its_own(monkeypatch)
        monkeypatch.setenv(name, scheme + address.removeprefix("http://"))
        async with calling("http://telegram.invalid") as bot:
            assert (await bot.send_message(1, "through")).message_id == 5
    assert asked[0].startswith(b"http://telegram.invalid/bot")


async def test_a_proxy_that_leads_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    async with server(always(http(b"", "503 Service Unavailable"))) as address:
        on_its_own(monkeypatch)
        monkeypatch.setenv("HTTPS_PROXY", address)
        assert isinstance(await failure("https://telegram.invalid"), NeverLeftError)


def on_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Use only the test's proxy."""
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


# Downloads

FOUND = b'{"ok":true,"result":{"file_id":"F","file_unique_id":"U","file_size":5,"file_path":"voice/a b.oga"}}'


async def fetch(content: bytes, status: str = "200 OK") -> tuple[bytes, list[bytes]]:
    """The result of a file's download, and the requests for it."""
    asked: list[bytes] = []

    async def answering(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            head, _ = await heard(reader)
            asked.append(head.split(b" HTTP")[0])
            writer.write(http(FOUND) if head.startswith(b"POST") else http(content, status))

    async with server(answering) as address, calling(address) as bot:
        bot._base_file_url = f"{address}/file/bot{TOKEN}"
        return bytes(await (await bot.get_file("F")).download_as_bytearray()), asked


async def test_a_file_is_downloaded_from_the_servers_own_address() -> None:
    content, asked = await fetch(b"sound")
    assert content == b"sound"
    assert b" b.oga" not in asked[-1]
    assert unquote(asked[-1].decode()) == f"GET /file/bot{TOKEN}/voice/a b.oga"


async def test_a_download_that_fails_tells_nobody_the_token() -> None:
    with pytest.raises(TelegramError) as caught:
        await fetch(b"gone", status="404 Not Found")
    assert TOKEN not in "".join(traceback.format_exception(caught.value))


@pytest.mark.parametrize("announced", [b"Content-Length: 1000000000", b"Transfer-Encoding: chunked"])
async def test_of_a_file_that_is_larger_than_it_may_be_the_rest_is_not_read(announced: bytes) -> None:
    hung_up = asyncio.Event()

    async def endless(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\n" + announced + b"\r\n\r\n")
        with contextlib.suppress(ConnectionError):
            while True:
                writer.write(b"8000\r\n" + bytes(0x8000) + b"\r\n")
                await writer.drain()
        hung_up.set()

    async with server(endless) as address:
        request = BotApiRequest(1, largest_answer=100_000)
        await request.initialize()
        with pytest.raises(TooLargeError):
            await request.retrieve(f"{address}/file/bot{TOKEN}/voice")
        await asyncio.wait_for(hung_up.wait(), 60)
        await request.shutdown()


@pytest.mark.parametrize(
    ("status", "page"),
    [
        (401, f"<p>/bot{TOKEN}/sendMessage: your dice: 5 5</p>".encode()),
        (403, b'{"message": "5 5"}'),
        (404, b""),
        (429, b"[]"),
        (521, b"<p>5 5</p>"),
    ],
)
async def test_a_page_of_a_proxy_says_nothing_about_the_token_or_the_chat(status: int, page: bytes) -> None:
    async with server(always(http(page, f"{status} x"))) as address:
        told = await failure(address)
    assert (type(told), str(status) in told.message) == (NetworkError, True)
