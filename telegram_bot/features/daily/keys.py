"""The buttons below the hand of the day, below its answer and below the line that leads to it."""

from typing import Final
from urllib.parse import quote, urlencode

from telegram_bot.features.daily.notices import DailyLinkNotice, DailyNotice, shared_text
from telegram_bot.features.daily.requests import PlayDaily
from telegram_bot.presentation.keys import KEYS_A_ROW, Key, Keys, Style, rows_of, start_link
from telegram_bot.service.requests import write_button
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.dice import call_label

_SHARE: Final = "https://t.me/share/url"
"""Telegram asks for a chat and writes the text there."""


def daily_keys(notice: DailyNotice, w: Catalogue) -> Keys:
    """Return one button for each call that can be decided: the bids, then dudo and calza side by side; then *Share*."""
    if notice.answer is not None:
        link = start_link(notice.bot, write_button(PlayDaily()))
        shared = urlencode({"url": link, "text": shared_text(notice, notice.answer, w)}, quote_via=quote)
        return [[Key(w.say("Share, without the answer"), sign="📣", url=f"{_SHARE}?{shared}")]]
    keys = {
        call: Key(
            call_label(call, w, notice.question.wild_by),
            PlayDaily(notice.day, call),
            style={"dudo": Style.DANGER, "calza": Style.SUCCESS}.get(call),
        )
        for call in notice.question.calls
    }
    bids = rows_of((key for call, key in keys.items() if "x" in call), KEYS_A_ROW)
    return [*bids, [keys[call] for call in ("dudo", "calza") if call in keys]]


def daily_link_keys(_: DailyLinkNotice, w: Catalogue) -> Keys:
    """Return the way to the hand, in the private chat with the bot."""
    return [[Key(w.say("Play the hand of the day"), PlayDaily(), sign="🎲", in_private=True)]]
