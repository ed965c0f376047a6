"""Fair dice: the bot seals a secret, then players stir in signs, and every roll follows from both."""

import random

from perudo_core import ChanceAction, State, sample_roll
from perudo_core.fair import LONGEST_SALT, FairDice, seal_digits
from perudo_core.stirs import LONGEST_WORD, salt_from_stirs
from telegram_bot.tables.model import FrozenModel, Stir, Table

MOST_STIRS_EACH = 12
MOST_STIRS = 1_000
"""By everybody at one table, those who left included. A player who has not stirred yet may do so once more than that,
as long as the salt has room for the longest word."""


class StirView(FrozenModel):
    """One stir as everybody sees it."""

    name: str
    what: str
    """One of the core's signs; in games of release 1.0 also a word."""


def new_secret(rng: random.Random) -> str:
    """A secret for one game, in hex."""
    return FairDice.new(rng_bytes=rng.randbytes).secret.hex()


def salt_of(table: Table) -> str:
    """The players' salt: what was stirred in, in the order in which the chat shows it."""
    return salt_from_stirs(stir.what for stir in table.stirs)


def stirred(table: Table) -> tuple[StirView, ...]:
    """The stirs with their players, in order."""
    names = {seat.player: seat.name for seat in table.seats}
    return tuple(StirView(name=names.get(stir.player, stir.name), what=stir.what) for stir in table.stirs)


def dice_of(table: Table) -> FairDice | None:
    """The game's sealed dice; None at a table without a secret."""
    if table.secret is None:
        return None
    return FairDice(bytes.fromhex(table.secret), table.rules, table.code, salt_of(table))


def commitment_of(table: Table) -> str | None:
    """The commitment that is published before the first stir; None without a secret, or before it is published."""
    dice = dice_of(table)
    return None if dice is None or not table.sealed else dice.commitment


def seal_of(table: Table) -> str:
    """The published commitment as people compare it, in digits; empty where there is none."""
    commitment = commitment_of(table)
    return "" if commitment is None else seal_digits(commitment)


def next_roll(table: Table, state: State, rng: random.Random) -> ChanceAction:
    """Return the next chance action: from the sealed dice, or drawn now if the table has none."""
    dice = dice_of(table)
    return sample_roll(state, rng) if dice is None else dice.roll(state)


def choice_seed(table: Table, seat: int, rng: random.Random) -> int:
    """Return the seed of a computer player's next decision: from the sealed dice, or drawn now without them."""
    dice = dice_of(table)
    return rng.getrandbits(64) if dice is None or table.game is None else dice.choice_seed(table.game, seat)


def may_stir(table: Table, player: int) -> bool:
    """Whether a player has a stir left."""
    if len(salt_of(table)) + 1 + LONGEST_WORD > LONGEST_SALT:
        return False
    own = sum(stir.player == player for stir in table.stirs)
    return own == 0 or (own < MOST_STIRS_EACH and len(table.stirs) < MOST_STIRS)


def with_stir(table: Table, player: int, what: str) -> Table:
    """The table with one more stir, by one of its players."""
    name = next(seat.name for seat in table.seats if seat.player == player)
    return table.replace(stirs=(*table.stirs, Stir(player=player, name=name, what=what)))
