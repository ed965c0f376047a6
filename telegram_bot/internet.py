"""The environment's proxies and certificates, for every HTTP client that leaves the machine."""

import os
import ssl
from functools import cache
from ipaddress import IPv6Address
from pathlib import Path
from typing import Any, Final, TypeVar
from urllib.parse import urlsplit
from urllib.request import proxy_bypass

import httpx

from telegram_bot.errors import MisconfiguredError

Client = TypeVar("Client", httpx.AsyncClient, httpx.Client)
_CERTIFICATES: Final = ("SSL_CERT_FILE", "SSL_CERT_DIR", "SSLKEYLOGFILE")


def client(kind: type[Client], **options: Any) -> Client:
    """Create an HTTP client of a kind.

    Raises:
        MisconfiguredError: the environment names certificates or a proxy that cannot be used.
    """
    verify = certificates()
    drop_unreadable_exceptions()
    try:
        return kind(verify=verify, **options)
    except (ImportError, ValueError, httpx.InvalidURL):
        raise MisconfiguredError(unusable_proxy("The internet")) from None


@cache
def certificates() -> ssl.SSLContext:
    """Return the certificates that all connections trust: to read them takes 40 ms of CPU.

    Raises:
        MisconfiguredError: the environment names a file or a folder that cannot be read.
    """
    folders = os.environ.get("SSL_CERT_DIR", "").split(os.pathsep)
    try:
        if any(folders) and not any(Path(folder).is_dir() for folder in folders):
            raise NotADirectoryError(20, "not a folder")
        return httpx.create_ssl_context()
    except OSError as error:  # also a file without certificates
        named = " and ".join(f"{name}={path}" for name in _CERTIFICATES if (path := os.environ.get(name)))
        reason = error.strerror or type(error).__name__
        raise MisconfiguredError(f"the certificates of {named} in the environment cannot be read: {reason}") from None


def drop_unreadable_exceptions() -> None:
    """Remove the entries of NO_PROXY that httpx cannot read, such as an IPv6 network: they match no address."""
    for name in ("NO_PROXY", "no_proxy"):
        if (listed := os.environ.get(name)) is not None:
            entries = [entry.strip() for entry in listed.split(",")]
            readable = [entry.strip("[]") for entry in entries if _is_readable(entry.strip("[]"))]
            if readable != entries:
                os.environ[name] = ",".join(readable)


def unusable_proxy(goal: str) -> str:
    """Return the sentence for a proxy of an unknown kind. It does not quote the proxy, which may have a password."""
    return f"{goal} cannot be reached through the proxy of HTTPS_PROXY or ALL_PROXY: it must be http://host:port"


def by_proxy(url: str) -> str:
    """Return words that name the environment's proxy before an address, without its password, or no words."""
    there = urlsplit(url)
    names = (name for kind in (there.scheme, "all") for name in (f"{kind}_proxy", f"{kind}_proxy".upper()))
    name = next((name for name in names if os.environ.get(name)), None)
    if name is None or proxy_bypass(there.netloc):
        return ""
    return f" through the proxy {os.environ[name].rpartition('://')[2].rpartition('@')[2]} (in {name})"


def _is_readable(entry: str) -> bool:
    try:
        httpx.URL(entry if "://" in entry else f"all://{f'[{entry}]' if _is_ipv6(entry) else f'*{entry}'}")
    except httpx.InvalidURL:
        return False
    return True


def _is_ipv6(entry: str) -> bool:
    try:
        IPv6Address(entry.partition("/")[0])
    except ValueError:
        return False
    return True
