"""The tables of tournaments, of the people who take part, and of the tables that they play at."""

from enum import StrEnum
from typing import Any, Final

from sqlalchemy import JSON, Column, Index, text
from sqlmodel import Field, Session, SQLModel, col, delete, select

from telegram_bot.features.tournament.notices import Phase
from telegram_bot.storage.models import SentMessage


class Tournament(SQLModel, table=True):
    """A tournament of a group."""

    __tablename__ = "tournament"
    __table_args__ = (
        Index(
            "uq_tournament_live_chat",
            "chat_id",
            unique=True,
            sqlite_where=text("live"),
            postgresql_where=text("live"),
        ),
    )
    id: int = Field(default=None, primary_key=True)
    chat_id: int = Field(foreign_key="chat.id", ondelete="CASCADE", index=True)
    code: str = Field(index=True, unique=True, nullable=True)
    """By which phones join."""
    live: bool = True
    phase: str = Phase.OPEN
    stage: int = 0
    """The running stage; 0 before the draw."""
    computers: bool = False
    """Whether computer players fill the smaller tables."""
    rules: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))
    televised: int | None = None
    """The table that the television shows during a stage."""
    changed_at: float
    """The time of the last change by a person, or of the last end of a table."""
    host_id: int | None = Field(default=None, foreign_key="player.id", ondelete="SET NULL")
    """The person who opened it, on the list or not, or None if they left: see `host_of`."""
    host_at: float = 0
    """The time of the host's last act."""


def subject_of(tournament: int) -> int:
    """Return the number that a tournament's messages bear in place of a table's: below zero, where no table is."""
    return -tournament


def tournament_about(subject: int) -> int | None:
    """Return the tournament whose messages bear this number, or None for a table's."""
    return -subject if subject < 0 else None


class Standing(StrEnum):
    """The standing of a person on a tournament's list."""

    IN = "in"
    """They take part."""
    ASKS = "asks"
    """They wait for the host's answer, and have no place."""
    REMOVED = "removed"
    """The host has removed or refused them: they cannot join this list again."""


class Entrant(SQLModel, table=True):
    """A person who takes part, asks to take part, or was removed."""

    __tablename__ = "tournament_entrant"
    tournament_id: int = Field(foreign_key="tournament.id", ondelete="CASCADE", primary_key=True)
    player_id: int = Field(foreign_key="player.id", ondelete="CASCADE", primary_key=True, index=True)
    number: int
    """In the order of joining, or of asking."""
    standing: str = Standing.IN
    asked_at: float = 0
    """The time of their question to the host."""
    table_id: int | None = None
    """Their last table."""
    out: bool = False
    place: int | None = None
    """Their place, once the tournament has ended."""


class StageTable(SQLModel, table=True):
    """A table of a stage, or the table of the final."""

    __tablename__ = "tournament_table"
    table_id: int = Field(foreign_key="game_table.id", ondelete="CASCADE", primary_key=True)
    tournament_id: int = Field(foreign_key="tournament.id", ondelete="CASCADE", index=True)
    stage: int
    number: int
    """Within the stage, from 1."""
    over: bool = False
    """Whether the game is over, and its last dice were shown."""
    dice: list[int] = Field(sa_column=Column(JSON))
    """The number of dice of each seat, as far as they were shown."""


KEPT_SECONDS: Final = 30 * 86400


def prune(session: Session, now: float) -> None:
    """Delete tournaments without a change for `KEPT_SECONDS`, and the references to their messages."""
    old = list(session.exec(select(Tournament.id).where(Tournament.changed_at < now - KEPT_SECONDS)))
    session.exec(delete(SentMessage).where(col(SentMessage.table_id).in_(list(map(subject_of, old)))))
    session.exec(delete(Tournament).where(col(Tournament.id).in_(old)))
