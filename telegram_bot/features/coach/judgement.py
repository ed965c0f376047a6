"""A call with its chances, the advice before a decision, and the judgement after the round."""

from telegram_bot.tables.model import FrozenModel


class CallAdvice(FrozenModel):
    """A candidate call."""

    call: str
    """As `perudo_core` writes it."""
    right: int
    """The chance in percent, after the calls so far, that the bid is true, or the doubt justified."""
    risk: int | None = None
    """The chance in percent that it costs the player a die, or None if a round may cost several dice.
    """
    held: int = 0
    """The number of the player's own dice that count for the bid."""
    hidden: int = 0
    """The number of the others' dice; 0: it is unknown, or the call is no bid."""
    more: int = 0
    """The number of these dice that count on average."""
    proven: bool = False
    """Whether the player's own dice decide it, so that `right` is 0 or 100."""


class Advice(FrozenModel):
    """The coach's advice."""

    best: CallAdvice
    """No other call has a lower risk."""
    others: tuple[CallAdvice, ...] = ()
    """The next best ones."""
    standing: CallAdvice | None = None
    """The bid to beat; `right` is the chance by the dice alone that it is true."""


class JudgedDecision(FrozenModel):
    """A decision, judged after the round by its player's knowledge at the time."""

    seat: int
    call: str
    """As `perudo_core` writes it."""
    lost: int
    """The loss against the best call, in tenths of a die; 0: no better call is known."""
    better: str | None = None
    """The best call, if it was another one; `silence`: no call out of turn."""
    right: int = 0
    better_right: int = 0
    """The chance in percent, after the calls before, that the call was right, and that the best call was."""
    standing: CallAdvice | None = None
    """The bid to beat; `right` is the chance by the dice alone that it is true."""
