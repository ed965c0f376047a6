"""The part of a state that one seat, or a bystander, may know."""

from __future__ import annotations

from dataclasses import dataclass

from perudo_core._actions import Bid, Seat
from perudo_core._calls import NO_ACTIONS, LegalActions, legal_actions
from perudo_core._errors import expect_type, whole_number
from perudo_core._outcome import Outcome
from perudo_core._phase import Phase
from perudo_core._rules import LostDice, Rules
from perudo_core._state import State

__all__ = ["Observation", "observe"]


@dataclass(frozen=True, slots=True)
class Observation:
    """The part of a state that a seat or a bystander may know; it has no reference to the state.

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
    dice_counts: tuple[int | None, ...]
    """The number of dice of each seat; with hidden lost dice None for every other seat that still has dice."""
    total_dice: int | None
    """The number of dice in play, or None with hidden lost dice."""
    in_play: tuple[bool, ...]
    """Whether each seat still has dice."""
    bids: tuple[Bid, ...]
    palifico: Seat | None
    ones_are_wild: bool
    max_quantity: int
    outcome: Outcome | None
    legal_actions: LegalActions
    """The seat's legal calls; none for a bystander."""

    @property
    def current_bid(self) -> Bid | None:
        """The last bid of this round, or None before the first."""
        return self.bids[-1] if self.bids else None

    def _repr_html_(self) -> str:
        """In a notebook: a table with the seat's own dice, and the backs of the others' where their number is known."""
        from perudo_core._notebook import table_html  # noqa: PLC0415 - only a notebook needs it

        dice = [
            self.dice if seat == self.seat and self.dice else (None,) * (count or 0)
            for seat, count in enumerate(self.dice_counts)
        ]
        return table_html(f"Round {self.round}, {self.phase}", self.seats, dice, self.bids, self.turn)


def observe(state: State, seat: Seat | None) -> Observation:
    """Return the part of a state that this seat, or a bystander (None), may know.

    Two states that differ only in parts hidden from the seat give equal observations. Raises `ValueError` for a seat
    out of range.

    >>> from perudo_core import Rules, set_up
    >>> state = set_up(Rules(), ((2, 2, 5), (1, 6)))
    >>> observe(state, 1).dice, observe(state, 1).dice_counts
    ((1, 6), (None, 2))
    >>> observe(state, None).dice, observe(state, None).dice_counts
    ((), (None, None))
    """
    expect_type(state, State, "state")
    if seat is not None:
        seat = whole_number(seat, "seat", 0, len(state.seats) - 1)
    counts = state.dice_counts
    hidden = state.rules.lost_dice is LostDice.HIDDEN
    return Observation(
        seat=seat,
        rules=state.rules,
        seats=state.seats,
        phase=state.phase,
        round=state.round,
        turn=state.turn,
        opener=state.opener,
        dice=() if seat is None else state.dice[seat],
        dice_counts=tuple(None if hidden and count and other != seat else count for other, count in enumerate(counts)),
        total_dice=None if hidden else sum(counts),
        in_play=tuple(count > 0 for count in counts),
        bids=state.bids,
        palifico=state.palifico,
        ones_are_wild=state.ones_are_wild,
        max_quantity=state.max_quantity,
        outcome=state.outcome,
        legal_actions=NO_ACTIONS if seat is None else legal_actions(state, seat),
    )
