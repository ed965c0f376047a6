"""A call to a Bot API server that answers, breaks off, stays silent or is absent."""

import asyncio
import contextlib
import socket
import traceback
from collections.abc import AsyncIterator
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
from tests.telegram_bot.channels.telegram.scripted_bot_api import ScriptedBotApi

TOKEN = "424242:a-token-that-nobody-may-read"


def http(body: bytes, status: str = "200 OK") -> bytes:
    return f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body


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


def url(telegram: ScriptedBotApi) -> str:
    return f"http://127.0.0.1:{telegram.port}"


async def test_an_answer_to_a_tap_waits_for_no_slow_message(telegram: ScriptedBotApi) -> None:
    telegram.holds = "sendMessage"
    settings = Settings(token=SecretStr(TOKEN), api_base_url=f"{url(telegram)}/bot")
    bot = make_bot(settings)
    await bot.request.initialize()
    most = int(settings.limits.per_bot_per_second * SEND_SECONDS)
    under_way = asyncio.gather(*(bot.send_message(1, "×") for _ in range(most)), return_exceptions=True)
    await asyncio.sleep(0)
    async with asyncio.timeout(60):
        await bot.answer_callback_query("q1")
    assert not under_way.done()
    telegram.closing.set()
    await under_way
    assert telegram.held == most
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
    ("answered", "kind", "says"),
    [
        (b"", NoAnswerError, ""),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{", NoAnswerError, ""),
        (b"no http at all\r\n\r\n", NoAnswerError, ""),
        (http(b'{"ok":true,"result":{"text":"your dice: 5 5'), NoAnswerError, ""),
        (http(b'{"ok":true}'), NoAnswerError, ""),
        (http(b"[]"), NoAnswerError, ""),
        (http(b"<html>5 5</html>"), NoAnswerError, ""),
        (b"HTTP/1.1 302 Found\r\nLocation: http://nowhere.invalid/\r\nContent-Length: 0\r\n\r\n", NetworkError, ""),
        (http(f"<p>/bot{TOKEN}/sendMessage: your dice: 5 5</p>".encode(), "401 x"), NetworkError, "401"),
        (http(b'{"message": "5 5"}', "403 x"), NetworkError, "403"),
        (http(b"", "404 x"), NetworkError, "404"),
        (http(b"[]", "429 x"), NetworkError, "429"),
        (http(b"<p>5 5</p>", "521 x"), NetworkError, "521"),
    ],
    ids=[
        *("hangs up", "breaks off", "no HTTP", "half a JSON", "no result", "a list", "a page", "a redirect"),
        *(f"a proxy's {status}" for status in (401, 403, 404, 429, 521)),
    ],
)
async def test_what_is_no_answer_tells_nothing_and_is_not_logged(
    telegram: ScriptedBotApi, answered: bytes, kind: type[NetworkError], says: str, caplog: pytest.LogCaptureFixture
) -> None:
    telegram.answers.append(answered)
    told = await failure(url(telegram))
    assert type(told) is kind
    assert says in told.message
    assert not caplog.records


async def test_a_connection_serves_several_calls_and_no_call_is_made_twice(telegram: ScriptedBotApi) -> None:
    """The server closes the connection after it has received the last call."""
    async with calling(url(telegram)) as bot:
        for _ in range(2):
            assert (await bot.send_message(1, "×")).message_id == 77
        telegram.answers.append(b"")
        with pytest.raises(NoAnswerError):
            await bot.send_message(1, "three")
    assert (len(telegram.calls), len(telegram.connections)) == (3, 1)


@pytest.mark.parametrize(("name", "scheme"), [("HTTP_PROXY", "http://"), ("HTTP_PROXY", ""), ("ALL_PROXY", "http://")])
async def test_a_proxy_of_the_environment(
    telegram: ScriptedBotApi, monkeypatch: pytest.MonkeyPatch, name: str, scheme: str
) -> None:
    on_its_own(monkeypatch)
    monkeypatch.setenv(name, scheme + url(telegram).removeprefix("http://"))
    async with calling("http://telegram.invalid") as bot:
        assert (await bot.send_message(1, "through")).message_id == 77
    assert telegram.asked[0].startswith("POST http://telegram.invalid/bot")


async def test_a_proxy_that_leads_nowhere(telegram: ScriptedBotApi, monkeypatch: pytest.MonkeyPatch) -> None:
    telegram.answers.append(http(b"", "503 Service Unavailable"))
    on_its_own(monkeypatch)
    monkeypatch.setenv("HTTPS_PROXY", url(telegram))
    assert isinstance(await failure("https://telegram.invalid"), NeverLeftError)


def on_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


FOUND = {"file_id": "F", "file_unique_id": "U", "file_size": 5, "file_path": "voice/a b.oga"}


async def fetch(telegram: ScriptedBotApi, content: str, status: int = 200) -> bytes:
    telegram.grant(FOUND)
    telegram.answers.append((status, content))
    async with calling(url(telegram)) as bot:
        bot._base_file_url = f"{url(telegram)}/file/bot{TOKEN}"
        return bytes(await (await bot.get_file("F")).download_as_bytearray())


async def test_a_file_comes_from_the_servers_own_address_and_no_error_tells_the_token(telegram: ScriptedBotApi) -> None:
    assert await fetch(telegram, "sound") == b"sound"
    assert " b.oga" not in telegram.asked[-1]
    assert unquote(telegram.asked[-1]) == f"GET /file/bot{TOKEN}/voice/a b.oga"
    with pytest.raises(TelegramError) as caught:
        await fetch(telegram, "gone", status=404)
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
        writer.close()
        hung_up.set()

    async with await asyncio.start_server(endless, "127.0.0.1", 0) as server:
        request = BotApiRequest(1, largest_answer=100_000)
        await request.initialize()
        with pytest.raises(TooLargeError):
            await request.retrieve(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/file/bot{TOKEN}/voice")
        await asyncio.wait_for(hung_up.wait(), 60)
        await request.shutdown()
