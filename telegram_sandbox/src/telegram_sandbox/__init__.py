"""A Telegram Bot API server for one machine, with the people of a group chat and a page to play them.

A bot under test talks to it as to Telegram: `running_sandbox()` gives the addresses and the token.
"""

from telegram_sandbox.errors import ControlError
from telegram_sandbox.model import Chat, InlineAnswer, InlineResult, Media, Poll, StoredMessage, Tap
from telegram_sandbox.server import PortTakenError, RunningSandbox, running_sandbox, sandbox_in_thread
from telegram_sandbox.settings import PageLink, PageSettings, SandboxSettings, Welcome
from telegram_sandbox.users import BlockingUser, User

__all__ = [
    "BlockingUser",
    "Chat",
    "ControlError",
    "InlineAnswer",
    "InlineResult",
    "Media",
    "PageLink",
    "PageSettings",
    "Poll",
    "PortTakenError",
    "RunningSandbox",
    "SandboxSettings",
    "StoredMessage",
    "Tap",
    "User",
    "Welcome",
    "running_sandbox",
    "sandbox_in_thread",
]
