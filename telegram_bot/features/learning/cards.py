"""Round zero as cards of pages: its stage for all, and for each player the own dice."""

from perudo_core import count_matching
from telegram_bot.features.learning.lesson import FRIEND_NAME
from telegram_bot.features.learning.notices import PracticeDiceNotice, RoundZeroNotice
from telegram_bot.features.learning.round_zero import FACE, STAGES, Stage
from telegram_bot.features.learning.words import count_feedback, round_zero_sentences
from telegram_bot.presentation.features import Card
from telegram_bot.words.catalogue import Catalogue


def round_zero_card(notice: RoundZeroNotice, w: Catalogue) -> Card:
    """Return the stage with its sentences, the players who have answered, and at the reveal all dice."""
    if notice.stage is None:
        return {"stage": None}
    *lines, question = round_zero_sentences(notice, w)
    return {
        "stage": notice.stage,
        "number": STAGES.index(notice.stage) + 1,
        "of": len(STAGES),
        "lines": lines,
        "question": question,
        "friend": FRIEND_NAME,
        "players": list(notice.players),
        "answered": list(notice.answered),
        "knowing": list(notice.knowing),
        "bid": {"quantity": notice.quantity, "face": FACE} if notice.stage in (Stage.CALL, Stage.REVEAL) else None,
        "ones_wild": notice.rules.wild_ones,
        "hands": [list(hand) for hand in notice.hands],
        "calls": list(notice.calls),
        "count": notice.count,
    }


def practice_dice_card(notice: PracticeDiceNotice, w: Catalogue) -> Card:
    """Return the dice, which the page says once the cup is lifted, and the answers to a right and to a wrong count."""
    held = count_matching(notice.dice, FACE, notice.rules.wild_ones)
    right, wrong = count_feedback(notice, held, w)
    return {"text": "", "dice": list(notice.dice), "count": held, "right": right, "wrong": wrong}
