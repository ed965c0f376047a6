"""Fair dice: the bot seals a secret, then players stir in signs, and every roll follows from both."""

import random

from perudo_core import ChanceAction, Reroll, State, sample_reroll, sample_roll
from perudo_core.fair import LONGEST_SALT, FairDice, seal_digits
from perudo_core.stirs import LONGEST_WORD, salt_from_stirs
from telegram_bot.tables.model import FrozenModel, Stir, Table

MOST_STIRS_EACH = 12
MOST_STIRS = 1_000
"""The limit for all players of a table together, including those who left. A player without a stir may add one more, as
long as the salt has room for the longest word.
"""


class StirView(FrozenModel):
    """One stir in public form."""

    name: str
    what: str
    """One of the core's signs; in games of release 1.0 also a word."""


def new_secret(rng: random.Random) -> str:
    """Return a secret for one game, in hex."""
    return FairDice.new(rng_bytes=rng.randbytes).secret.hex()


def salt_of(table: Table) -> str:
    """Return the players' salt: the stirs in the order of the chat."""
    return salt_from_stirs(stir.what for stir in table.stirs)


def stirred(table: Table) -> tuple[StirView, ...]:
    """Return the stirs with their players, in order."""
    names = {seat.player: seat.name for seat in table.seats}
    return tuple(StirView(name=names.get(stir.player, stir.name), what=stir.what) for stir in table.stirs)


def dice_of(table: Table) -> FairDice | None:
    """Return the game's sealed dice, or None at a table without a secret."""
    if table.secret is None:
        return None
    return FairDice(bytes.fromhex(table.secret), table.rules, table.code, salt_of(table), table.dice_schema)


def commitment_of(table: Table) -> str | None:
    """Return the commitment, which is published before the first stir, or None without a secret, or before that."""
    dice = dice_of(table)
    return None if dice is None or not table.sealed else dice.commitment


def seal_of(table: Table) -> str:
    """Return the published commitment in digits, for comparison; empty without one."""
    commitment = commitment_of(table)
    return "" if commitment is None else seal_digits(commitment)


def next_roll(table: Table, state: State, rng: random.Random) -> ChanceAction:
    """Return the next chance action: from the sealed dice, or drawn now if the table has none."""
    dice = dice_of(table)
    return sample_roll(state, rng) if dice is None else dice.roll(state)


def next_reroll(table: Table, state: State, seat: int, shown: tuple[int, ...], rng: random.Random) -> Reroll:
    """Return what a player rolls again who shows these dice after a bid: from the sealed dice, or drawn now."""
    dice = dice_of(table)
    return sample_reroll(state, seat, shown, rng) if dice is None else dice.reroll(state, seat, shown)


def choice_seed(table: Table, seat: int, rng: random.Random) -> int:
    """Return the seed of a computer player's next decision: from the sealed dice, or drawn now without them."""
    dice = dice_of(table)
    return rng.getrandbits(64) if dice is None or table.game is None else dice.choice_seed(table.game, seat)


def may_stir(table: Table, player: int) -> bool:
    """Return True if a player has a stir left."""
    if len(salt_of(table)) + 1 + LONGEST_WORD > LONGEST_SALT:
        return False
    own = sum(stir.player == player for stir in table.stirs)
    return own == 0 or (own < MOST_STIRS_EACH and len(table.stirs) < MOST_STIRS)


def with_stir(table: Table, player: int, what: str) -> Table:
    """Return the table with one more stir by one of its players."""
    name = next(seat.name for seat in table.seats if seat.player == player)
    return table.replace(stirs=(*table.stirs, Stir(player=player, name=name, what=what)))
