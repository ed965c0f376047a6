"""The keys of a notice: buttons below a message in chats, acts on web pages."""

from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass
from enum import StrEnum
from typing import Final, TypeAlias

from telegram_bot.intents.request import Request

KEYS_A_ROW: Final = 3
"""With more, the labels wrap on a phone."""


class Style(StrEnum):
    """The look of a key, under Telegram's names."""

    PRIMARY = "primary"
    SUCCESS = "success"
    DANGER = "danger"


@dataclass(frozen=True, slots=True)
class Key:
    """A key that makes a request at the table and the step of its notice, opens a link, or copies a text."""

    text: str
    request: Request | None = None
    _: KW_ONLY
    sign: str = ""
    """An emoji in front of the text, in chats."""
    style: Style | None = None
    in_private: bool = False
    """Whether it opens the private chat with the bot, which makes the request there."""
    opens_list: bool = False
    """Whether it opens the list over the text field, without a request."""
    at: tuple[int | None, int | None] | None = None
    """The table and the step of the request, or None for those of the notice."""
    url: str = ""
    """The address that it opens, without a request."""
    copies: str = ""
    """The text that it copies, without a request."""

    @property
    def label(self) -> str:
        """The sign and the text."""
        return f"{self.sign} {self.text}" if self.sign else self.text


Keys: TypeAlias = list[list[Key]]
"""Rows of keys."""


def rows_of(keys: Iterable[Key], width: int) -> Keys:
    """Arrange keys in rows of the same width; the last row may be shorter."""
    flat = list(keys)
    return [flat[start : start + width] for start in range(0, len(flat), width)]
