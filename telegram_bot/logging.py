"""The log: one line for each thing that happened, to stderr, and never the token."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from telegram_bot.settings import Settings

__all__ = ["set_up"]

CARRIERS = ("httpx", "httpcore", "telegram")
FORMAT = "%(asctime)s %(levelname)-7s %(name)s: %(message)s"
CHATTY = ("httpx", "httpcore", "telegram", "apscheduler", "alembic", "asyncio", "aiosqlite")
"""Libraries that log each request or statement as INFO."""


class _Discreet(logging.Formatter):
    """Strikes the token out of everything, tracebacks and addresses included."""

    def __init__(self, secret: str) -> None:
        super().__init__(FORMAT)
        self._secret = secret

    def format(self, record: logging.LogRecord) -> str:
        line = super().format(record)
        return line.replace(self._secret, "<token>") if self._secret else line


def set_up(settings: Settings) -> None:
    """Log to stderr at the chosen level; other people's libraries only where they warn, unless at DEBUG.

    Even then those that carry messages keep to themselves what the messages say: dice are among it.
    """
    handler = logging.StreamHandler()
    handler.setFormatter(_Discreet(settings.token.get_secret_value()))
    logging.basicConfig(level=settings.log_level, handlers=[handler], force=True)
    for name in CARRIERS:
        logging.getLogger(name).setLevel(logging.INFO)
    if settings.log_level != "DEBUG":
        for name in CHATTY:
            logging.getLogger(name).setLevel(max(logging.WARNING, logging.getLevelName(settings.log_level)))
