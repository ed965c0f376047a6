"""The tables of web pages: sessions, the links of rooms, and the cards that pages show."""

from enum import StrEnum
from typing import Any

from sqlalchemy import JSON, BigInteger, Column, Index, text
from sqlmodel import Field, SQLModel

OPEN_PAGES = "open_until > 0"
"""The condition of the partial index of sessions with an open page."""


class WebSession(SQLModel, table=True):
    """A visitor of the web seat: a guest, a person of another channel, or a television (without a player)."""

    __tablename__ = "web_session"
    __table_args__ = (
        Index("ix_web_session_open", "open_until", sqlite_where=text(OPEN_PAGES), postgresql_where=text(OPEN_PAGES)),
    )
    id: int = Field(default=None, primary_key=True)
    token_hash: str = Field(unique=True)
    """The hash of the page's token."""
    player_id: int | None = Field(default=None, foreign_key="player.id", index=True)
    chat_id: int | None = Field(default=None, foreign_key="chat.id", index=True)
    """The room that the page asks for, with or without permission."""
    admitted_at: float = 0
    """The time at which a television showed the key of its link. A person's permission is in `WebEntry`, for all their
    pages."""
    language: str
    seen_at: float
    open_until: float = 0
    """The time until which the page counts as open unless its worker extends it; 0: closed."""
    shown_chat_id: int | None = Field(default=None, index=True)
    """The room that the open page of a person of another channel shows: it gets the private notices of its tables."""
    pairing_code: str | None = Field(default=None, index=True, unique=True, repr=False)
    """The letters that a television without a room shows; the host of a room types them to show the room there."""
    pairing_ends: float = 0
    """The time at which the pairing code ends."""
    replaced: bool = False
    """Whether the player has opened their seat on another device since then: the page says so, and nothing else."""
    linked_at: float | None = None
    """When an own link, or the others' answer, opened a seat here: the page is for that room and evening alone."""


class EntryAnswer(StrEnum):
    """The answer to a person who asked to enter a room."""

    ASKED = "asked"
    """The host has not answered yet."""
    UNANSWERED = "unanswered"
    """The host has not answered, and the person has stopped waiting."""
    ADMITTED = "admitted"
    REFUSED = "refused"
    KICKED = "kicked"


class WebEntry(SQLModel, table=True):
    """The last answer to a person at a room, by its host or by its link, and its time."""

    __tablename__ = "web_entry"
    chat_id: int = Field(foreign_key="chat.id", primary_key=True)
    player_id: int = Field(foreign_key="player.id", primary_key=True, index=True)
    answer: str
    at: float
    seat_key: str | None = Field(default=None, index=True, repr=False)
    """The hash of the key of the person's own link, which opens their seat on another device, once."""
    seat_key_at: float = 0
    """When that link was made."""
    claimed: int | None = None
    """The player whose seat here the person says is theirs, until they have it or are refused."""
    number: int = 0
    """The two digits on the page of that person."""
    votes: dict[str, bool] = Field(default={}, sa_column=Column(JSON, nullable=False, server_default="{}"))
    """The answers to that of each player who may answer, by their number."""


class WebRoom(SQLModel, table=True):
    """The links that lead to a room, and the visitors in the messages to its host."""

    __tablename__ = "web_room"
    chat_id: int = Field(foreign_key="chat.id", primary_key=True)
    key: str = Field(default="", repr=False)
    """The end of the link. A visitor with the key may take a seat."""
    screen_key: str = Field(default="", repr=False)
    """The end of the television's link. It gives no seat."""
    made_at: float = 0
    """The time at which the keys were made. They are valid for the tables of that evening."""
    locked: bool = False
    """Whether new visitors are refused."""
    asks_first: bool | None = None
    """Whether people who scan the television's code have to ask the host, or None as is usual at this place."""
    door_changed: bool = False
    """Whether the host may need a message about visitors who wait."""
    host_told: list[int] = Field(default=[], sa_column=Column(JSON, nullable=False))
    """The visitors, as players, in the last message to the host."""
    host_told_at: float = 0
    times_told: int = 0
    """How many messages about new visitors the host got since their last answer."""


class WebCard(SQLModel, table=True):
    """The content of a slot of a lane: its last notice."""

    __tablename__ = "web_card"
    __table_args__ = (Index("ix_web_card_seq", "seq"),)
    address: int = Field(sa_column=Column(BigInteger, primary_key=True, autoincrement=False))
    table_id: int = Field(primary_key=True)
    """0: no table."""
    slot: str = Field(primary_key=True)
    seq: int = Field(sa_column=Column(BigInteger, nullable=False))
    """Ascends within the lane, also after cards were deleted."""
    notice: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False), repr=False)
