"""A batch whose rows stay: a row may wait while others call, and begins a new game after the end of the last one."""

from __future__ import annotations

from typing import Final

import numpy as np

from perudo_core._rules import Rules
from perudo_core.batch._arrays import NOBODY
from perudo_core.batch._bid_tables import Flags, Ints
from perudo_core.batch._games import Batch

__all__ = ["StandingBatch"]


class StandingBatch(Batch):
    """Games in rows that stay; `result` has the rounds and the places of the running games alone."""

    def __init__(self, rules: Rules, seats: int, games: int, rng: np.random.Generator) -> None:
        super().__init__(rules, seats, games, rng, keep_bids=True)
        self.winner: Final[Ints] = np.full(games, NOBODY)
        """The seat that has won; -1 while the game runs."""

    def step_where(self, acts: Flags, choice: Ints) -> None:
        """Make a call in the rows that act, by its index among the legal ones; the others wait."""
        waits = (~acts).nonzero()[0]
        last, bidder, turn = (array[waits] for array in (self._last, self.bidder, self.turn))
        self.step(np.where(acts, choice, NOBODY), check=False)
        if len(waits):
            self._last[waits], self.bidder[waits], self.turn[waits] = last, bidder, turn
            self._history_length[waits] -= 1
            self._count_calls()

    def begin(self, rows: Ints) -> None:
        """Begin a new game in these rows."""
        seats = self.dice_counts.shape[1]
        self.winner[rows] = NOBODY
        self.result.rounds[rows], self.result.placements[rows] = 0, 1
        self.dice_counts[rows] = self.rules.starting_dice
        self._players[rows] = seats
        self._next_seat[rows] = (np.arange(seats) + 1) % seats
        self.had_palifico[rows] = False
        self._begin_round(rows, self._rng.integers(seats, size=len(rows)), np.zeros(len(rows), np.bool_))
        self._count_calls()

    def _end(self, rows: Ints, winner: Ints) -> None:
        """Keep the rows, with the numbers of dice alone."""
        self.winner[rows] = winner
        self.bidder[rows] = self.palifico[rows] = NOBODY
        self._history_length[rows] = 0
        self.dice[rows] = 0
