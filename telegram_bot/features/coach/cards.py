"""A hint, and the review of a round, as cards of a page."""

from typing import TypedDict

from telegram_bot.features.coach.notices import CoachNotice, RoundReviewNotice
from telegram_bot.presentation.cards import lines_of
from telegram_bot.words.catalogue import Catalogue


class HintFields(TypedDict):
    """A hint."""

    step: int
    call: str
    right: float
    risk: float | None
    lines: list[str]


class ReviewFields(TypedDict):
    """The review of a round."""

    round: int
    lines: list[str]


def hint_card(notice: CoachNotice, w: Catalogue) -> HintFields:
    """Return the sentences, and the advised call for its button."""
    best = notice.advice.best
    return {
        "step": notice.step,
        "call": best.call,
        "right": best.right,
        "risk": best.risk,
        "lines": lines_of(notice, w),
    }


def review_card(notice: RoundReviewNotice, w: Catalogue) -> ReviewFields:
    """Return the sentences."""
    return {"round": notice.round, "lines": lines_of(notice, w)}
