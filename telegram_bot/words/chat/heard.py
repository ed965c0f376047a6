"""What was heard in a voice note: the question to the player, and what everybody reads afterwards."""

from __future__ import annotations

from html import escape

from perudo_core import Bid, Calza, Dudo, NotationError, parse_call
from telegram_bot.service.notices import HeardNotice
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.dice import bid_figure
from telegram_bot.words.phrases import plain_name


def heard_text(notice: HeardNotice, w: Catalogue) -> str:
    """Asks the player which call they said, or tells which it was."""
    name = escape(plain_name(notice.name), quote=False)
    first = f"<b>{escape(call_label(notice.guesses[0], w, notice.wild_by), quote=False)}</b>" if notice.guesses else ""
    if notice.answered and notice.private:
        return w.say("🎙 You said {call}.", call=first)
    if notice.answered:
        return w.say("🎙 {name} said {call}.", name=name, call=first)
    if notice.sure and notice.private:
        return w.say("🎙 I heard {call}. Tap it, and it counts.", call=first)
    if notice.sure:
        return w.say("🎙 {name}, I heard {call}. Tap it, and it counts.", name=name, call=first)
    if notice.private:
        return w.say("🎙 What did you say? Tap it, and it counts.")
    return w.say("🎙 {name}, what did you say? Tap it, and it counts.", name=name)


def call_label(call: str, w: Catalogue, wild_by: str | None) -> str:
    """A call as a button shows it, in plain text."""
    try:
        said = parse_call(call, 0)
    except (NotationError, ValueError):  # of another version
        return call
    match said:
        case Bid(quantity=quantity, face=face):
            return bid_figure(quantity, face, w, wild_by)
        case Dudo():
            return w.say("Dudo!")
        case Calza():
            return w.say("Calza!")
        case _:
            return call
