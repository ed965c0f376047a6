"""The rows of statistics: finished games, each player's part in them, sums of each player, and achievements."""

from enum import StrEnum
from typing import Final

from sqlalchemy import BigInteger, Column, Float, ForeignKey, Index, Integer
from sqlmodel import Field, SQLModel

_BigKey = BigInteger().with_variant(Integer, "sqlite")


COUNTS: Final = ("bids", "bluffs", "dudos", "dudos_right", "calzas", "calzas_right")
"""The columns that are counted for a player, in a game and in sum."""


class PlayerKind(StrEnum):
    """The kind of player in a seat.

    Games with computer players are stored, but count for no statistics and no league.
    """

    PERSON = "person"
    COMPUTER = "computer"


class GameResult(SQLModel, table=True):
    """A game with a winner, or a competition of several games.

    Ids ascend in the order in which they changed the ratings.
    """

    __tablename__ = "game_result"
    __table_args__ = (Index("ix_game_result_chat_id_ended_at", "chat_id", "ended_at"),)
    id: int = Field(default=None, sa_column=Column(_BigKey, primary_key=True, autoincrement=True))
    table_id: int | None = Field(default=None, foreign_key="game_table.id", unique=True)
    """None for the places of a competition of several games, or if the game was deleted. It cannot be played again."""
    chat_id: int = Field(foreign_key="chat.id")
    ended_at: float
    counted: bool
    """Whether it counts for statistics and leagues: people sat in all seats."""


class SeatResult(SQLModel, table=True):
    """One player's part in one game."""

    __tablename__ = "seat_result"
    result_id: int = Field(
        sa_column=Column(_BigKey, ForeignKey("game_result.id"), primary_key=True, autoincrement=False)
    )
    seat: int = Field(sa_column=Column(Integer, primary_key=True, autoincrement=False))
    player_id: int | None = Field(default=None, foreign_key="player.id", index=True)
    """None for a forgotten person, or a computer player."""
    kind: str = PlayerKind.PERSON
    level: str | None = None
    """The level of a computer player, or None for a person, or a game that ended before levels were stored."""
    character: str | None = None
    """A computer player's."""
    place: int
    bids: int = 0
    bluffs: int = 0
    dudos: int = 0
    dudos_right: int = 0
    calzas: int = 0
    calzas_right: int = 0
    mu: float = Field(sa_column=Column(Float(53), nullable=False))
    """The player's rating before the game. The others' ratings after the game depend on it."""
    sigma: float = Field(sa_column=Column(Float(53), nullable=False))


class PlayerStatistics(SQLModel, table=True):
    """The sums of a player's games, and their rating."""

    __tablename__ = "player_statistics"
    player_id: int = Field(foreign_key="player.id", ondelete="CASCADE", primary_key=True)
    mu: float = Field(sa_column=Column(Float(53), nullable=False))
    sigma: float = Field(sa_column=Column(Float(53), nullable=False))
    games: int = 0
    wins: int = 0
    streak: int = 0
    """Games won in a row, up to the last one."""
    best_streak: int = 0
    drought: int = 0
    """Games since the last win."""
    last_places: int = 0
    """Last places in a row, up to the last game."""
    bids: int = 0
    bluffs: int = 0
    dudos: int = 0
    dudos_right: int = 0
    calzas: int = 0
    calzas_right: int = 0


class ComputerStatistics(SQLModel, table=True):
    """The rating of the computer players of one level and character, from all games in which they sat."""

    __tablename__ = "computer_statistics"
    level: str = Field(primary_key=True)
    character: str = Field(primary_key=True)
    mu: float = Field(sa_column=Column(Float(53), nullable=False))
    sigma: float = Field(sa_column=Column(Float(53), nullable=False))
    games: int = 0
    """Two of a kind at one table count one game."""
    wins: int = 0


class Award(SQLModel, table=True):
    """An achievement of a player."""

    __tablename__ = "award"
    player_id: int = Field(foreign_key="player.id", ondelete="CASCADE", primary_key=True)
    name: str = Field(primary_key=True)
    """The key in `statistics.achievements`; an unknown one was written by another version, and is not shown."""
    result_id: int = Field(sa_column=Column(_BigKey, nullable=False, index=True))
    told: bool = False
    """Whether the end of a game has announced it."""
