"""Addresses as Telegram's server reads them: those that a bot gives are checked and completed."""

import re

_PARTS = re.compile(r"(?:(?P<scheme>[^:/?#@\[\]]*)://)?(?P<authority>[^/?#]*)(?P<query>.*)", re.DOTALL)
_AUTHORITY = re.compile(r"(?:(?P<user>.*)@)?(?P<host>\[[^\]]*\]|.*?)(?::(?P<port>[^:\]@]*))?", re.DOTALL)
_OWN_SCHEME = re.compile(r"(tg|ton|tonsite):(?://)?", re.IGNORECASE)
_OWN_HOST = re.compile(r"[A-Za-z0-9_.-]*")
_HOST = re.compile(r"(?:[\w.!$,~*'();&+=-]|[^\x00-\x7f]|%[0-9A-Fa-f]{2})*|\[[0-9a-f:.]*\]")
_PORT = re.compile(r"0*([1-9][0-9]{0,4})")
_BLANK = re.compile(r"[\x00-\x20]")
HIGHEST_PORT = 65535


def checked_link(link: str) -> str:
    """Return an address with its scheme and a path.

    Raises:
        ValueError: why Telegram refuses it, in the server's words.
    """
    own = _OWN_SCHEME.match(link)
    scheme, user, host, port, query = _split(link if own is None else link[own.end() :])
    if own is not None:
        if scheme != "http" or user or port:
            raise ValueError("Wrong tg URL" if own[1].lower() == "tg" else "Wrong ton URL")
        if not _OWN_HOST.fullmatch(host) or ("." in host and own[1].lower() != "tonsite"):
            raise ValueError("Unallowed characters in URL host")
        return f"{own[1].lower()}://{host}{query[1:] if query.startswith('/?') else query}"
    if "." not in host and not host.startswith("["):
        raise ValueError("Wrong HTTP URL")
    return f"{scheme}://{user}{'@' if user else ''}{host}{f':{port}' if port else ''}{query}"


def _split(url: str) -> tuple[str, str, str, int, str]:
    parts = _PARTS.fullmatch(url)
    assert parts is not None  # noqa: S101 - each text has these parts
    scheme = (parts["scheme"] or "http").lower()
    if scheme not in ("http", "https"):
        raise ValueError("Unsupported URL protocol")
    found = _AUTHORITY.fullmatch(parts["authority"])
    assert found is not None  # noqa: S101 - as each text has these
    port = 0 if found["port"] is None else _number(found["port"])
    host = found["host"].lower()
    if not host:
        raise ValueError("URL host is empty")
    if host == ".":
        raise ValueError("Host is invalid")
    if not _HOST.fullmatch(host):
        raise ValueError("Disallowed character in URL host")
    query = parts["query"].rstrip() or "/"
    query = query if query.startswith("/") else f"/{query}"
    return scheme, found["user"] or "", host, port, _BLANK.sub(lambda sign: f"%{ord(sign[0]):02X}", query)


def _number(port: str) -> int:
    found = _PORT.fullmatch(port)
    if found is None or int(found[1]) > HIGHEST_PORT:
        raise ValueError("Wrong port number specified in the URL")
    return int(found[1])
