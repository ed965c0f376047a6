"""Calls to the Bot API server over aiohttp.

python-telegram-bot's own way is httpx, which made calls the largest part of what a bid cost: see benchmarks/README.md.
"""

from __future__ import annotations

import json
from functools import cache
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp
import httpx
from telegram.error import NetworkError, TimedOut
from telegram.request import BaseRequest, RequestData

from telegram_bot.errors import StartError

IDLE_SECONDS: Final = 4.0
"""How long a connection is kept for the next call. Less than what common servers keep one for, which is 5 seconds and
more: a call on a connection that the other side closes at that moment may have been heard or not."""

_NEVER_LEFT: Final = (
    aiohttp.ClientConnectorError,
    aiohttp.ClientHttpProxyError,
    aiohttp.ConnectionTimeoutError,
    ValueError,  # no address
)


class NeverLeftError(NetworkError):
    """The server could not be reached, so that it knows nothing of the call."""


class NoAnswerError(NetworkError):
    """The connection broke after the call may have been sent."""


class AiohttpRequest(BaseRequest):
    """One pool of connections.

    Its errors name neither the address nor what was sent: the one holds the token, the other perhaps dice.
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
        """All in seconds; to connect includes the wait for a free connection."""
        self._connections = connections
        self._connect_timeout = connect_timeout
        self._read_timeout = read_timeout
        self._media_write_timeout = media_write_timeout
        self._session: aiohttp.ClientSession | None = None

    @property
    def read_timeout(self) -> float:
        """How long an answer is waited for, in seconds."""
        return self._read_timeout

    async def initialize(self) -> None:
        """Get ready for calls."""
        if self._session is None:
            # httpx's trust: certifi's authorities, or the operator's by SSL_CERT_FILE, also where the system has none.
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
        """What an answer says; the library's way would put one that was cut off, and dice with it, into the log.

        Raises:
            NoAnswerError: it is no answer of a Bot API server, which may have heard the call nevertheless.
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
        """Make a call, once.

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
        data: aiohttp.FormData | dict[str, str] | None = None
        if request_data is not None:
            data = request_data.json_parameters
            if request_data.contains_files:
                data = _form(request_data)
                reading += _seconds(write_timeout, self._media_write_timeout)
        try:
            async with self._session.request(
                method,
                url,
                data=data,
                proxy=_proxy_for(url),
                allow_redirects=False,
                timeout=aiohttp.ClientTimeout(
                    total=None, connect=_seconds(connect_timeout, self._connect_timeout), sock_read=reading
                ),
            ) as answer:
                body = await answer.read()
        except _NEVER_LEFT as error:
            raise NeverLeftError(type(error).__name__) from None
        except TimeoutError:
            raise TimedOut from None
        except (aiohttp.ClientError, OSError) as error:
            raise NoAnswerError(type(error).__name__) from None
        # The library would fail over what is missing.
        if answer.status < HTTPStatus.MULTIPLE_CHOICES and b'"result"' not in body:
            raise NoAnswerError("no result")
        return answer.status, body


def _seconds(asked: Any, usual: float) -> float:
    """What a caller of python-telegram-bot asked for; it passes a mark of its own where nothing was said."""
    return usual if asked is BaseRequest.DEFAULT_NONE else float(asked)


def check_proxy(url: str) -> None:
    """See whether calls can go through the proxy that the environment names for this address.

    Raises:
        StartError: it is of another kind.
    """
    kind = urlsplit(_proxy_for(url) or "http:").scheme
    if kind not in {"http", "https"}:
        raise StartError(f"Telegram cannot be reached through a {kind} proxy: HTTPS_PROXY must be http://host:port")


def _proxy_for(url: str) -> str | None:
    parts = urlsplit(url)
    return _proxy(parts.scheme, parts.hostname)


@cache
def _proxy(scheme: str, host: str | None) -> str | None:
    """What the environment names for this host. aiohttp would go and look at every call, and not for ALL_PROXY."""
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
