"""The rules that a lobby offers with one tap: the operator's house rules, and three variants of Classic."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Final

from perudo_core import Rules
from telegram_bot.tables.model import DAY, FrozenModel, TableRules, TurnClock
from telegram_bot.tables.quiet_hours import QuietHours

CLASSIC: Final = "classic"
"""The key of the house rules from which the quick choices are made."""
SHORT_DICE: Final = 3
SHORT_SECONDS: Final = 60


class HouseRules(FrozenModel):
    """House rules with the operator's own title, and a line that describes them."""

    key: str
    title: str
    line: str = ""
    rules: TableRules


class QuickChoice(StrEnum):
    """A whole table, rules and turn clock, with one tap."""

    CLASSIC = "classic"
    SHORT = "short"
    SLOW = "slow"


def classic_rules(houses: Iterable[HouseRules]) -> Rules | None:
    """Return the rules of Classic, or None if this installation has none."""
    return next((house.rules for house in houses if house.key == CLASSIC), None)


def quick_table(
    choice: QuickChoice, classic: Rules, usual: TurnClock, night: QuietHours | None
) -> tuple[Rules, TurnClock]:
    """Return a quick choice's rules and clock; `usual`: the installation's clock, `night`: a slow one's pause."""
    match choice:
        case QuickChoice.CLASSIC:
            return classic, usual
        case QuickChoice.SHORT:
            return (
                classic.with_options(starting_dice=SHORT_DICE),
                usual.model_copy(update={"seconds": SHORT_SECONDS, "quiet": None}),
            )
        case QuickChoice.SLOW:
            return classic, usual.model_copy(update={"seconds": DAY, "quiet": night})
