"""Errors of the Bot API in Telegram's words, and errors of the control API."""

import re
from typing import Any

BAD_REQUEST = 400
UNAUTHORIZED = 401
FORBIDDEN = 403
NOT_FOUND = 404
REQUEST_TIMEOUT = 408
CONFLICT = 409
TOO_LARGE = 413
TOO_MANY_REQUESTS = 429


class ApiError(Exception):
    """A Bot API call that Telegram would refuse."""

    def __init__(self, code: int, description: str, parameters: dict[str, Any] | None = None) -> None:
        super().__init__(description)
        self.code = code
        self.description = description
        self.parameters = parameters

    def body(self) -> dict[str, Any]:
        """Return the answer's JSON."""
        body: dict[str, Any] = {"ok": False, "error_code": self.code, "description": self.description}
        if self.parameters:
            body["parameters"] = self.parameters
        return body


class StartError(RuntimeError):
    """The sandbox cannot start with these settings on this machine."""


class ControlError(Exception):
    """A person cannot do this; the message gives the page or the test the reason."""


def bad_request(reason: str) -> ApiError:
    """400, with the prefix that Telegram puts before every reason."""
    return ApiError(BAD_REQUEST, f"Bad Request: {reason}")


def forbidden(reason: str) -> ApiError:
    """403: the bot may not write there, now or ever."""
    return ApiError(FORBIDDEN, f"Forbidden: {reason}")


def conflict(reason: str) -> ApiError:
    """409: updates are already going somewhere else."""
    return ApiError(CONFLICT, f"Conflict: {reason}")


def too_many_requests(seconds: int, description: str | None = None) -> ApiError:
    """429: the bot may try again after so many seconds."""
    text = description or f"Too Many Requests: retry after {seconds}"
    return ApiError(TOO_MANY_REQUESTS, text, {"retry_after": seconds})


def unknown_file(file_id: str) -> ApiError:
    """400: no file of the bot has this file_id, which Telegram reads as Base64."""
    given = file_id.rstrip("=")
    padding = len(file_id) - len(given)
    if padding >= 3:  # noqa: PLR2004 - Base64 has two at most
        why = "Wrong string padding"
    elif padding and len(file_id) % 4:
        why = "Wrong padding length"
    elif len(given) % 4 == 1:
        why = "Wrong string length"
    elif re.fullmatch(r"[A-Za-z0-9_-]*", given):
        why = "can't unserialize it. Wrong last symbol"
    else:
        why = "Wrong character in the string"
    return bad_request(f"wrong remote file identifier specified: {why}")


def query_too_old() -> ApiError:
    """400: the tap was answered, has expired or never was."""
    return bad_request("query is too old and response timeout expired or query ID is invalid")
