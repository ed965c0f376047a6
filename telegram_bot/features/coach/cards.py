"""A hint, and the review of a round, as cards of a page."""

from telegram_bot.features.coach.notices import CoachNotice, RoundReviewNotice
from telegram_bot.presentation.cards import lines_of
from telegram_bot.presentation.features import Card
from telegram_bot.words.catalogue import Catalogue


def hint_card(notice: CoachNotice, w: Catalogue) -> Card:
    """Return the sentences, and the advised call for its button."""
    best = notice.advice.best
    return {
        "step": notice.step,
        "call": best.call,
        "right": best.right,
        "risk": best.risk,
        "lines": lines_of(notice, w),
    }


def review_card(notice: RoundReviewNotice, w: Catalogue) -> Card:
    """Return the sentences."""
    return {"round": notice.round, "lines": lines_of(notice, w)}
