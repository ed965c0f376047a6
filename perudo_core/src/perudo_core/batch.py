"""Thousands of games at once, in NumPy arrays: `pip install perudo-core[numpy]`.

    import numpy as np
    from perudo_core import Rules
    from perudo_core.batch import play_random

    result = play_random(Rules.preset("azteca"), 4, 10_000, np.random.default_rng(1))
    result.winners, result.rounds, result.decisions, result.placements

With a policy of your own:

    def cautious(batch):  # doubt whatever is above a third of the dice in play
        least = np.zeros(len(batch.game), int)
        return np.where(3 * batch.bid_quantity > batch.dice_counts.sum(axis=1), batch.bids, least)

    play(Rules(), 4, 10_000, np.random.default_rng(1), cautious)

A call is its index in `legal_actions(state)`, in the same order, and the bids come from the same table of raises; that
the rest is the engine's game too is shown by tests that play every option both ways.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

try:
    import numpy as np
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        "perudo_core.batch needs NumPy: pip install 'perudo-core[numpy]'", name=error.name
    ) from None
from numpy.typing import NDArray

from perudo_core.actions import FACES
from perudo_core.bidding import BidRules
from perudo_core.errors import RulesError, abbreviated, expect_int
from perudo_core.rules import CalzaBy, LostDice
from perudo_core.state import new_game

if TYPE_CHECKING:
    from collections.abc import Callable

    from perudo_core.rules import PlainRaise, Rules

__all__ = ["Batch", "BatchResult", "play", "play_random"]

Ints: TypeAlias = NDArray[np.int64]
Flags: TypeAlias = NDArray[np.bool_]
Faces: TypeAlias = NDArray[np.uint8]

MAX_BATCH_DICE: Final = 200
"""On the table at the start: what is looked up grows with its square."""
MAX_GAMES: Final = 10_000_000
"""At once: they are all held in memory."""
NOBODY: Final = -1
PAIR: Final = 2
LOCKED: Final = 1
"""The kind of a palifico round, 0 being a plain one, and 2 a palifico round where the player may change the face."""


@dataclass(frozen=True, slots=True)
class BatchResult:
    """How the games ended; a row for each game, in all of these."""

    winners: Ints
    rounds: Ints
    decisions: Ints
    """The calls that were made."""
    placements: Ints
    """By seat: 1 for the winner, then 2, and so on."""


def play_random(rules: Rules, seats: int, games: int, rng: np.random.Generator) -> BatchResult:
    """Play games to their ends, each call drawn evenly from `legal_actions(state)`, whoever may make it."""

    def evenly(batch: Batch) -> Ints:
        return (rng.random(len(batch.game)) * batch.calls).astype(np.int64)

    return play(rules, seats, games, rng, evenly)


def play(
    rules: Rules, seats: int, games: int, rng: np.random.Generator, policy: Callable[[Batch], Ints]
) -> BatchResult:
    """Play games to their ends: the policy picks a legal call in each running game, by its index."""
    batch = Batch(rules, seats, games, rng)
    while len(batch.game):
        batch.step(policy(batch))
    return batch.result


class Batch:
    """Games of one table, each waiting for a call; those that are over leave the arrays.

    Every array has a row for each running game, and `game` says which it is. Treat them as read-only, and read them
    anew after every `step`. The opener of each game is drawn evenly, which is what all ways to find one come to.
    """

    def __init__(self, rules: Rules, seats: int, games: int, rng: np.random.Generator) -> None:
        expect_int(games, "games", 0, MAX_GAMES)
        if not isinstance(rng, np.random.Generator):
            raise TypeError(f"rng must be a numpy.random.Generator, not {abbreviated(rng)}")
        start = new_game(rules, seats, opener=0)
        if start.max_quantity > MAX_BATCH_DICE:
            raise RulesError(f"{start.max_quantity} dice, where a batch holds at most {MAX_BATCH_DICE}")
        self.rules: Final = rules
        winners, rounds, decisions = np.zeros((3, games), np.int64)
        self.result: Final = BatchResult(winners, rounds, decisions, np.ones((games, seats), np.int64))
        """Filled as games end."""
        self._rng = rng
        self._raises = _raises(rules.plain_raise, rules.wild_ones, rules.ones_may_open, start.max_quantity)
        self._steps = 0
        self._every: Ints = np.arange(games)

        self.game: Ints = np.arange(games)
        """Which game, from 0: its row in the result."""
        self.turn: Ints = rng.integers(seats, size=games)
        """The seat on turn."""
        self.bidder: Ints = np.full(games, NOBODY)
        """Who made the last bid; -1 before the first of a round."""
        self.palifico: Ints = np.full(games, NOBODY)
        """Whose palifico round it is; -1 where it is none."""
        self.round: Ints = np.zeros(games, np.int64)
        """How many have been rolled."""
        self.dice_counts: Ints = np.full((games, seats), rules.starting_dice)
        """By seat."""
        self.dice: Faces = np.zeros((games, seats, rules.starting_dice), np.uint8)
        """By seat; 0 where no die is left."""
        self.bids: Ints
        """How many bids are legal."""
        self.calls: Ints
        """How many calls are legal: the bids, then the dudos, then the calzas."""

        self._last: Ints = np.zeros(games, np.int64)  # the last bid as a number, 0 before the first
        self._left: Ints = np.tile((np.arange(seats) + 1) % seats, (games, 1))  # who sits next and is still in
        self._players: Ints = np.full(games, seats)
        self._had_palifico: Flags = np.zeros((games, seats), np.bool_)
        self._most: Ints = np.full(games, start.max_quantity)
        self._dudos: Ints = np.zeros(games, np.int64)  # how many may say it, once there is a bid
        self._calzas: Ints = np.zeros(games, np.int64)
        self._roll(self._every)
        self._count()

    @property
    def bid_quantity(self) -> Ints:
        """Of the last bid; 0 before the first of a round."""
        return self._raises.quantities[self._last]

    @property
    def bid_face(self) -> Ints:
        """Of the last bid; 0 before the first of a round."""
        return self._raises.faces[self._last]

    @property
    def own_dice(self) -> Faces:
        """The dice of the player on turn; 0 where no die is left."""
        return self.dice[self._every, self.turn]

    def step(self, choice: Ints) -> None:
        """Make one call in every game, the choice-th of the legal ones, and roll where that ends a round."""
        if np.shape(choice) != self.game.shape or not np.issubdtype(getattr(choice, "dtype", float), np.integer):
            raise ValueError("choice must be an array of whole numbers, one for each running game")
        if (choice < 0).any() or (choice >= self.calls).any():
            raise ValueError("choice must be at least 0 and below calls")
        self._steps += 1
        doubted = np.flatnonzero(choice >= self.bids)
        doubts = _Doubts(
            doubted, (choice - self.bids)[doubted], self._last[doubted], self.bidder[doubted], self.turn[doubted]
        )
        self._last = self._raises.bids[self._raises.starts[self._row] + np.minimum(choice, self.bids - 1)]
        self.bidder = self.turn
        self.turn = self._left_of(self._every, self.turn)
        if len(doubted):
            self._resolve(doubts)
        self._count()

    def _left_of(self, rows: Ints, seats: Ints) -> Ints:
        next_in: Ints = self._left.ravel()[rows * self._left.shape[1] + seats]
        return next_in

    def _resolve(self, doubts: _Doubts) -> None:
        """As in `engine`: a dudo, a calza, who loses, who opens; then the next roll or the end."""
        rules, rows = self.rules, doubts.rows
        dudos = self._dudos[rows]
        dudo = doubts.called < dudos
        caller = self._caller(doubts, np.where(dudo, doubts.called, doubts.called - dudos), dudo)
        quantity, count = self._raises.quantities[doubts.bid], self._counted(doubts)

        right = ~dudo & (count == quantity)
        seat = np.where(dudo & (count < quantity), doubts.bidder, caller)  # whose dice change
        held = self.dice_counts[rows, seat]
        amount = held if rules.sudden_death else np.ones_like(held)
        if rules.lose_by_difference:
            amount = np.where(dudo, np.maximum(1, np.abs(count - quantity)), 1)
        regained = np.minimum(1, rules.starting_dice - held)
        left = np.where(right, held + regained, np.maximum(held - amount, 0))
        self.dice_counts[rows, seat] = left

        self.bidder[rows] = NOBODY
        self._last[rows] = 0
        self.turn[rows] = np.where(left == 0, self._left_of(rows, seat), seat)
        palifico = (left == 1) & ~right
        if rules.palifico_once:
            palifico &= ~self._had_palifico[rows, seat]
        self._leave(rows[left == 0], seat[left == 0])
        if not rules.palifico_with_two_players:
            palifico &= self._players[rows] > PAIR
        self.palifico[rows] = np.where(palifico, seat, NOBODY) if rules.palifico else NOBODY
        over = self._players[rows] == 1
        if not over.all():
            self._roll(rows[~over])
        if over.any():
            self._end(rows[over])

    def _caller(self, doubts: _Doubts, nth: Ints, dudo: Flags) -> Ints:
        """The nth of those who may, in turn order from the player on turn; the bidder would come last."""
        steps = nth + ~dudo if self.rules.calza_by is CalzaBy.BYSTANDERS else nth
        caller = doubts.turn
        while (steps > 0).any():
            caller = np.where(steps > 0, self._left_of(doubts.rows, caller), caller)
            steps = steps - 1
        return caller

    def _counted(self, doubts: _Doubts) -> Ints:
        dice = self.dice.take(doubts.rows, axis=0).reshape(len(doubts.rows), -1)
        counts = dice == self._raises.faces[doubts.bid].astype(np.uint8)[:, None]
        if self.rules.wild_ones:
            counts |= (dice == 1) & (self.palifico[doubts.rows] == NOBODY)[:, None]
        return _row_sums(counts.view(np.uint8)).astype(np.int64)

    def _leave(self, rows: Ints, seats: Ints) -> None:
        """These have lost their last die: who sits next is found anew where the game goes on."""
        self.result.placements[self.game[rows], seats] = self._players[rows]
        self._players[rows] -= 1
        goes_on = self._players[rows] > 1
        rows, seats = rows[goes_on], seats[goes_on]
        left = self._left.take(rows, axis=0)
        after = self._left_of(rows, seats)
        self._left[rows] = np.where(left == seats[:, None], after[:, None], left)

    def _roll(self, rows: Ints) -> None:
        """The dice of the next round, and what stays the same while it lasts."""
        rules, counts = self.rules, self.dice_counts.take(rows, axis=0)
        dice = self._rng.integers(1, 7, (*counts.shape, rules.starting_dice), np.uint8)
        self.dice[rows] = dice * (np.arange(rules.starting_dice) < counts[:, :, None])
        self.round[rows] += 1
        palifico, players = self.palifico[rows], self._players[rows]
        locked = palifico != NOBODY
        self._had_palifico[rows[locked], palifico[locked]] = True
        if rules.lost_dice is LostDice.VISIBLE:
            self._most[rows] = _row_sums(counts)
        self._dudos[rows] = players - 1 if rules.out_of_turn_dudo else 1
        if rules.calza:
            may = {CalzaBy.ANYONE_BUT_BIDDER: players - 1, CalzaBy.BYSTANDERS: players - 2}.get(rules.calza_by, 1)
            void = ~np.bool_(rules.calza_in_palifico) & locked
            void |= ~np.bool_(rules.calza_with_two_players) & (players == PAIR)
            self._calzas[rows] = np.where(void, 0, may)

    def _end(self, rows: Ints) -> None:
        """Note how these games ended, and go on without them."""
        games = self.game[rows]
        self.result.winners[games] = self.turn[rows]
        self.result.rounds[games] = self.round[rows]
        self.result.decisions[games] = self._steps
        running = np.ones(len(self.game), np.bool_)
        running[rows] = False
        kept = np.flatnonzero(running)
        for name in _ROWS:
            setattr(self, name, getattr(self, name).take(kept, axis=0))
        self._every = self._every[: len(kept)]

    def _count(self) -> None:
        """Look up how many calls are legal."""
        kind = (self.palifico != NOBODY) * LOCKED
        if self.rules.palifico_face_change:
            single = self.dice_counts.ravel()[self._every * self.dice_counts.shape[1] + self.turn] == 1
            kind += kind * (single & (self.turn != self.palifico))
        self._row = kind * self._raises.size + self._last
        self.bids = self._raises.counts[self._row, self._most]
        self.calls = self.bids + (self._last > 0) * (self._dudos + self._calzas)


_ROWS: Final = (
    "game", "turn", "bidder", "palifico", "round", "dice_counts", "dice",
    "_last", "_left", "_players", "_had_palifico", "_most", "_dudos", "_calzas",
)  # fmt: skip


class _Doubts(NamedTuple):
    """Where a dudo or a calza was said: which of them, and on what bid."""

    rows: Ints
    called: Ints
    bid: Ints
    bidder: Ints
    turn: Ints


class _Raises(NamedTuple):
    """Which bids may follow which. Bids are numbered by quantity and then by face, from 1; 0 is no bid.

    There is a row for each kind of round and last bid. A smaller most allows fewer of the same, from the first.
    """

    size: int
    """Of a kind."""
    quantities: Ints
    """Of each bid, by its number."""
    faces: Ints
    bids: Ints
    """Those that may follow, row after row."""
    starts: Ints
    """Where a row begins in them."""
    counts: Ints
    """By row and most: how many."""


@lru_cache(maxsize=16)
def _raises(plain_raise: PlainRaise, ones_are_wild: bool, ones_may_open: bool, most: int) -> _Raises:
    plain = BidRules(plain_raise, ones_are_wild=ones_are_wild, ones_may_open=ones_may_open, face_is_locked=False)
    locked = BidRules(plain_raise, ones_are_wild=False, ones_may_open=True, face_is_locked=True)
    free = BidRules(plain_raise, ones_are_wild=False, ones_may_open=True, face_is_locked=False)
    lasts = [None, *((quantity, face) for quantity in range(1, most + 1) for face in FACES)]
    rows = [
        np.array([(quantity - 1) * len(FACES) + face for quantity, face in rules.next_bids[last].up_to(most)], np.int64)
        for rules in (plain, locked, free)  # in the order of the kinds, see LOCKED
        for last in lasts
    ]
    largest = np.arange(most + 1) * len(FACES)
    return _Raises(
        size=len(lasts),
        quantities=np.array([0, *(quantity for quantity in range(1, most + 1) for _ in FACES)]),
        faces=np.array([0, *(FACES * most)]),
        bids=np.concatenate(rows),
        starts=np.cumsum([0, *map(len, rows[:-1])]),
        counts=np.array([np.searchsorted(row, largest, side="right") for row in rows]),
    )


def _row_sums(rows: NDArray[Any]) -> NDArray[Any]:
    """As `rows.sum(axis=1)`, in a fifth of the time where rows are short; no sum here is above MAX_BATCH_DICE."""
    sums: NDArray[Any] = np.einsum("ij->i", rows)
    return sums
