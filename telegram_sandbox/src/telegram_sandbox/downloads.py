"""Gets the files that a bot names by their address, in place of Telegram's servers."""

import asyncio
import posixpath
import ssl
from typing import Any
from urllib.parse import urlsplit

import httpx

from telegram_sandbox.errors import ApiError, bad_request
from telegram_sandbox.http_parameters import UploadedFile
from telegram_sandbox.request_guard import is_loopback

ANSWER_SECONDS = 10.0
LARGEST_PHOTO = 5 * 1024 * 1024
LARGEST_FILE = 20 * 1024 * 1024
DOCUMENT_TYPES = ("application/pdf", "application/zip", "image/gif")


def is_address(value: Any) -> bool:
    """Return whether a file is named by its address."""
    return isinstance(value, str) and value.startswith(("http://", "https://"))


async def download(url: str, kind: str, *, anywhere: bool) -> UploadedFile:
    """Get a file to send it as this kind: of this machine, unless it may come from anywhere.

    Raises:
        ApiError: 400, it cannot be had, is too large, or has the wrong type.
    """
    try:
        parts = urlsplit(url)
        if not anywhere and not is_loopback(parts.hostname or ""):
            raise _failed("telegram-sandbox gets files of this machine only")
        address = httpx.URL(url, port=parts.port)  # this port is one, or a ValueError
        async with (
            asyncio.timeout(ANSWER_SECONDS),
            httpx.AsyncClient(verify=ssl.create_default_context(), timeout=ANSWER_SECONDS, trust_env=False) as client,
            client.stream("GET", address, follow_redirects=anywhere) as answer,
        ):
            if answer.is_error:
                raise _failed(f"HTTP {answer.status_code}")
            _check_type(kind, answer.headers.get("Content-Type", "").partition(";")[0].strip().lower())
            content = await _read(answer, LARGEST_PHOTO if kind == "photo" else LARGEST_FILE)
    except (httpx.HTTPError, httpx.InvalidURL, TimeoutError, ValueError) as error:
        raise _failed(str(error) or "no answer") from error
    return UploadedFile(content, posixpath.basename(parts.path) or kind, is_downloaded=True)


async def _read(answer: httpx.Response, most: int) -> bytes:
    content = bytearray()
    async for part in answer.aiter_bytes():
        content += part
        if len(content) > most:
            raise _failed(f"more than {most} bytes")
    return bytes(content)


def _check_type(kind: str, mime_type: str) -> None:
    is_right = {"photo": mime_type.startswith("image/"), "document": mime_type in DOCUMENT_TYPES}
    if not is_right.get(kind, True):
        raise bad_request("wrong type of the web page content")


def _failed(why: str) -> ApiError:
    return bad_request(f"failed to get HTTP URL content ({why})")
