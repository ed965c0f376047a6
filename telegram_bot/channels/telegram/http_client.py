"""Call the Bot API server with aiohttp.

python-telegram-bot's default is httpx, with which the calls took the largest part of a bid's CPU time: see
benchmarks/README.md.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from functools import cache
from http import HTTPStatus
from types import MappingProxyType
from typing import Any, Final
from urllib.parse import quote, urlsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp
import httpx
from telegram import Bot, InputFile
from telegram.error import NetworkError, TimedOut
from telegram.request import BaseRequest, RequestData
from telegram.request._requestparameter import RequestParameter

from telegram_bot.errors import StartError

IDLE_SECONDS: Final = 4.0
"""How long an idle connection is kept for the next call. Common servers keep one for 5 seconds or more; if the server
closed a connection in the middle of a call, nobody would know whether the server received the call."""

_NEVER_LEFT: Final = (
    aiohttp.ClientConnectorError,
    aiohttp.ClientHttpProxyError,
    aiohttp.ConnectionTimeoutError,
    ValueError,  # no address
)


_URL_ENCODED: Final = {"Content-Type": "application/x-www-form-urlencoded"}


class NeverLeftError(NetworkError):
    """The server could not be reached, so it did not receive the call."""


class NoAnswerError(NetworkError):
    """The connection broke after the call was possibly sent."""


class AiohttpRequest(BaseRequest):
    """One pool of connections.

    Its errors name neither the URL, which contains the token, nor the request, which may contain dice.
    """

    __slots__ = ("_connect_timeout", "_connections", "_media_write_timeout", "_read_timeout", "_session")

    def __init__(
        self,
        connections: int,
        *,
        connect_timeout: float = 5.0,
        read_timeout: float = 5.0,
        media_write_timeout: float = 20.0,
    ) -> None:
        """All times are in seconds; the time to connect includes the wait for a free connection."""
        self._connections = connections
        self._connect_timeout = connect_timeout
        self._read_timeout = read_timeout
        self._media_write_timeout = media_write_timeout
        self._session: aiohttp.ClientSession | None = None

    @property
    def read_timeout(self) -> float:
        """How long to wait for an answer, in seconds."""
        return self._read_timeout

    async def initialize(self) -> None:
        """Open the pool."""
        if self._session is None:
            # httpx's certificates: certifi's, or the operator's (SSL_CERT_FILE), even if the system has none.
            connector = aiohttp.TCPConnector(
                limit=self._connections, keepalive_timeout=IDLE_SECONDS, ssl=httpx.create_ssl_context()
            )
            self._session = aiohttp.ClientSession(
                connector=connector,
                cookie_jar=aiohttp.DummyCookieJar(),
                headers={"User-Agent": self.USER_AGENT},
            )

    async def shutdown(self) -> None:
        """Let go of the connections."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    @staticmethod
    def parse_json_payload(payload: bytes) -> dict[str, Any]:
        """The answer's JSON. The library's own method would log an answer that was cut off, and dice with it.

        Raises:
            NoAnswerError: this is no answer of a Bot API server, which may have received the call nevertheless.
        """
        try:
            said = json.loads(payload.decode(errors="replace"))
        except ValueError:
            said = None
        if not isinstance(said, dict):
            raise NoAnswerError("no JSON object")
        return said

    async def do_request(  # noqa: PLR0917 - the library's signature
        self,
        url: str,
        method: str,
        request_data: RequestData | None = None,
        read_timeout: Any = BaseRequest.DEFAULT_NONE,
        write_timeout: Any = BaseRequest.DEFAULT_NONE,
        connect_timeout: Any = BaseRequest.DEFAULT_NONE,
        pool_timeout: Any = BaseRequest.DEFAULT_NONE,  # noqa: ARG002 - within connect_timeout
    ) -> tuple[int, bytes]:
        """Make a call without repeating it.

        Returns:
            The status and the body of the answer.

        Raises:
            NeverLeftError: the server was not reached.
            NoAnswerError: the connection broke.
            TimedOut: no answer came in time.
        """
        if self._session is None:
            raise RuntimeError("initialize the request first")
        reading = _seconds(read_timeout, self._read_timeout)
        data: aiohttp.FormData | bytes | None = None
        headers = None
        if request_data is not None and request_data.contains_files:
            data = _form(request_data)
            reading += _seconds(write_timeout, self._media_write_timeout)
        elif request_data is not None:
            data = request_data.url_encoded_parameters().encode()
            headers = _URL_ENCODED
        try:
            async with self._session.request(
                method,
                url,
                data=data,
                headers=headers,
                proxy=_proxy_for(url),
                allow_redirects=False,
                timeout=aiohttp.ClientTimeout(
                    total=None, connect=_seconds(connect_timeout, self._connect_timeout), sock_read=reading
                ),
            ) as answer:
                body = await answer.read()
        except _NEVER_LEFT as error:
            raise NeverLeftError(_cause(error)) from None
        except TimeoutError:
            raise TimedOut from None
        except (aiohttp.ClientError, OSError) as error:
            raise NoAnswerError(_cause(error)) from None
        # Without these defaults the library would fail.
        if answer.status < HTTPStatus.MULTIPLE_CHOICES and b'"result"' not in body:
            raise NoAnswerError("no result")
        return answer.status, body

    async def download(self, url: str, most: int) -> bytes:
        """The bytes at an address; see `download` below for the errors."""
        if self._session is None:
            raise RuntimeError("initialize the request first")
        patience = aiohttp.ClientTimeout(total=None, connect=self._connect_timeout, sock_read=self._read_timeout)
        try:
            async with self._session.get(url, proxy=_proxy_for(url), allow_redirects=False, timeout=patience) as answer:
                if answer.status != HTTPStatus.OK:
                    raise NoAnswerError(f"status {answer.status}")
                body = await answer.content.read(most + 1)
                while len(body) <= most and (more := await answer.content.read(most + 1 - len(body))):
                    body += more
        except TimeoutError:
            raise TimedOut from None
        except (aiohttp.ClientError, OSError, ValueError) as error:
            raise NoAnswerError(type(error).__name__) from None
        if len(body) > most:
            raise TooLargeError
        return body


