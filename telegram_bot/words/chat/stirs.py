"""The stirs of a table's dice, as chats show them."""

from collections.abc import Sequence
from html import escape
from itertools import groupby
from typing import Final

from perudo_core.stirs import SIGNS
from telegram_bot.tables.sealed_dice import StirView
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.phrases import plain_name

MOST_SHOWN: Final = 240
"""The maximum length of a lobby's or a game's list of stirs; the newest are shown."""


def stirs_line(stirs: Sequence[StirView], w: Catalogue, *, most: int = MOST_SHOWN) -> list[str]:
    """Return the stirs with their players, in order; empty without stirs."""
    return ["🎲 " + w.say("Shaken in: {stirs}", stirs=escape(_listed(stirs, most), quote=False))] if stirs else []


def _listed(stirs: Sequence[StirView], most: int) -> str:
    """Return the stirs as `Ana 🍀🦊 · Bo llama`; only the end of a long list."""
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
