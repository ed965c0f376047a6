"""The notices to people who learn or practise."""

from typing import Literal

from telegram_bot.service.notices import FeatureNotice
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
