"""What the coach says to the player on turn."""

from __future__ import annotations

from typing import Literal

from telegram_bot.tables.advice import Advice
from telegram_bot.tables.model import FrozenModel


class CoachNotice(FrozenModel):
    """What the coach would do, told to the player on turn in private."""

    kind: Literal["coach"] = "coach"
    advice: Advice
    wild_by: str | None = None
    """The rulebook by which ones are wild in the round; None: they are not."""
