"""Runs a bot's file, unchanged, with the sandbox's address and token in its library in place of Telegram's.

Usage: python foreign_library.py BOT.PY [ARGUMENT...], with BOT_TOKEN and BOT_API_URL in the environment.
"""

import contextlib
import os
import runpy
import sys
from collections.abc import Callable
from functools import partialmethod
from importlib import import_module
from pathlib import Path
from typing import Any

URL, TOKEN = os.environ["BOT_API_URL"], os.environ["BOT_TOKEN"]


def lead_python_telegram_bot() -> None:
    """Give each `Bot` the address and the token, also those that an `Application` makes."""
    import telegram  # noqa: PLC0415 - only the library of the bot is installed

    made = telegram.Bot.__init__

    def make(self: Any, *_token: str, **kwargs: Any) -> None:
        made(self, **{**kwargs, "token": TOKEN, "base_url": f"{URL}/bot", "base_file_url": f"{URL}/file/bot"})

    setattr(telegram.Bot, "__init__", make)  # noqa: B010 - mypy takes no assignment


def lead_aiogram() -> None:
    """Make the sandbox the production server of the library; its examples take the token from the environment."""
    from aiogram.client import telegram  # noqa: PLC0415

    for name, path in (("base", "/bot{token}/{method}"), ("file", "/file/bot{token}/{path}")):
        object.__setattr__(telegram.PRODUCTION, name, URL + path)


def lead_telebot() -> None:
    """Give each `TeleBot`, asynchronous or not, the token, and the library the address."""
    library: Any = import_module("telebot")
    asynchronous: Any = import_module("telebot.async_telebot")
    helpers: list[Any] = [library.apihelper, asynchronous.asyncio_helper]
    for helper in helpers:
        helper.API_URL, helper.FILE_URL = URL + "/bot{0}/{1}", URL + "/file/bot{0}/{1}"
    for bot in (library.TeleBot, asynchronous.AsyncTeleBot):
        bot.__init__ = partialmethod(_with_token, bot.__init__)


def _with_token(self: Any, make: Callable[..., None], _token: str, *args: Any, **kwargs: Any) -> None:
    make(self, TOKEN, *args, **kwargs)


if __name__ == "__main__":
    for lead in (lead_python_telegram_bot, lead_aiogram, lead_telebot):
        with contextlib.suppress(ImportError):
            lead()
    sys.argv = sys.argv[1:]
    sys.path[0] = str(Path(sys.argv[0]).parent)
    runpy.run_path(sys.argv[0], run_name="__main__")
