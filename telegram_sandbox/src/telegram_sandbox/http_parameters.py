"""Reads the parameters of an HTTP request from its query string, form, multipart form or JSON."""

import contextlib
import json
import re
import zlib
from dataclasses import dataclass
from typing import Any

from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartException
from starlette.requests import ClientDisconnect, Request
from starlette.types import Message

from telegram_sandbox.errors import TOO_LARGE, ApiError, bad_request
from telegram_sandbox.model import Json

ATTACHED = "attach://"
LONGEST_LOGGED = 5000
DEEPEST_LOGGED = 30
LARGEST_LOGGED = 2**63
_NAME = re.compile(r'\s*("(?:[^"\\]|\\.)*")\s*:\s*', re.DOTALL)
_COMMA = re.compile(r"\s*,")
_DECODER = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class UploadedFile:
    """A file in a request."""

    data: bytes
    filename: str
    is_downloaded: bool = False
    """Whether the sandbox itself got it from the address in a request."""


async def read_body(request: Request, limit: int) -> bytes:
    """Return the whole body, decompressed.

    Raises:
        ApiError: 413 when it is larger than `limit`, 400 when it cannot be decompressed.
    """
    pieces: list[bytes] = []
    size = 0
    try:
        async for piece in request.stream():
            size += len(piece)
            if size > limit:
                raise ApiError(TOO_LARGE, "Request Entity Too Large")
            pieces.append(piece)
    except ClientDisconnect:
        raise bad_request("the request ended early") from None
    body = b"".join(pieces)
    if request.headers.get("content-encoding", "").lower() not in {"gzip", "deflate"}:
        return body
    try:
        body = zlib.decompressobj(zlib.MAX_WBITS | 32).decompress(body, limit + 1)  # 32: gzip or zlib
    except zlib.error:
        raise bad_request("the body cannot be decompressed") from None
    if len(body) > limit:
        raise ApiError(TOO_LARGE, "Request Entity Too Large")
    return body


async def read_params(request: Request, limit: int) -> Json:
    """Return every parameter of a Bot API call; uploaded files are `UploadedFile`.

    The first of two with one name counts, and the address before the body.

    Raises:
        ApiError: 400 for a body that cannot be read, 413 for one that is too large.
    """
    params: dict[str, Any] = {}
    body = await read_body(request, limit)
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == "application/json":
        params = readable_part(body)
    elif kind in ("application/x-www-form-urlencoded", "multipart/form-data"):
        params = await _form(request, body)
    params |= dict(reversed(request.query_params.multi_items()))
    check_encoding(params)
    return _attached(params)


def parse_json(body: bytes) -> Json:
    """Return a JSON object.

    Raises:
        ApiError: 400 for anything else.
    """
    try:
        value = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise bad_request("can't parse request body as JSON object") from error
    if not isinstance(value, dict):
        raise bad_request("can't parse request body as JSON object")
    return value


def readable_part(body: bytes) -> Json:
    """Return the parameters of a JSON body up to the place that cannot be read, as Telegram's server does.

    The method then misses the parameters that follow, and says so. A number with a fraction or an exponent stays as it
    is written, as in a form.
    """
    text, found = body.decode(errors="replace").lstrip(), dict[str, Any]()
    at = 1 if text.startswith("{") else len(text)
    with contextlib.suppress(ValueError, RecursionError):
        while name := _NAME.match(text, at):
            value, at = _DECODER.raw_decode(text, name.end())
            found.setdefault(json.loads(name[1]), text[name.end() : at] if isinstance(value, float) else value)
            if (comma := _COMMA.match(text, at)) is None:
                break
            at = comma.end()
    return found


def check_encoding(value: Any) -> None:
    """Refuse text that cannot be written as UTF-8.

    Raises:
        ApiError: 400.
    """
    try:
        if isinstance(value, str):
            value.encode()
        elif isinstance(value, dict):
            for name, item in value.items():
                check_encoding(name)
                check_encoding(item)
        elif isinstance(value, list):
            for item in value:
                check_encoding(item)
    except (UnicodeEncodeError, RecursionError) as error:
        raise bad_request("strings must be encoded in UTF-8") from error


def loggable(value: Any, secret: str, depth: int = 0) -> Any:
    """Parameters as the call log shows them: without tokens and file bytes, long values cut."""
    if isinstance(value, UploadedFile):
        return f"<file {value.filename}, {len(value.data)} bytes>"
    if isinstance(value, str):
        return value.replace(secret, "<token>")[:LONGEST_LOGGED]
    if isinstance(value, (dict, list)) and depth > DEEPEST_LOGGED:
        return "…"
    if isinstance(value, dict):
        return {loggable(name, secret): loggable(item, secret, depth + 1) for name, item in value.items()}
    if isinstance(value, list):
        return [loggable(item, secret, depth + 1) for item in value]
    return value if _is_writable(value) else "<no usable number>"


def _is_writable(value: Any) -> bool:
    return not isinstance(value, (int, float)) or -LARGEST_LOGGED < value < LARGEST_LOGGED


async def _form(request: Request, body: bytes) -> Json:
    async def replay() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    found: Json = {}
    try:
        async with Request(request.scope, replay).form(max_files=20, max_fields=100) as form:
            for name, value in form.multi_items():
                if name in found:
                    continue
                if isinstance(value, UploadFile):
                    found[name] = UploadedFile(await value.read(), value.filename or name)
                else:
                    found[name] = value
    except (MultiPartException, HTTPException, UnicodeDecodeError, ValueError, LookupError) as error:
        raise bad_request("can't parse the form") from error
    return found


def _attached(params: Json) -> Json:
    """Put uploaded files in place of their `attach://` names, which may be inside a parameter's JSON."""
    uploaded = {name: value for name, value in params.items() if isinstance(value, UploadedFile)}
    if not uploaded:
        return params
    used: set[str] = set()
    found = {name: _with_files(value, uploaded, used) for name, value in params.items()}
    return {name: value for name, value in found.items() if name not in used}


def _with_files(value: Any, uploaded: dict[str, UploadedFile], used: set[str]) -> Any:
    if isinstance(value, dict):
        return {name: _with_files(item, uploaded, used) for name, item in value.items()}
    if isinstance(value, list):
        return [_with_files(item, uploaded, used) for item in value]
    if isinstance(value, str) and value.startswith(ATTACHED) and value.removeprefix(ATTACHED) in uploaded:
        name = value.removeprefix(ATTACHED)
        used.add(name)
        return uploaded[name]
    if isinstance(value, str) and value.startswith(("{", "[")) and ATTACHED in value:
        with contextlib.suppress(ValueError, RecursionError):
            return _with_files(json.loads(value), uploaded, used)
    return value
