"""The HTTP client for the Bot API: python-telegram-bot's own, extended to report whether a failed call was sent."""

import json
import os
import ssl
from collections.abc import AsyncIterator
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import urlsplit

import httpx
from pydantic import ValidationError
from pydantic_core import to_json
from telegram import Bot
from telegram.error import NetworkError, TimedOut
from telegram.request import HTTPXRequest, RequestData

from telegram_bot.channels.telegram.answers import model_of, refusal
from telegram_bot.channels.telegram.received import unreadable_part
from telegram_bot.internet import by_proxy, certificates, drop_unreadable_exceptions

IDLE_SECONDS: Final = 4.0
"""How long an idle connection is kept for the next call. Common servers keep one for 5 seconds or more. If the server
closed a connection in the middle of a call, it would be unknown whether the server received the call."""
MOST_IDLE: Final = 8
"""The maximum number of idle connections: httpx checks each of them before each call."""
NEVER_LEFT: Final = (
    httpx.ConnectError,
    httpx.ConnectTimeout,
    httpx.PoolTimeout,
    httpx.ProxyError,
    httpx.UnsupportedProtocol,
)
"""Errors before the first byte of a request: no connection, or no address."""


class NeverLeftError(NetworkError):
    """The server could not be reached, so it did not receive the call."""


class NoAnswerError(NetworkError):
    """The connection broke after the call may have been sent."""


class TooLargeError(NetworkError):
    """The answer exceeds the size limit; the rest of it was not read."""


class BotApiRequest(HTTPXRequest):
    """One pool of connections.

    Its errors name neither the URL, which contains the token, nor the request, which may contain dice.
    """

    def __init__(
        self,
        connections: int,
        *,
        connect_timeout: float = 5.0,
        read_timeout: float = 5.0,
        largest_answer: int | None = None,
    ) -> None:
        """All times are in seconds.

        `largest_answer`: the size limit of an answer or a file in bytes, or None for no limit.
        """

        async def limit(response: httpx.Response) -> None:
            if largest_answer is not None:
                response.stream = _Limited(response.stream, largest_answer)

        drop_unreadable_exceptions()
        super().__init__(
            connect_timeout=connect_timeout,
            pool_timeout=connect_timeout,
            read_timeout=read_timeout,
            httpx_kwargs={
                "verify": certificates(),
                "limits": httpx.Limits(
                    max_connections=connections, max_keepalive_connections=MOST_IDLE, keepalive_expiry=IDLE_SECONDS
                ),
                "event_hooks": {"response": [limit]},
            },
        )

    @staticmethod
    def parse_json_payload(payload: bytes) -> dict[str, Any]:
        """Return the answer's JSON. The library's own method would log a truncated answer, and dice with it.

        Raises:
            NoAnswerError: this is no answer of a Bot API server, which may have received the call nevertheless.
        """
        said = _json_object(payload)
        if said is None:
            raise NoAnswerError("no JSON object")
        return said if "result" in said and said.get("ok", True) is True else refusal(said)

    async def do_request(
        self, url: str, method: str, request_data: RequestData | None = None, *args: Any, **kwargs: Any
    ) -> tuple[int, bytes]:
        """Make a call without repeating it.

        Returns:
            The status and the body of the answer.

        Raises:
            NetworkError: a page of a proxy or a provider came in place of an answer.
            NeverLeftError: the server was not reached.
            NoAnswerError: the connection broke, or the answer cannot be read.
            TimedOut: no answer in time.
            TooLargeError: the answer exceeds the size limit.
        """
        try:
            status, body = await super().do_request(url, method, request_data, *args, **kwargs)
        except httpx.InvalidURL:
            raise NeverLeftError("no address") from None
        except NetworkError as error:
            cause = error.__cause__
            if isinstance(error, TooLargeError):
                raise
            if isinstance(cause, NEVER_LEFT):
                raise NeverLeftError(_reason(cause)) from None
            if isinstance(error, TimedOut):
                raise TimedOut from None
            raise NoAnswerError(type(cause).__name__) from None
        if status >= HTTPStatus.MULTIPLE_CHOICES and "ok" not in (_json_object(body) or {}):
            # The library would judge the token and the chat by the status, and quote the page, which may name the URL.
            raise NetworkError(f"a page with the status {status} in place of an answer")
        # Without a readable result the library would fail. A download has no result.
        if request_data is not None and status < HTTPStatus.MULTIPLE_CHOICES:
            body = self._as_read(url.rpartition("/")[2], body)
        return status, body

    def _as_read(self, method: str, body: bytes) -> bytes:
        """Return an answer with the parts of its result that the bot reads."""
        said, model = self.parse_json_payload(body), model_of(method)
        if "result" not in said:
            raise NoAnswerError("no result")
        if model is None:
            return body
        try:
            result = model.validate_python(said["result"])
        except ValidationError as error:
            raise NoAnswerError(f"unreadable: {unreadable_part(error)}") from None
        return to_json({"ok": True, "result": model.dump_python(result, by_alias=True, exclude_none=True)})


def _json_object(payload: bytes) -> dict[str, Any] | None:
    """Return the JSON object in an answer, or None if it contains none."""
    try:
        said = json.loads(payload.decode(errors="replace"))
    except (ValueError, RecursionError):
        return None
    return said if isinstance(said, dict) else None


class _Limited(httpx.AsyncByteStream):
    """The body of an answer up to a size."""

    def __init__(self, stream: Any, most: int) -> None:
        self._stream = stream
        self._most = most

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for chunk in self._stream:
            size += len(chunk)
            if size > self._most:
                raise TooLargeError("too large an answer")
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()


def _reason(error: BaseException) -> str:
    """Return why there is no connection, in the operating system's words, without the URL or the request."""
    while deeper := getattr(error, "exceptions", (error.__cause__ or error.__context__,))[0]:
        error = deeper
    if isinstance(error, ssl.SSLCertVerificationError):
        return error.verify_message
    if isinstance(error, OSError) and error.errno is not None:
        return os.strerror(error.errno) if error.errno > 0 else error.strerror or type(error).__name__
    return type(error).__name__


def server_of(bot: Bot) -> str:
    """Return the address of the Bot API server and the proxy before it, without the token that its URLs contain."""
    parts = urlsplit(bot.base_url)
    named = parts.hostname or "?"
    return f"{named}:{parts.port}{by_proxy(bot.base_url)}" if parts.port else f"{named}{by_proxy(bot.base_url)}"
