"""Set up the log: structured lines on stderr that show the way of an update or a table, without secrets.

All code logs through the standard library's loggers and puts a line's fields into `extra`. Fields bound with
`structlog.contextvars` (`update`, `table`, `lane`, `notice`) are added to every line written meanwhile.
"""

import hmac
import json
import logging
import os
import re
import secrets
import socket
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from hashlib import sha256
from types import TracebackType
from typing import Any, Final
from urllib.parse import quote

import structlog
from structlog.stdlib import ProcessorFormatter
from structlog.typing import EventDict, Processor, WrappedLogger

from telegram_bot.settings import Settings

WORKER: Final = f"{socket.gethostname()}-{os.getpid()}-{secrets.token_hex(2)}"
"""The name of this process, in the log and wherever workers are distinguished."""

OWN_PACKAGE: Final = "telegram_bot"
DEBUG_ALLOWED: Final = ("alembic", "asyncio", "uvicorn")
"""Libraries that may log at DEBUG: none of them logs the contents of a message or a row."""

QUOTABLE_PACKAGES: Final = frozenset(
    {
        "alembic",
        "httpcore",
        "httpx",
        "psycopg",
        "sqlalchemy",
        "sqlite3",
        "ssl",
        "starlette",
        "telegram",
        OWN_PACKAGE,
        "uvicorn",
    }
)
"""Packages whose errors may be logged with their text. Other errors could quote a row or an update, and dice in it."""
QUOTABLE_ERRORS: Final = (OSError, ImportError, AttributeError, NameError)

TOKEN: Final = re.compile(r"(?<!\d)\d{3,}(?::|%3A)[A-Za-z0-9_-]{20,}")
PASSWORD: Final = re.compile(r"(://[^/\s:@]*):[^@\s/]+@")
NUMBER: Final = re.compile(
    r"""(?:[+\uff0b]|%2[Bb]|(?<![\w.:+-])00)(?:(?:%[0-9A-F]{2}|\\[tx\w]a0|\\t|[^\w+:%\\]|_){0,3}\d){7,15}(?!\d)
    |(?<![\w.:+-])(?:\d{2,4}(?:\s\d{2,4}){3,4}|\(?\d{3}\)?\s\d{3}[\s-]\d{4})(?![\w.:])  # as people at home write it
    |(?<![\w.:+-])(?<!update[ =])(?<!"update":[ ]")\d{10,15}\b(?![.:]\d)  # so long that it may be one
    """,
    re.VERBOSE,
)
UNPRINTABLE: Final = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
"""Control characters, and characters that change the direction of a line: a terminal obeys them."""
GROUP: Final = re.compile(r"(?<![\w:.-])-\d{6,15}\b")
LANE: Final = re.compile(r"\b(telegram|sms):(-?\d+)\b")
QUOTED: Final = re.compile(r'"([^"]*)"')
NAMED: Final = re.compile(r"[a-z_][a-z0-9_.]*")
MIN_SECRET_LENGTH: Final = 8
"""Shorter secrets are not removed: a password that is an everyday word would remove half of the log."""


class Redaction:
    """Removes secrets from finished lines and replaces a chat's address by a keyed hash, as the last safeguard.

    The key is the token: all workers of a bot use the same hash for a chat, and no stranger can identify the chat.
    """

    def __init__(self, secrets: tuple[str, ...] = (), key: str = "") -> None:
        known = [secret for secret in secrets if len(secret) >= MIN_SECRET_LENGTH]
        # As it appears in a text, in a URL and in JSON.
        forms = {form for each in known for form in (each, quote(each, safe=""), json.dumps(each)[1:-1])}
        self._known = re.compile("|".join(map(re.escape, sorted(forms, key=len, reverse=True)))) if forms else None
        self._key = key.encode()

    def __call__(self, line: str) -> str:
        """Return the line without secrets."""
        if self._known is not None:
            line = self._known.sub("<secret>", line)
        line = TOKEN.sub("<token>", line)
        line = PASSWORD.sub(r"\1:<secret>@", line)
        line = NUMBER.sub("<number>", line)
        line = GROUP.sub("<group>", line)
        return LANE.sub(lambda found: f"{found[1]}:{self.hidden(found[0])}", line)

    def hidden(self, address: str) -> str:
        """Return the hash that stands for a chat in the log."""
        return "#" + hmac.new(self._key, address.encode(), sha256).hexdigest()[:8]


