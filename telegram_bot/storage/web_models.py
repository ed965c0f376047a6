"""The tables of pages: who opened one, which link leads to a room, and the cards that pages show."""

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
    """The room that the page looks at."""
    admitted: bool = False
    """Whether the page may read that room."""
    language: str
    seen_at: float
    open_until: float = 0
    """Until when the page counts as open if its worker says nothing more; 0: it is not."""


class WebRoom(SQLModel, table=True):
    """The link that leads to a room."""

    __tablename__ = "web_room"
    chat_id: int = Field(foreign_key="chat.id", primary_key=True)
    key: str = Field(repr=False)
    """What the link ends in: who has it may sit down."""
    locked: bool = False
    """Whether nobody new may come by link."""


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
