"""A tournament at several tables: the draw of the tables, and the players who go on to the next stage."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import ceil
from random import Random
from typing import Final, TypeVar

from perudo_core import Rules, Seat, State

T = TypeVar("T")

MOST_AT_A_TABLE: Final = 6
FEWEST: Final = MOST_AT_A_TABLE + 1
"""The fewest people of a tournament; fewer can play at one table."""
MOST: Final = 40
LATE_TABLE: Final = 3
"""When so many people have come late, they get another table."""
ENTRANCE_SECONDS: Final = 10
"""How long a television shows the draw of a stage, or the finalists' entrance: the first turn's clock waits for it."""
HALF: Final = Fraction(1, 2)


def seats_at_a_table(rules: Rules) -> int:
    """Return the most players at a table of a stage, and in the final."""
    return min(MOST_AT_A_TABLE, rules.max_seats or MOST_AT_A_TABLE)


def draw_tables(
    players: Iterable[T], rng: Random, *, most_at_a_table: int = MOST_AT_A_TABLE
) -> tuple[tuple[T, ...], ...]:
    """Draw the tables of a stage: as few as possible, with sizes that differ by one at most.

    The same seed draws the same tables. Only `rng.random()` is called. Raises `ValueError` for fewer than two players,
    and for a limit that would leave a player alone at a table.
    """
    drawn = sorted(players, key=lambda _: rng.random())
    tables = ceil(len(drawn) / most_at_a_table)
    if len(drawn) < 2 * max(tables, 1):
        raise ValueError(f"players must be at least two at each table, not {len(drawn)} at {max(tables, 1)} tables")
    return tuple(tuple(drawn[first::tables]) for first in range(tables))


def going_on(size: int, share: Fraction = HALF) -> int:
    """Return how many players of a table of this size go on: this share, rounded up, but never all of them."""
    if not 0 < share < 1:
        raise ValueError(f"share must be between 0 and 1, not {share}")
    return min(ceil(size * share), size - 1)


def ranking(state: State) -> tuple[Seat, ...]:
    """Return the seats from the best to the worst: by dice left, then the seat that went out last.

    By `Rules.first_out_wins` fewer dice are better, and those of a seat that left are not.
    Seats with equal dice are in the order of their numbers. A table is decided once as many seats have dice as go on.
    """
    counts = state.dice_counts
    if state.rules.first_out_wins:
        places = None if state.outcome is None else state.outcome.placements
        inside = [seat for seat in range(len(counts)) if seat not in state.eliminated]
        return (*sorted(inside, key=lambda seat: (places or counts)[seat]), *reversed(state.eliminated))
    return (*sorted(state.active_seats, key=lambda seat: -counts[seat]), *reversed(state.eliminated))
