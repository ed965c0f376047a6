"""The coach's advice on one decision, and its judgement after the round."""

from telegram_bot.tables.model import FrozenModel


class CallAdvice(FrozenModel):
    """A call that comes into question."""

    call: str
    """As `perudo_core` writes it."""
    right: int
    """The chance in percent, after what was said, that the bid is true, or the doubt justified."""
    risk: int | None = None
    """How often it costs the player a die, in percent; None: a round may cost several, so a percentage says little."""
    held: int = 0
    """The number of the player's own dice that count for the bid."""
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
    """A decision, judged after the round by what its player could know when it was made."""

    seat: int
    call: str
    """As `perudo_core` writes it."""
    lost: int
    """The loss against the best call, in tenths of a die; 0: no better call is known."""
    better: str | None = None
    """The best call, if it was another one; `silence`: no call out of turn."""
    right: int = 0
    better_right: int = 0
    """The chance in percent, after the calls before, that the call was right, and the same of the best call."""
    standing: CallAdvice | None = None
    """The bid to beat, as in `Advice`."""
