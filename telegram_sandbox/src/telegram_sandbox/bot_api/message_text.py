"""Reads the text of a request, with its parse mode or entities, within Telegram's limits."""

from functools import partial
from typing import Any

from telegram_sandbox import telegram_json
from telegram_sandbox.bot_api.reading import as_json
from telegram_sandbox.bot_api.requests import InputRichMessage
from telegram_sandbox.errors import bad_request
from telegram_sandbox.model import Json
from telegram_sandbox.text.entities import (
    LONGEST_TEXT,
    FormattedText,
    check_given,
    finish,
    is_blank,
    only_needed,
    utf16_length,
)
from telegram_sandbox.text.html_mode import parse_html
from telegram_sandbox.text.links import checked_link
from telegram_sandbox.text.markdown_mode import parse_markdown
from telegram_sandbox.text.old_markdown_mode import parse_old_markdown
from telegram_sandbox.text.rich import blocks_of_html, blocks_of_markdown, checked_blocks, shown_words
from telegram_sandbox.world import World

LONGEST_CAPTION = 1024
LONGEST_BYTES = 32_768
PARSERS = {"html": parse_html, "markdownv2": parse_markdown, "markdown": parse_old_markdown}


def text_of(world: World, text: str | None, parse_mode: Any, entities: Any, *, too_long: str) -> FormattedText:
    """Return a message's text.

    Raises:
        ApiError: 400 when it is empty, longer than 4096 or does not parse; `too_long` is the method's own wording.
    """
    if not text:
        raise bad_request("message text is empty")
    formatted = formatted_of(world, text, parse_mode, entities)
    if is_blank(formatted.text):
        raise bad_request("text must be non-empty")
    if utf16_length(formatted.text) > LONGEST_TEXT:
        raise bad_request(too_long)
    return formatted


def caption_of(world: World, caption: str | None, parse_mode: Any, entities: Any) -> FormattedText:
    """Return a photo's or voice note's caption, which may be empty.

    Raises:
        ApiError: 400 when it is longer than 1024 or does not parse.
    """
    formatted = formatted_of(world, caption or "", parse_mode, entities)
    if utf16_length(formatted.text) > LONGEST_CAPTION:
        raise bad_request("message caption is too long")
    return formatted


def formatted_of(world: World, text: str, parse_mode: str | None, entities: Any) -> FormattedText:
    """Return a text with the entities that its parse mode or the request gives it.

    Raises:
        ApiError: 400 when it does not parse.
    """
    if len(text.encode()) > LONGEST_BYTES:
        raise bad_request("text is too long")
    mode = (parse_mode or "").lower()
    if mode in PARSERS:
        return finish(PARSERS[mode](text, partial(telegram_json.account, world)))
    if mode and mode != "none":
        raise bad_request("unsupported parse_mode")
    marks = [_with_checked_link(mark) for mark in only_needed(as_json(entities) or [])]
    check_given(text, marks)
    return finish(FormattedText(text, [mark for mark in marks if _resolve_mention(world, mark)]))


def rich_of(given: InputRichMessage) -> tuple[FormattedText, Json]:
    """Return the words of a rich message, and itself in the field of its message.

    Raises:
        ApiError: 400 when it is empty, or cannot be read.
    """
    if given.html:
        blocks = blocks_of_html(given.html)
    else:
        blocks = blocks_of_markdown(given.markdown) if given.markdown else checked_blocks(given.blocks or [])
    words = shown_words(blocks)
    if is_blank(words.text):
        raise bad_request("message text is empty")
    return words, {"rich_message": {"blocks": blocks} | ({"is_rtl": True} if given.is_rtl else {})}


def link_preview_of(request: Any) -> Json | None:
    """Return the wishes of a request for the preview of its first link, also in the field that they had before."""
    return as_json(request.link_preview_options) or (
        {"is_disabled": True} if request.disable_web_page_preview else None
    )


def _with_checked_link(mark: Json) -> Json:
    if mark["type"] != "text_link":
        return mark
    try:
        return mark | {"url": checked_link(mark["url"])}
    except ValueError as why:
        raise bad_request(f"entity URL '{mark['url']}' is invalid: {why}") from None


def _resolve_mention(world: World, mark: Json) -> bool:
    """Replace the user of a mention by what the sandbox knows of them; False for an unknown user."""
    if mark["type"] != "text_mention":
        return True
    mark["user"] = telegram_json.account(world, mark["user"]["id"])
    return mark["user"] is not None
