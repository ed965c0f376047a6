"""Refuses requests that a page of another site makes a browser send.

A browser on this machine reaches the sandbox even if no other machine can, so any web page could act through it: by a
request to another site, or under a name of its own that leads to this machine (DNS rebinding).
"""

import ipaddress
import socket
from http import HTTPStatus

from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from telegram_sandbox.errors import FORBIDDEN, ApiError

PAGE = "/"
MISDIRECTED = HTTPStatus.MISDIRECTED_REQUEST.value
OTHER_SITES = ("cross-site", "same-site")
"""The values of Sec-Fetch-Site for requests of other pages; `same-site` is another port of this machine."""
LOCAL_NAME = "localhost"


def is_loopback(host: str) -> bool:
    """Return whether a host, without a port, is a name of this machine itself, which needs no look-up."""
    address = _address(host)
    return host.lower() == LOCAL_NAME or (address is not None and address.is_loopback)


class RequestGuard:
    """An ASGI application that passes on what a program, or the sandbox's own page, has sent.

    `listens_on` and `allowed_hosts` are the names under which it may be asked. If it is open to other machines, it may
    be asked under any IP address as well: a page can make a name of its own lead to this machine, but not an address.
    """

    def __init__(self, app: ASGIApp, listens_on: str, allowed_hosts: tuple[str, ...] = ()) -> None:
        self._app = app
        self._is_open = not is_loopback(listens_on)
        named = (listens_on, socket.gethostname()) if self._is_open else ()
        self._names = frozenset(name.lower() for name in (*allowed_hosts, *named))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer with a refusal, or pass the request on."""
        refusal = self._refusal(scope["path"], Headers(scope=scope)) if scope["type"] == "http" else None
        if refusal is None:
            await self._app(scope, receive, send)
        else:
            await JSONResponse(refusal.body(), refusal.code)(scope, receive, send)

    def _refusal(self, path: str, headers: Headers) -> ApiError | None:
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not self._may_be_called(_without_port(hosts[0])):
            return ApiError(MISDIRECTED, "Misdirected Request: this sandbox is not known by that name (--allow-host)")
        origin = headers.get("origin")
        if origin is not None and origin.lower() != f"http://{hosts[0].lower()}":
            return ApiError(FORBIDDEN, "Forbidden: another site's pages may not act here")
        if headers.get("sec-fetch-site") in OTHER_SITES and not _is_link_to_page(path, headers):
            return ApiError(FORBIDDEN, "Forbidden: another site's pages may not look here")
        return None

    def _may_be_called(self, host: str) -> bool:
        return is_loopback(host) or host.lower() in self._names or (self._is_open and _address(host) is not None)


def _is_link_to_page(path: str, headers: Headers) -> bool:
    """Return whether a person follows a link to the page, which opens in a tab and not in a frame."""
    return path == PAGE and headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"


def _without_port(host: str) -> str:
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0]


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None
