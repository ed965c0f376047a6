"""Keyboards as Telegram has them, and the links that open the Mini App."""

from dataclasses import dataclass
from typing import Any, Final

from telegram import InlineKeyboardMarkup

Button = dict[str, Any]
Rows = list[list[Button]]


def inline_keyboard(rows: Rows) -> InlineKeyboardMarkup | None:
    """Return the rows as the Bot API's markup, or None without rows."""
    return InlineKeyboardMarkup.de_json({"inline_keyboard": rows}, None) if rows else None


CODE: Final = "j_"
"""The prefix of a start parameter that takes a seat; the table's code follows."""


@dataclass(frozen=True, slots=True)
class SeatPages:
    """The addresses of the Mini App."""

    url: str
    """The address of the web seat."""
    app: str = ""
    """The app's short name; empty: the bot's main app."""

    def link(self, bot: str, code: str) -> str:
        """Return a link that opens a table in the Mini App, for groups."""
        return f"https://t.me/{bot}{'/' if self.app else ''}{self.app}?startapp={code}"

    def page(self, code: str) -> str:
        """Return the address that a button of a private chat opens."""
        return f"{self.url.rstrip('/')}/app?code={code}"
