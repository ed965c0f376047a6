"""Notices about statistics and leagues."""

from __future__ import annotations

from typing import Literal

from telegram_bot.tables.model import ComputerPlayer, FrozenModel


class Rival(FrozenModel):
    """Somebody whom a player has often met, and who of both ended how often before the other."""

    name: str
    ahead: int
    behind: int


class StatisticsNotice(FrozenModel):
    """How one person plays."""

    kind: Literal["statistics"] = "statistics"
    name: str
    own: bool
    """Whether they asked themselves."""
    hidden: bool = False
    games: int = 0
    wins: int = 0
    streak: int = 0
    best_streak: int = 0
    bids: int = 0
    bluffs: int = 0
    dudos: int = 0
    dudos_right: int = 0
    calzas: int = 0
    calzas_right: int = 0
    rating: int | None = None
    """None: after too few games to tell."""
    rivals: tuple[Rival, ...] = ()
    achievements: tuple[str, ...] = ()


class ComputerRow(FrozenModel):
    """How the computer players of one level and character do."""

    computer: ComputerPlayer
    rating: int
    games: int
    wins: int


class ComputerRatingsNotice(FrozenModel):
    """The ratings of computer players, the best first."""

    kind: Literal["computer_ratings"] = "computer_ratings"
    rows: tuple[ComputerRow, ...]
    unrated: int = 0
    """How many kinds have played too few games for a rating."""


class LeagueRow(FrozenModel):
    """One player of a league."""

    rank: int
    name: str
    points: int
    wins: int
    games: int
    rating: int | None


class LeagueNotice(FrozenModel):
    """A group's league in one month."""

    kind: Literal["league"] = "league"
    title: str
    year: int
    month: int
    rows: tuple[LeagueRow, ...]
    champion: str | None = None
    """Who led at the end of the month before."""
