"""Turn a notice into the message or the alert for one reader: `_MESSAGES` lists the words of each notice."""

import re
from collections.abc import Callable
from html import escape, unescape
from typing import Any, Final

from telegram_bot import notices as n
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.chat import game_words, lobby_words
from telegram_bot.words.lines import Format, Medium, html, plain
from telegram_bot.words.notice_lines import LINES, added_lines
from telegram_bot.words.phrases import cut

LONGEST_CAPTION: Final = 1024
_LETTERS: Final = (0, 24, 16, 8)
"""The maximum lengths of names in a caption, until it fits; 0 is none."""
_TAG: Final = re.compile(r"<[^>]*>")


def caption_length(html: str) -> int:
    """Return the length of a text as Telegram counts it: without its tags, in UTF-16 units."""
    return len(unescape(_TAG.sub("", html)).encode("utf-16-le")) // 2


def message_html(notice: n.Notice, w: Catalogue, letters: int = 0) -> str | None:
    """Return a notice as a message in HTML, or None if only the keyboard changes, or if it is for phones only.

    `letters`: the maximum length of a name, or 0 for no limit.
    """
    f = Format(w, Medium.CHAT, letters)
    own = _MESSAGES.get(type(notice))
    text = html(LINES[type(notice)](notice, f)) if own is None else own(notice, w)
    added = added_lines(notice, f)
    return "\n".join((text, html(added))) if text is not None and added else text


def caption_html(notice: n.Notice, w: Catalogue) -> str | None:
    """Return a notice as the caption of its picture, without the facts that the picture shows."""
    match notice:
        case n.HandNotice():
            return game_words.hand_text(notice, w, pictured=True)
        case n.RevealNotice():
            return game_words.reveal_text(notice, w, pictured=True)
        case _:
            for letters in _LETTERS:
                caption = message_html(notice, w, letters)
                if caption is None or caption_length(caption) <= LONGEST_CAPTION:
                    break
            return caption


def toast_text(notice: n.Toast, w: Catalogue) -> str:
    """Return a notice as plain text, at most 200 characters."""
    if isinstance(notice, n.DiceNotice):
        text = game_words.dice_alert(notice, w)
    else:
        text = plain(LINES[type(notice)](notice, Format(w, Medium.ALERT)))
    return cut(text, game_words.LONGEST_ALERT)


def _no_message(_notice: n.Notice, _w: Catalogue) -> None:
    """No message in a chat."""


def _toast_as_message(notice: n.Toast, w: Catalogue) -> str:
    return escape(toast_text(notice, w), quote=False)


_MESSAGES: Final[dict[type, Callable[[Any, Catalogue], str | None]]] = {
    n.LobbyNotice: lobby_words.lobby_text,
    n.StartedNotice: lobby_words.started_text,
    n.TableNotice: game_words.round_text,
    n.HandNotice: game_words.hand_text,
    n.CallNotice: game_words.call_text,
    n.RevealNotice: game_words.reveal_text,
    n.OpenedRevealNotice: game_words.opened_reveal_text,
    n.RoundOverNotice: game_words.round_over_text,
    n.GameOverNotice: game_words.game_over_text,
    n.HeardNotice: game_words.heard_text,
    n.WhichTableNotice: lambda _, w: w.say("You sit at more than one table. Which one do you mean?"),
    n.ConfirmationNotice: _toast_as_message,
    n.RejectionNotice: _toast_as_message,
    n.DiceNotice: _toast_as_message,
    n.BidsNotice: _no_message,
    n.OutdatedNotice: _no_message,
    n.PhoneNotice: _no_message,
    n.ReactionNotice: _no_message,
}
