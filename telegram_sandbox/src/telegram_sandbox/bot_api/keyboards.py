"""Checks inline and reply keyboards against Telegram's limits."""

import re
from typing import Any
from urllib.parse import urlsplit

from telegram_sandbox.bot_api.reading import as_json
from telegram_sandbox.bot_api.requests import KINDS, InlineKeyboardMarkup
from telegram_sandbox.errors import bad_request
from telegram_sandbox.model import ChatType, Json
from telegram_sandbox.request_guard import is_loopback
from telegram_sandbox.text.entities import utf16_length
from telegram_sandbox.text.links import checked_link

MOST_BUTTONS = 100
MOST_BUTTONS_IN_A_ROW = 8
MOST_DATA_BYTES = 64
LONGEST_COPY = 256
PRIVATE_REQUESTS = {
    "request_contact": "phone number can be requested",
    "request_location": "location can be requested",
    "request_poll": "poll can be requested",
    "request_users": "users can be requested",
    "request_chat": "chats can be requested",
    "web_app": "Web App buttons can be used",
}
STYLES = ("danger", "success", "primary")
LABELS = ("text", "icon_custom_emoji_id", "style")
LEADING = {"pay": "REPLY_MARKUP_BUY_EMPTY", "callback_game": "REPLY_MARKUP_GAME_EMPTY"}
"""The first button of an invoice and of a game, and the refusal of a keyboard without it."""
CHOSEN_CHATS = ("allow_user_chats", "allow_bot_chats", "allow_group_chats", "allow_channel_chats")
BOT_NAME = re.compile(r"[A-Za-z0-9_]+")


def inline_keyboard(markup: Any, chat_type: ChatType | None = None, *, leads: str = "") -> Json | None:
    """Return the inline keyboard of a message, or None for none; an invoice's and a game's begin with `leads`.

    `chat_type` is None for an inline result, whose chat is not known yet.

    Raises:
        ApiError: 400 for a keyboard that is too large, a button that Telegram refuses, or a reply keyboard.
    """
    if markup is None:
        return None
    if not isinstance(markup, InlineKeyboardMarkup):
        raise bad_request("inline keyboard expected")
    given = [[_as_kept(as_json(button)) for button in row if button.text] for row in markup.inline_keyboard]
    rows = [row for row in given if row]
    if sum(len(row) for row in rows) > MOST_BUTTONS:
        raise bad_request("reply markup is too long")
    if any(len(row) > MOST_BUTTONS_IN_A_ROW for row in rows):
        raise bad_request("reply markup is too long")
    for row in rows:
        for button in row:
            _check(button, chat_type)
    for kind, missing in LEADING.items():
        found = [button for row in rows for button in row if kind in button]
        if found and kind != leads:
            raise bad_request("BUTTON_TYPE_INVALID")
        if kind == leads and rows and not found:
            raise bad_request(missing)
        if found and (len(found) > 1 or found[0] is not rows[0][0]):
            raise bad_request("BUTTON_POS_INVALID")
    return {"inline_keyboard": rows} if rows else None


def reply_interface(markup: Any, *, is_private: bool) -> Json | None:
    """Return a reply keyboard, its removal, or a forced reply, and None for an inline keyboard or none.

    Raises:
        ApiError: 400 for a button that asks in a group for what a person gives in private.
    """
    if markup is None or isinstance(markup, InlineKeyboardMarkup):
        return None
    found: Json = as_json(markup)
    if "keyboard" in found:
        rows = [[{"text": one} if isinstance(one, str) else one for one in row] for row in found["keyboard"]]
        found["keyboard"] = [kept for row in rows if (kept := [_wanted(one) for one in row if one["text"]])]
        for button in (one for row in found["keyboard"] for one in row if not is_private):
            if asks := [words for name, words in PRIVATE_REQUESTS.items() if name in button]:
                raise bad_request(f"{asks[0]} in private chats only")
    return found


def _wanted(button: Json) -> Json:
    """Return a button without the requests that it does not make."""
    return {name: value for name, value in button.items() if value is not False}


def _as_kept(button: Json) -> Json:
    """Return a button as Telegram keeps it, without the fields that it does not read."""
    return {name: value for name, value in button.items() if name in LABELS or name in KINDS}


def _check(button: Json, chat_type: ChatType | None) -> None:
    if not str(button["text"]).strip():
        raise bad_request("BUTTON_TEXT_INVALID")
    kinds = [name for name in button if name not in LABELS]
    if not kinds:
        raise bad_request(
            "can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard",
        )
    if kinds[0] == "web_app" and chat_type != "private":
        raise bad_request("BUTTON_TYPE_INVALID")
    if kinds[0].startswith("switch_inline_query") and chat_type == "channel":
        why = "because users will not be able to use the button without knowing bot's username"
        told = kinds[0].removesuffix("_chosen_chat")
        raise bad_request(f"can't use {told} button in a channel chat, {why}")
    if button.get("style", STYLES[0]) not in STYLES:
        raise bad_request("can't parse inline keyboard button: invalid button style specified")
    _check_kind(kinds[0], button[kinds[0]])
    if kinds[0] == "url":
        button["url"] = _completed(button["url"])


def _completed(url: str) -> str:
    try:
        return checked_link(url)
    except ValueError as why:
        raise bad_request(f"inline keyboard button URL '{url}' is invalid: {why}") from None


def _check_kind(kind: str, value: Any) -> None:
    if kind == "callback_data" and not 1 <= len(value.encode()) <= MOST_DATA_BYTES:
        raise bad_request("BUTTON_DATA_INVALID")
    if kind == "login_url" and not BOT_NAME.fullmatch((value.get("bot_username") or "bot").removeprefix("@")):
        raise bad_request("can't parse inline keyboard button: LoginUrl bot username is invalid")
    if kind == "login_url" and not _is_safe(value["url"]):
        raise bad_request(f"inline keyboard button login URL '{value['url']}' is invalid: Only HTTPS links are allowed")
    if kind == "web_app" and not _is_safe(value["url"]):
        raise bad_request(
            f"inline keyboard button Web App URL '{value['url']}' is invalid: Only HTTPS links are allowed",
        )
    if kind == "copy_text" and not 1 <= utf16_length(value["text"]) <= LONGEST_COPY:
        raise bad_request("BUTTON_COPY_TEXT_INVALID")
    if kind == "switch_inline_query_chosen_chat" and not any(value.get(allowed) for allowed in CHOSEN_CHATS):
        raise bad_request("at least one chat type must be allowed")


def _is_safe(url: str) -> bool:
    """Return whether a Mini App may be there: by https, or by http on this machine, as in Telegram's tests."""
    parts = urlsplit(url)
    return parts.scheme == "https" or (parts.scheme == "http" and is_loopback(parts.hostname or ""))
