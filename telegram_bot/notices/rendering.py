"""Turn a notice into the message, the alert, the text message or the speech for one reader."""

import re
from html import unescape
from typing import Final

from telegram_bot.notices.base import NoticeModel, message_of
from telegram_bot.storage.models import DiceStyle
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.lines import Format, Medium, one_message, spoken, without_commands
from telegram_bot.words.phrases import cut
from telegram_bot.words.sms.layout import TextReader

LONGEST_ALERT: Final = 200
LONGEST_CAPTION: Final = 1024
_LETTERS: Final = (0, 24, 16, 8)
"""The maximum lengths of names in a caption, until it fits; 0 is none."""
_TAG: Final = re.compile(r"<[^>]*>")


def caption_length(html: str) -> int:
    """Return the length of a text as Telegram counts it: without its tags, in UTF-16 units."""
    return len(unescape(_TAG.sub("", html)).encode("utf-16-le")) // 2


def message_html(notice: NoticeModel, w: Catalogue, letters: int = 0) -> str | None:
    """Return a notice as a message in HTML, or None if only the keyboard changes, or if it is for phones only.

    `letters`: the maximum length of a name, or 0 for no limit.
    """
    return message_of(notice, Format(w, Medium.CHAT, letters))


def caption_html(notice: NoticeModel, w: Catalogue) -> str | None:
    """Return a notice as the caption of its picture, without the facts that the picture shows."""
    if (caption := notice.below_picture(Format(w, Medium.CHAT))) is not None:
        return caption
    for letters in _LETTERS:
        caption = message_html(notice, w, letters)
        if caption is None or caption_length(caption) <= LONGEST_CAPTION:
            break
    return caption


def toast_text(notice: NoticeModel, w: Catalogue) -> str:
    """Return a notice as plain text, at most 200 characters."""
    return cut(notice.alert(Format(w, Medium.ALERT)), LONGEST_ALERT)


def toast_on_page(notice: NoticeModel, w: Catalogue) -> str:
    """Return the same for a web page, which takes no commands: without the sentences that name one."""
    text = toast_text(notice, w)
    return without_commands(text) or text


def sms_text(notice: NoticeModel, w: Catalogue, reader: TextReader) -> str | None:
    """Return a notice as one text message of at most 160 GSM-7 characters, in the reader's language.

    None if phones do not get it. During a game each text begins with the round.
    """
    round_ = notice.round_at_front(reader.round)
    return one_message(
        lambda letters: notice.by_text(Format(w, Medium.TEXT, letters, reader.code), reader),
        "" if round_ is None else f"R{round_}",
    )


def texts_to_say(notice: NoticeModel, w: Catalogue) -> list[str]:
    """Return the lines of a notice that is said, or shown on a web page."""
    return list(notice.in_speech(Format(w, Medium.SPEECH)))


def spoken_text(notice: NoticeModel, w: Catalogue) -> str:
    """Return a notice in spoken form, as plain text."""
    return " ".join(spoken(texts_to_say(notice, w.with_dice(DiceStyle.WORDS))))


def news_text(notice: NoticeModel, w: Catalogue) -> str:
    """Return the news in a notice, for the screen reader of a person who follows the table; "" without news."""
    return " ".join(spoken(notice.news(Format(w.with_dice(DiceStyle.WORDS), Medium.SPEECH))))
