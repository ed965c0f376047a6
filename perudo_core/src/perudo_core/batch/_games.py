"""The games of a batch, and the effect of one call in each of them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from perudo_core._rules import CalzaBy
from perudo_core.batch import _policy_view as policy_view
from perudo_core.batch._arrays import NOBODY, PAIR, row_sums
from perudo_core.batch._bid_tables import Flags, Ints
from perudo_core.batch._observations import ObservedBatch

__all__ = ["Batch"]


class Batch(ObservedBatch):
    """Games by the same rules, each waiting for a call; finished games leave the arrays.

    Every array has a row for each running game, in the order of `game`. Read the arrays again after every `step`, and
    do not write to them. The opener of each game is drawn evenly, because every way to find an opener is fair.

    `seats` and `games` are numbers. With `keep_bids`, `bids` contains the bids of the running rounds. Raises
    `TypeError` and `ValueError` for arguments of the wrong type or out of range, and `RulesError` for seats that the
    rules do not allow or for more than 200 dice.
    """

    def legal_mask(self, seat: Ints | None = None) -> Flags:
        """Shape (running, `encoding.size`): true for each call that the player to call may make, by its number.

        With `seat`, an array of one seat for each running game, the calls of that seat.
        """
        return policy_view.legal_mask(self._situation(), seat)

    def to_choice(self, action: Ints, seat: Ints | None = None) -> Ints:
        """Return the index for `step` of a call of the player whose turn it is, or of `seat`, by its number.

        Raises `ValueError` for a call that is not legal.
        """
        return policy_view.to_choice(self._situation(), action, seat)

    def to_action(self, choice: Ints) -> tuple[Ints, Ints]:
        """Return the numbers of the calls at these indices, and the seats of these calls."""
        return policy_view.to_action(self._situation(), self._checked(choice))

    def step(self, choice: Ints, *, check: bool = True) -> None:
        """Make one call in every game, by its index among the legal ones, and roll in each game whose round it ends.

        Raises `ValueError`, and changes no game, for anything but an array of legal indices, one for each running game.
        `check=False` saves 2 to 12 % of the time of random games, most in small batches; an illegal choice then makes
        the batch useless.
        """
        if check:
            choice = self._checked(choice)
        self._steps += 1
        ended = (choice >= self.legal_bid_count).nonzero()[0]
        doubts = _Doubts(
            rows=ended,
            nth=(choice - self.legal_bid_count).take(ended) if self._others_may_call else ended,
            bid=self._last.take(ended),
            bidder=self.bidder.take(ended),
            turn=self.turn.take(ended),
        )
        following = self._tables.following.take(self._row * self._no_bid + choice, mode="clip")
        self._last = following.astype(np.int64)  # in games whose round ends, `_resolve` sets no bid
        self.bidder = self.turn
        self.turn = self._next_seat.take(self._first_seat + self.turn)
        if self._history.shape[1]:
            self._history[np.arange(len(choice)), self._history_length] = self._last
            self._history_length += 1
        if len(ended):
            self._resolve(doubts)
        self._count_calls()

    def _checked(self, choice: Ints) -> Ints:
        """Return the choice; raises `ValueError` unless it is one legal index for each game."""
        if getattr(choice, "shape", None) != self.game.shape or choice.dtype.kind not in "iu":
            raise ValueError("choice must be an array of whole numbers, one for each running game")
        choice = choice.astype(np.int64, copy=False)
        unsigned = choice.view(np.uint64)  # a negative number is a very large one
        if (unsigned >= self.legal_call_count.view(np.uint64)).any():
            raise ValueError("choice must be at least 0 and below legal_call_count")
        return choice

    def _situation(self) -> policy_view.Situation:
        return policy_view.Situation(
            self.rules,
            self._tables,
            self._row,
            self.legal_bid_count,
            self.legal_call_count,
            self._dudo_count,
            self.turn,
            self._next_seat,
            self.bidder,
        )

    def _resolve(self, doubts: _Doubts) -> None:
        """As in `_steps`: a dudo or a calza, the loser, the next opener; then the next roll or the end."""
        rows, _, bid, bidder, caller = doubts
        excess = self._matching(rows, bid) - self._tables.quantities.take(bid)
        calza = exact = np.zeros(1, np.bool_)  # means all rows
        if self._others_may_call:
            calza = doubts.nth >= self._dudo_count.take(rows)
            exact = calza & (excess == 0)
            caller = self._caller(doubts, calza)
            bidder = np.where(calza, caller, bidder)
        seat = np.where(excess < 0, bidder, caller)  # the seat whose dice change
        cells = self._first_seat.take(rows) + seat
        remaining = self._remaining(self.dice_counts.take(cells), excess, calza, exact)
        self.dice_counts.put(cells, remaining)
        gone = remaining == 0
        opener = np.where(gone, self._next_seat.take(cells), seat)
        over = self._eliminate(rows, seat, gone.nonzero()[0])
        if len(over) < len(rows):
            goes_on = np.ones(len(rows), np.bool_)
            goes_on[over] = False
            running = goes_on.nonzero()[0]
            to_one = (remaining == 1) & ~exact
            self._begin_round(rows.take(running), opener.take(running), to_one.take(running))
        if len(over):
            self._end(rows.take(over), opener.take(over))

    def _caller(self, doubts: _Doubts, calza: Flags) -> Ints:
        """Return the nth seat that may call, in turn order from the player to call; the bidder would be the last."""
        steps = np.where(calza, doubts.nth - self._dudo_count.take(doubts.rows), doubts.nth)
        if self.rules.calza_by is CalzaBy.BYSTANDERS:
            steps += calza
        caller, first = doubts.turn, self._first_seat.take(doubts.rows)
        while (steps > 0).any():
            caller = np.where(steps > 0, self._next_seat.take(first + caller), caller)
            steps -= 1
        return caller

    def _matching(self, rows: Ints, bid: Ints) -> Ints:
        """Return the number of dice that count for the bid."""
        dice = self.dice.take(rows, axis=0).reshape(len(rows), -1)
        faces = self._tables.faces.take(bid)
        counts = dice == faces.repeat(dice.shape[1]).reshape(dice.shape)
        if self.rules.wild_ones:
            wild = dice == 1
            if self.rules.palifico:
                wild &= (self.palifico.take(rows) == NOBODY)[:, None]
            counts |= wild
        return row_sums(counts.view(np.uint8)).astype(np.int64)

    def _remaining(self, held: Ints, excess: Ints, calza: Flags, exact: Flags) -> Ints:
        """Return the player's number of dice afterwards."""
        rules = self.rules
        remaining: Ints
        if rules.sudden_death:
            remaining = np.zeros_like(held)
        elif rules.lose_by_difference:
            remaining = np.maximum(held - np.where(calza, 1, np.maximum(1, np.abs(excess))), 0)
        else:
            remaining = held - 1
        if rules.calza:
            remaining = np.where(exact, np.minimum(held + 1, rules.starting_dice), remaining)
        return remaining

    def _eliminate(self, rows: Ints, seats: Ints, out: Ints) -> Ints:
        """Count a seat out in each row at `out`; returns the rows whose game is over."""
        rows, seats = rows.take(out), seats.take(out)
        players = self._players.take(rows)
        self.result.placements.put(self.game.take(rows) * self._next_seat.shape[1] + seats, players)
        over = players == PAIR
        running = (~over).nonzero()[0]
        if len(running):
            rows, seats = rows.take(running), seats.take(running)
            self._players[rows] -= 1
            next_seat = self._next_seat.take(rows, axis=0)
            after = self._next_seat.take(self._first_seat.take(rows) + seats)
            self._next_seat[rows] = np.where(next_seat == seats[:, None], after[:, None], next_seat)
        ended: Ints = out.take(over.nonzero()[0])
        return ended

    def _begin_round(self, rows: Ints, opener: Ints, to_one: Flags) -> None:
        """Set up the next round and roll; it is a palifico round if the opener dropped to one die."""
        rules, players = self.rules, self._players.take(rows)
        locked = to_one if rules.palifico else np.zeros(len(rows), np.bool_)
        self.turn[rows] = opener
        self.bidder[rows] = NOBODY
        self._last[rows] = self._no_bid
        if self._history.shape[1]:
            self._history_length[rows] = 0
        if not rules.palifico_with_two_players:
            locked &= players > PAIR
        if rules.palifico_once:
            locked &= ~self.had_palifico[rows, opener]
            self.had_palifico[rows, opener] |= locked
        if rules.palifico:
            self.palifico[rows] = np.where(locked, opener, NOBODY)
        if not rules.hides_lost_dice:
            self._first_count[rows] = row_sums(self.dice_counts.take(rows, axis=0)) * self._tables.counts.shape[1]
        if self._others_may_call:
            if rules.out_of_turn_dudo:
                self._dudo_count[rows] = players - 1
            self._doubt_count[rows] = self._dudo_count.take(rows) + self._calza_count(players, locked)
        self.dice[rows] = self._rolled(self.dice_counts.take(rows, axis=0))
        self.result.rounds[self.game.take(rows)] += 1


class _Doubts(NamedTuple):
    """The games in which the call is a dudo or a calza, and the values that settle it."""

    rows: Ints
    nth: Ints
    """The index among the dudos and calzas; used only if other players than the one on turn may say one."""
    bid: Ints
    bidder: Ints
    turn: Ints
