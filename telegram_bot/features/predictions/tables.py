"""The table of guesses."""

from sqlalchemy import Column, Integer
from sqlmodel import Field, SQLModel


class Prediction(SQLModel, table=True):
    """A ghost's guess for one round of a game."""

    table_id: int = Field(foreign_key="game_table.id", ondelete="CASCADE", primary_key=True)
    player_id: int = Field(foreign_key="player.id", ondelete="CASCADE", primary_key=True, index=True)
    deal: int = Field(sa_column=Column(Integer, primary_key=True, autoincrement=False))
    """The round's `Table.deals`."""
    guess: str
    """A `Guess`."""
    knew: bool | None = None
    """Whether it was right, or None until a call ends the round."""
    haunts: int | None = None
    """The seat that the ghost haunts after the round."""
