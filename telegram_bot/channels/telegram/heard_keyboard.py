"""Build the keyboard that asks whoever sent a voice note what they said."""

from __future__ import annotations

from telegram_bot.channels.telegram import callback_data
from telegram_bot.channels.telegram.buttons import SUCCESS, Button, Rows
from telegram_bot.channels.telegram.buttons import button as _button
from telegram_bot.service import notices as n
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.dice import call_label


def heard_keyboard(notice: n.HeardNotice, w: Catalogue) -> Rows:
    """The calls that may have been said, for whoever said them; the first stands out if the recogniser is sure."""
    if notice.answered:
        return []

    def said(rank: int, call: str) -> Button:
        data = callback_data.note_answer(notice.table, notice.step, notice.player, call, rank)
        likely = notice.sure and rank == 1
        label = call_label(call, w, notice.wild_by)
        return _button(f"✅ {label}" if likely else label, data, SUCCESS if likely else None)

    guesses = [said(rank, call) for rank, call in enumerate(notice.guesses, start=1)]
    no = _button("✖️ " + w.say("Not that"), callback_data.note_answer(notice.table, notice.step, notice.player))
    return [guesses[:1], guesses[1:], [no]] if notice.sure and guesses[1:] else [guesses, [no]]
