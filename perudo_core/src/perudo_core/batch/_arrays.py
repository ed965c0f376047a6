"""The arrays of a batch: one for each part of a state, with a row for each running game."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from perudo_core._action_encoding import ActionEncoding
from perudo_core._errors import RulesError, abbreviated, whole_number
from perudo_core._rules import IN_THE_BOOKS, MAX_SEATS, CalzaBy, Rules, expect_supported
from perudo_core.batch._bid_tables import FACE_CHANGE, LOCKED, Flags, Ints, bid_tables

__all__ = ["MAX_BATCH_DICE", "NOBODY", "PAIR", "BatchArrays", "BatchResult", "row_sums"]

Faces: TypeAlias = NDArray[np.uint8]

MAX_BATCH_DICE: Final = 200
"""The most dice on the table at the start: the tables grow with its square."""
MAX_GAMES: Final = 10_000_000
"""The most games at once, because all are in memory."""
NOBODY: Final = -1
PAIR: Final = 2


@dataclass(frozen=True, slots=True, eq=False)
class BatchResult:
    """How the games ended; each array has one row for each game."""

    winners: Ints
    """Shape (games,): the seat that won."""
    rounds: Ints
    """Shape (games,): the number of rounds rolled."""
    decisions: Ints
    """Shape (games,): the number of calls made."""
    placements: Ints
    """Shape (games, seats): 1 for the winner, then 2, and so on."""

    def __repr__(self) -> str:
        return f"<BatchResult: {len(self.winners)} games>"


class BatchArrays:
    """The arrays of a `Batch`, and values that follow from them."""

    def __init__(
        self, rules: Rules, seats: int, games: int, rng: np.random.Generator, *, keep_bids: bool = False
    ) -> None:
        seats = whole_number(seats, "seats", PAIR, MAX_SEATS)
        games = whole_number(games, "games", 0, MAX_GAMES)
        if not isinstance(rng, np.random.Generator):
            raise TypeError(f"rng must be a numpy.random.Generator, not {abbreviated(rng)}")
        self.encoding: Final = ActionEncoding(rules, seats)
        """The numbers of the calls."""
        most = self.encoding.max_quantity
        if most > MAX_BATCH_DICE:
            raise RulesError(f"{most} dice, where a batch holds at most {MAX_BATCH_DICE}")
        expect_supported(rules, IN_THE_BOOKS | {"ones_rank"}, "a batch")
        self.rules: Final = rules
        self.result: Final = BatchResult(
            winners=np.zeros(games, np.int64),
            rounds=np.ones(games, np.int64),
            decisions=np.zeros(games, np.int64),
            placements=np.ones((games, seats), np.int64),
        )
        """Filled as the games end."""
        self.game: Ints = np.arange(games)
        """Shape (running,): which game, from 0: its row in the result."""
        self.turn: Ints = rng.integers(seats, size=games, dtype=np.uint8).astype(np.int64)
        """Shape (running,): the seat on turn."""
        self.bidder: Ints = np.full(games, NOBODY)
        """Shape (running,): the seat of the last bid; -1 before the first bid of a round."""
        self.palifico: Ints = np.full(games, NOBODY)
        """Shape (running,): the seat whose palifico round it is; -1 in other rounds."""
        self.dice_counts: Ints = np.full((games, seats), rules.starting_dice)
        """Shape (running, seats): the number of dice of each seat."""
        self._rng = rng
        self.dice: Faces = self._rolled(self.dice_counts)
        """Shape (running, seats, starting dice): the faces; 0 in place of a lost die."""
        self.legal_bid_count: Ints
        """Shape (running,): the number of legal bids."""
        self.legal_call_count: Ints
        """Shape (running,): the number of legal calls: the bids, then the dudos, then the calzas."""

        self._steps = 0
        self._add_lookups(games, seats)
        self._add_history(games, keep_bids=keep_bids)
        self._list_arrays(keep_bids=keep_bids)
        self._count_calls()

    def __repr__(self) -> str:
        return f"<Batch: {len(self.game)} of {len(self.result.winners)} games running>"

    def _add_lookups(self, games: int, seats: int) -> None:
        """Keep the arrays that follow from others, so that no call has to compute them."""
        rules, most = self.rules, self.encoding.max_quantity
        self._tables = bid_tables(rules, most)
        self._no_bid = self._tables.bid_count
        self._last: Ints = np.full(games, self._no_bid)
        """The number of the last bid."""
        self._row: Ints
        """The row of the bid tables."""
        self._first_count: Ints = np.full(games, most * self._tables.counts.shape[1])
        """The start of the part for this game's highest quantity in the flat `counts` of the bid tables."""
        self._first_seat: Ints = np.arange(0, games * seats, seats)
        """The start of a game's seats in a flat array of shape (running, seats)."""
        self._next_seat: Ints = np.tile((np.arange(seats) + 1) % seats, games).reshape(games, seats)
        """By seat: the next one to the left that is still in."""
        self._players: Ints = np.full(games, seats)
        """The number of seats that are still in."""
        self.had_palifico: Flags = np.zeros((games, seats if rules.palifico_once else 0), np.bool_)
        """Shape (running, seats): whether the seat had a palifico round; without columns for rules that do not ask."""
        self._others_may_call = rules.out_of_turn_dudo or rules.calza
        """Whether there are calls other than the bids and the dudo of the player whose turn it is."""
        self._dudo_count: Ints = np.full(games, seats - 1 if rules.out_of_turn_dudo else 1)
        """The number of seats that may say dudo once there is a bid."""
        self._doubt_count: Ints = self._dudo_count + self._calza_count(self._players, np.zeros(games, np.bool_))
        """The number of dudos and calzas that are legal once there is a bid."""

    def _add_history(self, games: int, *, keep_bids: bool) -> None:
        self._history = np.full((games, self._tables.rows if keep_bids else 0), NOBODY, np.int16)
        self._history_length: Ints = np.zeros(games, np.int64)

    def _list_arrays(self, *, keep_bids: bool) -> None:
        """Keep the arrays that differ from game to game; they depend on the rules, and are copied when games leave."""
        by_option = {
            "palifico": self.rules.palifico,
            "had_palifico": self.rules.palifico_once,
            "_first_count": not self.rules.hides_lost_dice,
            "_dudo_count": self.rules.out_of_turn_dudo,
            "_doubt_count": self._others_may_call,
            "_history": keep_bids,
            "_history_length": keep_bids,
        }
        self._differing = [
            "game", "turn", "bidder", "dice_counts", "dice", "_last", "_next_seat", "_players",
            *(name for name, differs in by_option.items() if differs),
        ]  # fmt: skip
        self._uniform = ["_first_seat", *(name for name, differs in by_option.items() if not differs)]

    @property
    def round(self) -> Ints:
        """Shape (running,): the number of rounds rolled so far."""
        return self.result.rounds.take(self.game)

    @property
    def bid_quantity(self) -> Ints:
        """Shape (running,): the quantity of the last bid; 0 before the first bid of a round."""
        return self._tables.quantities.take(self._last)

    @property
    def bid_face(self) -> Ints:
        """Shape (running,): the face of the last bid; 0 before the first bid of a round."""
        return self._tables.faces.take(self._last).astype(np.int64)

    @property
    def own_dice(self) -> Faces:
        """Shape (running, starting dice): the dice of the player whose turn it is; 0 in place of a lost die."""
        own: Faces = self.dice[np.arange(len(self.game)), self.turn]
        return own

    @property
    def bids(self) -> NDArray[np.int16]:
        """Shape (running, most bids of a round so far): numbers of `ActionEncoding`, oldest first, then -1.

        The bidders follow from `bidder`, the last one. The array takes two bytes for each possible bid of each game.
        Raises `ValueError` without `keep_bids=True`.
        """
        self._expect_bids()
        longest = int(self._history_length.max(initial=0))
        return np.where(np.arange(longest) < self._history_length[:, None], self._history[:, :longest], NOBODY)

    def _expect_bids(self) -> None:
        if not self._history.shape[1]:
            raise ValueError("the bids are kept only by a Batch with keep_bids=True; counts are legal_bid_count")

    def _count_calls(self) -> None:
        """Look up the numbers of legal calls."""
        self._row = self._last
        if self.rules.palifico:
            kind = (self.palifico != NOBODY) * LOCKED
            if self.rules.palifico_face_change:
                single = self.dice_counts.take(self._first_seat + self.turn) == 1
                kind += kind * (FACE_CHANGE - LOCKED) * (single & (self.turn != self.palifico))
            self._row = kind * self._tables.rows + self._last
        index = self._first_count + self._row
        self.legal_bid_count = self._tables.counts.take(index)
        if self._others_may_call:
            self.legal_call_count = self.legal_bid_count + (self._last < self._no_bid) * self._doubt_count
        else:
            self.legal_call_count = self._tables.counts_with_dudo.take(index)

    def _calza_count(self, players: Ints, palifico: Flags) -> Ints:
        """Return the number of seats that may say calza once there is a bid."""
        rules = self.rules
        by = {CalzaBy.ANYONE_BUT_BIDDER: players - 1, CalzaBy.BYSTANDERS: players - 2}
        count = by.get(rules.calza_by, np.ones_like(players)) * rules.calza
        if not rules.calza_in_palifico:
            count *= ~palifico
        if not rules.calza_with_two_players:
            count *= players > PAIR
        return count

    def _rolled(self, counts: Ints) -> Faces:
        """Dice for each seat, with 0 in place of lost dice."""
        dice = self._rng.integers(1, 7, (*counts.shape, self.rules.starting_dice), np.uint8)
        dice *= np.arange(self.rules.starting_dice) < counts[:, :, None]
        return dice

    def _end(self, rows: Ints, winner: Ints) -> None:
        """Store the results of these games, and drop their rows."""
        games = self.game.take(rows)
        self.result.winners[games] = winner
        self.result.decisions[games] = self._steps
        running = np.ones(len(self.game), np.bool_)
        running[rows] = False
        kept = running.nonzero()[0]
        arrays: dict[str, NDArray[Any]] = self.__dict__
        for name in self._differing:
            arrays[name] = arrays[name].take(kept, axis=0)
        for name in self._uniform:
            arrays[name] = arrays[name][: len(kept)]


def row_sums(rows: NDArray[Any]) -> NDArray[Any]:
    """As `rows.sum(axis=1)`, in a fifth of the time for short rows; no sum here is above MAX_BATCH_DICE."""
    sums: NDArray[Any] = np.einsum("ij->i", rows)
    return sums
