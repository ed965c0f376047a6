"""The tables of phones. A telephone number is stored only in `Phone.number`, encrypted."""

from __future__ import annotations

from datetime import UTC, datetime
from enum import StrEnum

from sqlalchemy import BigInteger, Column, Index, Integer, UniqueConstraint
from sqlmodel import Field, SQLModel

_BigKey = BigInteger().with_variant(Integer, "sqlite")


class Phone(SQLModel, table=True):
    """A phone that texted us. Everywhere else it is known by its id, its address on the channel."""

    __tablename__ = "phone"
    id: int | None = Field(default=None, primary_key=True)
    number: str
    """Encrypted."""
    number_hash: str = Field(unique=True)
    """Keyed, to find the phone of a number."""
    region: str
    """The country, in two letters."""
    zone: str
    """The time zone, for hours that are shown and nights that are quiet."""
    gateway: str
    """Through which of our gateways it texted last: answers go out there."""
    name: str = ""
    """What its owner is called."""
    language: str | None = None
    """What its owner chose."""
    spoken: str | None = None
    """The language we last wrote in."""
    created_at: float
    heard_at: float
    """When it last texted."""
    agreed_at: float | None = None
    """When its owner asked for a seat, a table or a link: before, it gets one hint and nothing else."""
    opted_out_at: float | None = None
    """When its owner said STOP; None: they did not, or came back."""
    hinted_at: float | None = None
    heard_since: float = 0
    """When the hour began in which its texts are counted."""
    heard_count: int = 0
    leaving_table: int | None = None
    """The game it was asked about whether to leave; LEAVE now means yes."""
    leaving_until: float = 0


class TextStatus(StrEnum):
    """What became of a text that a gateway took."""

    TAKEN = "taken"
    SENT = "sent"
    DELIVERED = "delivered"
    FAILED = "failed"


class TextSent(SQLModel, table=True):
    """A text that a gateway took: to whom and what it cost, not what it said."""

    __tablename__ = "text_sent"
    __table_args__ = (UniqueConstraint("gateway", "message"), Index("ix_text_sent_at", "at"))
    id: int | None = Field(default=None, sa_column=Column(_BigKey, primary_key=True, autoincrement=True))
    gateway: str
    message: str
    """The gateway's name for it."""
    phone_id: int = Field(foreign_key="phone.id", index=True, ondelete="CASCADE")
    table_id: int | None = Field(default=None, index=True)
    kind: str
    at: float
    segments: int
    cost: int
    """In millionths of the installation's currency."""
    fate: str = TextStatus.TAKEN
    error: str | None = None


EVERYBODY = "all"
"""The scope of the tally of all texts of a day."""


def day_of(at: float) -> str:
    """The day that a moment belongs to, in UTC."""
    return datetime.fromtimestamp(at, UTC).date().isoformat()


class TextTally(SQLModel, table=True):
    """How many texts went out on a day, and what they cost: in all, to a phone, for a table."""

    __tablename__ = "text_tally"
    day: str = Field(primary_key=True)
    scope: str = Field(primary_key=True)
    """`all`, `phone:7` or `table:3`."""
    texts: int
    cost: int = Field(sa_column=Column(BigInteger, nullable=False))
    """In millionths of the installation's currency."""
