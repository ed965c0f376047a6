"""Gets the files that a bot names by their address, in place of Telegram's servers."""

import posixpath
from typing import Any
from urllib.parse import urlsplit

import aiohttp

from telegram_sandbox.errors import ApiError, bad_request
from telegram_sandbox.http_parameters import UploadedFile
from telegram_sandbox.request_guard import is_loopback

ANSWER_TIMEOUT = aiohttp.ClientTimeout(total=10)
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
    if not anywhere and not is_loopback(urlsplit(url).hostname or ""):
        raise _failed("telegram-sandbox gets files of this machine only")
    try:
        async with (
            aiohttp.ClientSession(timeout=ANSWER_TIMEOUT) as session,
            session.get(url, allow_redirects=anywhere) as answer,
        ):
            if not answer.ok:
                raise _failed(f"HTTP {answer.status}")
            _check_type(kind, answer.content_type)
            content = await _read(answer, LARGEST_PHOTO if kind == "photo" else LARGEST_FILE)
    except (aiohttp.ClientError, TimeoutError) as error:
        raise _failed(str(error) or "no answer") from error
    return UploadedFile(content, posixpath.basename(urlsplit(url).path) or kind, is_downloaded=True)


async def _read(answer: aiohttp.ClientResponse, most: int) -> bytes:
    content = bytearray()
    async for part in answer.content.iter_any():
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
