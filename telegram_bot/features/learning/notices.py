"""The notices to people who learn or practise."""

from typing import Literal

from perudo_core import Rules, count_matching
from telegram_bot.features.learning.round_zero import FACE, Stage
from telegram_bot.notices import AboutTable, FeatureNotice, PublicNotice
from telegram_bot.tables.model import TableRules


class TutorialNotice(FeatureNotice):
    """One step of the tutorial; after the last one, its end."""

    kind: Literal["tutorial"] = "tutorial"
    rules: TableRules
    step: int = 0
    wrong: int | None = None
    """The number of the wrong answer to this step, or None without one."""


class PracticeNotice(FeatureNotice):
    """The question how many computer players a person would like to practise against."""

    kind: Literal["practice"] = "practice"
    most: int


class RoundZeroNotice(AboutTable, PublicNotice):
    """A stage of round zero, as the television and all pages of the room show it."""

    kind: Literal["round_zero"] = "round_zero"
    stage: Stage | None = None
    """The stage, or None if it is over, and no game has begun."""
    rules: TableRules = Rules()
    players: tuple[int, ...] = ()
    answered: tuple[int, ...] = ()
    """The players who have answered the question of the stage."""
    knowing: tuple[int, ...] = ()
    quantity: int = 0
    """The number of the first bid."""
    hands: tuple[tuple[int, ...], ...] = ()
    """At the reveal: the dice of each player, then those of the bot's friend."""
    calls: tuple[int | None, ...] = ()
    """At the reveal: the answer of each player to the bid."""

    @property
    def count(self) -> int:
        """Return how many of the open dice count."""
        return sum(count_matching(hand, FACE, self.rules.wild_ones) for hand in self.hands)


class PracticeDiceNotice(AboutTable, FeatureNotice):
    """Private: a player's dice in round zero."""

    kind: Literal["practice_dice"] = "practice_dice"
    rules: TableRules
    dice: tuple[int, ...]
