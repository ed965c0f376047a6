"""Call the Bot API server with aiohttp.

python-telegram-bot's default is httpx, with which a call takes four times the CPU time, and a tapped bid about twice:
see benchmarks/README.md.
"""

import json
import os
import ssl
from functools import cache
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp
import httpx
from telegram import Bot
from telegram.error import EndPointNotFound, InvalidToken, NetworkError, TimedOut
from telegram.request import BaseRequest, RequestData

from telegram_bot.errors import OperatorError

IDLE_SECONDS: Final = 4.0
"""How long an idle connection is kept for the next call. Common servers keep one for 5 seconds or more; if the server
closed a connection in the middle of a call, nobody would know whether the server received the call."""

_JSON: Final = {"Content-Type": "application/json"}

_NEVER_LEFT: Final = (
    aiohttp.ClientConnectorError,
    aiohttp.ClientHttpProxyError,
    aiohttp.ConnectionTimeoutError,
    ValueError,  # no address
)


class NeverLeftError(NetworkError):
    """The server could not be reached, so it did not receive the call."""


class NoAnswerError(NetworkError):
    """The connection broke after the call was possibly sent."""


class TooLargeError(NetworkError):
    """The answer has more bytes than the pool reads; the rest of it was not read."""


class AiohttpRequest(BaseRequest):
    """One pool of connections.

    Its errors name neither the URL, which contains the token, nor the request, which may contain dice.
    """

    __slots__ = ("_connections", "_largest_answer", "_media_write_timeout", "_proxy", "_session", "_timeout")

    def __init__(
        self,
        connections: int,
        *,
        proxy: str | None = None,
        connect_timeout: float = 5.0,
        read_timeout: float = 5.0,
        media_write_timeout: float = 20.0,
        largest_answer: int | None = None,
    ) -> None:
        """All times are in seconds; the time to connect includes the wait for a free connection.

        `largest_answer`: of how many bytes an answer or a file may be; None: any number.
        """
        self._connections = connections
        self._largest_answer = largest_answer
        self._proxy = proxy
        self._timeout = aiohttp.ClientTimeout(total=None, connect=connect_timeout, sock_read=read_timeout)
        self._media_write_timeout = media_write_timeout
        self._session: aiohttp.ClientSession | None = None

    @property
    def read_timeout(self) -> float | None:
        """How long to wait for an answer, in seconds."""
        return self._timeout.sock_read

    async def initialize(self) -> None:
        """Open the pool."""
        if self._session is None:
            connector = aiohttp.TCPConnector(
                limit=self._connections, keepalive_timeout=IDLE_SECONDS, ssl=_certificates()
            )
            self._session = aiohttp.ClientSession(
                connector=connector,
                cookie_jar=aiohttp.DummyCookieJar(),
                headers={"User-Agent": self.USER_AGENT},
                proxy=self._proxy,
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
            TooLargeError: the answer is larger than this pool's answers may be.
        """
        if self._session is None:
            raise RuntimeError("initialize the request first")
        reading = _seconds(read_timeout, self._timeout.sock_read)
        data: aiohttp.FormData | bytes | None = None
        headers = None
        if request_data is not None and request_data.contains_files:
            data = aiohttp.FormData(request_data.json_parameters)
            for name, (filename, content, kind) in request_data.multipart_data.items():
                data.add_field(name, content, filename=filename, content_type=kind)
            reading += _seconds(write_timeout, self._media_write_timeout)
        elif request_data is not None:  # JSON costs less than a form, in which the JSON of a keyboard is quoted
            data, headers = json.dumps(request_data.parameters).encode(), _JSON
        timeout = aiohttp.ClientTimeout(
            total=None, connect=_seconds(connect_timeout, self._timeout.connect), sock_read=reading
        )
        try:
            async with self._session.request(
                method, url, data=data, headers=headers, allow_redirects=False, timeout=timeout
            ) as answer:
                body = await self._body(answer)
        except _NEVER_LEFT as error:
            raise NeverLeftError(_cause(error)) from None
        except TimeoutError:
            raise TimedOut from None
        except (aiohttp.ClientError, OSError) as error:
            raise NoAnswerError(_cause(error)) from None
        # Without a result the library would fail. A download has none.
        if data is not None and answer.status < HTTPStatus.MULTIPLE_CHOICES and b'"result"' not in body:
            raise NoAnswerError("no result")
        return answer.status, body

    async def _body(self, answer: aiohttp.ClientResponse) -> bytes:
        if self._largest_answer is None:
            return await answer.read()
        body = bytearray()
        async for chunk in answer.content.iter_any():
            body += chunk
            if len(body) > self._largest_answer:
                raise TooLargeError("too large an answer")
        return bytes(body)


@cache
def _certificates() -> ssl.SSLContext:
    """Httpx's certificates: certifi's, or the operator's (SSL_CERT_FILE), even if the system has none."""
    return httpx.create_ssl_context()


async def call(bot: Bot, method: str, parameters: dict[str, object], *, read_timeout: float | None = None) -> Any:
    """Call a method of the Bot API and return its result as JSON; parameters that are None are left out.

    The methods of `Bot` make an object of each button and of each answer, which takes longer than the call itself.
    A parameter that is an `InputFile` is uploaded; others name it as `attach://` and its parameter's name.
    """
    patience = BaseRequest.DEFAULT_NONE if read_timeout is None else read_timeout
    try:
        return await bot.do_api_request(method, api_kwargs=parameters, read_timeout=patience)
    except EndPointNotFound as error:  # Telegram answers so to an unknown token as well
        raise InvalidToken(error.message) from None


def server_of(bot: Bot) -> str:
    """The address of the Bot API server, without the token that its URLs contain."""
    parts = urlsplit(bot.base_url)
    named = parts.hostname or "?"
    return f"{named}:{parts.port}" if parts.port else named


def proxy_for(url: str) -> str | None:
    """The proxy that the environment names for this address. aiohttp itself would ignore ALL_PROXY.

    Raises:
        OperatorError: the proxy is of a kind that aiohttp cannot use.
    """
    parts = urlsplit(url)
    named = getproxies()
    proxy = named.get(parts.scheme) or named.get("all")
    if not proxy or proxy_bypass(parts.hostname or ""):
        return None
    if "://" not in proxy:
        return f"http://{proxy}"
    kind = urlsplit(proxy).scheme
    if kind not in {"http", "https"}:
        raise OperatorError(f"Telegram cannot be reached through a {kind} proxy: HTTPS_PROXY must be http://host:port")
    return proxy


def _cause(error: Exception) -> str:
    """Why there is no connection, in the system's words; they name neither the URL nor the request."""
    if isinstance(error, aiohttp.ClientConnectorCertificateError):
        return f"{type(error).__name__}: {getattr(error.certificate_error, 'verify_message', '?')}"
    system = error.os_error if isinstance(error, aiohttp.ClientConnectorError) else error
    if isinstance(system, OSError) and system.errno is not None:
        return os.strerror(system.errno) if system.errno > 0 else system.strerror or type(system).__name__
    return type(error).__name__


def _seconds(asked: Any, usual: float | None) -> Any:
    """The time that a caller of python-telegram-bot asked for; the library passes a special value for the default."""
    return usual if asked is BaseRequest.DEFAULT_NONE else asked
