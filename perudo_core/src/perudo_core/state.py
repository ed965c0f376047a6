"""The whole state of a game, as one value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from perudo_core._round import Round, Standing, standing
from perudo_core.errors import RulesError, expect, is_whole, shown
from perudo_core.outcome import Outcome
from perudo_core.rules import MOST_SEATS, Opener, Rules

if TYPE_CHECKING:
    from perudo_core.actions import Bid, Dice, Seat

__all__ = [
    "BIDDING",
    "OPENING",
    "OVER",
    "ROLLING",
    "Phase",
    "State",
    "new_game",
    "outcome_of",
    "standing_of",
]


class Phase(StrEnum):
    """What the game waits for."""

    OPENING = "opening"  # chance: who opens the game
    ROLLING = "rolling"  # chance: the dice of the next round
    BIDDING = "bidding"  # a player
    OVER = "over"


OPENING, ROLLING, BIDDING, OVER = Phase
"""Looked up once: up to Python 3.11 each `Phase.OVER` takes its time."""


class _Derived:
    """What is worked out from a state's fields and kept beside them: no part of its value."""

    __slots__ = ("judged_by",)
    judged_by: Standing


@dataclass(frozen=True, slots=True)
class State(_Derived):
    """Everything there is to know, hidden dice included: show a player `observe(state, seat)` instead.

    Make one with `new_game` and get the next from `apply`.
    """

    rules: Rules
    seats: tuple[str, ...]
    """Display names."""
    phase: Phase
    round: int
    """How many rounds have been rolled: 0 before the first. A round that is rolled again has the next number."""
    dice_counts: tuple[int, ...]
    dice: Dice
    """Each seat's roll while bidding; `()` for every seat otherwise."""
    opener: Seat | None
    """Of the round that runs or comes next; None while the game looks for one, and when it is over."""
    turn: Seat | None
    bids: tuple[Bid, ...]
    """Of this round, oldest first."""
    palifico: Seat | None
    """Whose palifico round this is, or the next one will be."""
    contenders: tuple[Seat, ...]
    """Who may still come to open the game, while that is open."""
    had_palifico: frozenset[Seat]
    """Who has had a palifico round."""
    gone: tuple[Seat, ...]
    """Who is out, the first to go first."""

    @property
    def current_bid(self) -> Bid | None:
        """The last bid of this round."""
        return self.bids[-1] if self.bids else None

    @property
    def total_dice(self) -> int:
        """The dice in play."""
        return sum(self.dice_counts)

    @property
    def seats_in(self) -> tuple[Seat, ...]:
        """The seats that still hold dice."""
        return tuple(seat for seat, count in enumerate(self.dice_counts) if count)

    @property
    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self.phase is OVER

    @property
    def ones_wild(self) -> bool:
        """Whether ones count for any face in this round. All books: palifico, ones are not wild."""
        return self.rules.wild_ones and self.palifico is None

    @property
    def max_quantity(self) -> int:
        """The most that may be bid: the dice in play, or those at the start where a lower cap would tell the count."""
        return Round.of(self.rules, self.dice_counts, self.palifico).table.most

    @property
    def outcome(self) -> Outcome | None:
        """Who won and in what order the others went, once it is over."""
        return outcome_of(self) if self.phase is OVER else None

    def left_of(self, seat: Seat) -> Seat:
        """The nearest seat to the left that still holds dice (the seat itself if no other does)."""
        counts, size = self.dice_counts, len(self.dice_counts)
        following = (seat + 1) % size
        while not counts[following] and following != seat:
            following = (following + 1) % size
        return following


def outcome_of(over: State) -> Outcome:
    """Who won and in what order the others went."""
    placements = [1] * len(over.seats)
    for gone_before, seat in enumerate(over.gone):
        placements[seat] = len(over.seats) - gone_before
    return Outcome(placements.index(1), tuple(placements))


def standing_of(state: State) -> Standing:
    """What the next call of a round is judged by."""
    try:
        return state.judged_by
    except AttributeError:
        assert state.turn is not None, "somebody is on turn"  # noqa: S101 - for the type checker
        round_ = Round.of(state.rules, state.dice_counts, state.palifico)
        found = standing(round_, state.turn, state.current_bid)
        object.__setattr__(state, "judged_by", found)
        return found


def new_game(rules: Rules, seats: int | Sequence[str], *, opener: Seat | None = None) -> State:
    """A game before its first roll.

    `seats` are display names in turn order, or a number of seats. With an `opener` the table has already found who
    opens, and the contest for it is skipped.
    """
    expect(rules, Rules, "rules")
    expect(seats, int | Sequence, "seats")
    if isinstance(seats, str):
        raise RulesError("seats must be a number or a sequence of names")
    size = seats if isinstance(seats, int) else len(seats)
    most = MOST_SEATS if rules.max_seats is None else rules.max_seats
    if not rules.min_seats <= size <= most:
        raise RulesError(f"{shown(size)} seats, where these rules seat {rules.min_seats} to {most}")
    names = tuple(f"Seat {n}" for n in range(1, seats + 1)) if isinstance(seats, int) else tuple(seats)
    for name in names:
        if not isinstance(name, str):
            raise RulesError(f"seats must be names, not {shown(name)}")
        if not is_whole(name):
            raise RulesError(f"seats must be names that can be written, not {shown(name)}")
    if opener is not None and (type(opener) is not int or not 0 <= opener < size):
        raise RulesError("the opener must be one of the seats")
    contest = opener is None and rules.opener is not Opener.RANDOM
    return State(
        rules=rules,
        seats=names,
        phase=OPENING if opener is None else ROLLING,
        round=0,
        dice_counts=(rules.starting_dice,) * size,
        dice=((),) * size,
        opener=opener,
        turn=None,
        bids=(),
        palifico=None,
        contenders=tuple(range(size)) if contest else (),
        had_palifico=frozenset(),
        gone=(),
    )
