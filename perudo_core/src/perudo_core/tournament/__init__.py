"""A tournament at several tables: the draw of the tables, and the players who go on to the next stage.

>>> from random import Random
>>> tables = draw_tables(range(20), Random(1))
>>> [len(table) for table in tables]
[5, 5, 5, 5]
>>> [going_on(len(table)) for table in tables]
[3, 3, 3, 3]

`python -m perudo_core.tournament` simulates tournaments with computer players.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import ceil
from random import Random
from typing import Final, TypeVar

from perudo_core._actions import Seat
from perudo_core._errors import expect_int, expect_type
from perudo_core._rules import MAX_SEATS
from perudo_core._state import State

__all__ = ["HALF", "MOST_AT_A_TABLE", "draw_tables", "going_on", "ranking"]

T = TypeVar("T")

MOST_AT_A_TABLE: Final = 6
HALF: Final = Fraction(1, 2)


def draw_tables(
    players: Iterable[T], rng: Random, *, most_at_a_table: int = MOST_AT_A_TABLE
) -> tuple[tuple[T, ...], ...]:
    """Draw the tables of a stage: as few as possible, with sizes that differ by one at most.

    The same seed draws the same tables. Only `rng.random()` is called. Raises `ValueError` for fewer than two players,
    and for a limit that would leave a player alone at a table.
    """
    expect_type(players, Iterable, "players")
    expect_type(rng, Random, "rng")
    expect_int(most_at_a_table, "most_at_a_table", 2, MAX_SEATS)
    drawn = sorted(players, key=lambda _: rng.random())
    tables = ceil(len(drawn) / most_at_a_table)
    if len(drawn) < 2 * max(tables, 1):
        raise ValueError(f"players must be at least two at each table, not {len(drawn)} at {max(tables, 1)} tables")
    return tuple(tuple(drawn[first::tables]) for first in range(tables))


def going_on(size: int, share: Fraction = HALF) -> int:
    """Return the number of players at a table of this size that go on: this share, rounded up, but never all of them.

    >>> [going_on(size) for size in (2, 3, 4, 5, 6)]
    [1, 2, 2, 3, 3]
    """
    expect_int(size, "size", 2, MAX_SEATS)
    expect_type(share, Fraction, "share")
    if not 0 < share < 1:
        raise ValueError(f"share must be between 0 and 1, not {share}")
    return min(ceil(size * share), size - 1)


def ranking(state: State) -> tuple[Seat, ...]:
    """Return the seats from the best to the worst: by dice left, then the seat that went out last.

    Seats with equal dice are in the order of their numbers. A table is decided once as many seats have dice as go on.

    >>> from perudo_core import Rules, set_up
    >>> ranking(set_up(Rules(), ((), (2,), (3, 4), ()), opener=1, eliminated=[3, 0]))
    (2, 1, 0, 3)
    """
    expect_type(state, State, "state")
    counts = state.dice_counts
    return (*sorted(state.active_seats, key=lambda seat: -counts[seat]), *reversed(state.eliminated))
