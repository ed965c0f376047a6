"""The requests to shake the dice before a game, and to check them after it."""

from dataclasses import dataclass
from typing import ClassVar

from telegram_bot.service.intents import AtAnyStep, TableIntent


@dataclass(frozen=True, slots=True)
class SealDice(AtAnyStep, TableIntent):
    """Publish the seal of the dice, before a stir."""


@dataclass(frozen=True, slots=True)
class StirDice(AtAnyStep, TableIntent):
    """Stir one of the core's signs into the dice, before the game begins."""

    sign: str


@dataclass(frozen=True, slots=True)
class SeeRecord(AtAnyStep, TableIntent):
    """Ask for the finished game's record, to check the dice."""

    allowed_while_suspended: ClassVar[bool] = True
