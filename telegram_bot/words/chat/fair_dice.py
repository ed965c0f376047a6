"""The seal of a table's dice, the stirs, and what they prove."""

from collections.abc import Sequence
from html import escape
from itertools import groupby
from typing import Final

from perudo_core.fair import seal_digits
from perudo_core.stirs import SIGNS
from telegram_bot.service import notices as n
from telegram_bot.tables.fair_dice import StirView
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.lines import Format, Line, Medium
from telegram_bot.words.phrases import folded, plain_name
from telegram_bot.words.replies import sealed_by_text

MOST_SHOWN: Final = 240
"""The maximum length of a lobby's or a game's list of stirs; the newest are shown."""
MOST_CHECKED: Final = 360
"""The same for the answer to *Check the dice*, which is below a file."""


def seal_lines(notice: n.SealNotice, f: Format) -> list[Line]:
    """How to shake the dice and, folded in a chat, their seal and what it proves."""
    w, seal = f.w, seal_digits(notice.commitment)
    if f.medium is Medium.TEXT:
        return [Line(sealed_by_text(seal, w))]
    how = [
        w.say("The dice are sealed: {seal}", seal=seal),
        w.say(
            "All dice of this game follow from my secret and from what you shake in. The seal fixes my secret, the "
            "table and its rules; I open it after the game, and <b>Check the dice</b> shows whether they fit."
        ),
        f"<code>{notice.commitment}</code>",
        w.say(
            "What it cannot prove: whoever runs me, or gets at my database, can see all dice during the game. A game "
            "that is broken off proves nothing. And whoever shakes, joins or leaves last could choose among dice, if "
            "they are in league with whoever runs me: so shake late yourself."
        ),
    ]
    return [
        Line(f.strong(w.say("Shake the dice: tap signs, as often as you like.")), sign="🎲"),
        Line(folded(w.say("how?"), *how)),
    ]


def stirs_line(stirs: Sequence[StirView], w: Catalogue, *, most: int = MOST_SHOWN) -> list[str]:
    """The stirs with their players, in order; empty without stirs."""
    return ["🎲 " + w.say("Shaken in: {stirs}", stirs=escape(_listed(stirs, most), quote=False))] if stirs else []


def who_stirred(stirs: Sequence[StirView], w: Catalogue) -> list[str]:
    """The stirs with their players, and what they prove."""
    lines = stirs_line(stirs, w, most=MOST_CHECKED)
    if stirs:
        last = escape(plain_name(stirs[-1].name), quote=False)
        lines.append(
            w.say(
                "{name} shook last. Only together with the person who runs me could they have chosen the dice.",
                name=last,
            )
        )
    return lines


def dice_sentence(notice: n.GameOverNotice, w: Catalogue) -> str | None:
    """One sentence on the dice of a finished game, the same in every channel; None if they prove nothing.

    Dice prove nothing without a sealed secret, or without stirs: then the bot alone chose them.
    """
    if notice.view.secret is None or not notice.view.stirs:
        return None
    if not notice.dice_checked:
        return "⚠️ " + w.say("The dice do not fit their seal. Tap <b>Check the dice</b>.")
    return "🎲 " + w.say("Dice checked: nobody chose them")


def dice_line(notice: n.GameOverNotice, w: Catalogue) -> list[str]:
    """The sentence on the dice for the group, with the proof folded below."""
    sentence = dice_sentence(notice, w)
    if sentence is None or notice.seat is not None:
        return []
    if not notice.dice_checked:
        return [sentence]
    opened = [*stirs_line(notice.view.stirs, w), w.say("Secret: {secret}", secret=f"<code>{notice.view.secret}</code>")]
    return [folded(f"{sentence} · {w.say('how?')}", *opened)]


def _listed(stirs: Sequence[StirView], most: int) -> str:
    """The stirs as `Ana 🍀🦊 · Bo llama`; only the end of a long list."""
    shown = len(stirs)
    while (listed := _joined(stirs[-shown:])) and len(listed) > most and shown > 1:
        shown -= 1
    return listed if shown == len(stirs) else f"… {listed}"


def _joined(stirs: Sequence[StirView]) -> str:
    by_player = groupby(stirs, key=lambda stir: plain_name(stir.name))
    return " · ".join(f"{name} {_in_a_row([stir.what for stir in row])}" for name, row in by_player)


def _in_a_row(whats: Sequence[str]) -> str:
    """Signs side by side, words apart."""
    joined = ""
    for what in whats:
        apart = joined and not (what in SIGNS and joined[-1] in SIGNS)
        joined += (" " if apart else "") + plain_name(what)
    return joined
