"""Intents about statistics and leagues."""

from __future__ import annotations

from dataclasses import dataclass

from telegram_bot.statistics.story import GameStory


@dataclass(frozen=True, slots=True)
class SeeStatistics:
    """Show how I play, or the person with this address on my channel, whose message I replied to."""

    of: int | None = None


@dataclass(frozen=True, slots=True)
class SeeLeague:
    """Show the group's league of this month, or the ratings of computer players."""

    computers: bool = False


@dataclass(frozen=True, slots=True)
class HideMe:
    """Leave me out of leagues and of other people's statistics, or no longer."""

    on: bool = True


@dataclass(frozen=True, slots=True)
class TellStory:
    """Tell everybody the finished game's story."""

    story: GameStory | None = None
    """What an enricher has found out; None: nothing."""
