"""Check the database's URL, and find the passwords in it.

The URL is parsed without SQLAlchemy, which takes long to import, but in the same way as SQLAlchemy parses it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

from telegram_bot.settings.base import InvalidSettingError

if TYPE_CHECKING:
    from collections.abc import Iterator

_SERVER: Final = re.compile(
    r"postgresql(?:\+\w+)?://"
    r"(?:[^:/@]*(?::(?P<password>[^@]*))?@)?"
    r"(?:\[[^]\[@]*\]|[^:/?@]*)(?::\d*)?(?:[/?].*)?"
)
_IN_THE_QUERY: Final = re.compile(r"[?&](?:ssl)?password=([^&]*)")


def read_database_url(value: str) -> str:
    """The URL as SQLAlchemy accepts it. Hosting companies write postgres:// for postgresql://.

    Raises:
        ValueError: the URL names neither SQLite nor PostgreSQL.
        InvalidSettingError: the URL is ambiguous: a part of its password could be read as the host.
    """
    url = re.sub(r"^postgres://", "postgresql://", value.strip())
    if re.match(r"sqlite(\+\w+)?://", url):
        return url
    if not re.match(r"postgresql(\+\w+)?://", url):
        raise ValueError("unknown database")
    if not _SERVER.fullmatch(url):
        raise InvalidSettingError("in a password @ must be written as %40, : as %3A, / as %2F; a port is a number")
    return url


def passwords(url: str) -> Iterator[str]:
    """Every password in a URL, both as written and percent-decoded."""
    server = _SERVER.fullmatch(url)
    found = [] if server is None else [server["password"], *_IN_THE_QUERY.findall(url)]
    for password in filter(None, found):
        yield from (password, unquote(password))
