"""What the coach says: to the player on turn, and after a round."""

from __future__ import annotations

from typing import Literal

from telegram_bot.tables.advice import Advice, JudgedDecision
from telegram_bot.tables.model import FrozenModel


class CoachNotice(FrozenModel):
    """What the coach would do, told to the player on turn in private."""

    kind: Literal["coach"] = "coach"
    advice: Advice
    wild_by: str | None = None
    """The rulebook by which ones are wild in the round; None: they are not."""


class RoundReviewNotice(FrozenModel):
    """A player's best and worst decision in a round that is over, told in private."""

    kind: Literal["round_review"] = "round_review"
    round: int
    best: JudgedDecision
    worst: JudgedDecision | None = None
    """None: none gave anything away, or there was only one."""
    wild_by: str | None = None
    """The rulebook by which ones were wild in the round; None: they were not."""
