"""The table of predictions."""

from sqlalchemy import Column, Integer
from sqlmodel import Field, SQLModel


class CallPrediction(SQLModel, table=True):
    """A spectator's guess for one step of a game."""

    __tablename__ = "prediction"
    table_id: int = Field(foreign_key="game_table.id", ondelete="CASCADE", primary_key=True)
    player_id: int = Field(foreign_key="player.id", ondelete="CASCADE", primary_key=True, index=True)
    step: int = Field(sa_column=Column(Integer, primary_key=True, autoincrement=False))
    call: str
    """A `PredictedCall`; an unknown one was written by another version, and does not count."""
