"""The coach's advice on one decision."""

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


class JudgedDecision(FrozenModel):
    """A decision, judged after the round by what its player could know when it was made."""

    seat: int
    call: str
    """As `perudo_core` writes it."""
    lost: int
    """What it gave away, in tenths of a die; 0: nothing was better, as far as can be told."""
    better: str | None = None
    """The best call, if that was another one; `silence`: to say nothing out of turn."""
    lead: int = 0
    """By how much the best call was better than every other one, in thousandths of a die."""
