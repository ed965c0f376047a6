"""The notices about fair dice: the seal, the answers, the check at the end of a game, the record."""

from enum import StrEnum
from typing import Literal

from telegram_bot.notices import AboutTable, FeatureNotice, FeatureToast, FileNotice, PublicNotice
from telegram_bot.service.results.game_record import GameRecord
from telegram_bot.tables.sealed_dice import StirView


class SealNotice(AboutTable, PublicNotice):
    """The seal of a table's dice, in a message that is never edited, with the signs that can be stirred in."""

    kind: Literal["seal"] = "seal"
    commitment: str


class FairDiceAnswer(StrEnum):
    """The answers to the requests."""

    SEALED = "sealed"
    STIRRED = "stirred"
    RECORD_ABOVE = "record_above"


class FairDiceAnswerNotice(FeatureToast):
    """Answers the person who shakes or checks the dice."""

    kind: Literal["fair_dice_answer"] = "fair_dice_answer"
    answer: FairDiceAnswer
    seal: str = ""
    """The published commitment in digits."""
    sign: str = ""


class DiceCheckNotice(FeatureNotice):
    """The result of the check at the end of a game whose dice players have shaken."""

    kind: Literal["dice_check"] = "dice_check"
    passed: bool
    """Whether every roll was computed again and follows from the seal and the stirs."""
    secret: str
    stirs: tuple[StirView, ...]


class RecordNotice(GameRecord, FileNotice):
    """A finished game as a file, with the proof of its dice."""

    kind: Literal["record"] = "record"
