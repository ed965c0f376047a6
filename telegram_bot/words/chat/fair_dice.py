"""The seal of a table's dice, who stirred what into them, and what that proves."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from itertools import groupby
from typing import Final

from telegram_bot.tables.fair_dice import SIGNS, StirView
from telegram_bot.tables.result_views import GameOverView
from telegram_bot.tables.views import LobbyView
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.phrases import folded, plain_name

MOST_SHOWN: Final = 240
"""The most characters of a lobby's or a game's list of stirs, of which the newest are shown."""
MOST_CHECKED: Final = 400
"""The same for the answer to *Check the dice*, which stands below a file."""
LONGEST_SALT_SHOWN: Final = 400


def seal(view: LobbyView, w: Catalogue, *, open_to_stirs: bool) -> list[str]:
    """Who stirred what, then the commitment to the game's dice: a line, and the rest in a folded quotation."""
    if view.commitment is None:
        return []
    how = [
        w.say(
            "Before anybody joined I drew a secret, and this is its seal. All rolls follow from it and from what you "
            "stir in. I open it after the game, so anybody can check the dice."
        )
    ]
    if open_to_stirs:
        how.append(w.say("Tap a sign below as often as you like, or reply to me with a lucky word."))
    limits = w.say(
        "What it cannot prove: whoever runs me, or gets at my database, can see all dice during the game. A game "
        "that is broken off proves nothing. And whoever stirs, joins or leaves last could choose among dice, if they "
        "are in league with whoever runs me: so stir late yourself."
    )
    how += [f"<code>{view.commitment}</code>", limits]
    return [*stirs_line(view.stirs, w, empty=not open_to_stirs), folded("🔐 " + w.say("dice sealed · how?"), *how)]


def stirs_line(stirs: Sequence[StirView], w: Catalogue, *, empty: bool, most: int = MOST_SHOWN) -> list[str]:
    """Who stirred what, in order. `empty`: say so if it was nobody."""
    if stirs:
        return ["🥄 " + w.say("Stirred: {stirs}", stirs=escape(_listed(stirs, most), quote=False))]
    return ["🥄 " + nobody_stirred(w)] if empty else []


def nobody_stirred(w: Catalogue) -> str:
    """That the dice of a game rest on the bot's word alone."""
    return w.say("Nobody stirred: these dice rest on my word.")


def who_stirred(stirs: Sequence[StirView], w: Catalogue) -> list[str]:
    """Who stirred what, and what that proves."""
    lines = stirs_line(stirs, w, empty=True, most=MOST_CHECKED)
    if stirs:
        last = escape(plain_name(stirs[-1].name), quote=False)
        lines.append(
            w.say("{name} stirred last: only in league with whoever runs me could they have chosen.", name=last)
        )
    return lines


def opened_seal(view: GameOverView, w: Catalogue) -> list[str]:
    """The secret, in a folded quotation, and from what the dice followed besides."""
    opened = [
        w.say("The seal is open. Tap <b>Check the dice</b> to see that nobody chose them."),
        w.say("Secret: {secret}", secret=f"<code>{view.secret}</code>"),
    ]
    if len(view.salt) <= LONGEST_SALT_SHOWN:
        opened.append(w.say("Words: {words}", words=f"<code>{escape(view.salt)}</code>"))
    return [*stirs_line(view.stirs, w, empty=True), folded("🔐 " + w.say("dice sealed · how?"), *opened)]


def _listed(stirs: Sequence[StirView], most: int) -> str:
    """`Ana 🍀🦊 · Bo llama`; if that is too long, its end."""
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
