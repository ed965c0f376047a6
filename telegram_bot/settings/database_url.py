"""The database's address: which ones are taken, and what in them is secret.

Read without SQLAlchemy, which takes long to import, but cut up where it cuts them.
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
    """The address as SQLAlchemy wants it. Hosting companies write postgres:// for postgresql://.

    Raises:
        ValueError: it names no database of ours.
        BecauseError: it can be read in more than one way, and a piece of its password might be taken for a host.
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
    """Every password in an address, as it stands there and as it is meant."""
    server = _SERVER.fullmatch(url)
    found = [] if server is None else [server["password"], *_IN_THE_QUERY.findall(url)]
    for password in filter(None, found):
        yield from (password, unquote(password))
