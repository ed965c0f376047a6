"""The public names of the package; `telegram_sandbox` itself imports them when one of them is first used."""

from telegram_sandbox.acts import change
from telegram_sandbox.bot_api.method_names import BOT_API_VERSION
from telegram_sandbox.errors import ControlError, StartError
from telegram_sandbox.extension import Extension
from telegram_sandbox.model import Chat, InlineAnswer, InlineResult, Invoice, Media, Poll, StoredMessage, Tap
from telegram_sandbox.reply_buttons import Given
from telegram_sandbox.server import PortTakenError, RunningSandbox, running_sandbox, sandbox_in_thread
from telegram_sandbox.settings import PageSettings, SandboxSettings
from telegram_sandbox.users import BlockingUser, User
from telegram_sandbox.world import World

__all__ = [
    "BOT_API_VERSION",
    "BlockingUser",
    "Chat",
    "ControlError",
    "Extension",
    "Given",
    "InlineAnswer",
    "InlineResult",
    "Invoice",
    "Media",
    "PageSettings",
    "Poll",
    "PortTakenError",
    "RunningSandbox",
    "SandboxSettings",
    "StartError",
    "StoredMessage",
    "Tap",
    "User",
    "World",
    "change",
    "running_sandbox",
    "sandbox_in_thread",
]
