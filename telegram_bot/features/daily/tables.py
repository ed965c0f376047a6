"""The table of decisions in hands of the day."""

from sqlalchemy import Column, Integer
from sqlmodel import Field, SQLModel


class DailyDecision(SQLModel, table=True):
    """A person's decision in the hand of a day."""

    __tablename__ = "daily_decision"
    player_id: int = Field(foreign_key="player.id", ondelete="CASCADE", primary_key=True)
    day: int = Field(sa_column=Column(Integer, primary_key=True, autoincrement=False, index=True))
    """See `day_at`."""
    call: str
    """As `perudo_core` writes it."""
    streak: int
    """The number of days in a row with a decision, including this day."""
