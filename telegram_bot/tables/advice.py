"""The coach's advice on one decision."""

from __future__ import annotations

from telegram_bot.tables.model import FrozenModel


class CallAdvice(FrozenModel):
    """One of the best calls."""

    call: str
    """As `perudo_core` writes it."""
    by_dice: int
    """The chance that it is right, in percent, by the player's own dice and the number of the others'."""
    after_calls: int
    """The same after what was said."""
    bluff: bool = False
    """Whether it is a bid of which the player holds less than an even share."""


class Advice(FrozenModel):
    """What the coach would do."""

    calls: tuple[CallAdvice, ...]
    """The best first."""
    standing: CallAdvice | None = None
    """The bid to beat, and the chances that it holds."""