class TooLargeError(Exception):
    """A file has more bytes than were asked for."""


async def download(bot: Bot, file_id: str, most: int) -> bytes:
    """The bytes of a file that somebody has sent.

    Raises:
        TooLargeError: they are more than `most`.
        TelegramError: the server does not give it. Neither names the address, which contains the token.
    """
    found = await call(bot, "getFile", {"file_id": file_id})
    size, path = found.get("file_size") or 0, found.get("file_path")
    if size > most:
        raise TooLargeError
    if not isinstance(path, str):
        raise NoAnswerError("no file_path")
    request = bot.request
    assert isinstance(request, AiohttpRequest)  # noqa: S101 - `make_bot`
    return await request.download(f"{bot.base_file_url}/{quote(path)}", most)


async def call(
    bot: Bot,
    method: str,
    parameters: dict[str, object],
    *,
    files: Mapping[str, InputFile] = MappingProxyType({}),
    read_timeout: float | None = None,
) -> Any:
    """Call a method of the Bot API and return its result as JSON; parameters that are None are left out.

    A parameter names one of the `files` as `attach://name`.

    The methods of `Bot` make an object of each button and of each answer, which takes longer than the call itself.
    """
    given = [RequestParameter(name, value, None) for name, value in parameters.items() if value is not None]
    given += [RequestParameter(name, None, [file]) for name, file in files.items()]
    patience = BaseRequest.DEFAULT_NONE if read_timeout is None else read_timeout
    return await bot.request.post(f"{bot.base_url}/{method}", RequestData(given), read_timeout=patience)


def server_of(bot: Bot) -> str:
    """The address of the Bot API server, without the token that its URLs contain."""
    parts = urlsplit(bot.base_url)
    named = parts.hostname or "?"
    return f"{named}:{parts.port}" if parts.port else named


def _cause(error: Exception) -> str:
    """Why there is no connection, in the system's words; they name neither the URL nor the request."""
    if isinstance(error, aiohttp.ClientConnectorCertificateError):
        return f"{type(error).__name__}: {getattr(error.certificate_error, 'verify_message', '?')}"
    system = error.os_error if isinstance(error, aiohttp.ClientConnectorError) else error
    if isinstance(system, OSError) and system.errno is not None:
        return os.strerror(system.errno) if system.errno > 0 else system.strerror or type(system).__name__
    return type(error).__name__


def _seconds(asked: Any, usual: float) -> float:
    """The time that a caller of python-telegram-bot asked for; the library passes a special value for the default."""
    return usual if asked is BaseRequest.DEFAULT_NONE else float(asked)


def check_proxy(url: str) -> None:
    """Check that calls can use the proxy that the environment names for this address.

    Raises:
        StartError: the proxy is of a kind that aiohttp cannot use.
    """
    kind = urlsplit(_proxy_for(url) or "http:").scheme
    if kind not in {"http", "https"}:
        raise StartError(f"Telegram cannot be reached through a {kind} proxy: HTTPS_PROXY must be http://host:port")


def _proxy_for(url: str) -> str | None:
    parts = urlsplit(url)
    return _proxy(parts.scheme, parts.hostname)


@cache
def _proxy(scheme: str, host: str | None) -> str | None:
    """The proxy that the environment names for this host. aiohttp would look at every call, and ignores ALL_PROXY."""
    if host is None or proxy_bypass(host):
        return None
    named = getproxies()
    proxy = named.get(scheme) or named.get("all")
    return f"http://{proxy}" if proxy and "://" not in proxy else proxy


def _form(data: RequestData) -> aiohttp.FormData:
    form = aiohttp.FormData(data.json_parameters)
    for name, (filename, content, kind) in data.multipart_data.items():
        form.add_field(name, content, filename=filename, content_type=kind)
    return form
