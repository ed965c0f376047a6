"""The tables of pages: who opened one, which link leads to a room, and the cards that pages show."""

from enum import StrEnum
from typing import Any

from sqlalchemy import JSON, BigInteger, Column, Index, text
from sqlmodel import Field, SQLModel

OPEN_PAGES = "open_until > 0"
"""The condition of the partial index of sessions with a page that is open, or was until it ended without a word."""


class WebSession(SQLModel, table=True):
    """Whoever opened a page: a guest, a person of another channel, or a big screen, which is nobody."""

    __tablename__ = "web_session"
    __table_args__ = (
        Index("ix_web_session_open", "open_until", sqlite_where=text(OPEN_PAGES), postgresql_where=text(OPEN_PAGES)),
    )
    id: int = Field(default=None, primary_key=True)
    token_hash: str = Field(unique=True)
    """The hash of the token by which the page is known."""
    player_id: int | None = Field(default=None, foreign_key="player.id", index=True)
    chat_id: int | None = Field(default=None, foreign_key="chat.id", index=True)
    """The room that the page looks at, whether it may read it or not."""
    admitted_at: float = 0
    """When a big screen showed the key of its link. What a person may read is in `WebEntry`, for all their pages."""
    language: str
    seen_at: float
    open_until: float = 0
    """Until when the page counts as open if its worker says nothing more; 0: it is not."""


class EntryAnswer(StrEnum):
    """What was said to a person who wanted to come into a room."""

    ASKED = "asked"
    """Nothing yet: the host is asked."""
    UNANSWERED = "unanswered"
    """Nothing, and the person has stopped waiting."""
    ADMITTED = "admitted"
    REFUSED = "refused"
    KICKED = "kicked"


class WebEntry(SQLModel, table=True):
    """What was last said to a person at a room, by its host or by its link, and when."""

    __tablename__ = "web_entry"
    chat_id: int = Field(foreign_key="chat.id", primary_key=True)
    player_id: int = Field(foreign_key="player.id", primary_key=True, index=True)
    answer: str
    at: float


class WebRoom(SQLModel, table=True):
    """The links that lead to a room, and what its host was told of those who wait."""

    __tablename__ = "web_room"
    chat_id: int = Field(foreign_key="chat.id", primary_key=True)
    key: str = Field(default="", repr=False)
    """What the link ends in: who has it may sit down."""
    screen_key: str = Field(default="", repr=False)
    """What the big screen's link ends in: it lets nobody sit down."""
    made_at: float = 0
    """When the keys were made. They are good for the tables of that evening."""
    locked: bool = False
    """Whether nobody new may come by link."""
    door_changed: bool = False
    """Whether the host may have to be told who waits."""
    host_told: list[int] = Field(default_factory=list, sa_column=Column(JSON, nullable=False))
    """The players whom the host was last told of."""
    host_told_at: float = 0
    times_told: int = 0
    """How often the host was told of somebody new since they last answered."""


class WebCard(SQLModel, table=True):
    """What a slot of a lane shows: the last notice that filled it."""

    __tablename__ = "web_card"
    __table_args__ = (Index("ix_web_card_seq", "seq"),)
    address: int = Field(sa_column=Column(BigInteger, primary_key=True, autoincrement=False))
    table_id: int = Field(primary_key=True)
    """0: it concerns no table."""
    slot: str = Field(primary_key=True)
    seq: int = Field(sa_column=Column(BigInteger, nullable=False))
    """Ascends within the lane, also after cards were deleted."""
    notice: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False), repr=False)
