"""The tables of phones. A telephone number is stored only in `Phone.number`, encrypted."""

from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import JSON, BigInteger, Column, Index, Integer, String, UniqueConstraint
from sqlmodel import Field, SQLModel

_BigKey = BigInteger().with_variant(Integer, "sqlite")


class Phone(SQLModel, table=True):
    """A phone that texted the bot. Everywhere else the phone is known by its id, its address on the channel."""

    __tablename__ = "phone"
    id: int = Field(default=None, primary_key=True)
    number: str
    """The number, encrypted."""
    number_hash: str = Field(unique=True)
    """A keyed hash of the number, to find the phone."""
    region: str
    """The number's country, in two letters."""
    zone: str
    """The time zone, for times in texts and for quiet hours."""
    gateway: str
    """The gateway through which the phone texted last. Texts to the phone are sent through it."""
    language: str | None = None
    """The language that the owner chose."""
    spoken: str | None = None
    """The language of the last text to the phone."""
    created_at: float
    heard_at: float
    """When the phone last texted."""
    agreed_at: float | None = None
    """The time at which the owner asked for a seat, a table or a link. Before that the phone gets one hint only."""
    opted_out_at: float | None = None
    """When the owner texted STOP, or None if they did not, or texted START since."""
    hinted_at: float | None = None
    heard_since: float = 0
    """The beginning of the hour in which the phone's texts are counted."""
    heard_count: int = 0
    resumed_at: float | None = None
    """The time at which the owner last texted START, or asked for a seat, a table or a link. An older STOP changes
    nothing."""
    keywords: list[str] | None = Field(default=None, sa_column=Column(JSON))
    """The gateways' ids of the last STOPs and STARTs, the newest last. They are kept longer than those of other texts.
    """
    last_text: str = ""
    """A hash of the last text."""
    same_count: int = 0
    """How often in a row the phone has texted the same."""
    same_at: float = 0
    """When the last of them arrived."""
    question: dict[str, Any] | None = Field(default=None, sa_column=Column(JSON))
    """The last question to the phone, a `channels.sms.questions.TextQuestion`: a text with its code answers it."""


class TextStatus(StrEnum):
    """The status of a text that a gateway accepted."""

    TAKEN = "taken"
    SENT = "sent"
    DELIVERED = "delivered"
    FAILED = "failed"


class TextSent(SQLModel, table=True):
    """A text that a gateway accepted: its receiver and its cost, but not its words."""

    __tablename__ = "text_sent"
    __table_args__ = (UniqueConstraint("gateway", "message"), Index("ix_text_sent_at", "at"))
    id: int = Field(default=None, sa_column=Column(_BigKey, primary_key=True, autoincrement=True))
    gateway: str
    message: str
    """The gateway's id of the text."""
    phone_id: int = Field(foreign_key="phone.id", index=True, ondelete="CASCADE")
    table_id: int | None = Field(default=None, index=True)
    kind: str
    at: float
    segments: int
    cost: int
    """In millionths of the installation's currency."""
    status: str = Field(default=TextStatus.TAKEN, sa_column=Column("fate", String, nullable=False))
    error: str | None = None


EVERYBODY = "all"
"""The scope of the tally of all texts of a day."""
TALK = "talk"
"""The scope of the tally of a day's texts that are neither dice nor turns."""
STRANGERS = "strangers"
"""The scope of the tally of a day's texts to phones that never asked for a text."""


def day_of(at: float) -> str:
    """Return the UTC day of a moment."""
    return datetime.fromtimestamp(at, UTC).date().isoformat()


class TextTally(SQLModel, table=True):
    """The number and the cost of a day's texts: in all, to one phone, or for one table."""

    __tablename__ = "text_tally"
    day: str = Field(primary_key=True)
    scope: str = Field(primary_key=True)
    """`all`, `talk`, `strangers`, `phone:7`, `talk:7`, `table:3`. Other scopes count no texts: `link:7` and `answer:7`
    count the wrong codes of phone 7, `resuming:7` the questions whether it wants texts again, `code:7` the answers
    that a table's code is wrong, `who@13:7` a sentence in the hour from 13 UTC."""
    texts: int
    cost: int = Field(sa_column=Column(BigInteger, nullable=False))
    """In millionths of the installation's currency."""
