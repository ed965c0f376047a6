"""The part of a state that one seat, or a bystander, may know."""

from __future__ import annotations

from dataclasses import dataclass

from perudo_core._actions import Bid, Dice, Seat
from perudo_core._engine import legal_calls
from perudo_core._errors import expect_type, whole_number
from perudo_core._events import DiceShown
from perudo_core._legal_calls import NO_CALLS, LegalCalls
from perudo_core._legality import supporting_dice
from perudo_core._notebook import Table, table_html, table_text
from perudo_core._outcome import Outcome
from perudo_core._phase import Phase
from perudo_core._public_names import Listed
from perudo_core._round_setup import open_dice
from perudo_core._rules import Rules
from perudo_core._state import State

__all__ = ["Observation", "observe"]


@dataclass(frozen=True, slots=True)
class Observation(metaclass=Listed):
    """Everything that a seat or a bystander knows: the state without the other seats' dice.

    No player needs a memory for what the table has seen. Where lost dice are hidden (`rules.hides_lost_dice`) an
    interface shows no numbers of dice; they are here nevertheless, because every loss is public and a player can count.
    `dump_observation` makes it a JSON value. Fields without a comment are those of `State`.
    """

    seat: Seat | None
    """None for a bystander."""
    rules: Rules
    seats: tuple[str, ...]
    phase: Phase
    round: int
    turn: Seat | None
    opener: Seat | None
    dice: tuple[int, ...]
    """The seat's own roll while bidding; `()` otherwise, and for a bystander."""
    dice_counts: tuple[int, ...]
    bids: tuple[Bid, ...]
    palifico: Seat | None
    contenders: tuple[Seat, ...]
    had_palifico: frozenset[Seat]
    eliminated: tuple[Seat, ...]
    shown: tuple[DiceShown, ...]
    ones_are_wild: bool
    max_quantity: int
    outcome: Outcome | None
    legal_calls: LegalCalls
    """The seat's legal calls; none for a bystander."""
    supporting_dice: tuple[int, ...]
    """The seat's hidden dice that it may show now, to roll the others again; empty if it may not."""

    @property
    def current_bid(self) -> Bid | None:
        """The last bid of this round, or None before the first."""
        return self.bids[-1] if self.bids else None

    @property
    def total_dice(self) -> int:
        """The number of dice in play."""
        return sum(self.dice_counts)

    @property
    def open_dice(self) -> Dice:
        """The dice of each seat that all players see; they are the first of its hand."""
        return tuple(open_dice(self.shown, seat) for seat in range(len(self.seats)))

    @property
    def known_dice(self) -> tuple[int, ...]:
        """The dice that the seat sees: its own, and what the others have shown."""
        return self.dice + tuple(die for each in self.shown if each.seat != self.seat for die in each.dice)

    @property
    def unknown_dice(self) -> int:
        """The number of dice in play that the seat does not see."""
        return sum(self.dice_counts) - len(self.known_dice)

    @property
    def own_seat(self) -> Seat:
        """The seat; raises `ValueError` for a bystander, who has none.

        >>> from perudo_core import Rules, set_up
        >>> observe(set_up(Rules(), ((2,), (3,))), 1).own_seat
        1
        """
        if self.seat is None:
            raise ValueError("a bystander has no seat")
        return self.seat

    def __str__(self) -> str:
        """In a terminal: a table with the seat's own dice, and `?` for the others', except those that they showed."""
        return table_text(*self._table())

    def _repr_html_(self) -> str:
        """In a notebook: the same table."""
        return table_html(*self._table())

    def _table(self) -> Table:
        dice = [
            self.dice if seat == self.seat and self.dice else (*seen, *(None,) * (count - len(seen)))
            for seat, (seen, count) in enumerate(zip(self.open_dice, self.dice_counts, strict=True))
        ]
        return f"Round {self.round}, {self.phase}", self.seats, dice, self.bids, self.turn


def observe(state: State, seat: Seat | None) -> Observation:
    """Return the part of a state that this seat, or a bystander (None), may know.

    Two states that differ only in the other seats' dice give equal observations. Raises `ValueError` for a seat
    out of range.

    >>> from perudo_core import Rules, set_up
    >>> state = set_up(Rules(), ((2, 2, 5), (1, 6)))
    >>> observe(state, 1).dice, observe(state, 1).dice_counts
    ((1, 6), (3, 2))
    >>> observe(state, None).dice, observe(state, None).unknown_dice
    ((), 5)
    """
    expect_type(state, State, "state")
    if seat is not None:
        seat = whole_number(seat, "seat", 0, len(state.seats) - 1)
    return Observation(
        seat=seat,
        rules=state.rules,
        seats=state.seats,
        phase=state.phase,
        round=state.round,
        turn=state.turn,
        opener=state.opener,
        dice=() if seat is None else state.dice[seat],
        dice_counts=state.dice_counts,
        bids=state.bids,
        palifico=state.palifico,
        contenders=state.contenders,
        had_palifico=state.had_palifico,
        eliminated=state.eliminated,
        shown=state.shown,
        ones_are_wild=state.ones_are_wild,
        max_quantity=state.max_quantity,
        outcome=state.outcome,
        legal_calls=NO_CALLS if seat is None else legal_calls(state, seat),
        supporting_dice=supporting_dice(state, seat),
    )
