"""The requests for a finished game's story, and for the reel of its evening."""

from dataclasses import dataclass
from typing import ClassVar

from telegram_bot.features.story.analysis import GameStory
from telegram_bot.service.intents import AtAnyStep, TableIntent


@dataclass(frozen=True, slots=True)
class TellStory(AtAnyStep, TableIntent):
    """Tell everyone the finished game's story."""

    only_asks: ClassVar[bool] = True
    takes_seconds: ClassVar[bool] = True
    allowed_while_suspended: ClassVar[bool] = True
    about_last_table: ClassVar[bool] = True

    story: GameStory | None = None
    """The story from an enricher, or None if there is none."""


@dataclass(frozen=True, slots=True)
class ShowReel(AtAnyStep, TableIntent):
    """Show everyone the best reveals of the evening."""

    only_asks: ClassVar[bool] = True
    allowed_while_suspended: ClassVar[bool] = True
    about_last_table: ClassVar[bool] = True
