"""The notices of the league: statistics, ratings, answers, and the parts of the start and the end of a game."""

from typing import Literal

from telegram_bot.notices import FeatureNotice
from telegram_bot.tables.faces import Face
from telegram_bot.tables.model import ComputerPlayer, FrozenModel


class Rival(FrozenModel):
    """An opponent whom a player has often met, with the number of games in which each ended before the other."""

    name: str
    ahead: int
    behind: int


class StatisticsNotice(FeatureNotice):
    """One person's statistics."""

    kind: Literal["statistics"] = "statistics"
    name: str
    own: bool
    """Whether the person asked for their own."""
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
    """None after too few games."""
    rivals: tuple[Rival, ...] = ()
    achievements: tuple[str, ...] = ()


class ComputerRow(FrozenModel):
    """The results of the computer players of one level and character."""

    computer: ComputerPlayer
    rating: int
    games: int
    wins: int


class ComputerRatingsNotice(FeatureNotice):
    """The ratings of computer players, the best first."""

    kind: Literal["computer_ratings"] = "computer_ratings"
    rows: tuple[ComputerRow, ...]
    unrated: int = 0
    """The number of kinds without enough games for a rating."""
    beaten: tuple[ComputerPlayer, ...] | None = None
    """The kinds that the reader has finished ahead of, the weakest first, or None if others read it too."""


class LeagueRow(FrozenModel):
    """One player of a league."""

    rank: int
    name: str
    face: Face | None = None
    points: int
    wins: int
    games: int
    rating: int | None


class LeagueNotice(FeatureNotice):
    """A group's league in one month."""

    kind: Literal["league"] = "league"
    title: str
    year: int
    month: int
    rows: tuple[LeagueRow, ...]
    champion: str | None = None
    """The leader at the end of the month before."""


class AchievementView(FrozenModel):
    """A new achievement at the end of a game."""

    name: str
    key: str


class EveningScore(FrozenModel):
    """The number of the evening's games that a player has won."""

    name: str
    wins: int


class EveningNotice(FeatureNotice):
    """At the end of a game: new achievements, and the score of the evening."""

    kind: Literal["evening"] = "evening"
    achievements: tuple[AchievementView, ...] = ()
    """The new achievements that are announced now."""
    evening: tuple[EveningScore, ...] = ()
    """The players with their wins of the evening here, the best first; empty after the first game."""


class RivalMemory(FrozenModel):
    """How often a player doubted a computer player in the last game that both finished."""

    rival: str
    name: str
    doubts: int


class MemoriesNotice(FeatureNotice):
    """At the start of a game: what computer players remember."""

    kind: Literal["memories"] = "memories"
    memories: tuple[RivalMemory, ...]
