"""Fair dice: the bot commits to a secret, then players stir in signs and words, and every roll follows from both."""

from __future__ import annotations

import random
from typing import Final

from perudo_core import State, sample_roll, stirs
from perudo_core.actions import ChanceAction
from perudo_core.fair import FairDice
from telegram_bot.tables.model import FrozenModel, Stir, Table

SIGNS: Final = ("🍀", "🦊", "🐙", "🦉", "🐝", "🌵", "🍋", "🍒", "🌙", "🍄", "🔥", "🌊")
"""What can be stirred in with one tap."""
LONGEST_WORD: Final = 32
MOST_STIRS_EACH: Final = 12
MOST_STIRS: Final = 240
"""By everybody at one table, those who left included."""
SHOWN_OF_SEAL: Final = 6
"""How many characters of the seal a text message shows."""


class StirView(FrozenModel):
    """One stir as everybody sees it."""

    name: str
    what: str


def new_secret(rng: random.Random) -> str:
    """A secret for one game, in hex."""
    return FairDice.new(rng.randbytes).secret.hex()


def salt_of(table: Table) -> str:
    """The table's public salt: its code, then what was stirred in, in the order in which the chat shows it.

    Stirs name seats and no people, so that the dice can be verified after somebody was forgotten.
    """
    return stirs.salt_from_stirs(
        table.code, (stirs.Stir(table.seat_of(stir.player), stir.what) for stir in table.stirs)
    )


def stirred(table: Table) -> tuple[StirView, ...]:
    """Who stirred what, in order."""
    names = {seat.player: seat.name for seat in table.seats}
    return tuple(StirView(name=names.get(stir.player, stir.name), what=stir.what) for stir in table.stirs)


def dice_of(table: Table) -> FairDice | None:
    """The game's sealed dice; None at a table without a secret."""
    return None if table.secret is None else FairDice(bytes.fromhex(table.secret), salt_of(table))


def commitment_of(table: Table) -> str | None:
    """What is published before anybody stirs."""
    return None if table.secret is None else FairDice(bytes.fromhex(table.secret)).commitment


def seal_beginning(table: Table) -> str:
    """The first characters of the seal, for text messages; empty at a table without a secret."""
    return (commitment_of(table) or "")[:SHOWN_OF_SEAL]


def next_roll(table: Table, state: State, rng: random.Random) -> ChanceAction:
    """What chance does next: from the sealed dice, or drawn now where a table has none."""
    dice = dice_of(table)
    return sample_roll(state, rng) if dice is None else dice.roll(state)


def with_stir(table: Table, player: int, what: str) -> Table:
    """The table with one more stir, by somebody who sits there."""
    seat = table.seat_of(player)
    assert seat is not None  # noqa: S101 - only who sits there stirs
    stir = Stir(player=player, name=table.seats[seat].name, what=what)
    return table.replace(stirs=(*table.stirs, stir))


def normalize_word(word: str) -> str:
    """A lucky word as it goes into the salt: one line, single spaces, not too long."""
    return " ".join("".join(c if c.isprintable() else " " for c in word).split())[:LONGEST_WORD].rstrip()
