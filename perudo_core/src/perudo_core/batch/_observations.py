"""The rows of a batch as a program that learns sees them: numbers for a network, and a state for an agent."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from perudo_core._actions import Bid
from perudo_core._bid_numbers import FACE_COUNT, quantity_and_face
from perudo_core._positions import set_up
from perudo_core._state import State
from perudo_core.batch._arrays import NOBODY, BatchArrays
from perudo_core.batch._bid_tables import Ints

__all__ = ["Numbers", "ObservedBatch"]

Numbers: TypeAlias = NDArray[np.float32]


class ObservedBatch(BatchArrays):
    """The arrays of a `Batch`, and what a seat knows in each row."""

    def observation(self, seat: Ints | None = None) -> Numbers:
        """Shape (running, 8 + 4 * seats): the numbers that `perudo_core.pettingzoo` gives the player whose turn it is.

        With `seat`, an array of one seat for each running game, those of that seat. Raises `ValueError` without
        `keep_bids=True`.
        """
        self._expect_bids()
        seat = self.turn if seat is None else seat
        row, seats = np.arange(len(self.game))[:, None], self.dice_counts.shape[1]
        order = (seat[:, None] + np.arange(seats)) % seats
        said = self._last_bids()[row, order]
        own, plain = self.dice[row[:, 0], seat], self.palifico == NOBODY
        parts = [
            *((own == face).sum(axis=1, keepdims=True) for face in range(1, FACE_COUNT + 1)),
            self.dice_counts[row, order],
            np.stack([self._tables.quantities[said], self._tables.faces[said]], axis=2).reshape(-1, 2 * seats),
            order == self.bidder[:, None],
            np.stack([plain & self.rules.wild_ones, ~plain], axis=1),
        ]
        return np.concatenate(parts, axis=1, dtype=np.float32)

    def _last_bids(self) -> Ints:
        """[row, seat]: the number of the seat's last bid in the round, or the number that means no bid.

        The players who are still in bid in turn, so their order says whose each bid is.
        """
        row, is_in = np.arange(len(self.game))[:, None], self.dice_counts > 0
        place = np.cumsum(is_in, axis=1)
        players = place[:, -1:]
        steps = (place - place[row, self.turn[:, None]]) % players
        nth = self._history_length[:, None] - players + steps
        return np.where(is_in & (nth >= 0), self._history[row, np.maximum(nth, 0)], self._no_bid)

    def state(self, row: int) -> State:
        """Return the state of a running game, as an agent needs it.

        Its `had_palifico` has former rounds only where the rules ask for them. Raises `ValueError` without
        `keep_bids=True`.
        """
        self._expect_bids()
        counts, places = self.dice_counts[row].tolist(), self.result.placements[self.game[row]].tolist()
        players = [seat for seat, count in enumerate(counts) if count]
        bids = self._history[row, : self._history_length[row]].tolist()
        first = players.index(int(self.turn[row])) - len(bids)
        bidders = [players[(first + nth) % len(players)] for nth in range(len(bids) + 1)]
        palifico = int(self.palifico[row])
        return set_up(
            self.rules,
            tuple(tuple(face for face in hand if face) for hand in self.dice[row].tolist()),
            [Bid(by, *quantity_and_face(number)) for by, number in zip(bidders, bids, strict=False)],
            opener=bidders[0],
            palifico=None if palifico == NOBODY else palifico,
            had_palifico=np.flatnonzero(self.had_palifico[row]).tolist(),
            eliminated=sorted((seat for seat, count in enumerate(counts) if not count), key=lambda seat: -places[seat]),
            round=int(self.round[row]),
        )
