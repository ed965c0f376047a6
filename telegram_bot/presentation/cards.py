"""Turn notices into cards: structured data for web pages, with sentences in the reader's language.

See PROTOCOL.md.
"""

from typing import Any, TypeAlias, cast

from telegram_bot.intents.request import Request
from telegram_bot.notices import Notice, PageFormat
from telegram_bot.notices.card_parts import plain_lines
from telegram_bot.notices.card_types import ActField
from telegram_bot.notices.rendering import message_html, news_text
from telegram_bot.presentation.features import EXTENSIONS
from telegram_bot.presentation.keys import Key
from telegram_bot.screens.routes import is_room
from telegram_bot.service.requests import act_of
from telegram_bot.words.catalogue import Catalogue

Card: TypeAlias = dict[str, Any]
"""A card as it is stored and sent."""


def may_enter(notice: Notice, address: int) -> bool:
    """Return True if a lane accepts the notice. A room accepts only what all may read."""
    return notice.is_public or not is_room(address)


def card_of(notice: Notice, address: int, table: int | None, w: Catalogue) -> Card:
    """Return a notice's card for a lane."""
    kind, fields = notice.on_page(PageFormat(w, _added_acts(notice, w)))
    return {
        "card": kind,
        "slot": notice.card_slot,
        "lane": "public" if is_room(address) else "private",
        "table": table or None,
        "text": news_text(notice, w),
        **fields,
        **notice.part_fields(w),
    }


def lines_of(notice: Notice, w: Catalogue) -> list[str]:
    """Return the chat's message as lines of plain text."""
    return plain_lines((message_html(notice, w) or "").split("\n"))


def _added_acts(notice: Notice, w: Catalogue) -> tuple[ActField, ...]:
    keys = (key for each in EXTENSIONS.get(type(notice), ()) if each.acts for key in each.acts(notice, w))
    return tuple(_act(key, key.request) for key in keys if key.request is not None)


def _act(key: Key, request: Request) -> ActField:
    return cast("ActField", {**act_of(request), "text": key.text})
