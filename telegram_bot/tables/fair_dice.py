"""Fair dice: the bot commits to a secret, players add lucky words, every roll follows from both."""

from __future__ import annotations

import random
from typing import Final

from perudo_core import State, sample_roll
from perudo_core.actions import ChanceAction
from perudo_core.fair import FairDice
from telegram_bot.tables.model import Table

LONGEST_WORD: Final = 32


def new_secret(rng: random.Random) -> str:
    """A secret for one game, in hex."""
    return FairDice.new(rng.randbytes).secret.hex()


def salt_of(table: Table) -> str:
    """The table's public salt: its code, then the players' words in turn order."""
    return " ".join([table.code, *(seat.word for seat in table.seats if seat.word)])


def dice_of(table: Table) -> FairDice | None:
    """The game's sealed dice; None at a table without a secret."""
    return None if table.secret is None else FairDice(bytes.fromhex(table.secret), salt_of(table))


def commitment_of(table: Table) -> str | None:
    """What is published before the players choose their words."""
    dice = dice_of(table)
    return None if dice is None else dice.commitment


def next_roll(table: Table, state: State, rng: random.Random) -> ChanceAction:
    """What chance does next: from the sealed dice, or drawn now where a table has none."""
    dice = dice_of(table)
    return sample_roll(state, rng) if dice is None else dice.roll(state)


def normalize_word(word: str) -> str:
    """A lucky word as it goes into the salt: one line, single spaces, not too long."""
    return " ".join("".join(c if c.isprintable() else " " for c in word).split())[:LONGEST_WORD]
