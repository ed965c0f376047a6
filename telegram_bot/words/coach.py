"""Short answers about the coach."""

from __future__ import annotations

from typing import TYPE_CHECKING

from telegram_bot.service.notices import Confirmation

if TYPE_CHECKING:
    from telegram_bot.words.catalogue import Catalogue


def coach_says(done: Confirmation, w: Catalogue) -> str:
    """Whether hints are allowed at the table, or what became of a hint."""
    match done:
        case Confirmation.HINTS_ALLOWED:
            return w.say("Hints are allowed. This game does not count for the league.")
        case Confirmation.NO_HINTS:
            return w.say("No hints: this game counts.")
        case Confirmation.HINT_SENT:
            return w.say("💡 The hint is in our private chat.")
        case _:
            return w.say("No idea this time. Trust your gut!")
