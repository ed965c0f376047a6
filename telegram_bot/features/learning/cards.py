"""Round zero as cards of pages: its stage for all, and for each player the own dice."""

from typing import NotRequired, TypedDict

from perudo_core import count_matching
from telegram_bot.features.learning.lesson import FRIEND_NAME
from telegram_bot.features.learning.notices import PracticeDiceNotice, RoundZeroNotice
from telegram_bot.features.learning.round_zero import FACE, STAGES, Stage
from telegram_bot.features.learning.words import count_feedback, round_zero_sentences
from telegram_bot.notices.card_types import CalledBidField
from telegram_bot.words.catalogue import Catalogue


class RoundZeroFields(TypedDict):
    """Round zero; without a stage it is over, and has no other field."""

    stage: str | None
    number: NotRequired[int]
    of: NotRequired[int]
    lines: NotRequired[list[str]]
    question: NotRequired[str]
    friend: NotRequired[str]
    players: NotRequired[list[int]]
    answered: NotRequired[list[int]]
    knowing: NotRequired[list[int]]
    bid: NotRequired[CalledBidField | None]
    ones_wild: NotRequired[bool]
    hands: NotRequired[list[list[int]]]
    calls: NotRequired[list[int | None]]
    count: NotRequired[int]


class PracticeDiceFields(TypedDict):
    """The reader's dice in round zero."""

    text: str
    dice: list[int]
    count: int
    right: str
    wrong: str


def round_zero_card(notice: RoundZeroNotice, w: Catalogue) -> RoundZeroFields:
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


def practice_dice_card(notice: PracticeDiceNotice, w: Catalogue) -> PracticeDiceFields:
    """Return the dice, which the page says once the cup is lifted, and the answers to a right and to a wrong count."""
    held = count_matching(notice.dice, FACE, notice.rules.wild_ones)
    right, wrong = count_feedback(notice, held, w)
    return {"text": "", "dice": list(notice.dice), "count": held, "right": right, "wrong": wrong}