def trace(error: BaseException) -> str:
    """Return a traceback with the texts of only those errors that cannot contain secrets of players."""
    return "\n".join(_trace(error, set()))


def _trace(error: BaseException, written: set[int]) -> Iterator[str]:
    written.add(id(error))
    before = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if before is not None and id(before) not in written:
        yield from _trace(before, written)
        yield "which led to:"
    yield "Traceback (most recent call last):"
    yield from "".join(traceback.format_tb(error.__traceback__)).rstrip().splitlines()
    yield f"{type(error).__qualname__}{_words(error)}"
    if isinstance(error, BaseExceptionGroup):
        for each in error.exceptions:
            if id(each) not in written:
                yield from (f"  | {line}" for line in _trace(each, written))


def _words(error: BaseException) -> str:
    """Return an error's first line: databases put the row itself into the others."""
    if type(error).__module__.partition(".")[0] not in QUOTABLE_PACKAGES and not isinstance(error, QUOTABLE_ERRORS):
        return ""
    first = next(iter(str(error).splitlines()), "")
    return ": " + QUOTED.sub(lambda found: found[0] if NAMED.fullmatch(found[1]) else '"…"', first) if first else ""


def _traced(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """Replace `exc_info` by a traceback."""
    given = event.pop("exc_info", None)
    error = sys.exc_info()[1] if given is True else given[1] if isinstance(given, tuple) else given
    if isinstance(error, BaseException):
        event["exception"] = trace(error)
    return event


def _warned(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """Keep only the first line of a Python warning: pydantic's next lines quote the rejected value."""
    if event.get("logger") == "py.warnings":
        event["event"] = next(iter(str(event["event"]).splitlines()), "")
    return event


def _escaped(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """Write control characters in their escaped form, as Python does; a traceback keeps its lines."""

    def printable(text: str, kept: str) -> str:
        return UNPRINTABLE.sub(lambda found: found[0] if found[0] == kept else repr(found[0])[1:-1], text)

    return {
        name: printable(value, "\n" if name == "exception" else "") if isinstance(value, str) else value
        for name, value in event.items()
    }


def set_up(settings: Settings) -> None:
    """Log to stderr as the settings say; libraries log warnings only, unless the level is DEBUG."""
    redact = Redaction(settings.secrets(), settings.token.get_secret_value())
    early: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.add_log_level,
        structlog.stdlib.PositionalArgumentsFormatter(),
        structlog.stdlib.ExtraAdder(),
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    late: list[Any] = [ProcessorFormatter.remove_processors_meta, _traced, _warned, _escaped]
    if settings.logging.format == "json":
        late.append(lambda _logger, _method, event: event | {"worker": WORKER})
        late.append(structlog.processors.JSONRenderer(ensure_ascii=False))
    else:
        late.append(structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty()))
    late.append(lambda _logger, _method, line: redact(line))

    handler = logging.StreamHandler()
    handler.setFormatter(ProcessorFormatter(processors=late, foreign_pre_chain=early))
    level: int = logging.getLevelNamesMapping()[settings.log_level]
    logging.basicConfig(level=max(level, logging.WARNING), handlers=[handler], force=True)
    logging.getLogger(OWN_PACKAGE).setLevel(level)
    for name in DEBUG_ALLOWED:
        logging.getLogger(name).setLevel(logging.INFO if level == logging.DEBUG else logging.NOTSET)
    logging.captureWarnings(capture=True)
    structlog.configure(
        processors=[structlog.stdlib.filter_by_level, *early, ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    _hook()


def _hook() -> None:
    """Log an uncaught error without secrets; Python itself would print everything."""
    log = logging.getLogger(OWN_PACKAGE)
    usual: Callable[..., object] = sys.__excepthook__

    def hook(kind: type[BaseException], error: BaseException, stack: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            usual(kind, error, stack)
        else:
            log.critical("stopped by a fault of the bot", exc_info=error)

    sys.excepthook = hook
    threading.excepthook = lambda fault: log.critical("a thread stopped", exc_info=fault.exc_value)
