"""Read the body of an HTTP request within limits of size, time and depth."""

import asyncio
import json
import re
from itertools import accumulate
from typing import Any, Final

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request

BODY_SECONDS: Final = 15.0
"""How long a request's body may take to arrive."""
_STRING: Final = re.compile(rb'"(?:[^"\\]|\\.)*"?', re.DOTALL)
_BRACKET: Final = re.compile(rb"[][{}]")
LONGEST_LENGTH: Final = 18
"""The digits of the largest length that a request may declare."""
DEEPEST: Final = 100
"""How deeply JSON may be nested; Telegram's updates stay below 20."""


async def read_body(request: Request, most_bytes: int) -> bytes:
    """Read a request's body within the limits of size and time.

    Raises:
        HTTPException: 400, 408 or 413.
    """
    declared = request.headers.get("content-length", "0")
    if declared.isdecimal() and (len(declared) > LONGEST_LENGTH or int(declared) > most_bytes):
        raise HTTPException(413)
    body = bytearray()
    try:
        async with asyncio.timeout(BODY_SECONDS):
            async for chunk in request.stream():
                body += chunk
                if len(body) > most_bytes:
                    raise HTTPException(413)
    except TimeoutError:
        raise HTTPException(408) from None
    except ClientDisconnect:
        raise HTTPException(400) from None
    return bytes(body)


async def read_json_object(request: Request, most_bytes: int) -> dict[str, Any]:
    """Read the JSON object in a request's body.

    Raises:
        HTTPException: 400, 408, 413 or 415.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise HTTPException(415)
    body = await read_body(request, most_bytes)
    try:
        if _depth(body) > DEEPEST:
            raise HTTPException(400, "nested too deeply")
        found = json.loads(body, parse_constant=_refuse)
    except (ValueError, RecursionError):
        raise HTTPException(400, "no JSON") from None
    if not isinstance(found, dict):
        raise HTTPException(400, "no JSON object")
    return found


def _refuse(constant: str) -> None:
    """Refuse NaN and Infinity, which Python's parser accepts and JSON in databases does not."""
    raise ValueError(constant)


def _depth(body: bytes) -> int:
    """Return the nesting depth of the JSON; 0 if the body is too short for deep nesting."""
    if len(_BRACKET.findall(body)) <= DEEPEST:
        return 0
    steps = (1 if bracket in b"{[" else -1 for bracket in _BRACKET.findall(_STRING.sub(b"", body)))
    return max(accumulate(steps), default=0)
