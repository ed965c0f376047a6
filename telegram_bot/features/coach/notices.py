"""The notices about hints: a hint, and the review of a round."""

from typing import Literal

from telegram_bot.features.coach.judgement import Advice, JudgedDecision
from telegram_bot.notices import AboutTable, FeatureNotice


class CoachNotice(AboutTable, FeatureNotice):
    """Private: the coach's advice to the player on turn at one step of a table."""

    kind: Literal["coach"] = "coach"
    step: int
    advice: Advice
    wild_by: str | None = None
    """The rulebook by which ones are wild in the round, or None if they are not."""


class RoundReviewNotice(FeatureNotice):
    """Private: a player's costliest decision in a finished round."""

    kind: Literal["round_review"] = "round_review"
    round: int
    worst: JudgedDecision
    wild_by: str | None = None
    """The rulebook by which ones were wild in the round, or None if they were not."""
